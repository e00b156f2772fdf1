"""Meanings of whole expressions: from one time to another, and ranges with an open side."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from text.time import spans
from text.time.grammar import Place
from text.time.spans import DAY, Clock, Quantity, Span, repeating


def joined(_: Place, first: Span, last: Span) -> Span:
    """From the first to the last one; one that comes again is chosen so that they are in order."""
    begin, until = first.begin, last.begin
    if last.again:
        last = spans.first_from(last, begin)
    elif first.again:
        first = spans.last_until(first, until)
    if last.begin < first.begin:
        raise ValueError("ends before it begins")
    end = last.begin if last.unit in ("minute", "hour") else last.finish
    return Span(first.begin, end, last.unit, zone=first.zone or last.zone)


@repeating("last")
def day_to(_: Place, day: int, last: Span) -> Span:
    """From the 3rd to the 12th of September: the first day lies in the month of the last."""
    first = last.begin.replace(day=day)
    if first >= last.begin:
        first = spans.at(spans.plus_months(first.replace(day=1).date(), -1)).replace(day=day)
    return Span(first, last.finish, "day", cycle=last.cycle)


@repeating("first")
def to_day(_: Place, first: Span, day: int) -> Span:
    """From September 3rd to the 12th."""
    last = first.begin.replace(day=day)
    if last <= first.begin:
        last = spans.at(spans.plus_months(first.begin.replace(day=1).date(), 1)).replace(day=day)
    return Span(first.begin, last + DAY, "day", cycle=first.cycle)


@repeating("period")
def days_in(_: Place, day: int, last: int, period: Span) -> Span | None:
    """From 4 to 23 of this month."""
    if period.start is None or last <= day:
        return None
    end = period.start.replace(day=last) + DAY
    return Span(period.start.replace(day=day), end, "day", cycle=period.cycle)


@repeating("first")
def clock_range(_: Place, first: Span, clock: Clock) -> Span:
    """From yesterday at two to four: the second time is on the same day."""
    end = first.begin.replace(hour=0, minute=0, second=0) + timedelta(seconds=clock.start)
    if clock.halves and end <= first.begin:
        end += timedelta(hours=12)
    if end <= first.begin:
        end += DAY
    return Span(first.begin, end, "hour", cycle="day")


def years_span(_: Place, first: int, last: int) -> Span | None:
    """From one year to another."""
    years = 12 * (last - first + 1)
    return spans.months_span(first, 1, years, "year") if last > first else None


def until_now(place: Place, first: Span) -> Span:
    """From then to this moment."""
    start = first.start
    if first.again and start and start > place.now.moment:
        start = spans.last_until(first, place.now.moment).start
    if start is None or start > place.now.moment:
        raise ValueError("it has not begun")
    is_day = first.unit not in ("minute", "hour", "part")
    end = spans.at(place.now.today) + DAY if is_day else place.now.moment
    return Span(start, end, "day" if is_day else "hour")


@repeating("span")
def since(_: Place, span: Span) -> Span:
    """From its beginning on."""
    return replace(span, end=None)


@repeating("span")
def after(_: Place, span: Span) -> Span:
    """From its end on; of a day or a time of day, from it on: who asks would miss that day."""
    is_short = span.unit in ("minute", "hour", "part", "day")
    return replace(span, start=span.start if is_short else span.end, end=None)


@repeating("span")
def before(_: Place, span: Span) -> Span:
    """Return up to its beginning."""
    return replace(span, start=None, end=span.start)


@repeating("span")
def until(_: Place, span: Span) -> Span:
    """Return up to its end; of a time of day, up to it."""
    end = span.start if span.unit in ("minute", "hour") else span.end
    return replace(span, start=None, end=end)


def up_to_now(place: Place) -> Span:
    """Until today."""
    return Span(None, spans.at(place.now.today) + DAY, "day")


def beyond(place: Place, length: Quantity, sign: int, span: Span) -> Span:
    """Return more than two weeks after a day, or before it."""
    far = spans.moved(place.now, span.begin, length, sign).start
    return Span(far, None, "day") if sign > 0 else Span(None, far, "day")
