"""Finds the time words of a text, English and Chinese, and says which stretches of time they mean (docs/memory.md)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo

from memory.journal.turns import TimeRange
from memory.timewords.grammar import Grammar, Reader
from memory.timewords.sharing import Found, one_day, shared
from memory.timewords.spans import Now, Span

MAX_CHARS = (
    4_000  # of one text; nobody names times for longer than that, and a reader must not wait
)
MAX_EFFORT = 12_000  # of one grammar on one text, about 50 ms: some 100 expressions
_ENGLISH_START = re.compile(r"(?<![\w.\-/:])[a-z0-9'’@]", re.IGNORECASE)
_LATIN = re.compile("[a-z]{2}", re.IGNORECASE)
_SAYS_WHEN = re.compile(
    r"[a-z]|\d([-/.])\d+\1\d{4}", re.IGNORECASE
)  # of digits in Chinese the Chinese grammar knows
_CHINESE = re.compile("[\u4e00-\u9fff]")
_CHINESE_START = re.compile(r"[\u4e00-\u9fff〇○０-９]|(?<![\w.\-/:$#])\d|(?<=[\u4e00-\u9fff])\d")


def find(text: str, now: datetime, *, past: bool = True) -> list[TimeRange]:
    """The times that `text` speaks of, in the order of the text, in UTC, from `start` to before `end`.

    `now` is aware and says when and in which timezone the text was said. `past`: where two readings are possible ("on
    Friday", "in May"), the past one is meant, else the coming one. Only the first 4,000 characters are read, and
    of those with time words in every line only the beginning. Source: seed 003 P4.1.
    """
    if now.tzinfo is None:
        raise ValueError("now has no timezone")
    seen = Now(now, past)
    readable = text[:MAX_CHARS]
    found: list[Found] = []
    if is_chinese := _CHINESE.search(readable) is not None:
        from memory.timewords.chinese import CHINESE, simplified

        found = _read(CHINESE, simplified(readable), seen, _CHINESE_START)
    if not is_chinese:
        from memory.timewords.english import ENGLISH, plain

        found = _read(ENGLISH, plain(readable), seen, _ENGLISH_START)
    elif _LATIN.search(readable) or _SAYS_WHEN.search(readable):
        from memory.timewords.english import ENGLISH, plain

        others = _read(ENGLISH, _CHINESE.sub("¦", plain(readable)), seen, _ENGLISH_START)
        found = one_day(
            _longest_of(
                found, [each for each in others if _SAYS_WHEN.search(readable[each[0] : each[1]])]
            ),
            readable,
        )
    found = shared(found, readable) if len(found) > 1 else found
    ranges = (
        _range(span, now, readable[begin:end]) for begin, end, span in found if not span.silent
    )
    return [each for each in ranges if each]


def _read(grammar: Grammar, text: str, now: Now, starts: re.Pattern[str]) -> list[Found]:
    """The longest expressions from left to right."""
    reader, openings = grammar.reader(text, now), grammar.openings("time")
    found: list[Found] = []
    at = 0
    while reader.effort < MAX_EFFORT and (start := starts.search(text, at)):
        end, span = (
            _longest(reader, start.start()) if openings.match(text, start.start()) else (0, None)
        )
        if span is None:
            at = start.end()
            continue
        at = end
        found.append((start.start(), end, span))
    return found


def _longest_of(chinese: list[Found], english: list[Found]) -> list[Found]:
    """What both grammars found, in order; of two that overlap the longer one, of equal ones the Chinese."""
    kept: list[Found] = []
    for begin, end, span in sorted([*chinese, *english], key=lambda each: each[0] - each[1]):
        if not any(first < end and begin < last for first, last, _ in kept):
            kept.append((begin, end, span))
    return sorted(kept, key=lambda each: each[0])


def _longest(reader: Reader, begin: int) -> tuple[int, Span | None]:
    readings = reader.readings("time", begin)
    if not readings:
        return begin, None
    end = max(readings)
    return end, readings[end]


def _range(span: Span, now: datetime, text: str) -> TimeRange | None:
    zone = span.zone or now.tzinfo
    try:
        return TimeRange(_utc(span.start, zone), _utc(span.end, zone), text.strip())
    except OverflowError:  # before the year 1, or after 9999
        return None


def _utc(moment: datetime | None, zone: tzinfo | None) -> datetime | None:
    return moment.replace(tzinfo=zone).astimezone(UTC) if moment else None
