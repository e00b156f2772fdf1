"""Meanings of weeks, months, quarters, seasons, years, decades; of parts of them, and of so many of
them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from text.time import spans
from text.time.grammar import Place
from text.time.spans import (
    DAY,
    Quantity,
    Span,
    at,
    days_span,
    months_span,
    repeating,
    two_digits,
    unit_span,
)

_MONTHS_LONG = {"quarter": 3, "half": 6}


def shifted(place: Place, shift: int, unit: str) -> Span:
    """Return this (0), the last (-1), the next (1) week, month, …; of clock units the last or next
    of them from now."""
    if unit in spans.CLOCK_UNITS:
        return spans.stretch(place.now, [(max(abs(shift), 1), unit)], shift or 1)
    return unit_span(place.now.today, unit, shift)


def month(place: Place, month: int, year: int | None = None) -> Span:
    """Return a month of a year, or of one that is near."""
    if year is not None:
        return months_span(year, month, 1, "month")
    return spans.yearly(place.now, lambda number: months_span(number, month, 1, "month"))


def shifted_month(place: Place, shift: int, month: int) -> Span:
    """Return last May, next May, this May."""
    today = place.now.today
    year = today.year
    if shift < 0 and month >= today.month:
        year -= 1
    elif shift > 0 and month <= today.month:
        year += 1
    return months_span(year, month, 1, "month")


def year_and_month(_: Place, figures: list[int]) -> Span:
    """2016/11 or 11-2016."""
    return months_span(max(figures), min(figures), 1, "month")


def year(_: Place, year: int) -> Span:
    """Return a year."""
    return months_span(year, 1, 12, "year")


def quarter(
    place: Place, nth: int, unit: str = "quarter", year: int | None = None, shift: int | None = None
) -> Span | None:
    """Return the nth quarter or half of a year, or of one that is near."""
    length = _MONTHS_LONG[unit]
    if nth < 0:
        nth += 12 // length + 1
    if not 1 <= nth <= 12 // length:
        return None
    first = (nth - 1) * length + 1
    if shift is not None:
        year = place.now.today.year + shift
    if year is not None:
        return months_span(year, first, length, unit)
    return spans.yearly(place.now, lambda number: months_span(number, first, length, unit))


def quarter_of_year(place: Place, said: str) -> Span | None:
    """2019-Q1, Q1 2019, 2H19."""
    letters = said.upper()
    unit = "quarter" if "Q" in letters else "half"
    mark = letters.index("Q" if unit == "quarter" else "H")
    is_behind = letters[mark - 1 : mark].isdigit() and mark == 1
    nth = letters[0] if is_behind else letters[mark + 1]
    rest = "".join(
        each for each in letters[:mark] + letters[mark + 1 + (not is_behind) :] if each.isdigit()
    )
    digits = rest[1:] if is_behind else rest
    return quarter(
        place, int(nth), unit, two_digits(int(digits)) if len(digits) == 2 else int(digits)
    )


def nth_unit(place: Place, nth: int, unit: str, period: Span | None = None) -> Span:
    """Return the nth week of a month or year, quarter of a year, day of a month, month of a
    year."""
    whole = period or unit_span(place.now.today, "year")
    found: Span = _unit_in(place, nth=nth, unit=unit, period=whole)
    return found


@repeating("period")
def _unit_in(_: Place, nth: int, unit: str, period: Span) -> Span:
    return _nth(nth, unit, period.begin.date(), period.finish.date())


def _nth(nth: int, unit: str, first: date, end: date) -> Span:
    if unit in ("week", "weekend", "workweek"):
        return _nth_week(nth, unit, first, end)
    begin = unit_span(first if nth > 0 else end - DAY, unit, nth - 1 if nth > 0 else nth + 1)
    if begin.start is None or not at(first) <= begin.start < at(end):
        raise ValueError("no such part")
    return begin


def _nth_week(nth: int, unit: str, first: date, end: date) -> Span:
    """Return the week or weekend: weeks belong to the month or year that their Thursday is in,
    weekends to that of their Saturday."""
    key = 5 if unit == "weekend" else 3
    if nth > 0:
        day = first + ((key - first.weekday()) % 7 + 7 * (nth - 1)) * DAY
    else:
        last = end - DAY
        day = last - ((last.weekday() - key) % 7 + 7 * (-nth - 1)) * DAY
    if not first <= day < end:
        raise ValueError("no such week")
    return unit_span(day, unit)


@repeating("span")
def week_of(_: Place, span: Span, unit: str = "week") -> Span:
    """Return the week, month or weekend that a day lies in."""
    day = span.begin.date()
    return _weekend_near(day) if unit == "weekend" else unit_span(day, unit)


def _weekend_near(day: date) -> Span:
    """Saturday and Sunday beside a day; with a feast on Friday or Monday that day too."""
    if day.weekday() == 0:
        return days_span(day - 2 * DAY, 3, "weekend")
    if day.weekday() == 4:
        return days_span(day, 3, "weekend")
    return unit_span(day, "weekend")


def iso_week(place: Place, n: int, year: int | None = None) -> Span:
    """Week 31, of this year where none is said."""
    return unit_span(date.fromisocalendar(year or place.now.today.year, n, 1), "week")


def iso_week_figures(place: Place, figures: list[int]) -> Span:
    """2026-W10."""
    return iso_week(place, figures[1], figures[0])


def season(place: Place, month: int, year: int | None = None, months: int = 3) -> Span:
    """Return a season by its first month; the winter of a year begins in it."""
    if year is not None:
        return months_span(year, month, months, "season")
    return spans.yearly(place.now, lambda number: months_span(number, month, months, "season"))


def shifted_season(place: Place, shift: int, month: int, months: int = 3) -> Span:
    """Return last summer: the last one that is over; next summer: the first that has not begun;
    this winter."""
    now, year = place.now.moment, place.now.today.year
    near = [months_span(year + n, month, months, "season") for n in (-2, -1, 0, 1)]
    if shift < 0:
        return [each for each in near if each.finish <= now][-1]
    if shift > 0:
        return next(each for each in near if each.begin > now)
    return next((each for each in near[1:3] if each.finish > now), near[2])


def decade(_: Place, figures: list[int]) -> Span:
    """1990s, '90s."""
    first = figures[0] if figures[0] > 99 else two_digits(figures[0])
    return months_span(first, 1, 120, "decade")


def decade_word(_: Place, n: int, century: int = 1900) -> Span:
    """Return the nineties; the nineteen seventies."""
    return months_span(century + n, 1, 120, "decade")


def decade_of_century(_: Place, nth: int, figures: list[int]) -> Span:
    """Return the seventies of the 19th century."""
    return decade_word(_, figures[0], (nth - 1) * 100)


def third_of_year(_: Place, edge: str, year: int) -> Span:
    """Return the beginning, the middle, the end of 1989: four months."""
    first = {"early": 1, "mid": 5, "late": 9}[edge]
    return months_span(year, first, 4, "month")


def century(_: Place, nth: int) -> Span:
    """Return the 15th century."""
    return months_span((nth - 1) * 100 + 1 if nth == 1 else (nth - 1) * 100, 1, 1200, "century")


@repeating("span")
def edge(_: Place, edge: str, span: Span) -> Span:
    """Return early, mid, late in a stretch; a day ends with its last second."""
    if span.unit == "day" and span.is_within_day:
        if edge != "late":
            raise ValueError("a day has parts")
        last = span.finish - timedelta(seconds=1)
        return Span(last, last + timedelta(minutes=1), "minute")
    is_thirds = span.unit in ("quarter", "season", "half")
    found = _season_edge(edge, span) if is_thirds else spans.part_of(span, edge)
    return replace(found, cycle=span.cycle)


def _season_edge(edge: str, span: Span) -> Span:
    """Return a third of it, by whole months where there are."""
    months = (span.finish.year - span.begin.year) * 12 + span.finish.month - span.begin.month
    third = months // 3
    first = {"early": 0, "mid": third, "late": months - third}[edge]
    begin = spans.plus_months(span.begin.date(), first)
    return Span(at(begin), at(spans.plus_months(begin, third)), "month")


@repeating("span")
def month_third(_: Place, third: int, span: Span) -> Span:
    """Ten days of a month, a part of a year: 上旬, 月底, 年初."""
    if span.unit == "month":
        cuts = (span.begin, span.begin + 10 * DAY, span.begin + 20 * DAY, span.finish)
        return Span(cuts[third], cuts[third + 1], "day")
    if span.unit == "decade":
        return spans.part_of(span, ("early", "mid", "late")[third])
    months = (third, third + 1) if span.unit == "quarter" else ((0, 3), (3, 9), (9, 12))[third]
    first, last = (at(spans.plus_months(span.begin.date(), n)) for n in months)
    return Span(first, last, "month")


def rest_of(place: Place, span: Span) -> Span:
    """From today to its end."""
    return replace(
        span,
        start=max(span.start or at(place.now.today), at(place.now.today)),
        unit="day",
        again=None,
    )


def so_far(place: Place, span: Span) -> Span:
    """From its beginning to today; early in one that is over."""
    today = at(place.now.today)
    if span.begin < today < span.finish:
        return replace(span, end=today, unit="day", again=None)
    return spans.part_of(span, "early")


def later_in(place: Place, span: Span) -> Span:
    """From today to its end; late in one that is not this one."""
    today = at(place.now.today)
    if not span.is_open and span.begin <= today < span.finish:
        return replace(span, start=today, unit="day", again=None)
    return spans.part_of(span, "late")


def stretch(place: Place, sign: int, length: Quantity) -> Span:
    """Return the last (-1) or the next (1) so many units."""
    return spans.stretch(place.now, length, sign)


def whole_units(place: Place, sign: int, n: float, unit: str) -> Span:
    """Return the next three quarters, by the calendar."""
    near = unit_span(place.now.today, unit, sign)
    far = unit_span(place.now.today, unit, sign * int(n))
    first, last = (near, far) if sign > 0 else (far, near)
    return Span(first.start, last.end, unit)


def within(place: Place, length: Quantity) -> Span:
    """From now to so long later; of days, today is the first."""
    far = spans.moved(place.now, place.now.moment, length, 1)
    if far.unit == "minute":
        return Span(place.now.moment, far.start, "hour")
    return Span(at(place.now.today), far.start, "day")


def first_of(place: Place, sign: int, length: Quantity, span: Span) -> Span:
    """Return the first (1) or last (-1) two weeks of a month."""
    base = span.begin if sign > 0 else span.finish
    if sign > 0 and span.unit == "year" and length[-1][1] == "week":
        base += -base.weekday() % 7 * DAY  # the weeks of a year begin with its first Monday
    far = spans.moved(place.now, base, length, sign).start
    return Span(base, far, "day") if sign > 0 else Span(far, base, "day")


@repeating("span")
def starting(place: Place, length: Quantity, span: Span) -> Span:
    """Return two weeks from a day on."""
    return Span(span.begin, spans.moved(place.now, span.begin, length, 1).start, "day")


def bordering(place: Place, unit: str, sign: int, span: Span) -> Span:
    """Return the week before (-1) or after (1) another time."""
    border = span.begin if sign < 0 else span.finish
    far = spans.moved(place.now, border, [(1, unit)], sign).start
    return Span(far, border, "day") if sign < 0 else Span(border, far, "day")


def vague(place: Place, days: int) -> Span:
    """Return "recently": about so many days ago until now; a hint only."""
    today = at(place.now.today)
    return Span(today + days * DAY, place.now.moment, "vague")


def stretch_units(place: Place, n: float, sign: int, unit: str) -> Span:
    """Return the 13 last minutes."""
    return stretch(place, sign, [(n, unit)])


def days_of_week(place: Place, shift: int, first: int, last: int) -> Span:
    """Next week between Wednesday and Friday."""
    monday = spans.monday(place.now.today) + 7 * shift * DAY
    return days_span(monday + first * DAY, last - first + 1)


def month_third_now(place: Place, third: int, unit: str = "month") -> Span:
    """月底, 年底: of this month or year."""
    found: Span = month_third(place, third=third, span=unit_span(place.now.today, unit))
    return found


def half_week(place: Place, half: int) -> Span:
    """下半周: Thursday to Sunday."""
    first = spans.monday(place.now.today)
    return days_span(first, 4) if half == 1 else days_span(first + 3 * DAY, 4)


def recent_weekend(place: Place) -> Span:
    """Return over the weekend: the last one that has begun."""
    return spans.chosen(place.now, lambda n: unit_span(place.now.today, "weekend", n), 0)


def this_so_far(place: Place, unit: str) -> Span:
    """Return year to date."""
    return Span(unit_span(place.now.today, unit).start, at(place.now.today), "day")
