"""Weekdays in English that are counted from somewhere: weeks ago, before last, the second of a month."""

from __future__ import annotations

import re
from datetime import date

from text.time import spans
from text.time.english.days import AN_HOUR, following
from text.time.english.words import A_QUANTITY, NOUN, WEEKDAYS, rule, words
from text.time.feasts import weekday_in_month
from text.time.grammar import Place
from text.time.spans import DAY, Span, day_span


@rule(
    "date",
    "weekday 'week'",
    "'a week on' weekday",
    "'a week from' weekday",
    "'a week this' weekday",
    "weekday 'a week from now'",
)
def _weekday_week(place: Place, weekday: int) -> Span:
    today = place.now.today
    coming = today + ((weekday - today.weekday() - 1) % 7 + 1) * DAY
    return day_span(coming + 7 * DAY)


@rule("date", "'the'? weekday 'before last'", "weekday 'of'? 'the week before last'")
def _weekday_before_last(place: Place, weekday: int) -> Span:
    return spans.day_of_week(place.now, -2, weekday)


@rule("date", "'the'? weekday 'after next'", "weekday 'of'? 'the week after next'")
def _weekday_after_next(place: Place, weekday: int) -> Span:
    return spans.day_of_week(place.now, 2, weekday)


@rule("date", "weekday_any digits")
def _weekday_and_number(place: Place, weekday: Span, day: int) -> Span | None:
    """ "Monday 9": the last (or next) ninth that is a Monday."""
    if (
        weekday.start is None
        or not 1 <= day <= 31
        or place.precedes(A_QUANTITY)
        or place.precedes(NOUN)
        or place.precedes(AN_HOUR)
    ):
        return None
    wanted = weekday.start.weekday()

    def make(number: int) -> Span:
        found = date(number // 12, number % 12 + 1, day)
        if found.weekday() != wanted:
            raise ValueError("another weekday")
        return day_span(found)

    return spans.chosen(place.now, make, place.now.today.year * 12 + place.now.today.month - 1)


@rule("date", "amount weekdays sign_after")
def _weekdays_ago(place: Place, amount: float, weekday: int, sign: int) -> Span:
    today = place.now.today
    if sign < 0:
        return day_span(
            today - ((today.weekday() - weekday - 1) % 7 + 1 + 7 * (int(amount) - 1)) * DAY
        )
    return day_span(today + ((weekday - today.weekday() - 1) % 7 + 1 + 7 * (int(amount) - 1)) * DAY)


words(
    "weekdays",
    {f"{name}s": number for name, number in WEEKDAYS.items() if name.endswith("day")}
    | {name: number for name, number in WEEKDAYS.items() if name.endswith("day")},
)


@rule(
    "date",
    "weekday amount 'week|weeks' sign_after",
    "amount 'week|weeks' sign_after 'on'? weekday",
    "amount 'week|weeks' sign_after ','? 'last|this' weekday",
)
def _weekday_weeks_ago(place: Place, one: float, two: float, three: float) -> Span:
    spoken = place.said.lower()
    weekday, amount, sign = (
        (one, two, three)
        if WEEKDAYS.get(re.split(r"\W", spoken)[0]) is not None
        else (three, one, two)
    )
    return day_span(
        spans.monday(place.now.today) + (7 * int(amount) * int(sign) + int(weekday)) * DAY
    )


def _weekday_of(month: Span, nth: int, weekday: int) -> Span:
    if month.start is None:
        raise ValueError("no start")
    return day_span(weekday_in_month(month.start.year, month.start.month, nth, weekday))


@rule(
    "date",
    "'the'? ordinal weekday 'of|in' period",
    "'the'? 'last' weekday 'of|in' period",
    "'the'? ordinal weekday period",
)
def _nth_weekday(place: Place, *values: object) -> Span | None:
    nth, weekday, period = values if len(values) == 3 else (-1, *values)
    if (
        not (isinstance(nth, int) and isinstance(weekday, int) and isinstance(period, Span))
        or period.start is None
    ):
        return None
    if period.unit == "month":
        return following(period, lambda span: _weekday_of(span, nth, weekday))
    if period.unit == "year":
        first = date(period.start.year, 1, 1)
        found = (
            weekday_in_month(first.year, 12, -1, weekday)
            if nth < 0
            else weekday_in_month(first.year, 1, 1, weekday) + 7 * (nth - 1) * DAY
        )
        return day_span(found)
    return None
