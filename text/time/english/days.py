"""Days in English: dates in figures and words, weekdays, holidays."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date

from text.time import spans
from text.time.english.words import (
    A_QUANTITY,
    ADVERB,
    MERIDIEM,
    MONTHS,
    NOUN,
    rule,
    two_digits,
    words,
)
from text.time.feasts import Feast
from text.time.grammar import Place
from text.time.spans import DAY, Now, Span, day_span


@rule("year", "digit_year", "short_year", "spoken_year")
def _year(_place: Place, year: int) -> int:
    return year


@rule(
    "year",
    "digit_year 'a.d.|ad|ce'",
    "'the'? 'year' digit_year",
    "'the'? 'year' 'of' digit_year",
    "'the'? 'year' spoken_year",
    "fiscal_year",
)
def _marked_year(_place: Place, year: int) -> int:
    return year


@rule("said_year", "year")
def _year_itself(_place: Place, year: int) -> int:
    return year


@rule("said_year", "shift 'year'")
def _shifted_year(place: Place, shift: int) -> int:
    today: date = place.now.today
    return today.year + shift


@rule("said_year", "'the year before last'", "'the year after next'")
def _year_but_one(place: Place) -> int:
    today: date = place.now.today
    return today.year + (2 if place.said.lower().endswith("next") else -2)


@rule("said_year", "amount 'years|year' 'ago|back|earlier'")
def _years_ago(place: Place, years: float) -> int | None:
    today: date = place.now.today
    return None if years % 1 else today.year - int(years)


@rule("day_number", "digits 'of'?", "'the'? ordinal 'of'?", "'the'? ordinal 'day of'")
def _day_number(_place: Place, day: int) -> int | None:
    return day if 1 <= day <= 31 else None


@rule("last_digits", "digits")
def _last_digits(place: Place, digits: int) -> int | None:
    return two_digits(digits) if len(place.said) == 2 and digits > 31 else None


@rule("two_digit_year", "digits")
def _two_digit_year(place: Place, digits: int) -> int | None:
    """Behind a day and a month: not the hour that often stands there."""
    return (
        two_digits(digits)
        if len(place.said) == 2 and digits > 12 and not place.precedes(AN_HOUR)
        else None
    )


AN_HOUR = re.compile(
    r"\s*(?:[ap]\.?m\b|:|o'clock|h\b|-|to\b|until\b|till\b|through\b|and\b)|[.:/]\d", re.I
)


def _dated(place: Place, month: int, day: int, year: int | None) -> Span:
    if year:
        return replace(day_span(date(year, month, day)), cycle="year")
    return spans.yearly(place.now, lambda number: day_span(date(number, month, day)))


@rule(
    "date",
    "month '-|/'? 'the'? day_number ',|-|/'? 'of|in'? said_year",
    "month '-'? day_number '-|,'? two_digit_year",
)
def _month_day_year(place: Place, month: int, day: int, year: int) -> Span | None:
    if re.search(r"[a-z.] \d{1,2}-[0-3]\d$", place.said, re.I):  # "Jan 4-22" are days
        return None
    return _dated(place, month, day, year)


@rule(
    "date",
    "day_number '-|/|,|.'? month '-|/|,|.'? 'of|in'? said_year",
    "day_number '-|/'? month '-|/|,'? two_digit_year",
)
def _day_month_year(place: Place, day: int, month: int, year: int) -> Span:
    return _dated(place, month, day, year)


@rule("date", "year '-|/|,'? month '-|/'? 'the'? day_number")
def _year_month_day(place: Place, year: int, month: int, day: int) -> Span:
    return _dated(place, month, day, year)


@rule("date", "month '-'? 'the'? day_number")
def _month_day(place: Place, month: int, day: int) -> Span:
    return _dated(place, month, day, None)


@rule("date", "day_number '-'? month")
def _day_month(place: Place, day: int, month: int) -> Span | None:
    if (
        month == 5 and not place.said[-3:].istitle()
    ):  # "5 may", but the verb after a number is more often one
        return (
            None
            if " of " not in place.said and not re.match(r"\d+(?:st|nd|rd|th)\b", place.said)
            else _dated(place, month, day, None)
        )
    return _dated(place, month, day, None)


@rule("date", "'the'? ordinal 'day'? 'of|in' period")
def _nth_day(_place: Place, nth: int, period: Span) -> Span | None:
    if period.start is None or period.end is None or period.unit not in ("month", "year", "week"):
        return None
    return (
        following(period, lambda span: _nth_day_from(span, nth))
        if period.start + (nth - 1) * DAY < period.end
        else None
    )


def _nth_day_from(span: Span, nth: int) -> Span:
    if span.start is None:
        raise ValueError("no start")
    return day_span(span.start.date() + (nth - 1) * DAY)


def following(span: Span, change: Callable[[Span], Span]) -> Span:
    """What `change` makes of a span, coming again as often as it does."""
    again = span.again
    return replace(change(span), again=(lambda n: following(again(n), change)) if again else None)


@rule("date", "year_first")
def _numeric_year_first(_place: Place, said: str) -> Span:
    return day_span(date(*(int(part) for part in re.split(r"[-/.]", said))))


@rule("date", "compact")
def _compact(_place: Place, said: str) -> Span:
    return day_span(date(int(said[:4]), int(said[4:6]), int(said[6:])))


@rule("date", "slashed")
def _numeric(_place: Place, said: str) -> Span:
    first, second, year = (int(part) for part in re.split(r"[-/.]", said))
    year = two_digits(year) if year < 100 else year
    # Month first, as most who write slashes in English do; day first where that alone is a date, or dots say so.
    day_first = first > 12 or ("." in said and second <= 12)
    month, day = (second, first) if day_first else (first, second)
    return day_span(date(year, month, day))


@rule("date", "short_slashed")
def _numeric_short(place: Place, said: str) -> Span | None:
    if place.follows(_FRACTION_BEFORE) or place.precedes(_FRACTION_AFTER):
        return None
    first, second = (int(part) for part in said.split("/"))
    if said == "24/7":
        return None
    month, day = (second, first) if first > 12 else (first, second)
    return _dated(place, month, day, None)


_FRACTION_BEFORE = re.compile(
    r"(?:\d\s|\$|#|ratio |ratio of |version |v|score |scored |chapter |step |page |room |rated )$",
    re.I,
)
_FRACTION_AFTER = re.compile(
    r"\s*(?:cups?|of|teaspoons?|tablespoons?|inch|inches|\"|stars|full|done|complete|way|mile|pound|the|time|lb|oz|life|majority|would|support|recommend)\b",
    re.I,
)


@rule("weekday_date", "weekday")
def _weekday(place: Place, weekday: int) -> Span | None:
    said = place.said.rstrip(".").lower()
    if place.follows(_ANY):
        return None
    if (
        len(said) < 5
        and said in ("sun", "sat", "wed", "mon", "fri", "thu", "tue")
        and not place.follows(ADVERB)
    ):
        before_or_alone = place.text[place.begin].isupper() and said not in ("sun", "sat", "wed")
        if not before_or_alone:
            return None
    return spans.weekly(place.now, weekday)


_ANY = re.compile(r"\b(?:an?|any|some|most)\s+$", re.I)


@rule("weekday_any", "weekday")
def _weekday_in_context(place: Place, weekday: int) -> Span:
    return spans.weekly(place.now, weekday)


@rule("date", "iso_week_day")
def _iso_week_day(_place: Place, said: str) -> Span:
    return day_span(
        date.fromisocalendar(int(said[:4]), int(re.split("[Ww]", said)[1][:2]), int(said[-1]))
    )


@rule(
    "date",
    "weekday_any ','? 'the'? date",
    "weekday_any ','? 'the' day_of_month",
    "weekday_any ','? numbered_day",
)
def _weekday_and_date(place: Place, weekday: Span, day: Span) -> Span | None:
    if (
        day.unit != "day"
        or day.cycle == "week"  # "Monday, Wednesday"
        or day.start is None
        or weekday.start is None
        or re.search(r"day\b.*\b(?:to|week|month)", place.said, re.I)
    ):
        return None
    if (
        day.again and day.start.weekday() != weekday.start.weekday()
    ):  # the nearest one on that weekday
        for years in range(-1, -12, -1) if place.now.past else range(1, 12):
            other = day.again(years)
            if other.start and other.start.weekday() == weekday.start.weekday():
                return day_span(other.start.date())
    return day


@rule("date", "date_in_words ','? '(' weekday_any ')'", "weekday_any '(' date_in_words ')'")
def _date_and_weekday(_place: Place, one: Span, two: Span) -> Span:
    return two if one.cycle == "week" else one


@rule("date_in_words", "month 'the'? day_number", "day_number month", "'the' day_of_month")
def _date_in_words(place: Place, one: int | Span, two: int = 0) -> Span:
    if isinstance(one, Span):
        return one
    return (
        _dated(place, two, one, None)
        if place.said[0].isdigit() or place.said.startswith("the")
        else _dated(place, one, two, None)
    )


@rule("numbered_day", "ordinal")
def _numbered_day(place: Place, day: int) -> Span | None:
    return (
        spans.monthly(place.now, lambda year, month: day_span(date(year, month, day)))
        if day <= 31
        else None
    )


@rule("day_of_month", "ordinal")
def _day_of_month(place: Place, day: int) -> Span | None:
    if day > 31 or place.precedes(_NOUN_AFTER_ORDINAL):
        return None
    return spans.monthly(place.now, lambda year, month: day_span(date(year, month, day)))


_NOUN_AFTER_ORDINAL = NOUN


@rule("date", "'the' day_of_month 'of this month|of the month'?")
def _the_nth(place: Place, day: Span) -> Span | None:
    return day if re.search(r"\d|month|twenty|teen", place.said) else None


@rule("date", "shift weekday 'of'? 'week'?")
def _shifted_weekday(place: Place, shift: int, weekday: int) -> Span:
    today = place.now.today
    said = place.said.lower()
    if (
        "coming" in said or "following" in said
    ) and weekday > today.weekday():  # the first one to come
        shift = 0
    if "past" in said and weekday < today.weekday():
        shift = 0
    return spans.day_of_week(place.now, shift, weekday)


@rule("date", "weekday_any ','? 'of'? shift 'week'", "weekday_any ','? 'of' shift 'week'")
def _weekday_of_week(place: Place, weekday: Span, shift: int) -> Span | None:
    return spans.day_of_week(place.now, shift, weekday.start.weekday()) if weekday.start else None


@rule("date", "shift 'week's|weeks'  weekday")
def _weeks_weekday(place: Place, shift: int, weekday: int) -> Span:
    return spans.day_of_week(place.now, shift, weekday)


_MONTH = "|".join(re.escape(name) for name in MONTHS)
_AND = r"\s*(?:,|&|,?\s(?:and|or)\b)\s*(?:the\s+)?"
_DAYS_BEFORE = re.compile(
    rf"\b(?:{_MONTH})\s+(?:the\s+)?\d{{1,2}}(?:st|nd|rd|th)?(?:{_AND}\d{{1,2}}(?:st|nd|rd|th)?)*{_AND}$",
    re.I,
)
_DAYS_BEHIND = re.compile(rf"(?:{_AND}\d{{1,2}}(?:st|nd|rd|th)?)+\s+(?:of\s+)?(?:{_MONTH})\b", re.I)


@rule("date", "digits", "'the'? ordinal")
def _day_of_a_list(place: Place, day: int) -> Span | None:
    """ "March 1st, 3rd and 5th", "the 3rd, 4th or 7th of June": which month it is stands beside (sharing.py)."""
    behind = place.precedes(_DAYS_BEHIND) and (not place.said.isdigit() or place.follows(ADVERB))
    before = place.follows(_DAYS_BEFORE) and not (
        place.precedes(A_QUANTITY) or place.precedes(NOUN) or place.precedes(MERIDIEM)
    )
    if not 1 <= day <= 31 or not (behind or before):
        return None
    return spans.monthly(place.now, lambda year, month: day_span(date(year, month, day)))


@rule(
    "date",
    "'the'? 'first'? weekday 'after|following' the_day",
    "'the'? 'last'? weekday 'before|preceding' the_day",
)
def _weekday_beside(place: Place, weekday: int, day: Span) -> Span | None:
    if day.start is None:
        return None
    known = day.start.date()
    if re.search(r"\b(?:after|following)\b", place.said, re.I):
        return day_span(known + ((weekday - known.weekday() - 1) % 7 + 1) * DAY)
    return day_span(known - ((known.weekday() - weekday - 1) % 7 + 1) * DAY)


@rule("the_day", "holiday_name year?", "month day_number ','? year?")
def _the_day(place: Place, one: Feast | int, two: int | None, three: int | None = None) -> Span:
    if isinstance(one, int):
        return _dated(place, one, two or 0, three)
    return one(two) if two else spans.yearly(place.now, one)


@rule("date", "'the' ordinal 'of the month|of this month'")
def _nth_of_this_month(place: Place, day: int) -> Span:
    return day_span(place.now.today.replace(day=day))


@rule("date", "shift 'month' ','? 'on'? 'the' ordinal")
def _nth_of_shifted_month(place: Place, shift: int, day: int) -> Span:
    return day_span(spans.plus_months(place.now.today.replace(day=1), shift).replace(day=day))


@rule("date", "shift 'year's|years' holiday_name")
def _holiday_of_shifted_year(place: Place, shift: int, feast: Feast) -> Span:
    return feast(place.now.today.year + shift)


words("near_day", {
    "today": 0, "yesterday": -1, "tomorrow": 1, "yesterdays": -1, "tmr": 1, "tmrw": 1, "tomorow": 1, "the day before yesterday": -2, "day before yesterday": -2,
    "the day after tomorrow": 2, "day after tomorrow": 2, "the day before": -1, "the previous day": -1, "the following day": 1, "the next day": 1,
    "the day after": 1, "this day": 0, "the other day": -2, "the current day": 0, "overmorrow": 2, "next day": 1, "previous day": -1,
})  # fmt: skip


_SOMETHING = re.compile(
    r"\s+(?:my|our|your|his|her|its|their|the|a|an|I|we|you|he|she|it|they)\b", re.I
)


@rule("date", "near_day")
def _near_day(place: Place, days: int) -> Span | None:
    if days in (-1, 1) and place.said.lower().startswith("the day") and place.precedes(_SOMETHING):
        return None
    if place.said.lower() == "the other day":
        return spans.days_span(place.now.today - 7 * DAY, 7)
    if place.said.lower().removeprefix("the ") in _TOLD:
        return spans.told_day(days, place.now.today)
    return day_span(place.now.today + days * DAY)


_TOLD = ("day before", "day after", "next day", "previous day", "following day")


@rule("date", "holiday_name 'of|in|,'? said_year", "said_year ','? 'on|at' holiday_name")
def _holiday_in_year(_place: Place, one: Feast | int, two: Feast | int) -> Span | None:
    feast, year = (two, one) if isinstance(one, int) else (one, two)
    return replace(feast(year), cycle="year") if callable(feast) and isinstance(year, int) else None


@rule("date", "holiday_name 'weekend' 'of|in|,'? said_year")
def _holiday_weekend_in_year(_place: Place, feast: Feast, year: int) -> Span | None:
    day = feast(year).start
    return spans.unit_span(day.date(), "weekend") if day else None


@rule("date", "shift holiday_name", "holiday_name shift 'year'", "holiday_name 'of' shift 'year'")
def _shifted_holiday(place: Place, one: object, two: object) -> Span:
    shift, feast = (one, two) if isinstance(one, int) else (two, one)
    assert isinstance(shift, int) and callable(feast)
    year = place.now.today.year
    if place.said.lower().endswith("year") or shift == 0:
        span: Span = feast(year + shift)
        return span
    today = spans.at(place.now.today)
    made: list[Span] = [feast(number) for number in range(year - 2, year + 3)]
    if shift < 0:
        return [span for span in made if span.start and span.start < today][shift]
    return [span for span in made if span.start and span.start > today][shift - 1]


@rule("date", "amount holidays 'ago'")
def _holidays_ago(place: Place, amount: float, feast: Feast) -> Span | None:
    last = spans.yearly(Now(place.now.moment, True), feast)
    return feast(last.start.year - int(amount) + 1) if last.start and amount >= 1 else None


@rule("date", "holiday_name 'weekend'?")
def _holiday(place: Place, feast: Feast) -> Span | None:
    if place.said.lower() in ("may day", "new year") and not place.text[place.begin].isupper():
        return None
    found = spans.yearly(place.now, feast)
    if place.said.lower().endswith("weekend") and found.start:
        return spans.unit_span(found.start.date(), "weekend")
    return found


@rule("date", "weekday_date")
def _just_weekday(_place: Place, day: Span) -> Span:
    return day
