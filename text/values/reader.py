"""Reads the values that a text names, each with its place, left to right, none within another.

Of two that overlap the kind that stands earlier in `_KINDS` holds. The reader looks at the text
alone: it asks no file system, so a folder's name stays what people call it (`DOWNLOAD`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

from text.values.numbers import (
    CARDINAL,
    CHINESE_DIGITS,
    ONES,
    TENS,
    cardinal,
    chinese_number,
)

Kind = Literal["text", "url", "email", "id", "date", "path", "glob", "folder", "quantity", "number"]
MAX_CHARS = 20_000  # of a text; what stands behind is not read
_FILE = Path(__file__).parents[2] / "assets" / "text" / "values.toml"
_END = r"\s\"'`,;|&<>()\[\]{}，。；：、！？“”‘’「」『』《》"
_DIGITS = r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_HAN = rf"[{CHINESE_DIGITS}]"
_SYMBOLS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "CNY", "￥": "CNY"}


@dataclass(frozen=True, slots=True)
class Value:
    """One value. `text` is what stands in the text from `start` to before `end`, quotes included.

    `value` is normalised: digits, a date as in 2026-01-31, a path or a quoted text without its
    quotes. `unit` is that of a quantity, such as MB or week.
    """

    start: int
    end: int
    text: str
    kind: Kind
    value: str
    unit: str = ""
    is_quoted: bool = False


_Read = Callable[[Kind, re.Match[str]], Value | None]


def values_in(text: str) -> list[Value]:
    """Return the values that a text names, in order."""
    readable = text[:MAX_CHARS]
    taken: list[Value] = []
    lowered = readable.lower()
    for row in _kinds():
        for match in row.pattern.finditer(readable) if row.may_be_in(lowered) else ():
            value = row.read(row.kind, match)
            if value is not None and _is_free(value, taken):
                taken.append(value)
    return sorted(taken, key=lambda each: each.start)


def _is_free(value: Value, taken: Iterable[Value]) -> bool:
    return not any(value.start < each.end and each.start < value.end for each in taken)


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(_FILE.read_text("utf-8"))


@cache
def _units() -> dict[str, str]:
    return {word: unit for unit, words in _tables()["units"].items() for word in words}


def unit_of(*said: str) -> str:
    """Return the unit that the first of these words behind a number names, such as day for days; ""
    for none."""
    found = (_units().get(word.lower(), "") for word in said if word != "m")
    return next(filter(None, found), "")


def folder_names() -> list[str]:
    """Return what people call the folders of a home, the longest first."""
    return sorted(_folders(), key=len, reverse=True)


@cache
def _folders() -> dict[str, str]:
    return {word: name for name, words in _tables()["folders"].items() for word in words}


def _either(words: Iterable[str]) -> str:
    longest_first = sorted(words, key=len, reverse=True)
    return "|".join(
        re.escape(word) + (r"(?![A-Za-z0-9_])" if word.isascii() and word[-1].isalpha() else "")
        for word in longest_first
    )


class _Row:
    """One kind of value in the order in which they are read; its expression is compiled when a
    text may hold such a value."""

    def __init__(self, kind: Kind, needs: Iterable[str], pattern: str, read: _Read) -> None:
        self.kind, self.read = kind, read
        self._needs, self._pattern = tuple(needs), pattern

    def may_be_in(self, lowered: str) -> bool:
        """Return False for an ASCII text, in small letters, that holds none of what it needs."""
        return not lowered.isascii() or any(each in lowered for each in self._needs)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self._pattern)


@cache
def _kinds() -> list[_Row]:
    """Return the kinds in the order in which they are read, each with what an ASCII text needs for
    it, its expression and its reader."""
    quotes = [quote for pair in _tables()["quotes"] for quote in pair]
    digits, number_words = "0123456789", (*ONES, *TENS, "hundred", "thousand")
    chinese = _either(word for word in _units() if not word.isascii())
    unit = rf"per\ cent(?![A-Za-z0-9_])|[A-Za-z]+(?![A-Za-z0-9_])|%|{chinese}"
    rows: list[tuple[Kind, Iterable[str], str, _Read]] = [
        ("text", quotes, _quoted_pattern(), _quoted),
        ("url", ("://", "www."), rf"(?i)(?:https?|ftp|file)://[^{_END}]+|\bwww\.[\w-]+\.[^{_END}]+", _address),
        ("email", "@", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", _plain),
        ("date", digits, r"(?<!\d)\d{4}([-/.])\d{1,2}\1\d{1,2}(?![\d/-])|\d{4}年\d{1,2}月\d{1,2}[日号]", _date),
        ("glob", "*?", rf"(?<![\w*?])[^{_END}:]*\*[^{_END}:]*|(?<![\w.])[\w./~-]+\?(?=\.)\.[\w*]+", _plain),
        ("path", "/~", rf"(?<![A-Za-z0-9_.:/])(?:~|\.{{1,2}})?/[^{_END}*?:]*|(?<![\w~])~(?![\w/~])", _path),
        ("path", "/", r"(?<![A-Za-z0-9_./@#-])[A-Za-z][A-Za-z0-9_.-]*/(?:[\w.@+-]+/?)*", _relative),
        ("path", "/", r"(?<![\w./@#-])[\w.-]*[A-Za-z_\u4e00-\u9fff][\w.-]*/(?:[\w.@+-]+/?)*", _relative),
        ("path", ".", r"(?<![A-Za-z0-9_./@-])[A-Za-z][A-Za-z0-9_-]*(?:\.[\w-]+)*\.[A-Za-z0-9]+(?![A-Za-z0-9_])", _file),
        ("path", ".", r"(?<![\w./@-])[\w-]+(?:\.[\w-]+)*\.[A-Za-z0-9]+(?![A-Za-z0-9_])", _file),
        ("id", digits, r"#(?=\w*\d)[\w-]+|(?<![\w#.-])(?=[\w-]*\d)(?=[\w-]*[A-Z])[A-Z0-9]+(?:[-_][A-Z0-9]+)+\b"
               r"|(?<![\w#.-])[A-Z]{1,4}\d{4,}\b|(?<![\w-])(?=[0-9a-f-]*\d)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", _plain),
        ("quantity", "$", rf"(?P<symbol>[$€£¥￥])\s?(?P<number>{_DIGITS})", _quantity),
        ("quantity", digits, rf"(?<![A-Za-z0-9_.,])(?P<number>{_DIGITS})\s?(?P<unit>{unit})", _quantity),
        ("quantity", number_words, rf"(?i)\b(?P<number>{CARDINAL})\s(?=(?P<unit>{unit}))", _quantity),
        ("quantity", (), rf"(?P<number>{_HAN}+)(?P<unit>{chinese})", _quantity),
        ("folder", _folders(), rf"(?i)(?<![A-Za-z0-9_/.~])(?:{_either(_folders())})(?:\s+(?:folder|directory))?(?![\w/.])", _folder),
        ("folder", (), f"(?:{_either(each for each in _folders() if not each.isascii())})(?:文件夹|目录|夹)?", _folder),
        ("number", digits, rf"(?<![A-Za-z0-9_.,:/-]){_DIGITS}(?![\d:]|[.,]\d|[A-Za-z_])", _number),
        ("number", number_words, rf"(?i)\b(?!an?\b|one\b|zero\b){CARDINAL}", _number),
        ("number", (), rf"(?:(?<![\u4e00-\u9fff])|(?<=[前后第最近过共有])){_HAN}+(?=[\s个条行份页名次张篇位只本件])", _number),
    ]  # fmt: skip
    return [_Row(*row) for row in rows]


def _quoted_pattern() -> str:
    found = []
    for first, last in _tables()["quotes"]:
        bounds = (r"(?<!\w)", r"(?!\w)") if first == "'" else ("", "")
        found.append(f"{bounds[0]}{first}[^{first}{last}\n]+{last}{bounds[1]}")
    return "|".join(found)


def _plain(kind: Kind, match: re.Match[str]) -> Value | None:
    said = match[0].rstrip(".")
    if not said:
        return None
    return Value(match.start(), match.start() + len(said), said, kind, said)


def _file(kind: Kind, match: re.Match[str]) -> Value | None:
    """Return a file up to the last ending that files have; a word without one is none."""
    said = match[0]
    while "." in said and said.rpartition(".")[2].lower() not in _endings():
        said = said.rpartition(".")[0]
    return (
        Value(match.start(), match.start() + len(said), said, kind, said) if "." in said else None
    )


@cache
def _endings() -> frozenset[str]:
    return frozenset(_tables()["endings"].split())


def _address(kind: Kind, match: re.Match[str]) -> Value | None:
    said = match[0].rstrip(".!?")
    return Value(match.start(), match.start() + len(said), said, kind, said)


def _path(kind: Kind, match: re.Match[str]) -> Value | None:
    return _plain(kind, match) if match[0] != "/" else None


def _relative(kind: Kind, match: re.Match[str]) -> Value | None:
    """Return a path without a leading slash or dot; "and/or" and "km/h" are none."""
    value = _plain(kind, match)
    if value is None:
        return None
    has_dot = "." in value.value.partition("/")[2]
    is_deep = value.value.count("/") > 1
    return value if value.value.endswith("/") or has_dot or is_deep else _named(value)


def _named(value: Value) -> Value | None:
    """Return the path of two words with a slash between them, where the first is a folder's
    name."""
    first = value.value.partition("/")[0].lower()
    return value if first in _folders() or first in ("src", "docs", "tests", "notes") else None


def _date(kind: Kind, match: re.Match[str]) -> Value | None:
    year, month, day = (int(part) for part in re.findall(r"\d+", match[0]))
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return Value(*match.span(), match[0], kind, f"{year:04d}-{month:02d}-{day:02d}")


def _quoted(kind: Kind, match: re.Match[str]) -> Value | None:
    """Return a quoted text; where all of it is one path, date, … it is that. it is that."""
    inner = match[0][1:-1]
    whole = [each for each in values_in(inner) if each.text == inner]
    found = whole[0] if whole else Value(0, 0, inner, kind, inner)
    return replace(found, start=match.start(), end=match.end(), text=match[0], is_quoted=True)


def _figure(said: str) -> str | None:
    plain = said.replace(",", "").removeprefix("+")
    if re.fullmatch(r"-?\d+(?:\.\d+)?", plain):
        return plain
    value = chinese_number(said) if said[0] in CHINESE_DIGITS else cardinal(said)
    return None if value is None else str(value)


def _quantity(kind: Kind, match: re.Match[str]) -> Value | None:
    said = match.groupdict()
    figure = _figure(said["number"])
    if figure is None:
        return None
    unit = unit_of(said["unit"]) if "unit" in said else _SYMBOLS[said["symbol"]]
    start, end = match.start(), match.end("unit" if "unit" in said else 0)
    return Value(start, end, match.string[start:end], kind, figure, unit) if unit else None


def _folder(kind: Kind, match: re.Match[str]) -> Value | None:
    said = re.sub(r"\s+(?:folder|directory)$|(?:文件夹|目录|夹)$", "", match[0].lower())
    name = _folders().get(match[0].lower()) or _folders().get(said)
    return Value(*match.span(), match[0], kind, name) if name else None


def _number(kind: Kind, match: re.Match[str]) -> Value | None:
    figure = _figure(match[0])
    return Value(*match.span(), match[0], kind, figure) if figure is not None else None
