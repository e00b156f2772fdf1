"""Share day, week, month or year among times that stand together: "Tuesday and Thursday last week",
"昨天九点和下午三点"."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

from text.time.spans import DAY, SILENT, Span, at, first_from, last_until, monday

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
