"""Weeks, months, seasons and years in English."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

from text.time import spans
from text.time.english.words import (
    ADVERB,
    EVERY,
    HOUR,
    MONTHS,
    NOUN,
    OF_YEAR_NOUN,
    PART_BEFORE,
    PREPOSITION,
    rule,
    two_digits,
)
from text.time.feasts import weekday_in_month
from text.time.grammar import Place
from text.time.spans import DAY, Clock, Now, Span, day_span


@rule(
    "period",
    "month ',|-|of|in|/'? said_year",
    "'the'? 'month of' month ',|of'? said_year",
    "month last_digits",
)
def _month_of_year(_place: Place, month: int, year: int) -> Span:
    return spans.months_span(year, month, 1, "month")


@rule("period", "year ',|-|/'? month", "said_year ','? 'in' month")
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
_NO_MONTH = re.compile(
    r"\b(?:on the|said|told|ask(?:s|ed)?|tells?|calls?|emails?|emailed|texted|thanks?|loves?|with|sons?|daughters?|sister|brother|friend|aunt|uncle|cousin|niece|nephew|wife|husband"
    r"|colleague|boss|girl|boy|baby|named|called|mr\.?|mrs\.?|ms\.?|miss|dr\.?|dear|hi|hello|hey)\s+$",
    re.I,
)
_MONTHS_BEHIND = re.compile(
    rf"(?:\s*(?:,|&|and|or)\s+(?:{'|'.join(re.escape(name) for name in MONTHS)}))+,?\s+(?:of\s+)?(?:\d{{4}}\b|(?:last|this|next) year)",
    re.I,
)
_A_NAME = re.compile(r"\s+(?!(?:I|We|He|She|They|You|It|The|My|Our)\b)[A-Z][a-z'’]")


@rule("period", "'the'? 'month of' month", "month")
def _month(place: Place, month: int) -> Span | None:
    first = place.said.split()[-1]
    if first == place.said and (place.precedes(_A_PERSON) or place.follows(_NO_MONTH)):
        return None
    if (
        first == place.said
        and first.istitle()
        and place.precedes(_A_NAME)
        and not place.follows(ADVERB)
    ):
        return None  # "January Jones"
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
    ) and not (place.follows(ADVERB) or place.precedes(_MONTHS_BEHIND)):
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


@rule("period", "shift month")
def _shifted_month(place: Place, shift: int, month: int) -> Span:
    today = place.now.today
    year = today.year
    if shift < 0 and month >= today.month:
        year -= 1
    elif shift > 0 and month <= today.month:
        year += 1
    return spans.months_span(year, month, 1, "month")


@rule("period", "amount months_plural 'ago'", "amount seasons_plural 'ago'")
def _months_or_seasons_ago(place: Place, amount: float, month: int) -> Span | None:
    """ "Three summers ago": the last three that have begun, the first of them."""
    if amount < 1:
        return None
    count = (
        1
        if re.search(r"(?:spring|summer|fall|autumn|winter)\w* ago$", place.said, re.I) is None
        else 3
    )
    last = spans.yearly(
        Now(place.now.aware, True), lambda year: spans.months_span(year, month, count, "season")
    )
    return (
        spans.months_span(last.start.year - int(amount) + 1, month, count, "season")
        if last.start
        else None
    )


@rule("period", "shift period_unit", "shift 'whole|entire|full' period_unit")
def _shifted_unit(place: Place, shift: int, unit: str) -> Span | None:
    if place.said.lower().startswith("the same") or (
        re.search(r"s$", place.said) and not place.said.endswith("'s")
    ):
        return None
    if unit == "weekend" and "coming" in place.said.lower() and place.now.today.weekday() < 5:
        shift = 0  # the first to come
    return spans.unit_span(place.now.today, unit, shift)


@rule("period", "'the'? period_unit 'before last'")
def _before_last(place: Place, unit: str) -> Span:
    return spans.unit_span(place.now.today, unit, -2)


@rule(
    "time",
    "'the' period_unit 'before|after'",
    "'the' 'following|next|previous|preceding' period_unit",
)
def _beside_told(place: Place, unit: str) -> Span | None:
    """ "Last month and the month before"."""
    ahead = re.search(r"\b(?:after|following|next)\b", place.said, re.I)
    if re.search(r"s (?:before|after)$", place.said, re.I) or unit == "day" or place.precedes(NOUN):
        return None
    if re.search(r"\b(?:before|after)$", place.said, re.I) is None:
        shifted = spans.unit_span(place.now.today, unit, 1 if ahead else -1)
        return replace(shifted, told=spans.told_unit(unit, 1 if ahead else -1).told)
    return spans.told_unit(unit, 1 if ahead else -1)


@rule("time", "'that|the same' part_word", "'later that' 'morning|afternoon|evening|night'")
def _that_evening(place: Place, hours: tuple[int, int] = (16, 20)) -> Span:
    return Clock(hours[0] * HOUR, (hours[1] - hours[0]) * HOUR, is_part=True).told()


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


@rule("period", "'the whole|the entire|all' 'weekend'")
def _whole_weekend(place: Place) -> Span:
    return _weekend(place.now)


def _weekend(now: Now) -> Span:
    """The last one that has begun, or the first that has not ended."""
    has_begun = now.today.weekday() >= 5
    return spans.unit_span(now.today, "weekend", -1 if now.past and not has_begun else 0)


@rule(
    "period",
    "'the'? ordinal 'week|full week' 'of|in'? period",
    "'the'? 'last' 'week' 'of|in' period",
)
def _week_of_month(place: Place, *values: object) -> Span | None:
    nth, period = values if isinstance(values[0], int) else (-1, values[0])
    if (
        not isinstance(period, Span)
        or not isinstance(nth, int)
        or period.start is None
        or period.end is None
    ):
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
    return day_span(
        period.start.date()
        if "first" in place.said.lower().split("of")[0]
        else period.end.date() - DAY
    )


@rule(
    "period",
    "'the'? 'last|final' amount 'days' 'of|in' period",
    "'the'? 'first' amount 'days' 'of|in' period",
)
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
            return Span(
                period.start, spans.at(spans.plus_months(period.start.date(), int(amount))), "month"
            )
        return Span(
            spans.at(spans.plus_months(period.end.date(), -int(amount))), period.end, "month"
        )
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
    return spans.unit_span(
        day.start.date(), "weekend" if "weekend" in place.said.lower() else "week"
    )


@rule("period", "'week|week number|calendar week' digits")
def _week_of_some_year(place: Place, week: int) -> Span | None:
    if not 1 <= week <= 53 or place.follows(re.compile(r"\b(?:per|a|each|every)\s+$", re.I)):
        return None
    return spans.yearly(
        place.now, lambda year: spans.days_span(date.fromisocalendar(year, week, 1), 7, "week")
    )


@rule("period", "'week|week number|calendar week|cw' digits 'of|in|,'? year")
def _numbered_week(_place: Place, week: int, year: int) -> Span:
    return spans.days_span(date.fromisocalendar(year, week, 1), 7, "week")


@rule("period", "iso_week")
def _iso_week(_place: Place, said: str) -> Span:
    return spans.days_span(date.fromisocalendar(int(said[:4]), int(said[-2:]), 1), 7, "week")


@rule("period", "'the'? ordinal 'weekend' 'of|in' period", "'the'? 'last' 'weekend' 'of|in' period")
def _nth_weekend(_place: Place, *values: object) -> Span | None:
    nth, period = values if len(values) == 2 else (-1, values[0])
    if (
        not isinstance(period, Span)
        or not isinstance(nth, int)
        or period.unit != "month"
        or period.start is None
    ):
        return None
    return spans.days_span(
        weekday_in_month(period.start.year, period.start.month, nth, 5), 2, "weekend"
    )


@rule("period", "year")
def _whole_year(place: Place, year: int) -> Span | None:
    said = place.said
    if said[0] in "'’" and not place.follows(PREPOSITION):
        return None
    if re.fullmatch(r"\d{4}", said) and (place.precedes(OF_YEAR_NOUN) or not _is_a_year(place)):
        return None
    spoken = (
        not re.search(r"\d", said)
        and not place.follows(PREPOSITION)
        and said != place.text.strip(" .?!")
    )
    if spoken and (
        place.precedes(NOUN) or not re.search(r"teen[\s-](?:six|seven|eigh|nine)ty", said, re.I)
    ):
        return None  # "nineteen thirty" may be a time of day
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


_HALF_BEFORE = re.compile(
    r"\b(?:early|late|mid|beginning of|end of|start of|middle of)[\s-]+$", re.I
)


@rule("decade_start", "decade_digits")
def _decade_digits(place: Place, said: str) -> int | None:
    digits = re.sub(r"\D", "", said)
    if len(digits) == 2:
        if not re.search(
            r"(?:\bthe|\bearly|\blate|\bmid-?)\s*$",
            place.text[max(0, place.begin - 8) : place.begin],
            re.I,
        ):
            return None
        return two_digits(int(digits))
    return int(digits)


@rule("decade_start", "decade_word", "'nineteen' decade_word")
def _decade_word(place: Place, tens: int) -> int | None:
    if "nineteen" not in place.said.lower() and not re.search(
        r"\bthe\s+(?:early|late|mid-?|roaring)?\s*$",
        place.text[max(0, place.begin - 14) : place.begin],
        re.I,
    ):
        return None
    return 1900 + tens if "nineteen" in place.said.lower() or tens >= 30 else 2000 + tens


@rule("period", "'the'? decade_start")
def _decade(_place: Place, year: int) -> Span:
    return spans.months_span(year, 1, 120, "decade")


@rule(
    "period",
    "'the'? decade_word 'of' 'the last century|last century|the previous century|the 20th century|the twentieth century'",
    "'the'? decade_word 'of' 'this century|the 21st century|the twenty-first century|the present century'",
    "'the'? decade_word 'of' 'the 19th century|the nineteenth century'",
)
def _decade_of_century(place: Place, tens: int) -> Span:
    now = place.now.today.year // 100 * 100
    said = place.said.lower()
    century = (
        1800
        if "19th" in said or "nineteenth" in said
        else now
        if re.search("this|present|21st|-first", said)
        else now - 100
    )
    return spans.months_span(century + tens, 1, 120, "decade")


@rule("period", "'the'? ordinal 'century'", "'the'? ordinal 'century' 'ad|a.d.|ce'")
def _century(_place: Place, nth: int) -> Span:
    return spans.months_span((nth - 1) * 100, 1, 1200, "century")
