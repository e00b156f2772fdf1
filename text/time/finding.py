"""Finds the time words of a text, English and Chinese, and says which stretches of time they mean
(docs/reading.md)."""

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

    `now` is aware and says when and in which timezone the text was said. `past`: where two readings
    are possible ("on Friday", "in May"), the past one is meant, but the coming one behind the words
    of a plan; else the coming one. Only the first 4,000 characters are read, and of those with time
    words in every line only the beginning.
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
    """Return what a whole text says of when something is to be done, and the part that is
    understood, from its beginning.

    `now` is aware. None: nothing is understood, or not all of it.
    """
    spoken = language("zh" if _CHINESE.search(text) else "en")
    plain = spoken.plain(text).rstrip(".。!！ ")
    reader = spoken.grammar.reader(plain, Now(now, False))
    readings = reader.readings("again", 0)
    end = max(readings, default=0)
    return readings[end] if end and end == len(plain) else None, text[:end]


def _mixed(text: str, now: datetime, past: bool) -> list[Found]:
    """Return the expressions of a text with Chinese in it, those in English too."""
    found = _read(language("zh"), text, now, past)
    if not _LATIN.search(text):
        return found
    others = _read(language("en"), _CHINESE.sub("\u00a6", text), now, past)
    english = [each for each in others if _LATIN.search(text[each[0] : each[1]])]
    return one_day(_longest_of(found, english), text)


def _read(spoken: Language, text: str, now: datetime, past: bool) -> list[Found]:
    """Return the longest expressions from left to right."""
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
    """Return what both grammars found, in order; of two that overlap the longer one, of equal ones
    the Chinese."""
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
    """Return the same expressions; those that leave their day, week, month or year to another one
    have it from there."""
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
    """Join "the 3pm meeting yesterday", "my Monday class last week": the noun stands within one
    expression."""
    joined: list[Found] = []
    for each in found:
        whole = _one_around(joined[-1], each, text) if joined else SILENT
        if whole.start and not whole.again:
            joined[-1] = (joined[-1][0], each[1], whole)
        else:
            joined.append(each)
    return joined


def _one_around(one: Found, other: Found, text: str) -> Span:
    (first, last, before), (begin, _, span) = one, other
    is_around = _NOUN.fullmatch(text[last:begin]) and _DETERMINER.search(text[:first])
    if not before.again or not is_around:
        return SILENT
    if before.cycle == "hours":
        return _tried(_hours_of, before, span)
    has_day = before.start is not None and (before.cycle != "" or before.unit == "part")
    if span.unit == "week" and span.start and has_day:
        into_week = before.begin - at(monday(before.begin.date()))
        return _moved(before, span.start + into_week)
    return SILENT


def _known(span: Span, before: Span, gap: str) -> Span:
    if span.told:
        return _tried(_told, span, before)
    if _NEXT_OF_A_LIST.fullmatch(gap):
        return SILENT if before.silent and span.again else _tried(_beside, span, before)
    is_hour = span.cycle == "hours" and not _END_OF_SENTENCE.search(gap)
    return _tried(_hours_of, span, before) if is_hour else span


def _tried(change: Callable[[Span, Span], Span], span: Span, other: Span) -> Span:
    try:
        return change(span, other)
    except (ValueError, OverflowError):  # no such day there, or before the year 1
        return span


def one_day(found: list[Found], text: str) -> list[Found]:
    """Return a day in one language and its hours in the other, side by side, are one: "last Friday
    下午"."""
    joined: list[Found] = []
    for begin, end, span in found:
        first, last, before = joined[-1] if joined else (0, 0, SILENT)
        is_day = before.unit == "day" and _ONE_DAY.fullmatch(text[last:begin]) is not None
        if before.start and is_day and span.is_within_day and span.finish < span.begin + DAY:
            ahead = before.start - at(span.begin.date())
            moved = replace(span, start=span.begin + ahead, end=span.finish + ahead)
            joined[-1] = (first, end, moved)
        else:
            joined.append((begin, end, span))
    return joined


def _beside(span: Span, other: Span, *, ahead: bool = False) -> Span:
    """`span` in the day, week, month or year of its neighbour in a list; `ahead`: the neighbour
    comes later there."""
    if None in (span.start, other.start, span.again):
        return span
    if span.cycle == "hours":
        return _hours_of(span, other, ahead=ahead) if other.cycle == "day" else span
    return _of_cycle(span, other)


def _of_cycle(span: Span, other: Span) -> Span:
    if span.cycle == "month":
        is_near_day = other.unit == "day" and (other.cycle == "year" or not other.again)
        return _moved(span, other.begin.replace(day=span.begin.day)) if is_near_day else span
    if span.cycle != other.cycle or other.again:
        return span
    if span.cycle == "week":
        return _moved(span, at(monday(other.begin.date()) + span.begin.weekday() * DAY))
    return _of_year(span, other.begin) if span.cycle == "year" else span


def _of_year(span: Span, other: datetime) -> Span:
    """Return the one in the same year, but the neighbour when the year ends between them: December
    and January."""
    near = [first_from(span, other), last_until(span, other)]
    close = [each for each in near if abs(each.begin - other) <= _NEAR]
    same = [each for each in near if each.begin.year == other.year]
    return replace((close or same or [span])[0], again=None)


def _hours_of(span: Span, other: Span, *, ahead: bool = False) -> Span:
    """Return a time of day on the day that the other one names, or is a time of."""
    if not span.again or other.silent:
        return span
    is_day = other.unit == "day" and other.is_within_day
    if not is_day and other.cycle != "day":
        return span
    day, time = at(other.begin.date()), span.begin - at(span.begin.date())
    if span.again(1).begin - span.begin >= DAY:
        return _moved(span, day + time)
    early = day + time % (DAY / 2)  # it may be before or after noon
    if is_day:
        is_late = 1 <= early.hour < 7
    else:
        is_late = early < other.begin - (DAY / 2 if ahead else 0 * DAY)
    return _moved(span, early + DAY / 2 if is_late else early)


def _moved(span: Span, start: datetime) -> Span:
    end, cycle = start + (span.finish - span.begin), span.cycle.replace("hours", "day")
    return replace(span, start=start, end=end, again=None, cycle=cycle)


def _told(span: Span, other: Span) -> Span:
    """Return the time counted from the one named before."""
    return span.told(other) if span.told and not other.is_open else span
