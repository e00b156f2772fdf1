"""Weeks, months, seasons and years in English."""

from __future__ import annotations

import re
from datetime import date, timedelta

from memory.timewords import spans
from memory.timewords.english.words import (
    ADVERB,
    EVERY,
    HOUR,
    NOUN,
    OF_YEAR_NOUN,
    PART_BEFORE,
    PREPOSITION,
    rule,
    two_digits,
)
from memory.timewords.feasts import weekday_in_month
from memory.timewords.grammar import Place
from memory.timewords.spans import DAY, Now, Span, day_span


@rule("period", "month ',|-|of|in|/'? year", "'the'? 'month of' month ',|of'? year", "month last_digits")
def _month_of_year(_place: Place, month: int, year: int) -> Span:
    return spans.months_span(year, month, 1, "month")


@rule("period", "year ',|-|/'? month")
def _year_and_month(_place: Place, year: int, month: int) -> Span:
    return spans.months_span(year, month, 1, "month")


@rule("period", "year_month")
def _numeric_month(place: Place, said: str) -> Span:
    one, two = (int(part) for part in re.split(r"[-/]", said))
    return spans.months_span(max(one, two), min(one, two), 1, "month")


_A_PERSON = re.compile(
    r"\s+(?:wants?|wanted|says|said|likes?|liked|loves?|loved|hates?|told|tells|asks|asked|called|calls|thinks?|thought"
    r"|lives|works|knows?|knew|wrote|married|and (?:I|he|she)\b|is (?:my|her|his|our|a) (?:\w+ )?(?:name|friend|sister|cousin|boss))\b"
    r"|\s+is \w+ \w+(?:'s)? name\b",
    re.I,
)
_NO_MONTH = re.compile(r"\b(?:on the|said|told|asked)\s+$", re.I)


@rule("period", "'the'? 'month of' month", "month")
def _month(place: Place, month: int) -> Span | None:
    first = place.said.split()[-1]
    if first == place.said and (place.precedes(_A_PERSON) or place.follows(_NO_MONTH)):
        return None
    if first.lower().rstrip(".") in (
        "may",
        "march",
        "mar",
        "jan",
        "jun",
        "dec",
        "sep",
        "apr",
        "feb",
        "aug",
        "august",
        "nov",
        "oct",
        "jul",
    ) and not place.follows(ADVERB):
        capital = place.text[place.begin].isupper() and first.lower() not in (
            "may",
            "march",
            "mar",
            "jan",
            "jun",
            "august",
        )
        if first == place.said and not capital and first != "August":
            return None
    return spans.yearly(place.now, lambda year: spans.months_span(year, month, 1, "month"))


@rule("period", "shift 'year' 'in' month")
def _month_of_shifted_year(place: Place, shift: int, month: int) -> Span:
    return spans.months_span(place.now.today.year + shift, month, 1, "month")


@rule("period", "shift month", "month shift 'year'", "month 'of' shift 'year'")
def _shifted_month(place: Place, one: int, two: int) -> Span:
    shift, month = (one, two) if not place.said.lower().endswith("year") else (two, one)
    today = place.now.today
    year = today.year + shift
    if not place.said.lower().endswith("year"):
        year = today.year
        if shift < 0 and month >= today.month:
            year -= 1
        elif shift > 0 and month <= today.month:
            year += 1
    return spans.months_span(year, month, 1, "month")


@rule("period", "shift period_unit", "shift 'whole|entire|full' period_unit")
def _shifted_unit(place: Place, shift: int, unit: str) -> Span | None:
    if place.said.lower().startswith("the same") or (re.search(r"s$", place.said) and not place.said.endswith("'s")):
        return None
    return spans.unit_span(place.now.today, unit, shift)


@rule("period", "'the'? period_unit 'before last'")
def _before_last(place: Place, unit: str) -> Span:
    return spans.unit_span(place.now.today, unit, -2)


@rule("period", "'the'? period_unit 'after next'")
def _after_next(place: Place, unit: str) -> Span:
    return spans.unit_span(place.now.today, unit, 2)


@rule("period", "'the' period_unit", "'the weekend|the week-end'")
def _this_unit(place: Place, unit: str | None = None) -> Span | None:
    if unit is None:
        return None if place.follows(EVERY) else _weekend(place.now)
    if place.said.endswith("s") or not place.follows(PART_BEFORE):
        return None
    return spans.unit_span(place.now.today, unit)


@rule("period", "'the'? ordinal 'week|full week' 'of|in'? period", "'the'? 'last' 'week' 'of|in' period")
def _week_of_month(place: Place, *values: object) -> Span | None:
    nth, period = values if isinstance(values[0], int) else (-1, values[0])
    if not isinstance(period, Span) or not isinstance(nth, int) or period.start is None or period.end is None:
        return None
    if period.unit not in ("month", "year", "season", "quarter"):
        return None
    # The week that has most of its days there is the first, as in ISO 8601.
    first_thursday = period.start.date() + (3 - period.start.weekday()) % 7 * DAY
    last_thursday = period.end.date() - ((period.end.weekday() - 4) % 7 + 1) * DAY
    thursday = last_thursday if nth < 0 else first_thursday + 7 * (nth - 1) * DAY
    return spans.days_span(thursday - 3 * DAY, 7, "week") if thursday < period.end.date() else None


@rule("period", "'the'? 'last' 'day' 'of|in' period", "'the'? 'first' 'day' 'of|in' period")
def _edge_day(place: Place, period: Span) -> Span | None:
    if period.start is None or period.end is None or period.unit == "day":
        return None
    return day_span(period.start.date() if "first" in place.said.lower().split("of")[0] else period.end.date() - DAY)


@rule("period", "'the'? 'last|final' amount 'days' 'of|in' period", "'the'? 'first' amount 'days' 'of|in' period")
def _edge_days(place: Place, amount: float, period: Span) -> Span | None:
    if period.start is None or period.end is None:
        return None
    if re.match(r"(?:the\s+)?first", place.said, re.I):
        return Span(period.start, period.start + int(amount) * DAY, "day")
    return Span(period.end - int(amount) * DAY, period.end, "day")


@rule(
    "period",
    "'the'? 'last|final' amount 'weeks|months' 'of|in' period",
    "'the'? 'first' amount 'weeks|months' 'of|in' period",
)
def _edge_units(place: Place, amount: float, period: Span) -> Span | None:
    if period.start is None or period.end is None:
        return None
    first = re.match(r"(?:the\s+)?first", place.said, re.I)
    if re.search(r"\bmonths\b", place.said, re.I):
        if first:
            return Span(period.start, spans.at(spans.plus_months(period.start.date(), int(amount))), "month")
        return Span(spans.at(spans.plus_months(period.end.date(), -int(amount))), period.end, "month")
    if first:
        return Span(period.start, period.start + 7 * int(amount) * DAY, "week")
    return Span(period.end - 7 * int(amount) * DAY, period.end, "week")


@rule("period", "'the'? 'last' 'month' 'of|in' period", "'the'? ordinal 'month' 'of|in' period")
def _nth_month(_place: Place, *values: object) -> Span | None:
    nth, period = values if len(values) == 2 else (12, values[0])
    if (
        not isinstance(period, Span)
        or not isinstance(nth, int)
        or period.unit != "year"
        or period.start is None
        or not 1 <= nth <= 12
    ):
        return None
    return spans.months_span(period.start.year, nth, 1, "month")


@rule(
    "period",
    "'the'? 'week|weekend' 'of' date",
    "'the'? 'week|weekend' 'beginning|starting|ending|commencing' 'on'? date",
)
def _week_of_day(place: Place, day: Span) -> Span | None:
    if day.start is None or day.unit != "day":
        return None
    return spans.unit_span(day.start.date(), "weekend" if "weekend" in place.said.lower() else "week")


@rule("period", "'week|week number|calendar week' digits")
def _week_of_some_year(place: Place, week: int) -> Span | None:
    if not 1 <= week <= 53 or place.follows(re.compile(r"\b(?:per|a|each|every)\s+$", re.I)):
        return None
    return spans.yearly(place.now, lambda year: spans.days_span(date.fromisocalendar(year, week, 1), 7, "week"))


@rule("period", "'week|week number|calendar week|cw' digits 'of|in|,'? year")
def _numbered_week(_place: Place, week: int, year: int) -> Span:
    return spans.days_span(date.fromisocalendar(year, week, 1), 7, "week")


@rule("period", "iso_week")
def _iso_week(_place: Place, said: str) -> Span:
    return spans.days_span(date.fromisocalendar(int(said[:4]), int(said[-2:]), 1), 7, "week")


@rule("period", "'the'? ordinal 'weekend' 'of|in' period", "'the'? 'last' 'weekend' 'of|in' period")
def _nth_weekend(_place: Place, *values: object) -> Span | None:
    nth, period = values if len(values) == 2 else (-1, values[0])
    if not isinstance(period, Span) or not isinstance(nth, int) or period.unit != "month" or period.start is None:
        return None
    return spans.days_span(weekday_in_month(period.start.year, period.start.month, nth, 5), 2, "weekend")


@rule("nth_quarter", "quarter_word", "'the'? ordinal 'quarter'")
def _nth_quarter(_place: Place, nth: int) -> tuple[int, int] | None:
    return (nth * 3 - 2, 3) if 1 <= nth <= 4 else None


@rule("nth_quarter", "half_word", "'the'? ordinal 'half'")
def _nth_half(_place: Place, nth: int) -> tuple[int, int] | None:
    return (nth * 6 - 5, 6) if nth in (1, 2) else None


@rule("nth_quarter", "'the'? 'last quarter'", "'the'? 'last half'")
def _last_quarter(place: Place) -> tuple[int, int]:
    return (10, 3) if "quarter" in place.said.lower() else (7, 6)


@rule("period", "nth_quarter 'of|in|,|-|/'? year", "nth_quarter last_digits")
def _quarter_of_year(_place: Place, quarter: tuple[int, int], year: int) -> Span:
    return spans.months_span(year, *quarter, "quarter")


@rule("period", "year ',|-|/|'s'? nth_quarter")
def _year_quarter(_place: Place, year: int, quarter: tuple[int, int]) -> Span:
    return spans.months_span(year, *quarter, "quarter")


@rule("period", "nth_quarter 'of|in'? shift 'year'", "nth_quarter 'of' 'the year'")
def _quarter_of_shifted(place: Place, quarter: tuple[int, int], shift: int = 0) -> Span:
    return spans.months_span(place.now.today.year + shift, *quarter, "quarter")


@rule("period", "nth_quarter 'of' period")
def _half_of(_place: Place, part: tuple[int, int], period: Span) -> Span | None:
    if part[1] != 6 or period.unit not in ("month", "week", "quarter", "season", "decade"):
        return None
    return spans.part_of(period, "early" if part[0] == 1 else "late")


@rule("period", "nth_quarter")
def _quarter(place: Place, quarter: tuple[int, int]) -> Span | None:
    if re.match(r"h|.*half|(?:the )?last", place.said, re.I) or not re.match(r"q[1-4]|.*quarter", place.said, re.I):
        return None
    return spans.yearly(place.now, lambda year: spans.months_span(year, *quarter, "quarter"))


@rule("period", "season 'of|in|,|'s'? year", "'the' season 'of' year")
def _season_of_year(_place: Place, month: int, year: int) -> Span:
    return spans.months_span(year, month, 3, "season")


@rule("period", "shift season", "season 'of'? shift 'year'")
def _shifted_season(place: Place, one: int, two: int) -> Span:
    shift, month = (two, one) if place.said.lower().endswith("year") else (one, two)
    today = place.now.today
    if month == 12 and not place.said.lower().endswith("year"):  # it begins in one year and ends in the next
        shift -= today.month <= (3 if shift == 0 and place.now.past else 2)
    return spans.months_span(today.year + shift, month, 3, "season")


@rule("period", "shift 'year's|years' season")
def _season_of_shifted_year(place: Place, shift: int, month: int) -> Span:
    return spans.months_span(place.now.today.year + shift, month, 3, "season")


@rule("period", "'the'? season 'before last'")
def _season_before_last(place: Place, month: int) -> Span:
    return spans.months_span(place.now.today.year - 2, month, 3, "season")


@rule("period", "'the whole|the entire|all' 'weekend'")
def _whole_weekend(place: Place) -> Span:
    return _weekend(place.now)


def _weekend(now: Now) -> Span:
    """The last one that has begun, or the first that has not ended."""
    has_begun = now.today.weekday() >= 5
    return spans.unit_span(now.today, "weekend", -1 if now.past and not has_begun else 0)


@rule("period", "'the'? season")
def _season(place: Place, month: int) -> Span | None:
    if not place.follows(_SEASON_BEFORE) and not place.said.lower().startswith("the "):
        return None
    if (
        place.said.lower().startswith("the ")
        and not place.follows(_SEASON_BEFORE)
        and place.said.lower() != "the summer"
    ):
        return None
    return spans.yearly(place.now, lambda year: spans.months_span(year, month, 3, "season"))


_SEASON_BEFORE = re.compile(
    r"\b(?:in|since|during|until|till|before|after|early|late|mid-?|over|last|this)\s*(?:the\s+)?$", re.I
)


@rule("period", "year")
def _whole_year(place: Place, year: int) -> Span | None:
    said = place.said
    if said[0] in "'’" and not place.follows(PREPOSITION):
        return None
    if re.fullmatch(r"\d{4}", said) and (place.precedes(OF_YEAR_NOUN) or not _is_a_year(place)):
        return None
    if not re.search(r"\d", said) and not place.follows(PREPOSITION) and said != place.text.strip(" .?!"):
        return None
    return spans.months_span(year, 1, 12, "year")


def _is_a_year(place: Place) -> bool:
    if place.follows(PREPOSITION) or place.follows(_HALF_BEFORE):
        return True
    alone = place.said == place.text.strip(" \n.,?!")
    return (
        (alone or 1950 <= int(place.said) <= 2049)
        and not place.follows(
            re.compile(
                r"[$€£#]\s?$|\b(?:room|port|error|\d{3}|version|model|windows|office|issue|page|line|about|only|code|pin|id|number|no\.?|flight|bus|highway)\s+$",
                re.I,
            )
        )
        and not place.precedes(NOUN)
    )


_HALF_BEFORE = re.compile(r"\b(?:early|late|mid|beginning of|end of|start of|middle of)[\s-]+$", re.I)


@rule("decade_start", "decade_digits")
def _decade_digits(place: Place, said: str) -> int | None:
    digits = re.sub(r"\D", "", said)
    if len(digits) == 2:
        if not re.search(
            r"(?:\bthe|\bearly|\blate|\bmid-?)\s*$", place.text[max(0, place.begin - 8) : place.begin], re.I
        ):
            return None
        return two_digits(int(digits))
    return int(digits)


@rule("decade_start", "decade_word", "'nineteen' decade_word")
def _decade_word(place: Place, tens: int) -> int | None:
    if "nineteen" not in place.said.lower() and not re.search(
        r"\bthe\s+(?:early|late|mid-?|roaring)?\s*$", place.text[max(0, place.begin - 14) : place.begin], re.I
    ):
        return None
    return 1900 + tens if "nineteen" in place.said.lower() or tens >= 30 else 2000 + tens


@rule("period", "'the'? decade_start")
def _decade(_place: Place, year: int) -> Span:
    return spans.months_span(year, 1, 120, "decade")


@rule("period", "'the'? ordinal 'century'", "'the'? ordinal 'century' 'ad|a.d.|ce'")
def _century(_place: Place, nth: int) -> Span:
    return spans.months_span((nth - 1) * 100, 1, 1200, "century")


@rule("period", "half '-|in'? 'the'? period", "half '-|in'? near_day")
def _half_period(place: Place, part: str, period: Span | int) -> Span | None:
    if isinstance(period, int):
        period = day_span(place.now.today + period * DAY)
    if period.unit == "day" and part == "late":
        return Span(spans.at(period.start.date(), 16 * HOUR), period.end, "part") if period.start else None
    found = spans.part_of(period, part)
    again = period.again
    return Span(found.start, found.end, found.unit, again=(lambda n: spans.part_of(again(n), part)) if again else None)


@rule("period", "'the'? 'mid|mid-|end of|start of|beginning of|middle of' 'the'? period_unit")
def _edge_of_this(place: Place, unit: str) -> Span | None:
    """ "mid week", "end of month": of the one that is now."""
    if unit not in ("week", "month", "year", "quarter") or place.said.endswith("s"):
        return None
    part = {"m": "mid", "e": "late"}.get(re.sub(r"^the\s+", "", place.said.lower())[0], "early")
    return spans.part_of(spans.unit_span(place.now.today, unit), part)


@rule("period", "'the'? 'rest of|remainder of' near_day", "'the'? 'rest of the day|remainder of the day'")
def _rest_of_today(place: Place, days: int = 0) -> Span | None:
    return None if days else Span(place.now.moment, day_span(place.now.today).end, "hour")


@rule(
    "period",
    "'earlier in|earlier|later in|later|the rest of|rest of|the remainder of|the remaining|so far' 'the'? period",
)
def _up_to_now(place: Place, period: Span) -> Span | None:
    if period.start is None or period.end is None:
        return None
    now = place.now.moment if period.end - period.start <= DAY else spans.at(place.now.today)
    if not period.start <= place.now.moment < period.end:
        later = place.said.lower().startswith("later")
        return (
            spans.part_of(period, "late" if later else "early")
            if re.match(r"earlier|later", place.said, re.I)
            else None
        )
    if re.match(r"earlier|so far", place.said, re.I):
        return Span(period.start, max(now, period.start), "day")
    return Span(now, period.end, "day")


@rule("period", "'earlier|later' near_day")
def _earlier_today(place: Place, days: int) -> Span | None:
    if days:
        return None
    day = day_span(place.now.today)
    if place.said.lower().startswith("earlier"):
        return Span(day.start, place.now.moment, "hour")
    return Span(place.now.moment, day.end, "hour")


@rule("period", "'year to date|ytd|year-to-date|month to date|mtd|month-to-date|week to date|quarter to date|qtd'")
def _to_date(place: Place) -> Span:
    unit = {"y": "year", "m": "month", "w": "week", "q": "quarter"}[place.said[0].lower()]
    period = spans.unit_span(place.now.today, unit)
    return Span(period.start, spans.at(place.now.today), "day")


@rule("time", "period 'so far'", "near_day 'so far'")
def _so_far(place: Place, period: Span | int) -> Span | None:
    if isinstance(period, int):
        period = day_span(place.now.today + period * DAY)
    if period.start is None or period.start > place.now.moment:
        return None
    return Span(period.start, place.now.moment, "day")


@rule(
    "period", "'eom|eoy|eod|eow|end of day|end of the day|close of business|cob|end of month|end of year|end of week'"
)
def _ends(place: Place) -> Span | None:
    said = place.said.lower()
    if said == "end of the day" and place.follows(re.compile(r"\bat the\s+$", re.I)):
        return None
    unit = {"m": "month", "y": "year", "d": "day", "w": "week"}.get(
        said[-1] if len(said) == 3 else said.split()[-1][0], "day"
    )
    period = spans.unit_span(place.now.today, unit)
    if period.end is None:
        return None
    if unit == "day":
        return Span(period.end - timedelta(minutes=1), period.end, "minute")
    return day_span(period.end.date() - DAY)
