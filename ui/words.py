"""What the screens say, in English and Chinese: `say(key, **values)` looks a sentence up in assets/words/.

A sentence that counts something may be a list of two: the first is said when `n` is 1, the second otherwise.

What comes from below the screens (errors, why a run ended) is English, in the code and in every log. `in_words` says it
in the owner's language: assets/words/errors.zh.json holds each line as the code has it, its blanks in braces, and the
same in Chinese. tests/test_errors.py walks the code for lines that are not there.
"""

from __future__ import annotations

import json
import re
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "assets" / "words"
_spoken = ["en"]
_here: ContextVar[str] = ContextVar("lang", default="")  # of one request of the page; "": that of the process
# Blanks that hold words of ours. All others hold names, numbers and what others said, and stay as they are.
_OURS = re.compile("error|problem|reason|rest|why|what|wanted|wrong|meaning|used|known|words")


def use(lang: str) -> None:
    """Chooses the language of everything that is said from now on."""
    _spoken[0] = lang


def speaking(lang: str) -> None:
    """Chooses the language of what is said from now on in this context alone; "" is that of the process."""
    _here.set(lang)


def language() -> str:
    """The language that is spoken here and now."""
    return _here.get() or _spoken[0]


def language_of(said: str) -> str:
    """The language that a browser names first, if it is one of ours; else ""."""
    return said[:2].lower() if said[:2].lower() in ("en", "zh") else ""


@cache
def catalogue(lang: str) -> dict[str, str | list[str]]:
    """All sentences of one language by key."""
    words: dict[str, str | list[str]] = json.loads((FOLDER / f"{lang}.json").read_text(encoding="utf-8"))
    return words


def say(key: str, **values: Any) -> str:
    """The sentence of this key with its {placeholders} filled. An unknown key is a defect and raises KeyError."""
    sentence = catalogue(language())[key]
    if isinstance(sentence, list):
        sentence = sentence[0 if values.get("n") == 1 else -1]
    return sentence.format(**values)


def says(key: str) -> bool:
    """True when there is a sentence for this key."""
    return key in catalogue(language())


def in_words(text: str) -> str:
    """An English text from below the screens in the chosen language; a line that nobody put into words stays."""
    if (lang := language()) == "en":
        return text
    return "\n".join(_reworded(line, _phrases(lang)) for line in text.split("\n"))


def reasons_in_words(text: str) -> str:
    """What the gate says, each of its reasons in the chosen language."""
    return "; ".join(map(in_words, text.split("; ")))


def reasons_in_each(text: str) -> dict[str, str]:
    """The same in every language, for who does not know yet who will read it."""
    chosen, said = _here.get(), {}
    for lang in ("en", "zh"):
        speaking(lang)
        said[lang] = reasons_in_words(text)
    speaking(chosen)
    return said


@cache
def _phrases(lang: str) -> list[tuple[re.Pattern[str], str]]:
    """What each line looks like, and its words; those that say most come first."""
    known: dict[str, str] = json.loads((FOLDER / f"errors.{lang}.json").read_text(encoding="utf-8"))
    lines = sorted(known, key=lambda line: len(re.sub(r"\{\w+\}", "", line)), reverse=True)
    return [(re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.*?)", re.escape(line))), known[line]) for line in lines]


def _reworded(line: str, phrases: list[tuple[re.Pattern[str], str]]) -> str:
    fitting = [(found.groupdict(), words) for pattern, words in phrases if (found := pattern.fullmatch(line))]
    if fitting:  # the one that leaves least to words that are not ours
        values, words = min(fitting, key=lambda each: sum(len(v) for k, v in each[0].items() if not _OURS.fullmatch(k)))
        return words.format(**{k: _reworded(v, phrases) if _OURS.fullmatch(k) else v for k, v in values.items()})
    head, colon, rest = line.partition(": ")  # a name or a place, then what is wrong there
    return f"{head}{colon}{_reworded(rest, phrases)}" if rest else line
