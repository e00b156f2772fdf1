"""Says in the owner's language what the code says in English: errors, and why a run ended.

Code and logs are English. assets/words/errors.LANG.json holds each line as the code has it, its
blanks in braces, and the same in the other language. tests/test_errors.py walks the code for lines
that are not there.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from config import sentences
from text import pattern

FOLDER = Path(__file__).resolve().parent.parent / "assets" / "words"
# Blanks that hold words of ours. All others hold names, numbers and what others said, and stay as
# they are.
_OURS = pattern("error|problem|reason|rest|why|what|wanted|wrong|meaning|used|known|words")
_BLANK = pattern(r"\{\w+\}")


def in_words(text: str, lang: str) -> str:
    """Return an English text in another language; a line that nobody put into words stays."""
    return text if lang == "en" else "\n".join(_reworded(line, lang) for line in text.split("\n"))


@cache
def _phrases(lang: str) -> dict[str, str]:
    """Return each line with its words, the longest text first."""
    known: dict[str, str] = json.loads((FOLDER / f"errors.{lang}.json").read_text("utf-8"))
    known |= _of_keys(lang)
    lines = sorted(known, key=lambda line: len(_BLANK.sub("", line)), reverse=True)
    return {line: known[line] for line in lines}


@cache
def _parts(phrase: str) -> list[str]:
    return _BLANK.split(phrase)


@cache
def _reader(phrase: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.*?)", re.escape(phrase)), re.DOTALL)


def _blanks(phrase: str, line: str) -> dict[str, str] | None:
    """Return what stands in the blanks of a phrase; None when the line is another one. Most are
    ruled out by what stands between the blanks."""
    if not all(part in line for part in _parts(phrase)):
        return None
    found = _reader(phrase).fullmatch(line)
    return found.groupdict() if found else None


def _of_keys(lang: str) -> dict[str, str]:
    """Return the lines of the messages that have keys: in a log they stand as English text."""
    english, other = sentences("en"), sentences("zh" if lang == "zh" else "en")
    pairs = (
        zip(english[key].split("\n"), other[key].split("\n"), strict=True)
        for key in english
        if key.startswith("error.")
    )
    return {line: words for lines in pairs for line, words in lines if _BLANK.sub("", line).strip()}


def _reworded(line: str, lang: str) -> str:
    fitting = [
        (values, words)
        for phrase, words in _phrases(lang).items()
        if (values := _blanks(phrase, line)) is not None
    ]
    if fitting:  # the one that leaves least to words that are not ours
        values, words = min(
            fitting,
            key=lambda each: sum(len(v) for k, v in each[0].items() if not _OURS.fullmatch(k)),
        )
        return words.format(
            **{k: _reworded(v, lang) if _OURS.fullmatch(k) else v for k, v in values.items()}
        )
    head, colon, rest = line.partition(": ")  # a name or a place, then what is wrong there
    return f"{head}{colon}{_reworded(rest, lang)}" if rest else line
