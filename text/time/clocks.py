"""Meanings of times of day, and of days that have one."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta, timezone

from text.time import days, spans
from text.time.grammar import Place
from text.time.spans import DAY, Clock, Span, day_span

HOUR = 3600


def _clock(hour: int, minute: int | None, second: int | None, half: str) -> Clock | None:
    minutes, seconds = minute or 0, second or 0
    if hour > 24 or max(minutes, seconds) > 59:
        return None
    if half and hour <= 12:
        hour = hour % 12 + (12 if half[0] in "pP" else 0)
    length = (1, 60, HOUR)[(minute, second).count(None)]
    halves = not half and 1 <= hour <= 12
    return Clock(hour * HOUR + minutes * 60 + seconds, length, halves=halves)


def hour(
    _: Place, hour: int, half: str = "", minute: int | None = None, second: int | None = None
) -> Clock | None:
    """Return an hour with its minutes; `half`: am or pm."""
    return _clock(int(hour), minute, second, half)


def figures(place: Place, figures: list[int], half: str = "") -> Clock | None:
    """9:30, 14:05:10, 9.30pm; with a leading zero it is before noon."""
    found = _clock(figures[0], figures[1], figures[2] if len(figures) > 2 else None, half)
    return replace(found, halves=False) if found and place.said[0] == "0" else found


def glued(_: Place, said: str, half: str = "") -> Clock | None:
    """1140 a.m., 1930 hours."""
    digits = "".join(each for each in said if each.isdigit())
    return _clock(int(digits[:-2]), int(digits[-2:]), None, half)


def minutes_past(_: Place, minute: int, clock: Clock, sign: int = 1) -> Clock:
    """Ten past eight (1), or ten to eight (-1)."""
    return replace(clock, start=(clock.start + sign * minute * 60) % 86400, length=60)


def seconds(_: Place, seconds: int) -> Clock:
    """Return noon, midnight: so many seconds after midnight."""
    return Clock(seconds, HOUR)


def part(_: Place, hours: list[int]) -> Clock:
    """Morning, night: from one hour to another."""
    return Clock(hours[0] * HOUR, (hours[1] - hours[0]) * HOUR, is_part=True)


def in_part(_: Place, clock: Clock, part: Clock) -> Clock:
    """Five in the afternoon."""
    return clock.within(part)


def with_zone(_: Place, clock: Clock, zone: int) -> Clock:
    """Return a clock in a timezone; `zone` in minutes."""
    return replace(clock, zone=timezone(timedelta(minutes=zone)))


def clocks(_: Place, first: Clock, last: Clock, part: Clock | None = None) -> Clock:
    """From one time of day to another; a part of the day belongs to both."""
    if part:
        first, last = first.within(part), last.within(part)
    return spans.clocks(first, last)


def lasting(_: Place, clock: Clock, length: list[tuple[float, str]]) -> Clock:
    """From nine on for three hours."""
    seconds = sum(n * spans.CLOCK_UNITS.get(unit, 86400) for n, unit in length)
    return replace(clock, length=int(seconds), halves=False)


def on(_: Place, clock: Clock, span: Span) -> Span:
    """Return this time on that day."""
    return clock.on(span)


def at_night(place: Place, part: Clock, clock: Clock | None = None, days: int = 0) -> Span:
    """Tonight, last night, this morning, tonight at seven, 昨晚八点."""
    day = day_span(place.now.today + days * DAY)
    return (clock.within(part) if clock else part).on(day)


def alone(place: Place, clock: Clock) -> Span:
    """Return this time where no day is said."""
    return clock.alone(place.now)


def end_of_today(place: Place) -> Span:
    """Return the last second of today."""
    last = day_span(place.now.today).end
    assert last is not None
    return Span(last - timedelta(seconds=1), last + timedelta(seconds=59), "minute")


def clock_beside(_: Place, span: Span, clock: Clock, sign: int) -> Span:
    """Tomorrow before five (-1): up to then; today after half past six (1): from then on."""
    start = clock.on(span).start
    return Span(None, start, "hour") if sign < 0 else Span(start, None, "hour")


def on_in_part(_: Place, clock: Clock, span: Span, part: Clock) -> Span:
    """Seven on Sunday afternoon."""
    return clock.within(part).on(span)


def dated_clock(place: Place, weekday: int, month: int, day: int, clock: Clock, year: int) -> Span:
    """Wed Oct 26 15:50:06 2016."""
    return clock.on(days.dated(place, month, day, year))
