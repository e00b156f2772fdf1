"""Stretches of time on a calendar, before they are UTC: how long each unit is, and how one that
comes again is chosen.

Everything here is the speaker's local time without a zone, from `start` to before `end`. Source:
seed 003 P4.1.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import wraps
from typing import Any, NamedTuple

DAY = timedelta(days=1)
CLOCK_UNITS = {"hour": 3600, "minute": 60, "second": 1}
DAY_UNITS = {"day": 1, "week": 7, "fortnight": 14}
MONTH_UNITS = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120, "century": 1200}
_UNITS = (CLOCK_UNITS | DAY_UNITS | MONTH_UNITS).keys()
Meaning = Callable[..., Any]
Quantity = list[tuple[float, str]]  # "two years and a half": [(2.5, "year")]


class TimeRange(NamedTuple):
    """From `start` to before `end`, aware and UTC; an open side is None. `text` is the expression
    as it was written.

    `is_vague`: said loosely ("recently"); recall uses it as a hint only.
    """

    start: datetime | None
    end: datetime | None
    text: str
    is_vague: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """From `start` to before `end`; an open side is None. `again(n)` is what comes n later, for
    what comes again."""

    start: datetime | None
    end: datetime | None
    unit: str
    again: Callable[[int], Span] | None = None
    zone: tzinfo | None = None  # when it is not the speaker's own
    silent: bool = False  # time words, but of no one time: "every Friday"
    # what it is one of: "hours" of any day, "day" (hours of this one), days of a "week", "month",
    # "year"
    cycle: str = ""
    # counted from the time spoken of before: "the next day"
    told: Callable[[Span], Span] | None = None

    @property
    def begin(self) -> datetime:
        """Return when it begins. Raises ValueError where that side is open."""
        if self.start is None:
            raise ValueError("one side is open")
        return self.start

    @property
    def finish(self) -> datetime:
        """Return when it ends. Raises ValueError where that side is open."""
        if self.end is None:
            raise ValueError("one side is open")
        return self.end

    @property
    def is_open(self) -> bool:
        """Return True where a side is open."""
        return None in (self.start, self.end)

    @property
    def is_within_day(self) -> bool:
        """Return True for a day or a part of one."""
        return not self.is_open and self.finish - self.begin <= DAY


SILENT = Span(None, None, "", silent=True)


@dataclass(frozen=True, slots=True)
class Now:
    """When and where a text is read. `moment` is local and has no zone; `past`: of two readings the
    past one is meant."""

    aware: datetime
    past: bool

    @property
    def moment(self) -> datetime:
        """Return the local time on the speaker's clock."""
        return self.aware.replace(tzinfo=None)

    @property
    def today(self) -> date:
        """Return the local date."""
        return self.aware.date()


def repeating(key: str) -> Callable[[Meaning], Meaning]:
    """Make a meaning of one span (the value called `key`) also that of what comes again of it."""

    def made(meaning: Meaning) -> Meaning:
        @wraps(meaning)
        def read(place: Any, **values: Any) -> Any:
            span, found = values[key], meaning(place, **values)
            if found is None or not span.again:
                return found
            return replace(found, again=lambda n: read(place, **{**values, key: span.again(n)}))

        return read

    return made


def two_digits(year: int) -> int:
    """Return the year that its last two digits stand for."""
    return year + (2000 if year < 50 else 1900)


def at(day: date, seconds: int = 0) -> datetime:
    """Return this many seconds after midnight on the clock."""
    return datetime.combine(day, time()) + timedelta(seconds=seconds)


def day_span(day: date) -> Span:
    """Return one day."""
    return Span(at(day), at(day + DAY), "day")


def days_span(first: date, days: int, unit: str = "day") -> Span:
    """Return days from the first one on."""
    return Span(at(first), at(first + days * DAY), unit)


def months_span(year: int, month: int, count: int, unit: str) -> Span:
    """Return months from the first one on. `month` may be outside 1 to 12."""
    first = plus_months(date(year, 1, 1), month - 1)
    return Span(at(first), at(plus_months(first, count)), unit, cycle="year" if count < 12 else "")


def plus_months(day: date, months: int) -> date:
    """Return the same day so many months later, or the last day of that month."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        raise OverflowError(year)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def monday(day: date) -> date:
    """Return the Monday of its week."""
    return day - day.weekday() * DAY


def unit_span(day: date, unit: str, offset: int = 0) -> Span:
    """Return the day, week, weekend, month, ... that this day lies in, or the one `offset`
    later."""
    if unit == "day":
        return day_span(day + offset * DAY)
    if unit in ("week", "workweek", "weekend", "fortnight"):
        first = monday(day) + (14 if unit == "fortnight" else 7) * offset * DAY
        skip, days = {"week": (0, 7), "workweek": (0, 5), "weekend": (5, 2), "fortnight": (0, 14)}[
            unit
        ]
        return days_span(first + skip * DAY, days, unit)
    count = MONTH_UNITS[unit]
    index = day.year * 12 + day.month - 1
    first_index = (index // count + offset) * count
    year, month = divmod(first_index, 12)
    return replace(months_span(year, month + 1, count, unit), cycle="")


def chosen(now: Now, make: Callable[[int], Span], near: int, *, strictly: bool = False) -> Span:
    """Choose from what comes again the last one that has begun, or the first that has not ended
    when the future is meant.

    `make(n)` is the nth (n: a year, a week, ...), `near` is the n of today. `strictly`: what begins
    today is not meant.
    """
    fits = _has_begun if now.past else _is_ahead
    for n in range(near + 2, near - 9, -1) if now.past else range(near - 2, near + 9):
        try:
            span = make(n)
        except ValueError:  # February 29 in most years
            continue
        if fits(span, now, strictly):
            return _repeating(make, n, span)
    raise ValueError("no such day in these years")


def _has_begun(span: Span, now: Now, strictly: bool) -> bool:
    if span.start is None:
        return False
    return span.start < at(now.today) or (not strictly and span.start <= now.moment)


def _is_ahead(span: Span, now: Now, strictly: bool) -> bool:
    today = at(now.today)
    if strictly:
        return span.end is not None and (span.start or today) > today
    return (span.end or today) > now.moment


def _repeating(make: Callable[[int], Span], n: int, span: Span) -> Span:
    return replace(span, again=lambda more: _repeating(make, n + more, make(n + more)))


def yearly(now: Now, make: Callable[[int], Span]) -> Span:
    """Return what comes once a year: `make(year)`."""
    return chosen(now, lambda year: replace(make(year), cycle="year"), now.today.year)


def moved(now: Now, start: datetime, quantity: Quantity, sign: int) -> Span:
    """Return what lies so far from `start`: a day for days and longer units, else a minute or
    second."""
    seconds = _total(quantity, CLOCK_UNITS)
    days, months = _total(quantity, DAY_UNITS), _total(quantity, MONTH_UNITS)
    units = {unit for _, unit in quantity}
    if not units <= _UNITS:
        raise ValueError("weekends are counted, they have no length")
    if "day" in units:
        seconds += days % 1 * 86400
    if 30 * months + days > 3_700_000:
        raise OverflowError(months)
    far = int(days + months % 1 * 30)
    moving = plus_months(start.date(), sign * int(months)) + sign * far * DAY
    if not seconds:
        return day_span(moving)
    width = timedelta(seconds=1 if "second" in units else 60)
    away = sign * timedelta(seconds=seconds)
    if start != now.moment:
        first = datetime.combine(moving, start.time()) + away
        return Span(first, first + width, "minute")
    # From now on elapsed time counts, also over a change of the clocks.
    instant = datetime.combine(moving, now.moment.time(), now.aware.tzinfo).astimezone(UTC) + away
    return Span(local(now, instant), local(now, instant + width), "minute")


def _total(quantity: Quantity, units: Mapping[str, int]) -> float:
    return sum(amount * units[unit] for amount, unit in quantity if unit in units)


def local(now: Now, instant: datetime) -> datetime:
    """Return what the speaker's clock shows then; `fold` says which of two equal times it is."""
    return instant.astimezone(now.aware.tzinfo).replace(tzinfo=None)


def stretch(now: Now, quantity: Quantity, sign: int) -> Span:
    """Return the last (-1) or next (1) so many units: whole days without today, or hours up to or
    from now."""
    far = moved(now, now.moment, quantity, sign)
    if far.start is None:
        return far
    if far.unit == "minute":
        ends = sorted((far.start, now.moment))
        return Span(ends[0], ends[1], "hour")
    today = at(now.today)
    return Span(far.start, today, "day") if sign < 0 else Span(today + DAY, far.start + DAY, "day")


def first_from(span: Span, start: datetime) -> Span:
    """Return the first of what comes again that begins at `start` or later."""
    return _furthest(span, lambda begin: begin >= start, -1)


def last_until(span: Span, end: datetime) -> Span:
    """Return the last of what comes again that begins at `end` or earlier."""
    return _furthest(span, lambda begin: begin <= end, 1)


def _furthest(span: Span, fits: Callable[[datetime], bool], step: int) -> Span:
    """Return the last that fits, going on by `step`."""
    while span.again and not fits(span.begin):
        span = span.again(-step)
    while span.again and fits((following := span.again(step)).begin):
        span = following
    return span


_IN_MONTHS = {  # the months of a year, a decade in which a part of it begins and ends
    "year": {"early": (0, 6), "mid": (3, 9), "late": (6, 12)},
    "decade": {"early": (0, 60), "mid": (36, 84), "late": (60, 120)},
}
_IN_DAYS = {
    "month": {"early": (0, 15), "mid": (9, 20), "late": (15, 31)},
    "week": {"early": (0, 4), "mid": (1, 5), "late": (3, 7)},
}
_IN_SHARES = {"early": (0.0, 0.5), "mid": (0.25, 0.75), "late": (0.5, 1.0)}


def part_of(span: Span, part: str) -> Span:
    """Return early, mid or late in a span: its first half, its middle half, its last half, cut at
    whole units."""
    start, length = span.begin, span.finish - span.begin
    if cuts := _IN_MONTHS.get(span.unit):
        first, last = (at(plus_months(start.date(), months)) for months in cuts[part])
        return Span(first, last, "year" if span.unit == "decade" else "month")
    if cuts := _IN_DAYS.get(span.unit):
        first, last = (start + days * DAY for days in cuts[part])
        return Span(first, min(last, span.finish), "day")
    first, last = (start + length * share for share in _IN_SHARES[part])
    return Span(first, last, "hour" if length <= DAY else "day")


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day in seconds after midnight. `halves`: it may be before or after noon."""

    start: int
    length: int
    halves: bool = False
    zone: tzinfo | None = None
    is_part: bool = False  # morning, night: may narrow what stands beside it

    def on(self, span: Span) -> Span:
        """Return this time on that day. An hour from one to six that could be either is after
        noon."""
        if span.unit != "day" or not span.is_within_day:
            raise ValueError("a time of day belongs to one day")
        after_noon = self.halves and 3600 <= self.start < 7 * 3600
        start = span.begin + timedelta(seconds=self.start + (43200 if after_noon else 0))
        again = span.again
        unit = "part" if self.is_part else "hour" if self.length >= 3600 else "minute"
        return Span(
            start,
            start + timedelta(seconds=self.length),
            unit,
            again=(lambda n: self.on(again(n))) if again else None,
            zone=self.zone,
            cycle="day",
        )

    def told(self) -> Span:
        """Return this time on the day that was spoken of; nothing without one."""

        def told(other: Span) -> Span:
            if not other.is_within_day:
                raise ValueError("no day was spoken of")
            return self.on(day_span(other.begin.date()))

        return Span(None, None, "part", silent=True, told=told)

    def alone(self, now: Now) -> Span:
        """Return this time where no day is said."""
        halves = 2 if self.halves and self.length <= 3600 else 1

        def make(n: int) -> Span:
            day, later = divmod(n, halves)
            start = self.start % 43200 + later * 43200 if halves == 2 else self.start
            return replace(
                replace(self, start=start, halves=False).on(day_span(now.today + day * DAY)),
                cycle="hours",
            )

        return chosen(now, make, 0)

    def within(self, part: Clock) -> Clock:
        """Return this time in that part of the day: five in the afternoon. A time that can only be
        before or after noon stays."""
        if not self.halves:
            return self
        return Clock(self._start_within(part), self.length, zone=self.zone or part.zone)

    def _start_within(self, part: Clock) -> int:
        is_twelve = self.start in (0, 43200)
        if part.start >= 57600:  # evening, night
            if is_twelve:
                return 86400
            if self.start < (6 if part.start >= 72000 else 4) * 3600:
                return self.start  # two at night
        if self.start == 43200 and part.start < 18000:
            return 0
        noon = 43200 if self.start >= 7200 else 39600  # one at noon
        is_after_noon = self.start < 43200 and part.start >= noon
        return self.start + (43200 if is_after_noon else 0)


NIGHT = Clock(20 * 3600, 4 * 3600, is_part=True)


def clocks(first: Clock, last: Clock) -> Clock:
    """From one time of day to another."""
    start, end = _in_order(first, last)
    if last.halves and start - 43200 < end <= start:
        end += 43200
    while end <= start:
        end += 86400
    halves = first.halves and last.halves and start < 43200
    return Clock(start, end - start, halves, zone=first.zone or last.zone)


def _in_order(first: Clock, last: Clock) -> tuple[int, int]:
    """Return where both are, the first before or after noon by what the last one is."""
    start, end = first.start, last.start + (last.length if last.is_part else 0)
    if not first.halves:
        return start, end
    if not last.halves:
        return start + (43200 if start + 43200 < end else 0), end
    are_after_noon = 3600 <= start < 7 * 3600 and start < end
    return (start + 43200, end + 43200) if are_after_noon else (start, end)
