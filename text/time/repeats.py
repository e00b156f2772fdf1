"""Meanings of times that come again: "every other Friday at 9", 每月最后一天, and of one time that is
named as a job's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from text.time.grammar import Place
from text.time.spans import Clock, Span

_ADDED = ("times", "parts")  # more of them may be said
Days = tuple[int, ...]  # of a week: 0 is Monday; of a month: -1 is the last


class Part(NamedTuple):
    """A part of the day, and the hour at which it is meant when none is said."""

    clock: Clock
    hour: int


@dataclass(frozen=True, slots=True)
class Repeat:
    """Hold what words say of when something is to be done. Without `every` it is to be done
    once."""

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
    names = (each.name for each in fields(Repeat))
    joined = {name: _joined(name, getattr(said, name), getattr(more, name)) for name in names}
    if joined["every"] and (joined["span"] or joined["wait"]):
        raise ValueError("what comes again is not once")
    return Repeat(**joined)


def _joined(name: str, first: Any, second: Any) -> Any:
    if name in _ADDED:
        return first + second
    is_first, is_second = (each not in (None, (), "") for each in (first, second))
    if not (is_first and is_second):
        return first if is_first else second
    if name == "every":
        return _finer(first, second)
    if first != second:
        raise ValueError(f"two of {name}")
    return first


def _finer(first: tuple[int, str], second: tuple[int, str]) -> tuple[int, str]:
    """Return "every 2 hours" of "every weekday, every 2 hours". Raises ValueError where none is
    within the other."""
    is_first_finer = first[1] in ("minute", "hour")
    finer, coarser = (first, second) if is_first_finer else (second, first)
    if finer == coarser:
        return finer
    if finer[1] not in ("minute", "hour") or coarser not in ((1, "day"), (1, "week")):
        raise ValueError("two ways to come again")
    return finer


def repeat(_: Place, every: Any = None, **said: Any) -> Repeat:
    """Return what a row says, by the names of Repeat's fields; `every` is a unit, or so many of
    one."""
    if every is not None:
        said["every"] = (1, every) if isinstance(every, str) else every[0]
    read = {name: _READERS[name](value) for name, value in said.items() if name in _READERS}
    return Repeat(**{**said, **read})


_READERS: dict[str, Callable[[Any], Any]] = {
    "minute": int,
    "wait": tuple,
    "month_days": lambda said: said if isinstance(said, tuple) else (said,),
    "span": lambda said: replace(said, again=None),
}


def every(_: Place, unit: str, n: float = 1) -> Repeat | None:
    """Return every so many units."""
    if n != int(n):
        return None
    if unit == "fortnight":
        return Repeat(every=(int(n) * 2, "week"))
    known = ("minute", "hour", "day", "week", "month", "quarter", "year")
    return Repeat(every=(int(n), unit)) if unit in known else None


def every_minutes(_: Place, each: int, n: float = 1, more: int = 0) -> Repeat:
    """Return every so many quarters of an hour, or one and a half hours."""
    return Repeat(every=(int(n) * each + more, "minute"))


def often(_: Place, n: float, unit: str) -> Repeat | None:
    """Twice a day: so many times, or days, must be named."""
    return Repeat(every=(1, unit), count=(int(n), unit)) if unit in ("day", "week") else None


def one(_: Place, **said: Any) -> tuple[Any, ...]:
    """Return one day of the week or of the month, or one time of day."""
    return tuple(said.values())


def days_and(_: Place, days: Days, more: Days) -> Days:
    """Return several days."""
    return tuple(sorted({*days, *more}))


def days_between(_: Place, first: int, last: int) -> Days:
    """From Monday to Friday."""
    return tuple(sorted((first + step) % 7 for step in range((last - first) % 7 + 1)))


def on_days(_: Place, days: Days) -> Repeat:
    """On these days; of one day alone something else must say that it comes again."""
    return Repeat(every=None if len(days) == 1 else (1, "week"), weekdays=days)


def monthly_weekday(_: Place, nths: Days, day: int) -> Repeat:
    """On the first Monday of every month."""
    return Repeat(every=(1, "month"), nth_weekdays=tuple((nth, day) for nth in nths))


def yearly(_: Place, month: int, day: int) -> Repeat:
    """On one day of every year."""
    return Repeat(every=(1, "year"), year_day=(month, day))


def times_and(_: Place, clocks: tuple[Clock, ...], more: tuple[Clock, ...]) -> tuple[Clock, ...]:
    """Return several times of day."""
    return clocks + more


def usual_part(_: Place, hours: list[int]) -> tuple[Part]:
    """Return a part of the day: its hours, and the one at which it is meant, or the middle of
    it."""
    first, last, *usual = hours
    clock = Clock(first * 3600, (last - first) * 3600, is_part=True)
    return (Part(clock, usual[0] if usual else (first + last) // 2),)
