"""Split a sentence into values that can be looked up (paths, versions, names, numbers) and words.

The gate asks whether a run brought them; the stores, whether two sentences say the same. English
and Chinese; nothing is guessed, and no dictionary is needed: Chinese is compared by pairs of
characters. Source: seed 002 §3.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from text.words import asked, words_of

_FILE = Path(__file__).parents[2] / "assets" / "memory" / "wording.toml"
TELLING = ("quoted", "url", "path", "relative", "version", "option", "name")  # by no accident
_CAN_BE_REPLACED = ("version", "number", "path", "url")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;。！？：；]\s*)[\s*\"'“(-]*$")
_EXTENSION = re.compile(r"\.[A-Za-z]\w{0,4}$")
_CHINESE = re.compile(r"[\u3400-\u9fff]+")
_QUOTES = "\"'“”「」‘’`"
_SAME_SHARE = 0.8  # of the words of two sentences that say the same


@cache
def table(name: str) -> dict[str, Any]:
    """Return one table of the file."""
    found: dict[str, Any] = tomllib.loads(_FILE.read_text("utf-8"))[name]
    return found


@cache
def pattern_of(part: str, name: str) -> re.Pattern[str]:
    """Return one pattern of a table."""
    return re.compile(table(part)[name], re.ASCII if part == "words" else 0)


class Value(NamedTuple):
    """A value in a text, without quotes and the full stop behind it."""

    kind: str
    text: str
    start: int


@cache
def _reader() -> re.Pattern[str]:
    kinds = table("values").items()
    return re.compile("|".join(f"(?P<{kind}>{said})" for kind, said in kinds), re.ASCII)


def values(text: str) -> list[Value]:
    """Return the values of a sentence, in order. A capital letter makes a word a value, but not at
    its start."""
    found = (_value(match, text) for match in _reader().finditer(text))
    return [value for value in found if value is not None]


def _value(match: re.Match[str], text: str) -> Value | None:
    kind, found = match.lastgroup or "", match[0].strip(_QUOTES)
    if kind != "quoted":
        found = found.rstrip(".,:;!?")
    if not found.strip():
        return None
    if kind == "name" and not pattern_of("words", "name").fullmatch(found):
        kind = "word"
    is_value = {
        "relative": _is_relative_path(found),
        "word": found[0].isupper() and not _SENTENCE_START.search(text[: match.start()]),
    }
    return Value(kind, found, match.start()) if is_value.get(kind, True) else None


def _is_relative_path(text: str) -> bool:
    """Return True for "src/app.py" and "./build", but not "and/or", "TCP/IP" or "text/html"."""
    is_marked = text.startswith(("./", "../")) or text.endswith("/")
    return is_marked or _EXTENSION.search(text) is not None


def stands_in(value: Value, text: str) -> bool:
    """Return True if a text holds the value, as a whole word; ~ and the home folder it stands for
    are the same."""
    plain = _plain(text)
    return any(_holds(plain, _plain(spelling)) for spelling in _spellings(value))


def _spellings(value: Value) -> Iterator[str]:
    yield value.text
    home = str(Path.home())
    if value.text.startswith("~"):
        yield home + value.text[1:]
    if value.text.startswith(home):
        yield "~" + value.text[len(home) :]
    if value.text.endswith("/"):
        yield value.text.rstrip("/")
    if value.kind == "number":
        yield value.text.replace(",", "")


def _holds(text: str, wanted: str) -> bool:
    if not wanted:
        return False
    before = r"(?<![a-z0-9_])" if _joins(wanted[0]) else ""
    after = r"(?![a-z0-9_])" if _joins(wanted[-1]) else ""
    return re.search(before + re.escape(wanted) + after, text) is not None


def _joins(letter: str) -> bool:
    return re.match(r"[a-z0-9_]", letter) is not None


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def words(text: str) -> set[str]:
    """Return the words of a text that say something: stems of English ones, pairs of Chinese
    characters."""
    found = {asked(word)[-1] for word in words_of(text) if word not in _small()}
    for stretch in _CHINESE.findall(re.sub(table("words")["small_chinese"], " ", text)):
        pairs = {stretch[at : at + 2] for at in range(len(stretch) - 1)}
        found |= pairs or {stretch}
    return found


@cache
def _small() -> frozenset[str]:
    return frozenset(table("words")["small"].split())


def told(text: str) -> str:
    """Return a text without the words at its beginning that ask to keep the rest: "remember
    that"."""
    return pattern_of("told", "asks_to_keep").sub("", text, count=1)


def coverage(text: str, by: str) -> float:
    """Return the share of the words of a text that another one has too; 0 when it has no words."""
    wanted = words(text)
    return len(wanted & words(by)) / len(wanted) if wanted else 0.0


def same_said(one: str, other: str) -> bool:
    """Return True if two sentences say the same: their values are the same, and nearly all of their
    words."""
    if _plain(one).rstrip(".。") == _plain(other).rstrip(".。"):
        return True
    if _negates(one) != _negates(other) or _named(one) != _named(other):
        return False
    first, second = words(one), words(other)
    return len(first & second) >= _SAME_SHARE * len(first | second)


def _named(text: str) -> set[str]:
    return {_plain(value.text) for value in values(text) if value.kind != "word"}


def _negates(text: str) -> bool:
    return pattern_of("words", "negates").search(text) is not None


def replaces(new: str, old: str) -> bool:
    """Return True if a sentence is an older one with another value at its end: "git is 2.45" after
    "git is 2.39".

    Only a version, number, path or address may differ, and only the last value: what comes first is
    what it is about.
    """
    ours, theirs = values(new), values(old)
    if len(ours) != len(theirs) or _plain(new) == _plain(old):
        return False
    return any(
        _frame(new, mine) == _frame(old, other) != ()
        for mine, other in zip(ours[-1:], theirs[-1:], strict=True)
    )


def _frame(text: str, value: Value) -> tuple[str, ...]:
    """Return the kind of a value that may be replaced, and what stands around it; nothing of
    another, or where nothing stands before it."""
    before, after = _plain(text[: value.start]), _plain(text[value.start + len(value.text) :])
    is_replaced = before and value.kind in _CAN_BE_REPLACED
    return (value.kind, before, after) if is_replaced else ()
