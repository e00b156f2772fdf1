"""Look a sentence up in assets/words by its key and fill its blanks, in a reader's language."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).resolve().parents[1] / "assets" / "words"


class Said(NamedTuple):
    """A text for people: the key of its sentence, and the values of its blanks."""

    key: str
    values: Mapping[str, str]


@cache
def catalogue(lang: str) -> dict[str, str | list[str]]:
    """Return all sentences of one language by key."""
    words: dict[str, str | list[str]] = json.loads((FOLDER / f"{lang}.json").read_text("utf-8"))
    return words


def sentence(lang: str, said: Said) -> str:
    """Return the sentence; one for a count has two forms, the first for an `n` of 1. Raises KeyError."""
    found = catalogue(lang)[said.key]
    if isinstance(found, list):
        found = found[0 if said.values.get("n") == "1" else -1]
    return found.format(**said.values)


def sentences(lang: str, said: Iterable[Any]) -> str:
    """Join sentences that were kept in a log as pairs of key and values."""
    return "; ".join(sentence(lang, Said(*each)) for each in said)
