"""Finds the time words of a text, English and Chinese, and says which stretches of time they mean (docs/reading.md)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo

from text.time.grammar import Reader
from text.time.repeats import Repeat
from text.time.rules import Language, language
from text.time.sharing import Found, one_day, shared
from text.time.spans import Now, Span, TimeRange

MAX_CHARS = 4_000  # of one text; nobody names times for longer, and a reader must not wait
MAX_EFFORT = 12_000  # of one grammar on one text, about 50 ms: some 100 expressions
LOOK_BACK = 80  # characters before an expression in which a plan is seen
_CHINESE = re.compile("[\u4e00-\u9fff]")
_LATIN = re.compile(r"[a-z]{2}|\d([-/.])\d+\1\d{4}", re.IGNORECASE)


def find(text: str, now: datetime, *, past: bool = True) -> list[TimeRange]:
    """Return the times that `text` speaks of, in order, in UTC, from `start` to before `end`.

    `now` is aware and says when and in which timezone the text was said. `past`: where two readings are possible ("on
    Friday", "in May"), the past one is meant, but the coming one behind the words of a plan; else the coming one. Only
    the first 4,000 characters are read, and of those with time words in every line only the beginning.
    """
    if now.tzinfo is None:
        raise ValueError("now has no timezone")
    readable = text[:MAX_CHARS]
    if _CHINESE.search(readable):
        found = _mixed(readable, now, past)
    else:
        found = _read(language("en"), readable, now, past)
    found = shared(found, readable) if len(found) > 1 else found
    ranges = (_range(each, now, readable) for each in found if not each[2].silent)
    return [each for each in ranges if each]


def recurring(text: str, now: datetime) -> tuple[Repeat | None, str]:
    """Return what a whole text says of when something is to be done, and the part that is understood, from its beginning.

    `now` is aware. None: nothing is understood, or not all of it.
    """
    spoken = language("zh" if _CHINESE.search(text) else "en")
    plain = spoken.plain(text).rstrip(".。!！ ")
    reader = spoken.grammar.reader(plain, Now(now, False))
    readings = reader.readings("again", 0)
    end = max(readings, default=0)
    return readings[end] if end and end == len(plain) else None, text[:end]


def _mixed(text: str, now: datetime, past: bool) -> list[Found]:
    """A text with Chinese in it; what is English there is read too."""
    found = _read(language("zh"), text, now, past)
    if not _LATIN.search(text):
        return found
    others = _read(language("en"), _CHINESE.sub("\u00a6", text), now, past)
    english = [each for each in others if _LATIN.search(text[each[0] : each[1]])]
    return one_day(_longest_of(found, english), text)


def _read(spoken: Language, text: str, now: datetime, past: bool) -> list[Found]:
    """The longest expressions from left to right."""
    plain = spoken.plain(text)
    readers = {each: spoken.grammar.reader(plain, Now(now, each)) for each in (True, False)}
    openings, plan = spoken.grammar.openings("time"), spoken.guards["plan"]
    found: list[Found] = []
    at = 0
    while readers[True].effort + readers[False].effort < MAX_EFFORT:
        start = spoken.starts.search(plain, at)
        if not start:
            break
        begin, at = start.start(), start.end()
        if not openings.match(plain, begin):
            continue
        is_plan = past and plan.search(plain[max(0, begin - LOOK_BACK) : begin]) is not None
        end, span = _longest(readers[past and not is_plan], begin)
        if span is not None:
            at = end
            found.append((begin, end, span))
    return found


def _longest_of(chinese: list[Found], english: list[Found]) -> list[Found]:
    """Return what both grammars found, in order; of two that overlap the longer one, of equal ones the Chinese."""
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


def _range(found: Found, now: datetime, text: str) -> TimeRange | None:
    begin, end, span = found
    zone = span.zone or now.tzinfo
    try:
        start, stop = _utc(span.start, zone), _utc(span.end, zone)
    except OverflowError:  # before the year 1, or after 9999
        return None
    return TimeRange(start, stop, text[begin:end].strip(), span.unit == "vague")


def _utc(moment: datetime | None, zone: tzinfo | None) -> datetime | None:
    return moment.replace(tzinfo=zone).astimezone(UTC) if moment else None
