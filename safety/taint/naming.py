"""Tell what the owner has named: a target counts when it stands in the request, or in the owner's
own data.

Both are compared in one form: width, capitals, spaces and invisible characters do not matter,
letters that only look alike do. A name licenses no address: "write to Bob" lets `bob@example.org`
through only if the owner's own data has that address.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from functools import cached_property
from urllib.parse import SplitResult

from safety.taint.targets import ADDRESS, BARE, LETTER, URL, WORDS, Target, host_of, plain, url_of
from text import pattern
from text.sections import sections

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = r"(?:\b\d{1,2}(?:st|nd|rd|th)?\b[\s,and&to–-]{0,6}){1,6}"
_NAMES = "|".join(_MONTHS)
_MONTH_FIRST = pattern(rf"\b({_NAMES})[a-z]{{0,6}}\.?\s{{1,3}}({_DAYS})")
_DAY_FIRST = pattern(rf"({_DAYS})(?:\s?of)?\s?({_NAMES})[a-z]{{0,6}}\b")
_NUMBERED = pattern(r"\b(\d{1,2})[/.](\d{1,2})(?:(?<=/\d)|(?<=/\d\d)|\.(?!\d)|[/.]\d{2,4}\b)")
# Words in front of a number that names a thing.
_NUMBERS_A_THING = (
    r"\bids?|\bno\.?|\bnumber|\bnr\.?|#|编号|号|订单|工单|任务|问题|单"
    r"|\b(?:issue|ticket|task|order|case|event|job|item|row|pr|pull request|merge request|invoice|booking|page|card|request|bug|story)"
)
_CHINESE = pattern(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_HOSTS = {name: frozenset(text.split()) for name, text in sections("safety/hosts.txt").items()}
_LIKE_DATA = pattern(r"[A-Za-z0-9+=_-]{32,}|%[0-9A-Fa-f]{2}|[A-Za-z0-9]*\d[A-Za-z0-9]{15,}")
_LONG_NUMBER = pattern(r"(?=.{8})\D*\d")
_DESCRIBED = ("time", "title")  # what a request may describe in other words
_CALENDAR = frozenset(itertools.product(range(1, 13), range(1, 32)))
_LONGEST_REST = 120  # characters of a path below an address that was named


def is_public_page(url: str) -> bool:
    """Return True for a page of a public host, whose log none of those reads whom it could tell
    something."""
    return host_of(url) in _HOSTS["public"] and "?" not in url and not url.endswith("…")


class Named:
    """Hold what the owner has named: the request, and the owner's own data."""

    def __init__(self, request: str, own: str = "") -> None:
        self.request, self.own = request, own

    def unknown(self, targets: list[Target], *, strict: bool) -> list[Target]:
        """Return those of the targets that the owner has not named.

        `strict`: what is only described must be named too (times, titles).
        """
        return [target for target in targets if not self._has(target, strict)]

    def may_ask(self, url: str, *, is_tainted: bool, has_read: bool) -> bool:
        """Return True for an address that the owner named, or that tells nobody anything.

        Once the run has read something, data in a path and the repository of anybody may tell it.
        """
        if self.has_url(url, strict=is_tainted):
            return True
        if not is_public_page(url):
            return False
        if is_tainted and host_of(url) in _HOSTS["anybody"]:
            return False
        if has_read or is_tainted:
            return host_of(url) not in _HOSTS["repositories"] and not _LIKE_DATA.search(url)
        return True

    def _has(self, target: Target, strict: bool) -> bool:
        value = plain(target.value).strip()
        if not value:
            return True
        if target.kind in _DESCRIBED and not strict:
            return True
        if target.kind == "url":
            return self.has_url(target.value, strict=strict)
        by_kind = {
            "address": self._addresses.__contains__,
            "account": self._has_spaced,
            "phone": self._has_spaced,
            "amount": lambda value: _number(value) in self._numbers,
            "time": self._has_time,
            "title": self._has_words,
            "id": self._has_id,
        }
        return by_kind.get(target.kind, self._has_phrase)(value)

    def has_url(self, url: str, *, strict: bool) -> bool:
        """Return True if the owner named this address, its host, or a folder of it. `strict`: and
        its query."""
        wanted = url_of(url)
        if wanted is None:
            return False
        return any(_covers(each, wanted, strict=strict) for each in self._urls)

    @property
    def addresses(self) -> list[str]:
        """Return the hosts of the addresses that the owner named."""
        return [url.netloc for url in self._urls]

    @property
    def has_days(self) -> bool:
        """Return True if the request names days by their dates."""
        return bool(self._days)

    @cached_property
    def _text(self) -> str:
        return plain(f"{self.request}\n{self.own}")

    @cached_property
    def _addresses(self) -> set[str]:
        return {match[0].rstrip(".") for match in ADDRESS.finditer(self._text)}

    @cached_property
    def _urls(self) -> list[SplitResult]:
        raw = plain(f"{self.request}\n{self.own}", fold=False)
        if "." not in raw and "://" not in raw:  # most requests: the expressions cost a start 5 ms
            return []
        raw = ADDRESS.sub(" ", raw)
        found = [*URL.findall(raw), *(match[0] for match in BARE.finditer(URL.sub(" ", raw)))]
        return [url for url in map(url_of, found) if url]

    @cached_property
    def _numbers(self) -> set[str]:
        return {_number(text) for text in re.findall(r"\d[\d.,]*", plain(self.request))}

    def _has_id(self, value: str) -> bool:
        """Find an id; a short number that merely occurs names nothing."""
        if not re.fullmatch(r"\d{1,4}", value):
            return self._has_phrase(value)
        shape = rf"(?:{_NUMBERS_A_THING})\W{{0,4}}(?:is )?\W?{value}(?!\d)"
        return bool(re.search(shape, self._text))

    def _has_phrase(self, value: str) -> bool:
        value = value.strip("@#\"'“”‘’ ")
        if _CHINESE.search(value):
            return value in self._text
        words = re.findall(r"[\w.+@/-]+", value)
        shape = r"[\s,;\"'“”()]+".join(re.escape(word) for word in words)
        around = rf"(?<![{LETTER}])(?<![{LETTER}]@){shape}(?![{LETTER}@])(?!\.[{LETTER}])"
        if not words or re.search(around, self._text):
            return True
        return _LONG_NUMBER.match(value) is not None and self._has_spaced(value)

    def _has_spaced(self, value: str) -> bool:
        """Find a number of an account or a telephone, whatever stands between its groups."""
        signs = re.sub(r"[\s().\-/]", "", value)
        if not 5 <= len(signs) <= 120:
            return False
        shape = r"[\s().\-/]{0,2}".join(map(re.escape, signs))
        return bool(re.search(rf"(?<![{LETTER}]){shape}(?![{LETTER}])", self._text))

    def _has_words(self, value: str) -> bool:
        """Return True if at least half of a title's words were said."""
        if _CHINESE.search(value):
            pairs = [value[at : at + 2] for at in range(len(value) - 1)] or [value]
            return 2 * sum(pair in self._text for pair in pairs) >= len(pairs)
        words = re.findall(r"[a-z0-9]{2,}", value)
        words = [word for word in words if word not in WORDS["stop"]]
        said = set(re.findall(r"[a-z0-9]+", self._text))
        return 2 * sum(bool({word, word.rstrip("s"), f"{word}s"} & said) for word in words) >= len(
            words
        )

    def _has_time(self, value: str) -> bool:
        """Find a day that the request names; True when it names none, or only in words
        (tomorrow)."""
        days = re.findall(r"(?:\d{4}-)?(\d{1,2})-(\d{1,2})", value)[:1] if self._days else []
        return {(int(month), int(day)) for month, day in days} <= self._days

    @cached_property
    def _days(self) -> set[tuple[int, int]]:
        """(month, day) of the dates in the request."""
        text = plain(self.request[:5000])
        named = itertools.chain(_numbered(text), _in_words(text))
        return {(int(month), int(day)) for month, day in named} & _CALENDAR


def _numbered(text: str) -> Iterator[tuple[int | str, str]]:
    """Yield month and day of `2026-05-19`, `5月19日`; of `5/19` both ways."""
    yield from re.findall(r"\d{4}[-/.年](\d{1,2})[-/.月](\d{1,2})", text)
    yield from re.findall(r"(\d{1,2})月(\d{1,2})[日号]?", text)
    for first, second in _NUMBERED.findall(text):
        yield from ((first, second), (second, first))


def _in_words(text: str) -> Iterator[tuple[int | str, str]]:
    """Yield month and day of `May 19th`, `the 3rd of May`; of `the 19th` every month."""
    said = _MONTH_FIRST.findall(text) + [found[::-1] for found in _DAY_FIRST.findall(text)]
    for month, days in said:
        yield from ((_MONTHS.index(month) + 1, day) for day in re.findall(r"\d{1,2}", days))
    rest = _DAY_FIRST.sub(" ", _MONTH_FIRST.sub(" ", text))
    for day in re.findall(r"\b(\d{1,2})(?:st|nd|rd|th)\b", rest):
        yield from ((month, day) for month in range(1, 13))


def _covers(known: SplitResult, wanted: SplitResult, *, strict: bool) -> bool:
    if known.netloc != wanted.netloc:
        return False
    if (known.path, known.query) == (wanted.path, wanted.query):
        return True
    if strict and wanted.query:
        return False
    if len(wanted.path) >= len(known.path) + _LONGEST_REST:
        return False
    return f"{wanted.path}/".startswith(known.path.rstrip("/") + "/")


def _number(text: str) -> str:
    """1,000.50 → 1000.5; 50.00 → 50."""
    found = re.search(r"\d[\d.,]*", text)
    if not found:
        return text
    digits = found[0].rstrip(".,")
    if re.fullmatch(r"\d{1,3}(\.\d{3})+(,\d+)?|\d+,\d{1,2}", digits):  # 1.000,50
        digits = digits.replace(".", "").replace(",", ".")
    digits = digits.replace(",", "")
    try:
        return f"{float(digits):.6f}".rstrip("0").rstrip(".")
    except ValueError:
        return digits
