"""Finds the time words of a text, English and Chinese, and says which stretches of time they mean (docs/reading.md)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from itertools import pairwise

from text.time.grammar import Reader
from text.time.repeats import Repeat
from text.time.rules import Language, language
from text.time.spans import (
    DAY,
    SILENT,
    Now,
    Span,
    TimeRange,
    at,
    first_from,
    last_until,
    monday,
)

MAX_CHARS = 4_000  # of one text; nobody names times for longer, and a reader must not wait
MAX_EFFORT = 12_000  # of one grammar on one text, about 50 ms: some 100 expressions
LOOK_BACK = 80  # characters before an expression in which a plan is seen
_CHINESE = re.compile("[\u4e00-\u9fff]")
_LATIN = re.compile(r"[a-z]{2}|\d([-/.])\d+\1\d{4}", re.IGNORECASE)
Found = tuple[int, int, Span]  # where it begins and ends in the text, what it means
_NEXT_OF_A_LIST = re.compile(
    r"\s*(?:[,、，&/和及与跟或]|以及|还有|或者|还是|(?:, *)?(?:and|or|as well as|plus)\b(?: (?:again|also|then|once|maybe)\b)?)"
    r"\s*(?:(?:on|in|at|around|the|of|在|是)(?!\w)\s*)*",
    re.IGNORECASE,
)
_END_OF_SENTENCE = re.compile(r"[.!?][\s\"')]|[。！？；;\n]")
_ONE_DAY = re.compile(r"\s*(?:at|around|on|the|in|的|在)?\s*", re.IGNORECASE)
_NOUN = re.compile(
    r"(?: (?!and\b|or\b|but\b|was\b|is\b|then\b)[a-z]+)? (?:on |of )?", re.IGNORECASE
)
_DETERMINER = re.compile(r"\b(?:the|my|our|your|his|her|their|that|this|a)\s+$", re.IGNORECASE)
_NEAR = 92 * DAY  # December and January are neighbours


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


# what stands together shares its day, week, month or year


def shared(found: list[Found], text: str) -> list[Found]:
    """The same expressions; those that leave their day, week, month or year to another one have it from there."""
    found = _around_a_noun(found, text)
    spans = [span for _, _, span in found]
    between = [text[before[1] : after[0]] for before, after in pairwise(found)]
    for n, gap in enumerate(between):
        spans[n + 1] = _known(spans[n + 1], spans[n], gap)
    for n, gap in reversed(list(enumerate(between))):
        if _NEXT_OF_A_LIST.fullmatch(gap):
            spans[n] = _tried(
                lambda span, other: _beside(span, other, ahead=True), spans[n], spans[n + 1]
            )
    return [(begin, end, span) for (begin, end, _), span in zip(found, spans, strict=True)]


def _around_a_noun(found: list[Found], text: str) -> list[Found]:
    """ "The 3pm meeting yesterday", "my Monday class last week": the noun stands within one expression."""
    joined: list[Found] = []
    for begin, end, span in found:
        first, last, before = joined[-1] if joined else (0, 0, SILENT)
        if before.again and _NOUN.fullmatch(text[last:begin]) and _DETERMINER.search(text[:first]):
            whole = SILENT
            if before.cycle == "hours":
                whole = _tried(_hours_of, before, span)
            elif (
                span.unit == "week"
                and span.start
                and before.start
                and (before.cycle or before.unit == "part")
            ):
                day = span.start + before.start.weekday() * DAY
                whole = _moved(before, day + (before.start - at(before.start.date())))
            if whole.start and not whole.again:
                joined[-1] = (first, end, whole)
                continue
        joined.append((begin, end, span))
    return joined


def _known(span: Span, before: Span, gap: str) -> Span:
    if span.told:
        return _tried(_told, span, before)
    if _NEXT_OF_A_LIST.fullmatch(gap):
        return SILENT if before.silent and span.again else _tried(_beside, span, before)
    return (
        _tried(_hours_of, span, before)
        if span.cycle == "hours" and not _END_OF_SENTENCE.search(gap)
        else span
    )


def _tried(change: Callable[[Span, Span], Span], span: Span, other: Span) -> Span:
    try:
        return change(span, other)
    except (ValueError, OverflowError):  # no such day there, or before the year 1
        return span


def one_day(found: list[Found], text: str) -> list[Found]:
    """A day in one language and its hours in the other, side by side, are one: "last Friday 下午"."""
    joined: list[Found] = []
    for begin, end, span in found:
        first, last, before = joined[-1] if joined else (0, 0, None)
        day = (
            before.start
            if before and before.unit == "day" and _ONE_DAY.fullmatch(text[last:begin])
            else None
        )
        if day and span.start and span.end and span.end - span.start < DAY:
            ahead = day - span.start.replace(hour=0, minute=0, second=0)
            joined[-1] = (first, end, replace(span, start=span.start + ahead, end=span.end + ahead))
        else:
            joined.append((begin, end, span))
    return joined


def _beside(span: Span, other: Span, *, ahead: bool = False) -> Span:
    """`span` in the day, week, month or year of its neighbour in a list; `ahead`: the neighbour comes later there."""
    if span.start is None or span.end is None or other.start is None or not span.again:
        return span
    if span.cycle == "hours":
        return _hours_of(span, other, ahead=ahead) if other.cycle == "day" else span
    if span.cycle == "month" and other.unit == "day" and (other.cycle == "year" or not other.again):
        return _moved(span, other.start.replace(day=span.start.day))
    if span.cycle != other.cycle or other.again:
        return span
    if span.cycle == "week":
        return _moved(span, at(monday(other.start.date()) + span.start.weekday() * DAY))
    return _of_year(span, other.start) if span.cycle == "year" else span


def _of_year(span: Span, other: datetime) -> Span:
    """The one in the same year, but the neighbour when the year ends between them: December and January."""
    near = [each for each in (first_from(span, other), last_until(span, other)) if each.start]
    close = [each for each in near if each.start and abs(each.start - other) <= _NEAR]
    same = [each for each in near if each.start and each.start.year == other.year]
    return replace((close or same or [span])[0], again=None)


def _hours_of(span: Span, other: Span, *, ahead: bool = False) -> Span:
    """A time of day on the day that the other one names, or is a time of."""
    if (
        span.start is None
        or span.end is None
        or other.start is None
        or other.end is None
        or not span.again
    ):
        return span
    is_day = other.unit == "day" and other.end - other.start <= DAY
    if other.silent or not (is_day or other.cycle == "day"):
        return span
    day = at(other.start.date())
    time = span.start - at(span.start.date())
    later = span.again(1).start
    if later is None or later - span.start >= DAY:
        return _moved(span, day + time)
    early = day + time % (DAY / 2)  # it may be before or after noon
    late = early + DAY / 2
    if is_day:
        return _moved(span, late if 1 <= early.hour < 7 else early)
    if ahead:
        return _moved(span, late if late <= other.start else early)
    return _moved(span, late if early < other.start else early)


def _moved(span: Span, start: datetime) -> Span:
    assert span.start and span.end
    return replace(
        span,
        start=start,
        end=start + (span.end - span.start),
        again=None,
        cycle=span.cycle.replace("hours", "day"),
    )


def _told(span: Span, other: Span) -> Span:
    """Counted from the time that was named before."""
    return span.told(other) if span.told and other.start and other.end else span
