"""Meanings of days: dates in figures and words, weekdays, feasts, so far from another day."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

from text.time import spans
from text.time.feasts import Feast, lunar_date, weekday_in_month
from text.time.grammar import Place
from text.time.spans import DAY, Clock, Quantity, Span, day_span, repeating, two_digits

MAX_AMOUNT = 100_000


def number(_: Place, n: float, least: int = 0, most: int = MAX_AMOUNT) -> float | None:
    """Return a number between two others."""
    return n if least <= n <= most else None


def full_year(_: Place, n: int) -> int:
    """Return a year of which only the last two digits may be said."""
    return two_digits(n) if n < 100 else n


def year_from_now(place: Place, shift: int) -> int:
    """Return this year (0), the last one (-1), …"""
    today: date = place.now.today
    return today.year + shift


def near_day(place: Place, days: int) -> Span:
    """Today, or so many days later."""
    return day_span(place.now.today + days * DAY)


def told_day(place: Place, days: int) -> Span:
    """So many days from the day that was spoken of, or from today."""

    def told(other: Span) -> Span:
        last = other.finish - timedelta(seconds=1)
        if last - other.begin >= 31 * DAY:
            raise ValueError("no day was spoken of")
        return day_span((other.begin if days < 0 else last).date() + days * DAY)

    return replace(near_day(place, days), told=told)


def told_only(place: Place, days: int) -> Span:
    """Return the same; nothing when no day was spoken of."""
    return replace(told_day(place, days), start=None, end=None, silent=True)


def dated(place: Place, month: int, day: int, year: int | None = None) -> Span:
    """Return a day of a month, of a year or of one that is near."""
    if year is not None:
        return replace(day_span(date(year, month, day)), cycle="year")
    return spans.yearly(place.now, lambda number: day_span(date(number, month, day)))


def day_of_month(place: Place, day: int) -> Span:
    """Return a day of the month that is near."""

    def made(n: int) -> Span:
        return replace(day_span(date(n // 12, n % 12 + 1, day)), cycle="month")

    return spans.chosen(place.now, made, place.now.today.year * 12 + place.now.today.month - 1)


@repeating("period")
def day_in(_: Place, day: int, period: Span) -> Span:
    """Return the nth day of a month or year."""
    found = period.begin + (day - 1) * DAY
    if not period.begin <= found < period.finish:
        raise ValueError("no such day")
    return replace(day_span(found.date()), cycle=period.cycle)


def weekday(place: Place, day: int) -> Span:
    """Return a day of the week (Monday is 0) that is near; said on that day, another one is
    meant."""
    first = spans.monday(place.now.today) + day * DAY
    return spans.chosen(place.now, lambda n: _of_week(first + 7 * n * DAY), 0, strictly=True)


def _of_week(day: date) -> Span:
    return replace(day_span(day), cycle="week")


def weekday_by_week(place: Place, shift: int, day: int) -> Span:
    """Return a day of this week (0), the last one (-1), ..."""
    return _of_week(spans.monday(place.now.today) + (7 * shift + day) * DAY)


def nearest_weekday(place: Place, shift: int, day: int) -> Span:
    """Return the last or the coming such day."""
    away = (day - place.now.today.weekday()) % 7 or 7
    return _of_week(place.now.today + (away if shift > 0 else away - 7 or -7) * DAY)


def weekday_beside(place: Place, day: int, span: Span, shift: int = 0) -> Span:
    """Return a date whose weekday is said too: of the year beside it where the weekday is right
    only there."""
    if shift and span.start:
        return short_numeric(place, [span.start.month, span.start.day], place.now.today.year)
    if span.again is None:
        return span
    for n in (0, -1, 1):
        found = span.again(n)
        if found.start and found.start.weekday() == day:
            return replace(found, again=None)
    return span


def weekday_of_month_day(place: Place, weekday: int, day: int) -> Span:
    """ "Friday the 15th": of the month where the 15th is one."""
    base = place.now.today.year * 12 + place.now.today.month - 1
    sign = -1 if place.now.past else 1
    order = [*range(0, sign * 37, sign), *range(-sign, -sign * 37, -sign)]
    for n in order:
        year, month = divmod(base + n, 12)
        try:
            found = date(year, month + 1, day)
        except ValueError:
            continue
        if found.weekday() == weekday:
            return day_span(found)
    raise ValueError("no such day")


def nth_weekday(place: Place, nth: int, day: int, period: Span | None = None) -> Span:
    """Return the first Friday of a month, the last Monday of a quarter; of this month where none is
    said."""
    whole = period or spans.unit_span(place.now.today, "month")
    found: Span = _nth_weekday(place, nth=nth, day=day, period=whole)
    return found


@repeating("period")
def _nth_weekday(_: Place, nth: int, day: int, period: Span) -> Span:
    if period.unit == "month":
        return day_span(weekday_in_month(period.begin.year, period.begin.month, nth, day))
    first, last = period.begin.date(), period.finish.date() - DAY
    if nth < 0:
        return day_span(last - ((last.weekday() - day) % 7 + 7 * (-nth - 1)) * DAY)
    return day_span(first + ((day - first.weekday()) % 7 + 7 * (nth - 1)) * DAY)


def weekday_of(place: Place, day: int, period: Span) -> Span:
    """Monday of a week."""
    if period.start is None or period.unit not in ("week", "workweek"):
        raise ValueError("no week")
    return _of_week(period.start.date() + day * DAY)


def feast(place: Place, feast: Feast, year: int | None = None) -> Span:
    """Return a holiday of a year, or of one that is near."""
    if year is not None:
        return feast(year)
    return spans.yearly(place.now, feast)


def shifted_feast(place: Place, shift: int, feast: Feast) -> Span:
    """Return last Christmas, next Easter, this Halloween."""
    if shift == 0:
        return feast(place.now.today.year)
    return spans.chosen(
        replace(place.now, past=shift < 0), lambda year: replace(feast(year), cycle="year"), place.now.today.year, strictly=True,
    )  # fmt: skip


def numeric(place: Place, figures: list[int]) -> Span:
    """Month, day, year as in America; day first with dots, and where the first can be no month."""
    first, second, year = figures
    is_day_first = first > 12 or ("." in place.said and second <= 12)
    month, day = (second, first) if is_day_first else (first, second)
    return replace(
        day_span(date(two_digits(year) if year < 100 else year, month, day)), cycle="year"
    )


def year_first(_: Place, figures: list[int]) -> Span:
    """Return two digits of the year, month, day, as in China."""
    year, month, day = figures
    return day_span(date(two_digits(year) if year < 100 else year, month, day))


def compact(_: Place, said: str) -> Span:
    """20170302."""
    return day_span(date(int(said[:4]), int(said[4:6]), int(said[6:])))


def short_numeric(place: Place, figures: list[int], year: int | None = None) -> Span:
    """Month and day; day first where the first can be no month."""
    first, second = figures
    month, day = (first, second) if first <= 12 else (second, first)
    return dated(place, month, day, year)


def numeric_by_year(place: Place, shift: int, figures: list[int]) -> Span:
    """ "Next 5/12": of the next year where it is over in this one."""
    found = short_numeric(place, figures, place.now.today.year)
    is_over = found.start is not None and found.start < spans.at(place.now.today)
    return short_numeric(
        place, figures, place.now.today.year + (shift if is_over or shift < 0 else 0)
    )


def quantity(
    _: Place, n: float, unit: str, more: Quantity | None = None, half: int = 0
) -> Quantity:
    """So many units, and more of smaller ones."""
    return [(n + half / 2, unit), *(more or [])]


def from_now(place: Place, length: Quantity, sign: int) -> Span:
    """So long before or after this moment."""
    return spans.moved(place.now, place.now.moment, length, sign)


@repeating("span")
def beside(place: Place, length: Quantity, sign: int, span: Span) -> Span:
    """So long before or after another time."""
    return spans.moved(place.now, span.begin, length, sign)


def weekdays_away(place: Place, n: float, day: int, sign: int) -> Span:
    """Return two Fridays ago, three Mondays from now."""
    first = nearest_weekday(place, sign, day)
    return day_span(first.begin.date() + sign * int(n - 1) * 7 * DAY)


def units_and_weekday(place: Place, length: Quantity, sign: int, day: int) -> Span:
    """Return two months from today on Tuesday: the first such day from then on."""
    far = from_now(place, length, sign)
    return day_span(far.begin.date() + (day - far.begin.weekday()) % 7 * DAY)


def same_day(place: Place, days: int, shift: int, unit: str) -> Span:
    """Return this day a year or a month before: 去年今天."""
    today = place.now.today + days * DAY
    if unit == "week":
        return day_span(today + 7 * shift * DAY)
    return day_span(spans.plus_months(today, shift * (12 if unit == "year" else 1)))


def lunar_day(place: Place, month: int, day: int, year: int | None = None) -> Span:
    """Return a day of the Chinese calendar."""
    if year is not None:
        return day_span(lunar_date(year, month, day))
    return spans.yearly(place.now, lambda number: day_span(lunar_date(number, month, day)))


def moment_now(place: Place) -> Span:
    """Return this minute."""
    start: datetime = place.now.moment
    return Span(start, start + timedelta(minutes=1), "vague")


def iso_moment(place: Place, said: str) -> Span:
    """2026-03-09T14:30, with a timezone or without."""
    found = datetime.fromisoformat(said)
    width = timedelta(seconds=1 if re.search(r":\d\d:\d\d", said) else 60)
    start = found.replace(tzinfo=None)
    return Span(start, start + width, "minute", zone=found.tzinfo)


def silent(_: Place, **_values: Any) -> Span:
    """Return time words that name no one time; nothing shorter is read in them."""
    return spans.SILENT


def fixed(_: Place, n: int | str, **_values: Any) -> int | str:
    """Return a word that stands for a number or a unit here."""
    return n


def fiscal(_: Place, figures: list[int]) -> int:
    """FY19, CY 2008."""
    return two_digits(figures[0]) if figures[0] < 100 else figures[0]


def quarter_hours(_: Place, n: float) -> Quantity:
    """一刻钟."""
    return [(15 * n, "minute")]


def told_clock(_: Place, clock: Clock) -> Span:
    """Return that evening: of the day that was spoken of."""
    return clock.told()


def later_today(place: Place) -> Span:
    """From now to midnight."""
    return Span(place.now.moment, spans.at(place.now.today + DAY), "hour")
