"""Meanings of times that come again: "every other Friday at 9", 每月最后一天, and of one time that is named as a job's."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import NamedTuple

from text.time.grammar import Place
from text.time.spans import Clock, Quantity, Span

_ADDED = ("times", "parts")  # more of them may be said
Days = tuple[int, ...]  # of a week: 0 is Monday; of a month: -1 is the last


class Part(NamedTuple):
    """A part of the day, and the hour at which it is meant when none is said."""

    clock: Clock
    hour: int


@dataclass(frozen=True, slots=True)
class Repeat:
    """Hold what words say of when something is to be done. Without `every` it is to be done once."""

    every: tuple[int, str] | None = None  # (2, "week")
    weekdays: Days = ()
    left_out: Days = ()
    month_days: Days = ()
    nth_weekdays: tuple[tuple[int, int], ...] = ()  # (-1, 4): the last Friday of a month
    year_day: tuple[int, int] | None = None  # month, day
    last: str = ""  # "workday" of a month, or "quarter": its last day
    times: tuple[Clock, ...] = ()
    parts: tuple[Part, ...] = ()
    hours: Clock | None = None  # within these
    start: Clock | None = None  # at this time is one of them
    minute: int | None = None  # of each hour
    count: tuple[int, str] | None = None  # so often in a day or a week
    wait: tuple[tuple[float, str], ...] = ()
    span: Span | None = None  # one day, or one moment


def together(_: Place, said: Repeat, more: Repeat) -> Repeat:
    """Join two parts of one time. Raises ValueError where they contradict each other."""
    joined = {}
    for name in (each.name for each in fields(Repeat)):
        first, second = getattr(said, name), getattr(more, name)
        if name in _ADDED:
            joined[name] = first + second
        elif name == "every" and first and second:
            joined[name] = _finer(first, second)
        elif first and second and first != second:
            raise ValueError(f"two of {name}")
        else:
            joined[name] = second if first in (None, (), "") else first
    if joined["every"] and (joined["span"] or joined["wait"]):
        raise ValueError("what comes again is not once")
    return Repeat(**joined)


def _finer(first: tuple[int, str], second: tuple[int, str]) -> tuple[int, str]:
    """Return "every 2 hours" of "every weekday, every 2 hours". Raises ValueError where none is within the other."""
    is_first_finer = first[1] in ("minute", "hour")
    finer, coarser = (first, second) if is_first_finer else (second, first)
    if finer == coarser:
        return finer
    if finer[1] not in ("minute", "hour") or coarser not in ((1, "day"), (1, "week")):
        raise ValueError("two ways to come again")
    return finer


def every(_: Place, unit: str, n: float = 1) -> Repeat | None:
    """Every so many units."""
    if n != int(n):
        return None
    if unit == "fortnight":
        return Repeat(every=(int(n) * 2, "week"))
    known = ("minute", "hour", "day", "week", "month", "quarter", "year")
    return Repeat(every=(int(n), unit)) if unit in known else None


def every_and_half(_: Place, n: float) -> Repeat:
    """Every one and a half hours."""
    return Repeat(every=(int(n) * 60 + 30, "minute"))


def every_quarters(_: Place, n: float = 1) -> Repeat:
    """Every so many quarters of an hour."""
    return Repeat(every=(int(n) * 15, "minute"))


def often(_: Place, n: float, unit: str) -> Repeat | None:
    """Twice a day: so many times, or days, must be named."""
    return Repeat(every=(1, unit), count=(int(n), unit)) if unit in ("day", "week") else None


def one_day(_: Place, day: int) -> Days:
    """A day of the week or of the month."""
    return (day,)


def days_and(_: Place, days: Days, more: Days) -> Days:
    """Several days."""
    return tuple(sorted({*days, *more}))


def days_between(_: Place, first: int, last: int) -> Days:
    """From Monday to Friday."""
    return tuple(sorted((first + step) % 7 for step in range((last - first) % 7 + 1)))


def workdays(_: Place) -> Days:
    """From Monday to Friday."""
    return (0, 1, 2, 3, 4)


def weekend(_: Place) -> Days:
    """Saturday and Sunday."""
    return (5, 6)


def weekly(_: Place, days: Days, n: int = 1) -> Repeat:
    """On these days of every week, or of every Nth one."""
    return Repeat(every=(n, "week"), weekdays=days)


def on_days(_: Place, days: Days) -> Repeat:
    """On these days; of one day alone something else must say that it comes again."""
    return Repeat(weekdays=days) if len(days) == 1 else weekly(_, days)


def without(_: Place, days: Days) -> Repeat:
    """Not on these days of the week."""
    return Repeat(left_out=days)


def monthly(_: Place, days: Days) -> Repeat:
    """On these days of every month."""
    return Repeat(every=(1, "month"), month_days=days)


def monthly_on(_: Place, day: int) -> Repeat:
    """On one day of every month."""
    return Repeat(every=(1, "month"), month_days=(day,))


def monthly_weekday(_: Place, nths: Days, day: int) -> Repeat:
    """On the first Monday of every month."""
    return Repeat(every=(1, "month"), nth_weekdays=tuple((nth, day) for nth in nths))


def last_of(_: Place, last: str) -> Repeat:
    """On the last working day of every month, or the last day of every quarter."""
    return Repeat(every=(1, "month" if last == "workday" else "quarter"), last=last)


def yearly(_: Place, month: int, day: int) -> Repeat:
    """On one day of every year."""
    return Repeat(every=(1, "year"), year_day=(month, day))


def one_time(_: Place, clock: Clock) -> tuple[Clock, ...]:
    """One time of day."""
    return (clock,)


def times_and(_: Place, clocks: tuple[Clock, ...], more: tuple[Clock, ...]) -> tuple[Clock, ...]:
    """Several times of day."""
    return clocks + more


def at_times(_: Place, clocks: tuple[Clock, ...]) -> Repeat:
    """At these times of day."""
    return Repeat(times=clocks)


def daily_times(_: Place, clocks: tuple[Clock, ...]) -> Repeat:
    """At these times of every day."""
    return Repeat(every=(1, "day"), times=clocks)


def usual_part(_: Place, hours: list[int]) -> Part:
    """A part of the day: its hours, and the one at which it is meant, or the middle of it."""
    first, last, *usual = hours
    length = (last - first) * 3600
    return Part(
        Clock(first * 3600, length, is_part=True),
        usual[0] if usual else (first + last) // 2,
    )


def in_day_part(_: Place, part: Part) -> Repeat:
    """In a part of the day."""
    return Repeat(parts=(part,))


def daily_part(_: Place, part: Part) -> Repeat:
    """In a part of every day."""
    return Repeat(every=(1, "day"), parts=(part,))


def in_hours(_: Place, hours: Clock) -> Repeat:
    """Within these hours of a day."""
    return Repeat(hours=hours)


def starting_at(_: Place, clock: Clock) -> Repeat:
    """At this time is one of them."""
    return Repeat(start=clock)


def at_minute(_: Place, n: float) -> Repeat:
    """At a minute of each hour."""
    return Repeat(minute=int(n))


def at_minute_hourly(_: Place, n: float) -> Repeat:
    """At a minute of every hour."""
    return Repeat(every=(1, "hour"), minute=int(n))


def wait(_: Place, length: Quantity) -> Repeat:
    """So much later."""
    return Repeat(wait=tuple(length))


def once(_: Place, span: Span) -> Repeat:
    """On one day, or at one moment."""
    return Repeat(span=replace(span, again=None))
