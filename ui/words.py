"""What the screens say, in English and Chinese: `say(key, **values)` looks a sentence up in assets/words/.

A sentence that counts something may be a list of two: the first is said when `n` is 1, the second otherwise.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "assets" / "words"
_spoken = ["en"]


def use(lang: str) -> None:
    """Chooses the language of everything that is said from now on."""
    _spoken[0] = lang


@cache
def catalogue(lang: str) -> dict[str, str | list[str]]:
    """All sentences of one language by key."""
    words: dict[str, str | list[str]] = json.loads((FOLDER / f"{lang}.json").read_text(encoding="utf-8"))
    return words


def say(key: str, **values: Any) -> str:
    """The sentence of this key with its {placeholders} filled. An unknown key is a defect and raises KeyError."""
    sentence = catalogue(_spoken[0])[key]
    if isinstance(sentence, list):
        sentence = sentence[0 if values.get("n") == 1 else -1]
    return sentence.format(**values)


def says(key: str) -> bool:
    """True when there is a sentence for this key."""
    return key in catalogue(_spoken[0])
