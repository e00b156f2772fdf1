"""Days that a name stands for: fixed, by a rule in the month, by Easter, by the Chinese calendar
and its solar terms."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from importlib import import_module
from typing import Any

from text.time.spans import DAY, Span, day_span, days_span

Feast = Callable[[int], Span]  # year → when it is
LUNAR_YEARS = range(1900, 2101)  # what the tables hold


def fixed(month: int, day: int, days: int = 1) -> Feast:
    """Return the same day every year."""
    return lambda year: days_span(date(year, month, day), days)


def nth_weekday(month: int, nth: int, weekday: int, later: int = 0) -> Feast:
    """Return the nth (-1: the last) such weekday of a month, and so many days later."""
    return lambda year: day_span(weekday_in_month(year, month, nth, weekday) + later * DAY)


def weekday_in_month(year: int, month: int, nth: int, weekday: int) -> date:
    """Return the nth such weekday of this month, counted from its end when negative. Monday is
    0."""
    if nth < 0:
        after = date(year + month // 12, month % 12 + 1, 1)
        last = after - DAY
        return last - ((last.weekday() - weekday) % 7 + 7 * (-nth - 1)) * DAY
    first = date(year, month, 1)
    found = first + ((weekday - first.weekday()) % 7 + 7 * (nth - 1)) * DAY
    if found.month != month:
        raise ValueError("a month has four or five of a weekday")
    return found


def easter(later: int = 0) -> Feast:
    """So many days from Easter Sunday on, by the Gregorian rule (Meeus, Astronomical Algorithms,
    chapter 8)."""

    def feast(year: int) -> Span:
        century, in_century = divmod(year, 100)
        leaps, rest = divmod(century, 4)
        moon = (
            19 * (year % 19) + century - leaps - (century - (century + 8) // 25 + 1) // 3 + 15
        ) % 30
        sunday = (32 + 2 * rest + 2 * (in_century // 4) - moon - in_century % 4) % 7
        correction = (year % 19 + 11 * moon + 22 * sunday) // 451
        month, day = divmod(moon + sunday - 7 * correction + 114, 31)
        return day_span(date(year, month, day + 1) + later * DAY)

    return feast


def _tables() -> Any:
    return import_module("borax.calendars.lunardate")  # untyped, and slow to import


def lunar_date(year: int, month: int, day: int) -> date:
    """Return a day of the Chinese calendar. Raises ValueError when there is none, or outside 1900
    to 2100."""

    if year not in LUNAR_YEARS:
        raise ValueError("the tables end here")
    found: date = _tables().LunarDate(year, month, day, 0).to_solar_date()
    return found


def lunar(month: int, day: int, later: int = 0) -> Feast:
    """Return a day of the Chinese calendar, and so many days later; `year` is the one in which that
    Chinese year begins."""
    return lambda year: day_span(lunar_date(year, month, day) + timedelta(days=later))


def solar_term(name: str) -> Feast:
    """Return the day of a solar term by its Chinese name."""

    def feast(year: int) -> Span:

        if year not in LUNAR_YEARS:
            raise ValueError("the tables end here")
        found: date = _tables().TermUtils.nth_term_day(year, term_name=name)
        return day_span(found)

    return feast


_KINDS: dict[str, Callable[..., Feast]] = {
    "fixed": fixed,
    "weekday": nth_weekday,
    "easter": easter,
    "lunar": lunar,
    "term": solar_term,
}
_ROW = re.compile(r"(\w+)((?: -?\d+| [^\x00-\x7f]+)*)( before)?(?: for (\d+))?")


def feast_of(row: str) -> Feast:
    """Return the feast of a row of the tables: "fixed 12 25", "weekday 11 4 3", "lunar 12 8
    before", "easter 1 for 2".

    `before`: it belongs to the Chinese year that began the year before; `for`: so many days.
    """
    found = _ROW.fullmatch(row)
    if not found:
        raise ValueError(f"no feast: {row}")
    values = [each if not each.isascii() else int(each) for each in found[2].split()]
    feast = _KINDS[found[1]](*values)
    earlier, days = (1 if found[3] else 0), int(found[4] or 0)

    def made(year: int) -> Span:
        span = feast(year - earlier)
        return days_span(span.start.date(), days) if days and span.start else span

    return made
