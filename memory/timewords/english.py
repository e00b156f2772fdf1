"""How English says when. Each rule is a way to say it; what lies nearest to the calendar comes first."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo

from memory.timewords import numbers_en, spans
from memory.timewords.feasts import Feast, easter, fixed, lunar, nth_weekday, weekday_in_month
from memory.timewords.grammar import Grammar, Place
from memory.timewords.spans import DAY, SILENT, Clock, Quantity, Span, day_span

ENGLISH = Grammar(boundary=r"(?!\w)")
rule, words, pattern = ENGLISH.rule, ENGLISH.words, ENGLISH.pattern

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan jan.",
            "february feb feb.",
            "march mar mar.",
            "april apr apr.",
            "may",
            "june jun jun.",
            "july jul jul.",
            "august aug aug.",
            "september sept sept. sep sep.",
            "october oct oct.",
            "november nov nov.",
            "december dec dec.",
        ),
        1,
    )
    for name in names.split()
}
WEEKDAYS = {
    name: number
    for number, names in enumerate(
        (
            "monday mon mon.",
            "tuesday tues tues. tue tue.",
            "wednesday wed wed. weds",
            "thursday thurs thurs. thur thu thu.",
            "friday fri fri.",
            "saturday sat sat.",
            "sunday sun sun.",
        )
    )
    for name in names.split()
}
UNITS = {
    f"{name}{plural}": unit
    for unit, names in {
        "second": "second sec",
        "minute": "minute min",
        "hour": "hour hr",
        "day": "day",
        "week": "week wk",
        "fortnight": "fortnight",
        "month": "month mth",
        "quarter": "quarter",
        "year": "year yr",
        "decade": "decade",
        "century": "century",
    }.items()
    for name in names.split()
    for plural in ("", "s", "'s", "s'")
} | {"centuries": "century"}
SEASONS = {
    "spring": 3,
    "springtime": 3,
    "summer": 6,
    "summertime": 6,
    "fall": 9,
    "autumn": 9,
    "winter": 12,
    "wintertime": 12,
}
SHIFTS = {
    "last": -1, "past": -1, "previous": -1, "prior": -1, "preceding": -1, "this": 0, "this current": 0, "current": 0,
    "this very": 0, "the same": 0, "next": 1, "coming": 1, "upcoming": 1, "following": 1, "this coming": 1, "this past": -1,
    "the last": -1, "the past": -1, "the previous": -1, "the prior": -1, "the current": 0, "the next": 1, "the coming": 1,
    "the upcoming": 1, "the following": 1, "the preceding": -1, "this upcoming": 1, "this last": -1, "this next": 1,
}  # fmt: skip
HOUR = 3600
PARTS = {
    "morning": (8, 12), "early morning": (6, 9), "mid-morning": (9, 11), "late morning": (10, 12), "afternoon": (12, 16),
    "early afternoon": (12, 14), "late afternoon": (14, 16), "evening": (16, 20), "early evening": (16, 18),
    "late evening": (18, 20), "night": (20, 24), "nighttime": (20, 24), "night-time": (20, 24), "late night": (22, 24), "daytime": (8, 18),
    "lunchtime": (11, 13), "lunch time": (11, 13), "breakfast time": (8, 12), "dinnertime": (16, 20), "dinner time": (16, 20),
    "business hours": (8, 18), "overnight": (20, 32), "dawn": (5, 7), "dusk": (17, 19), "sunrise": (5, 7), "sunset": (17, 19),
}  # fmt: skip
ZONES = {
    "utc": 0, "gmt": 0, "z": 0, "est": -5, "edt": -4, "eastern": -5, "et": -5, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6,
    "pst": -8, "pdt": -7, "pt": -8, "cet": 1, "cest": 2, "bst": 1, "ist": 5.5, "jst": 9, "kst": 9, "aest": 10, "hkt": 8, "sgt": 8,
}  # fmt: skip
HOLIDAYS: dict[str, Feast] = {
    "new year's day": fixed(1, 1), "new years day": fixed(1, 1), "new year": fixed(1, 1), "new year's": fixed(1, 1),
    "new year's eve": fixed(12, 31), "new years eve": fixed(12, 31), "nye": fixed(12, 31),
    "martin luther king day": nth_weekday(1, 3, 0), "martin luther king jr day": nth_weekday(1, 3, 0),
    "martin luther king jr. day": nth_weekday(1, 3, 0), "mlk day": nth_weekday(1, 3, 0), "groundhog day": fixed(2, 2),
    "valentine's day": fixed(2, 14), "valentines day": fixed(2, 14), "valentine's": fixed(2, 14), "valentine day": fixed(2, 14),
    "presidents' day": nth_weekday(2, 3, 0), "presidents day": nth_weekday(2, 3, 0), "president's day": nth_weekday(2, 3, 0),
    "st. patrick's day": fixed(3, 17), "st patrick's day": fixed(3, 17), "saint patrick's day": fixed(3, 17),
    "st patricks day": fixed(3, 17), "april fools": fixed(4, 1), "april fools' day": fixed(4, 1), "april fool's day": fixed(4, 1),
    "april fools day": fixed(4, 1), "earth day": fixed(4, 22), "women's day": fixed(3, 8), "international women's day": fixed(3, 8),
    "cinco de mayo": fixed(5, 5), "may day": fixed(5, 1), "labour day": fixed(5, 1), "international workers' day": fixed(5, 1),
    "mother's day": nth_weekday(5, 2, 6), "mothers day": nth_weekday(5, 2, 6), "mothers' day": nth_weekday(5, 2, 6),
    "memorial day": nth_weekday(5, -1, 0), "father's day": nth_weekday(6, 3, 6), "fathers day": nth_weekday(6, 3, 6),
    "fathers' day": nth_weekday(6, 3, 6), "juneteenth": fixed(6, 19), "independence day": fixed(7, 4), "fourth of july": fixed(7, 4),
    "canada day": fixed(7, 1), "bastille day": fixed(7, 14), "labor day": nth_weekday(9, 1, 0), "columbus day": nth_weekday(10, 2, 0),
    "indigenous peoples' day": nth_weekday(10, 2, 0), "halloween": fixed(10, 31), "halloween day": fixed(10, 31), "all saints' day": fixed(11, 1),
    "all hallows' eve": fixed(10, 31), "all souls' day": fixed(11, 2), "guy fawkes day": fixed(11, 5), "guy fawkes night": fixed(11, 5),
    "veterans day": fixed(11, 11), "veteran's day": fixed(11, 11), "remembrance day": fixed(11, 11), "singles' day": fixed(11, 11),
    "thanksgiving": nth_weekday(11, 4, 3), "thanksgiving day": nth_weekday(11, 4, 3), "black friday": nth_weekday(11, 4, 3, 1),
    "cyber monday": nth_weekday(11, 4, 3, 4), "christmas eve": fixed(12, 24), "xmas eve": fixed(12, 24), "christmas": fixed(12, 25),
    "christmas day": fixed(12, 25), "xmas": fixed(12, 25), "x-mas": fixed(12, 25), "boxing day": fixed(12, 26), "teachers' day": fixed(9, 10),
    "teacher's day": fixed(9, 10), "children's day": fixed(6, 1), "arbor day": nth_weekday(4, -1, 4),
    "mardi gras": easter(-47), "fat tuesday": easter(-47), "ash wednesday": easter(-46), "palm sunday": easter(-7),
    "maundy thursday": easter(-3), "good friday": easter(-2), "holy saturday": easter(-1), "easter": easter(), "easter sunday": easter(),
    "easter day": easter(), "easter monday": easter(1), "ascension day": easter(39), "pentecost": easter(49), "whit monday": easter(50),
    "chinese new year": lunar(1, 1), "lunar new year": lunar(1, 1), "spring festival": lunar(1, 1),
    "lantern festival": lunar(1, 15), "dragon boat festival": lunar(5, 5), "mid-autumn festival": lunar(8, 15), "mid autumn festival": lunar(8, 15),
    "moon festival": lunar(8, 15), "double ninth festival": lunar(9, 9),
}  # fmt: skip
HALVES = {"early": "early", "beginning of": "early", "the beginning of": "early", "start of": "early", "the start of": "early", "mid": "mid",
          "mid-": "mid", "middle of": "mid", "the middle of": "mid", "late": "late", "end of": "late", "the end of": "late",
          "the early part of": "early", "the middle part of": "mid", "the latter part of": "late", "the late part of": "late"}  # fmt: skip
AMOUNTS = {"a couple of": 2, "a couple": 2, "couple of": 2, "couple": 2, "a few": 3, "few": 3, "several": 3, "a": 1, "an": 1, "half a": 0.5,
           "half an": 0.5, "a half": 0.5, "half": 0.5, "one and a half": 1.5, "a dozen": 12, "a pair of": 2, "a quarter of an": 0.25,
           "three quarters of an": 0.75, "quarter of an": 0.25}  # fmt: skip

_ADVERB = re.compile(
    r"\b(?:in|on|since|of|by|until|till|before|after|during|from|through|to|around|about|last|this|next|early|late|mid|every|and|between|thru|back in)\s+(?:the\s+)?$",
    re.I,
)
_PREPOSITION = re.compile(
    r"\b(?:in|since|during|until|till|before|after|by|from|of|back in|around|through|to|between|and|for|year|year of)\s+$",
    re.I,
)
_EVERY = re.compile(r"\b(?:every|each|any|per|most|some|all)(?:\s+(?:other|single|second|third))?\s+$", re.I)
_A_QUANTITY = re.compile(
    r"\s*(?:%|percent|degrees|dollars|euros|pounds|bucks|people|times|km|kilometers|miles|meters|mph|points|kg|items|apples|pages|stars|years|hours|minutes|days|weeks|months|stores|places|locations|cents|of\b|x\b|:\d|\.\d|/\d|\d)",
    re.I,
)
_NOUN = re.compile(r"\s+(?!(?:on|in|at|and|or|but|the|for|to|with|because|when|if|so|we|i|he|she|they|you|it|that|was|were|is|from|by|until|today|tomorrow|yesterday|tonight|this|last|next|sharp|please|then|after|before|every|as|local|though|about|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b)[a-z]", re.I)  # fmt: skip
_OF_YEAR_NOUN = re.compile(
    r"\s*(?:%|percent|dollars|euros|people|times|km|miles|meters|points|items|words|tokens|pixels|pages|lines|mb|kb|gb|calories|steps|[a-z]*bytes?|files|rows|users|units|\.\d|-\d|/\d|,\d)",
    re.I,
)
_PART_BEFORE = re.compile(r"\b(?:in|(?:rest|remainder|half|part|days?|week|quarter|course) of)\s+$", re.I)
_MERIDIEM = re.compile(r"\s*(?:[ap]\.?m\b|o'?clock)", re.I)

words("month", MONTHS)
words("weekday", WEEKDAYS)
words("unit", UNITS)
words("season", SEASONS)
words("shift", SHIFTS)
words("part_word", PARTS)
words("half", HALVES)
words("holiday_name", HOLIDAYS)
words("amount_word", AMOUNTS)
words(
    "period_unit",
    {unit: kind for unit, kind in UNITS.items() if kind not in ("second", "minute", "hour")}
    | {
        "weekend": "weekend",
        "week-end": "weekend",
        "half": "half",
        "work week": "workweek",
        "workweek": "workweek",
        "working week": "workweek",
        "calendar year": "year",
        "calendar month": "month",
        "calendar week": "week",
        "school week": "workweek",
    },
)
pattern("digits", r"\d{1,4}(?![\d])", int)
pattern("decimal", r"\d{1,4}\.\d{1,2}(?![\d.])", float)
pattern("cardinal", numbers_en.CARDINAL, numbers_en.cardinal)
pattern("ordinal", numbers_en.ORDINAL, numbers_en.ordinal)
pattern("digit_year", r"(?:1[5-9]|20|21)\d\d(?![\w])", int)
pattern("spoken_year", numbers_en.SPOKEN_YEAR, numbers_en.spoken_year)
pattern("short_year", r"['’]\d\d(?!\w)", lambda said: _two_digits(int(said[1:])))
pattern("iso", r"\d{4}-\d{1,2}-\d{1,2}[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s?(?:Z|[+-]\d{2}:?\d{2})?(?![\w:])")
pattern("year_first", r"(?:1[5-9]|20|21)\d\d([-/.])\d{1,2}\1\d{1,2}(?![\w])")
pattern("slashed", r"\d{1,2}([-/.])\d{1,2}\1(?:\d{4}|\d{2})(?![\w]|[-/.]\d)")
pattern("short_slashed", r"\d{1,2}/\d{1,2}(?![\w/]|\.\d|-\d+(?!/))")
pattern(
    "year_month", r"(?:1[5-9]|20|21)\d\d[-/](?:0?[1-9]|1[0-2])(?![\w/-])|(?:0?[1-9]|1[0-2])[/-](?:19|20)\d\d(?![\w/-])"
)
pattern("iso_week", r"(?:19|20)\d\d-?W\d{2}(?!\w)")
pattern("colons", r"\d{1,2}[:.h]\d{2}(?::\d{2})?(?![\d:%])|\d{1,2}:\d{2}(?=[ap]m)")
pattern("military", r"(?:[01]\d|2[0-3])[0-5]\d\s?(?:hours|hrs|h)(?!\w)")
pattern("meridiem", r"(?:a\.?m\b\.?|p\.?m\b\.?|[ap](?=[\s,.?!]|$))", lambda said: said[0].lower())
pattern("quarter_word", r"q[1-4](?!\w)", lambda said: int(said[1]))
pattern("half_word", r"h[12](?!\w)", lambda said: int(said[1]))
pattern("decade_digits", r"(?:1[5-9]|20)\d0['’]?s(?!\w)|['’]?\d0['’]?s(?!\w)")
words(
    "decade_word",
    {
        "twenties": 20,
        "thirties": 30,
        "forties": 40,
        "fifties": 50,
        "sixties": 60,
        "seventies": 70,
        "eighties": 80,
        "nineties": 90,
    },
)
pattern("offset", r"(?:utc|gmt)?\s?[+-]\d{1,2}(?::?\d{2})?(?!\w)")
words("zone_word", ZONES)
words("sign_after", {"ago": -1, "back": -1, "earlier": -1, "before now": -1, "prior": -1, "hence": 1, "from now": 1, "later": 1, "from today": 1, "before today": -1, "in the past": -1, "in the future": 1, "out": 1})  # fmt: skip
words("part_of_now", {"beginning": "early", "start": "early", "middle": "mid", "end": "late"})


def _two_digits(year: int) -> int:
    return year + (2000 if year < 50 else 1900)


# -- numbers and lengths ------------------------------------------------------------------------------------------------


@rule("number", "decimal", "digits", "cardinal")
def _number(_place: Place, value: float) -> float:
    return value


@rule("amount", "number 'and a half'", "number 'and half'")
def _and_a_half(_place: Place, value: float) -> float:
    return value + 0.5


@rule("amount", "number", "amount_word", "'the'? amount_word")
def _amount(_place: Place, value: float) -> float:
    return value


@rule("quantity", "amount unit 'and a half'")
def _unit_and_a_half(_place: Place, amount: float, unit: str) -> Quantity:
    return [(amount + 0.5, unit)]


@rule("quantity", "amount 'more|full|whole|business|working|calendar|long|short|-'? unit 'and|,'? quantity")
def _quantities(_place: Place, amount: float, unit: str, more: Quantity) -> Quantity | None:
    order = list(dict.fromkeys(UNITS.values()))
    if order.index(more[0][1]) >= order.index(unit):
        return None
    return [(amount, unit), *more]


@rule("quantity", "amount 'more|full|whole|business|working|calendar|long|short|-'? unit")
def _quantity(place: Place, amount: float, unit: str) -> Quantity | None:
    return [(amount, unit)]


# -- years, months, days --------------------------------------------------------------------------------------------------


@rule("year", "digit_year", "short_year", "spoken_year")
def _year(_place: Place, year: int) -> int:
    return year


@rule(
    "year",
    "digit_year 'a.d.|ad|ce'",
    "'the'? 'year' digit_year",
    "'the'? 'year' 'of' digit_year",
    "'the'? 'year' spoken_year",
)
def _marked_year(_place: Place, year: int) -> int:
    return year


@rule("day_number", "digits 'of'?", "'the'? ordinal 'of'?", "'the'? ordinal 'day of'")
def _day_number(_place: Place, day: int) -> int | None:
    return day if 1 <= day <= 31 else None


@rule("last_digits", "digits")
def _last_digits(place: Place, digits: int) -> int | None:
    return _two_digits(digits) if len(place.said) == 2 and digits > 31 else None


@rule("two_digit_year", "digits")
def _two_digit_year(place: Place, digits: int) -> int | None:
    """Behind a day and a month: not the hour that often stands there."""
    return _two_digits(digits) if len(place.said) == 2 and digits > 12 and not place.precedes(_AN_HOUR) else None


_AN_HOUR = re.compile(r"\s*(?:[ap]\.?m\b|:|o'clock|h\b|-|to\b|until\b|till\b|through\b|and\b)|[.:/]\d", re.I)


def _dated(place: Place, month: int, day: int, year: int | None) -> Span:
    if year:
        return day_span(date(year, month, day))
    return spans.yearly(place.now, lambda number: day_span(date(number, month, day)))


@rule("date", "month '-|/'? 'the'? day_number ','? 'of|in'? year", "month '-'? day_number '-|,'? two_digit_year")
def _month_day_year(place: Place, month: int, day: int, year: int) -> Span:
    return _dated(place, month, day, year)


@rule("date", "day_number '-|/|,|.'? month '-|/|,|.'? 'of|in'? year", "day_number '-|/'? month '-|/|,'? two_digit_year")
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
    if month == 5 and not place.said[-3:].istitle():  # "5 may", but the verb after a number is more often one
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
        _following(period, lambda span: _nth_day_from(span, nth))
        if period.start + (nth - 1) * DAY < period.end
        else None
    )


def _nth_day_from(span: Span, nth: int) -> Span:
    if span.start is None:
        raise ValueError("no start")
    return day_span(span.start.date() + (nth - 1) * DAY)


def _following(span: Span, change: Callable[[Span], Span]) -> Span:
    """What `change` makes of a span, coming again as often as it does."""
    again = span.again
    return replace(change(span), again=(lambda n: _following(again(n), change)) if again else None)


@rule("date", "year_first")
def _numeric_year_first(_place: Place, said: str) -> Span:
    return day_span(date(*(int(part) for part in re.split(r"[-/.]", said))))


@rule("date", "slashed")
def _numeric(_place: Place, said: str) -> Span:
    first, second, year = (int(part) for part in re.split(r"[-/.]", said))
    year = _two_digits(year) if year < 100 else year
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
    r"(?:\d\s|\$|#|ratio |ratio of |version |v|score |scored |chapter |step |page |room |rated )$", re.I
)
_FRACTION_AFTER = re.compile(
    r"\s*(?:cups?|of|teaspoons?|tablespoons?|inch|inches|\"|stars|full|done|complete|way|mile|pound|the|time|lb|oz|life|majority|would|support|recommend)\b",
    re.I,
)


@rule("weekday_date", "weekday")
def _weekday(place: Place, weekday: int) -> Span | None:
    said = place.said.rstrip(".").lower()
    if len(said) < 5 and said in ("sun", "sat", "wed", "mon", "fri", "thu", "tue") and not place.follows(_ADVERB):
        before_or_alone = place.text[place.begin].isupper() and said not in ("sun", "sat", "wed")
        if not before_or_alone:
            return None
    return spans.weekly(place.now, weekday)


@rule("weekday_any", "weekday")
def _weekday_in_context(place: Place, weekday: int) -> Span:
    return spans.weekly(place.now, weekday)


@rule("date", "weekday_any ','? 'the'? date", "weekday_any ','? 'the' day_of_month", "weekday_any ','? numbered_day")
def _weekday_and_date(place: Place, weekday: Span, day: Span) -> Span | None:
    if (
        day.unit != "day"
        or day.start is None
        or weekday.start is None
        or re.search(r"day\b.*\b(?:to|week|month)", place.said, re.I)
    ):
        return None
    if day.again and day.start.weekday() != weekday.start.weekday():  # the nearest one on that weekday
        for years in range(-1, -12, -1) if place.now.past else range(1, 12):
            other = day.again(years)
            if other.start and other.start.weekday() == weekday.start.weekday():
                return day_span(other.start.date())
    return day


@rule("numbered_day", "ordinal")
def _numbered_day(place: Place, day: int) -> Span | None:
    return spans.monthly(place.now, lambda year, month: day_span(date(year, month, day))) if day <= 31 else None


@rule("day_of_month", "ordinal")
def _day_of_month(place: Place, day: int) -> Span | None:
    if day > 31 or place.precedes(_NOUN_AFTER_ORDINAL):
        return None
    return spans.monthly(place.now, lambda year, month: day_span(date(year, month, day)))


_NOUN_AFTER_ORDINAL = _NOUN


@rule("date", "'the' day_of_month 'of this month|of the month'?")
def _the_nth(place: Place, day: Span) -> Span | None:
    return day if re.search(r"\d|month|twenty|teen", place.said) else None


@rule("date", "shift weekday 'of'? 'week'?", "'on'? shift weekday")
def _shifted_weekday(place: Place, shift: int, weekday: int) -> Span:
    today = place.now.today
    shifted = day_span(spans.monday(today) + (7 * shift + weekday) * DAY)
    said = place.said.lower()
    if ("coming" in said or "following" in said) and weekday > today.weekday():  # the first one to come
        return day_span(spans.monday(today) + weekday * DAY)
    if "past" in said and weekday < today.weekday():
        return day_span(spans.monday(today) + weekday * DAY)
    return shifted


@rule("date", "weekday_any ','? 'of'? shift 'week'", "weekday_any ','? 'of' shift 'week'")
def _weekday_of_week(place: Place, weekday: Span, shift: int) -> Span | None:
    if weekday.start is None:
        return None
    return day_span(spans.monday(place.now.today) + (7 * shift + weekday.start.weekday()) * DAY)


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
    return day_span(spans.monday(place.now.today) + (weekday - 14) * DAY)


@rule("date", "'the'? weekday 'after next'", "weekday 'of'? 'the week after next'")
def _weekday_after_next(place: Place, weekday: int) -> Span:
    return day_span(spans.monday(place.now.today) + (weekday + 14) * DAY)


@rule("date", "weekday_any digits")
def _weekday_and_number(place: Place, weekday: Span, day: int) -> Span | None:
    """ "Monday 9": the last (or next) ninth that is a Monday."""
    if (
        weekday.start is None
        or not 1 <= day <= 31
        or place.precedes(_A_QUANTITY)
        or place.precedes(_NOUN)
        or place.precedes(_AN_HOUR)
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
        return day_span(today - ((today.weekday() - weekday - 1) % 7 + 1 + 7 * (int(amount) - 1)) * DAY)
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
        (one, two, three) if WEEKDAYS.get(re.split(r"\W", spoken)[0]) is not None else (three, one, two)
    )
    return day_span(spans.monday(place.now.today) + (7 * int(amount) * int(sign) + int(weekday)) * DAY)


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
    if not (isinstance(nth, int) and isinstance(weekday, int) and isinstance(period, Span)) or period.start is None:
        return None
    if period.unit == "month":
        return _following(period, lambda span: _weekday_of(span, nth, weekday))
    if period.unit == "year":
        first = date(period.start.year, 1, 1)
        found = (
            weekday_in_month(first.year, 12, -1, weekday)
            if nth < 0
            else weekday_in_month(first.year, 1, 1, weekday) + 7 * (nth - 1) * DAY
        )
        return day_span(found)
    return None


words("near_day", {
    "today": 0, "yesterday": -1, "tomorrow": 1, "tmr": 1, "tmrw": 1, "tomorow": 1, "the day before yesterday": -2, "day before yesterday": -2,
    "the day after tomorrow": 2, "day after tomorrow": 2, "the day before": -1, "the previous day": -1, "the following day": 1, "the next day": 1,
    "the day after": 1, "this day": 0, "the other day": -2, "the current day": 0, "overmorrow": 2, "next day": 1, "previous day": -1,
})  # fmt: skip


@rule("date", "near_day")
def _near_day(place: Place, days: int) -> Span | None:
    if place.said.lower() == "the other day":
        return spans.days_span(place.now.today - 7 * DAY, 7)
    return day_span(place.now.today + days * DAY)


@rule("date", "holiday_name 'of|in|,'? year")
def _holiday_in_year(_place: Place, feast: Feast, year: int) -> Span:
    return feast(year)


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


# -- weeks, months, seasons, years -------------------------------------------------------------------------------------------


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


@rule("period", "'the'? 'month of' month", "month")
def _month(place: Place, month: int) -> Span | None:
    first = place.said.split()[-1]
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
    ) and not place.follows(_ADVERB):
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


@rule("period", "'the' period_unit", "'the weekend|weekend'")
def _this_unit(place: Place, unit: str | None = None) -> Span | None:
    if unit is None:
        return None if place.follows(_EVERY) else spans.unit_span(place.now.today, "weekend")
    if place.said.endswith("s") or not place.follows(_PART_BEFORE):
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


@rule("period", "'the'? 'week|weekend' 'of' date", "'the'? 'week|weekend' 'beginning|starting|ending' 'on'? date")
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
    return spans.months_span(place.now.today.year + shift, month, 3, "season")


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
    if said[0] in "'’" and not place.follows(_PREPOSITION):
        return None
    if re.fullmatch(r"\d{4}", said) and (place.precedes(_OF_YEAR_NOUN) or not _is_a_year(place)):
        return None
    if not re.search(r"\d", said) and not place.follows(_PREPOSITION) and said != place.text.strip(" .?!"):
        return None
    return spans.months_span(year, 1, 12, "year")


def _is_a_year(place: Place) -> bool:
    if place.follows(_PREPOSITION) or place.follows(_HALF_BEFORE):
        return True
    alone = place.said == place.text.strip(" \n.,?!")
    return (
        (alone or 1950 <= int(place.said) <= 2049)
        and not place.follows(
            re.compile(
                r"[$€£#]\s?$|\b(?:room|port|error|version|model|windows|office|issue|page|line|about|only|code|pin|id|number|no\.?|flight|bus|highway)\s+$",
                re.I,
            )
        )
        and not place.precedes(_NOUN)
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
        return _two_digits(int(digits))
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


# -- counted from here or from there --------------------------------------------------------------------------------------------


@rule(
    "counted",
    "quantity sign_after 'today|to the day'?",
    "'about|around|approximately|roughly|nearly|almost|exactly|some|just|only' quantity sign_after",
)
def _ago(place: Place, quantity: Quantity, sign: int) -> Span | None:
    if place.said.lower().endswith((" back", " prior", " later", " out")) and place.precedes(
        re.compile(r"\s*(?:to|then|pain|in|of|than|problem|injury)\b", re.I)
    ):
        return None
    return spans.moved(place.now, place.now.moment, quantity, sign)


@rule("counted", "'in|in about|in another|after about|within about|in around|in just' quantity 'time'?")
def _in(place: Place, quantity: Quantity) -> Span | None:
    if place.precedes(re.compile(r"\s+(?:of|or|a row|old)\b", re.I)):
        return None
    return spans.moved(place.now, place.now.moment, quantity, 1)


@rule("counted", "'more than|over|longer than|at least' quantity 'ago'", "'less than|under|within' quantity 'ago'")
def _more_than_ago(place: Place, quantity: Quantity) -> Span:
    far = spans.moved(place.now, place.now.moment, quantity, -1)
    if re.match(r"more|over|longer|at", place.said, re.I):
        return Span(None, far.start, far.unit)
    return Span(far.start, place.now.moment, far.unit)


@rule(
    "stretch",
    "'within|within the|over the|in the|during the|for the|the|these|all|throughout the'? back_or_on amount 'business|working|full|whole|calendar'? unit",
    "'within|within the|over the|in the|during the|for the|the|throughout the'? back_or_on amount 'and a half'? unit",
)
def _last_few(place: Place, sign: int, amount: float, unit: str) -> Span | None:
    return spans.stretch(place.now, [(amount, unit)], sign)


words(
    "back_or_on",
    {
        "last": -1,
        "past": -1,
        "previous": -1,
        "prior": -1,
        "preceding": -1,
        "next": 1,
        "coming": 1,
        "following": 1,
        "upcoming": 1,
        "trailing": -1,
    },
)
words("clock_unit", {word: unit for word, unit in UNITS.items() if unit in spans.CLOCK_UNITS})


@rule(
    "stretch",
    "'within|within the|over the|in the|during the|the'? back_or_on clock_unit",
    "'within|within the|over the|in the|during the' 'last|past' unit",
)
def _last_hour(place: Place, *values: object) -> Span | None:
    sign, unit = values if len(values) == 2 else (-1, values[0])
    assert isinstance(sign, int) and isinstance(unit, str)
    if unit == "second" and re.search(r"second$", place.said, re.I):
        return None
    if unit not in spans.CLOCK_UNITS and not re.match(r"(?:with)?in|over|during", place.said, re.I):
        return None
    return spans.stretch(place.now, [(1, unit)], sign)


@rule("stretch", "'the'? back_or_on 'few|couple of|couple|several' unit")
def _last_some(place: Place, sign: int, unit: str) -> Span:
    few = 2 if "couple" in place.said.lower() else 3
    return spans.stretch(place.now, [(few, unit)], sign)


@rule("stretch", "'within|within the next' quantity")
def _within(place: Place, quantity: Quantity) -> Span:
    return spans.stretch(place.now, quantity, 1)


@rule("stretch", "'recently|lately|of late|in recent days'")
def _recently(place: Place) -> Span:
    return Span(spans.at(place.now.today - 14 * DAY), place.now.moment, "day")


@rule(
    "stretch", "'a while ago|some time ago|a while back|sometime ago|not long ago|a short while ago|a little while ago'"
)
def _a_while_ago(place: Place) -> Span:
    days = 7 if re.search("short|little|not", place.said, re.I) else 90
    return Span(spans.at(place.now.today - days * DAY), spans.at(place.now.today), "day")


@rule("stretch", "'these days|nowadays'")
def _these_days(place: Place) -> Span:
    return Span(spans.at(place.now.today - 14 * DAY), place.now.moment, "day")


@rule(
    "counted",
    "quantity 'before|prior to|ahead of|preceding' anchor",
    "quantity 'after|from|following|past|since' anchor",
)
def _from_anchor(place: Place, quantity: Quantity, anchor: Span | Clock) -> Span | None:
    span = anchor.alone(place.now) if isinstance(anchor, Clock) else anchor
    if span.start is None:
        return None
    sign = -1 if re.search(r"\b(?:before|prior to|ahead of|preceding)\b", place.said, re.I) else 1
    if len(quantity) == 1 and quantity[0][1] in spans.CLOCK_UNITS and span.unit in ("day", "week", "month", "year"):
        return None
    return spans.moved(place.now, span.start, quantity, sign)


@rule("anchor", "moment", "clock")
def _anchor(_place: Place, anchor: Span | Clock) -> Span | Clock:
    return anchor


@rule(
    "counted",
    "'the day after|the day following' date",
    "'the day before|the eve of' date",
    "'the week after' date",
    "'the week before' date",
    "'the week after' period",
    "'the week before' period",
    "'the month before' period",
    "'the month after' period",
    "'the year before' period",
    "'the year after' period",
    "'the weekend after' date",
    "'the weekend before' date",
)
def _beside(place: Place, span: Span) -> Span | None:
    if span.start is None:
        return None
    unit, side = place.said.lower().split()[1:3]
    return spans.unit_span(
        span.start.date(), "day" if unit == "eve" else unit, 1 if side in ("after", "following") else -1
    )


# -- times of day -----------------------------------------------------------------------------------------------------------------


def _clock(hour: int, minute: int | None, second: int | None, half: str | None) -> Clock | None:
    if hour > 24 or (minute or 0) > 59 or (second or 0) > 59 or (half and not 0 <= hour <= 23):
        return None
    if half and hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    length = 1 if second is not None else 60 if minute is not None else HOUR
    return Clock(hour * HOUR + (minute or 0) * 60 + (second or 0), length, halves=not half and 1 <= hour <= 12)


@rule("strict_clock", "colons meridiem?")
def _digital(place: Place, said: str, half: str | None) -> Clock | None:
    if ":" not in said and not half:
        return None
    numbers = [int(part) for part in re.split(r"[:.h]", said)]
    found = _clock(numbers[0], numbers[1], numbers[2] if len(numbers) > 2 else None, half)
    if found and not half and (said[0] == "0" or numbers[0] > 12):
        return Clock(found.start, found.length)
    return found


@rule("strict_clock", "military")
def _military(_place: Place, said: str) -> Clock:
    return Clock(int(said[:2]) * HOUR + int(said[2:4]) * 60, 60)


@rule("hour_number", "digits", "cardinal")
def _hour_number(_place: Place, hour: int) -> int | None:
    return hour if 0 <= hour <= 24 else None


pattern(
    "minute_words",
    rf"(?:(?:oh|o|zero)[\s-])?{numbers_en.SMALL}",
    lambda said: numbers_en.cardinal(re.sub(r"^(?:oh|o|zero)[\s-]", "", said.lower())),
)


@rule("strict_clock", "hour_number meridiem", "hour_number 'o'clock|oclock|o’clock' meridiem?")
def _hour(place: Place, hour: int, half: str | None = None) -> Clock | None:
    if half is None and hour > 12 and "clock" not in place.said.lower():
        return None
    if half and place.said[-1] in "ap" and not place.said[0].isdigit():
        return None
    return _clock(hour, None, None, half)


@rule("strict_clock", "digits digits meridiem")
def _spaced(_place: Place, hour: int, minute: int, half: str) -> Clock | None:
    return _clock(hour, minute, None, half)


pattern("four_digits", r"(?:[01]\d|2[0-3])[0-5]\d(?![\w.,:/%-])")


@rule("strict_clock", "'at' four_digits")
def _four_digits(place: Place, said: str) -> Clock | None:
    if place.precedes(_A_QUANTITY) or place.precedes(_NOUN):
        return None
    return Clock(int(said[:2]) * HOUR + int(said[2:]) * 60, 60)


@rule("strict_clock", "loose_clock")
def _spoken_alone(place: Place, clock: Clock) -> Clock | None:
    alone = place.said == place.text.strip(" .?!")
    return (
        clock
        if alone
        or (
            place.follows(re.compile(r"\b(?:it's|it is|is|by|around|till|until|was)\s+$", re.I))
            and not place.precedes(_NOUN)
        )
        else None
    )


@rule("strict_clock", "hour_number minute_words meridiem")
def _hour_minutes(_place: Place, hour: int, minute: int, half: str) -> Clock | None:
    return _clock(hour, minute, None, half)


@rule("loose_clock", "hour_number minute_words")
def _hour_minutes_words(place: Place, hour: int, minute: int) -> Clock | None:
    return (
        _clock(hour, minute, None, None)
        if not place.said[0].isdigit() and 10 <= minute < 60 and 1 <= hour <= 12
        else None
    )


@rule("past_minutes", "digits 'minutes|minute|mins|min'?", "cardinal 'minutes|minute|mins|min'?")
def _past_minutes(_place: Place, minutes: int) -> int | None:
    return minutes if 1 <= minutes < 60 else None


@rule("past_minutes", "'a'? 'quarter'", "'half'")
def _quarter_past(place: Place) -> int:
    return 30 if place.said.lower() == "half" else 15


@rule(
    "strict_clock",
    "past_minutes 'past|after' hour_number 'o'clock'? meridiem?",
    "past_minutes 'to|till|before|of|til' hour_number 'o'clock'? meridiem?",
)
def _minutes_past(place: Place, minutes: int, hour: int, half: str | None) -> Clock | None:
    if not 1 <= hour <= 12 or (
        minutes == 30 and "half" in place.said.lower() and not re.search(r"\bpast\b", place.said, re.I)
    ):
        return None
    before = re.search(r"\b(?:to|till|before|of|til)\b", place.said, re.I)
    if (
        not half
        and not re.search(r"\b(?:past|quarter)\b", place.said, re.I)
        and not place.follows(re.compile(r"\b(?:at|is|by|around|about|it's|until)\s+$", re.I))
        and place.said != place.text.strip(" .?!")
    ):
        return None
    found = _clock(hour, 0, None, half)
    if not found:
        return None
    start = found.start + (-60 if before else 60) * minutes
    return Clock(start % 86400, 60, halves=found.halves)


@rule("strict_clock", "'half' hour_number")
def _half_seven(place: Place, hour: int) -> Clock | None:
    """As the British say it: half seven is half past seven."""
    if not 1 <= hour <= 12 or not place.follows(re.compile(r"\b(?:at|by|around|about|until)\s+$", re.I)):
        return None
    return _clock(hour, 30, None, None)


@rule("strict_clock", "'at'? '12'? 'noon|noontime|midday|mid-day|noonday|twelve noon|high noon'")
def _noon(_place: Place) -> Clock:
    return Clock(12 * HOUR, HOUR)


@rule("strict_clock", "'at'? '12'? 'midnight|mid-night|twelve midnight'")
def _midnight(_place: Place) -> Clock:
    return Clock(0, HOUR)


@rule("zone", "zone_word 'time'?")
def _zone(_place: Place, hours: float) -> tzinfo:
    return UTC if not hours else timezone(timedelta(hours=hours))


@rule("zone", "offset")
def _offset(place: Place, said: str) -> tzinfo | None:
    if not re.match(r"utc|gmt", said, re.I):
        return None
    sign, hours, minutes = re.search(r"([+-])(\d{1,2}):?(\d{2})?", said).groups()  # type: ignore[union-attr]
    return timezone((-1 if sign == "-" else 1) * timedelta(hours=int(hours), minutes=int(minutes or 0)))


@rule("exact_clock", "strict_clock zone")
def _zoned(_place: Place, clock: Clock, zone: tzinfo) -> Clock:
    return Clock(clock.start, clock.length, clock.halves, zone)


@rule("exact_clock", "strict_clock 'sharp|exactly|on the dot|-ish|ish'?")
def _exact(_place: Place, clock: Clock) -> Clock:
    return clock


@rule("exact_clock", "'at|by|around|about|@|at around|at about|at exactly|approximately|past' loose_hour")
def _at_hour(place: Place, clock: Clock) -> Clock | None:
    return (
        None
        if place.precedes(_A_QUANTITY)
        or place.precedes(_NOUN_AFTER)
        or place.said.lower().startswith(("about", "approx", "past"))
        else clock
    )


_NOUN_AFTER = _NOUN


@rule("loose_hour", "hour_number zone?")
def _loose_hour(place: Place, hour: int, zone: tzinfo | None) -> Clock | None:
    if place.precedes(_A_QUANTITY) or place.precedes(_MERIDIEM):
        return None
    found = _clock(hour, None, None, None)
    return found and Clock(found.start, found.length, found.halves and not place.said.startswith("0"), zone)


@rule("loose_hour", "loose_clock")
def _loose_minutes(_place: Place, clock: Clock) -> Clock:
    return clock


@rule("part", "'the'? part_word", "'the middle of the night'")
def _part(place: Place, hours: tuple[int, int] = (0, 4)) -> Clock:
    return Clock(hours[0] * HOUR, (hours[1] - hours[0]) * HOUR, is_part=True)


@rule("clock", "exact_clock ','? 'in the|at|in|during the' part")
def _clock_in_part(_place: Place, clock: Clock, part: Clock) -> Clock:
    return clock.within(part) if clock.halves else clock


@rule("clock", "clock_range ','? 'in the|at' part")
def _range_in_part(_place: Place, clock: Clock, part: Clock) -> Clock:
    if clock.start < 43200 <= part.start and clock.start + clock.length <= 43200:
        return Clock(clock.start + 43200, clock.length)
    return clock


@rule("clock", "loose_hour ','? 'in the|at' part", "loose_hour part")
def _loose_in_part(place: Place, clock: Clock, part: Clock) -> Clock | None:
    if re.match(r"\d+ (?:morning|night|afternoon|evening)", place.said, re.I):
        return None
    return clock.within(part)


@rule("clock_range", "'from|between'? clock_side '-|to|till|until|and|through|thru|til' clock_side")
def _from_to(place: Place, first: Clock, last: Clock) -> Clock | None:
    said = place.said.lower()
    if re.search(r"\band\b", said) and not said.startswith("between"):
        return None
    exact = not first.is_part and re.search(r"[ap]\.?m|:|o'clock|noon|midnight", said)
    if not exact and not said.startswith(("from", "between")):
        return None
    if not exact and (place.precedes(_A_QUANTITY) or place.precedes(_NOUN)):
        return None
    return spans.clocks(first, last)


@rule("clock_side", "exact_clock", "loose_hour")
def _clock_side(place: Place, clock: Clock) -> Clock | None:
    return None if place.said.lower().startswith(("at ", "by ", "around ", "about ")) else clock


@rule("clock", "clock_range", "exact_clock")
def _just_clock(_place: Place, clock: Clock) -> Clock:
    return clock


@rule("dated_clock", "'in|during|at'? part", "'at|around|by|from|,|@'? clock", "'at|,|@' loose_hour")
def _dated_clock(place: Place, clock: Clock) -> Clock:
    return clock


@rule(
    "dated_clock",
    "'in|during|at'? part ','? 'at|around|from'? clock",
    "'in the|at'? part 'at' loose_hour",
    "'in the|at'? part 'around|about' loose_hour",
)
def _part_then_clock(_place: Place, part: Clock, clock: Clock) -> Clock:
    return clock.within(part) if clock.halves else clock


# -- a day and its time ---------------------------------------------------------------------------------------------------------------


@rule("moment", "iso")
def _iso(_place: Place, said: str) -> Span:
    day, clock = re.split(r"[T ]", said, maxsplit=1)
    year, month, number = (int(part) for part in day.split("-"))
    found = re.match(r"(\d+):(\d+)(?::(\d+)(?:\.\d+)?)?\s?(Z|[+-]\d{2}:?\d{2})?", clock)
    if not found:
        raise ValueError(said)
    hour, minute, second, zone = found.groups()
    start = datetime(year, month, number, int(hour), int(minute), int(second or 0))
    width = timedelta(seconds=1 if second else 60)
    return Span(
        start,
        start + width,
        "minute",
        zone=datetime.fromisoformat(f"2000-01-01T00:00:00{zone}").tzinfo if zone else None,
    )


@rule("moment", "day_like ','? 'on the|in the|on|in|during the'? dated_clock")
def _day_and_clock(_place: Place, day: Span, clock: Clock) -> Span:
    return clock.on(day)


@rule("moment", "clock_first 'on|of|,|in'? day_like")
def _clock_and_day(place: Place, clock: Clock, day: Span) -> Span:
    return clock.on(day)


@rule("clock_first", "'in|during'? part", "'at|@|around|by|from'? clock", "'at|@|around' loose_hour")
def _clock_first(_place: Place, clock: Clock) -> Clock:
    return clock


@rule("day_like", "date", "counted")
def _day_like(_place: Place, day: Span) -> Span | None:
    return day if day.unit == "day" else None


@rule("moment", "loose_hour near_day part", "'at'? loose_hour near_day 'in the' part")
def _hour_day_part(place: Place, clock: Clock, days: int, part: Clock) -> Span:
    return clock.within(part).on(day_span(place.now.today + days * DAY))


@rule(
    "moment",
    "'this day|today|this date' shift 'year|month|week'",
    "'this time|at this time' shift 'year|month|week'",
    "'this time|at this time' near_day",
)
def _this_day_then(place: Place, shift: int) -> Span:
    unit = place.said.lower().split()[-1]
    months = {"year": 12, "month": 1}.get(unit)
    today = place.now.today
    day = spans.plus_months(today, shift * months) if months else today + shift * DAY * (7 if unit == "week" else 1)
    if re.match(r"(?:at )?this time", place.said, re.I):
        start = datetime.combine(day, place.now.moment.time())
        return Span(start, start + timedelta(minutes=1), "minute")
    return day_span(day)


@rule("moment", "clock_first 'tonight|this evening|this morning|this afternoon|last night|last evening'")
def _tonight_at(place: Place, clock: Clock) -> Span | None:
    said = place.said.lower()
    day = place.now.today - (DAY if re.search(r"last (?:night|evening)$", said) else timedelta())
    hours = PARTS["night" if said.endswith("night") else said.split()[-1]]
    if clock.is_part:
        return None
    part = Clock(hours[0] * HOUR, (hours[1] - hours[0]) * HOUR)
    return (clock.within(part) if clock.halves else clock).on(day_span(day))


@rule("moment", "'tonight|tonite' ','? 'at|around|from|by|,'? clock", "'tonight' 'at|around' loose_hour")
def _tonight_then(place: Place, clock: Clock) -> Span:
    return (clock.within(Clock(20 * HOUR, 4 * HOUR)) if clock.halves else clock).on(day_span(place.now.today))


@rule("moment", "'late|later|early'? 'tonight|tonite|to-night'")
def _tonight(place: Place) -> Span:
    return Clock(20 * HOUR, 4 * HOUR, is_part=True).on(day_span(place.now.today))


@rule(
    "moment",
    "shift part_word",
    "shift part_word ','? 'at|around|from|,'? clock",
    "shift part_word 'at|around' loose_hour",
)
def _this_morning(place: Place, shift: int, hours: tuple[int, int], clock: Clock | None = None) -> Span | None:
    if place.said.lower().startswith("the same"):
        return None
    part = Clock(hours[0] * HOUR, (hours[1] - hours[0]) * HOUR, is_part=True)
    if clock:
        part = clock.within(part) if clock.halves else clock
    return part.on(day_span(place.now.today + shift * DAY))


@rule(
    "moment",
    "'now|right now|just now|at present|at this moment|at this very moment|right this moment|at the present time|at the present moment|at this time|as of now|currently'",
)
def _now(place: Place) -> Span | None:
    if place.said.lower() == "now" and (
        place.precedes(re.compile(r"\s*(?:and then|,|that|playing)", re.I))
        or place.follows(re.compile(r"\b(?:by|until|from|till|ago|for|just|and|before|every|even|up to)\s+$", re.I))
    ):
        return None
    if place.said.lower() == "just now":
        return spans.hours_around(place.now, timedelta(hours=1), timedelta())
    return spans.hours_around(place.now, timedelta(), timedelta(minutes=1))


@rule("moment", "counted", "stretch", "date")
def _moment(_place: Place, span: Span) -> Span:
    return span


# -- whole expressions ---------------------------------------------------------------------------------------------------------------


@rule("side", "moment", "period")
def _side(_place: Place, span: Span) -> Span:
    return span


@rule("since_side", "side")
def _since_side(_place: Place, span: Span) -> Span:
    return span


@rule("since_side", "clock")
def _since_clock(place: Place, clock: Clock) -> Span:
    return clock.alone(place.now)


@rule("side", "day_number")
def _bare_day(place: Place, day: int) -> Span | None:
    """Only beside a date that says the month: "from the 3rd to March 8"."""
    return Span(datetime(1, 1, day), None, "number")


@rule("time", "moment", "period")
def _time(_place: Place, span: Span) -> Span:
    return span


@rule(
    "time",
    "'between' side 'and' side",
    "'from'? side '-|to|till|until|thru|through|til|up to|and ending'  side",
    "'from' side 'and' side",
)
def _range(place: Place, first: Span, last: Span) -> Span | None:
    if "number" in (first.unit, last.unit):
        return _range_of_days(place, first, last)
    if (
        re.match(r"(?:between|from)\b", place.said, re.I) is None
        and first.unit == "day"
        and last.unit == "day"
        and re.search(r"\d-\d", place.said)
        and re.fullmatch(r"[\d-]+", place.said)
    ):
        return None
    return spans.joined(first, last)


def _range_of_days(place: Place, first: Span, last: Span) -> Span | None:
    if first.start is None or last.start is None or first.unit == last.unit:
        return None
    known, number = (last, first.start.day) if first.unit == "number" else (first, last.start.day)
    if known.unit != "day" or known.start is None:
        return None
    other = day_span(known.start.date().replace(day=number))
    return (
        spans.joined(Span(other.start, other.end, "day"), Span(known.start, known.end, "day"))
        if known is last
        else spans.joined(Span(known.start, known.end, "day"), other)
    )


@rule(
    "time",
    "'from|between'? 'the'? month 'the'? day_number '-|to|through|till|until|and|thru' 'the'? day_number ','? year?",
)
def _days_of_month(place: Place, month: int, first: int, last: int, year: int | None) -> Span | None:
    if re.search(r"\band\b", place.said, re.I) and not re.match("between|from", place.said, re.I):
        return None

    def make(number: int) -> Span:
        return Span(spans.at(date(number, month, first)), spans.at(date(number, month, last) + DAY), "day")

    if last < first:
        return None
    return make(year) if year else spans.yearly(place.now, make)


@rule("time", "'from|between'? day_number '-|to|through|till|until|and|thru' day_number month ','? 'of'? year?")
def _month_after_days(place: Place, first: int, last: int, month: int, year: int | None) -> Span | None:
    found: Span | None = _days_of_month(place, month, first, last, year)
    return found


@rule("time", "'from|between'? month '-|to|through|till|until|and|thru' month ','? 'of'? year")
def _months_of_year(place: Place, first: int, last: int, year: int) -> Span | None:
    if re.search(r"\band\b", place.said, re.I) and not re.match("between|from", place.said, re.I):
        return None
    start = spans.months_span(year - (first > last), first, 1, "month")
    return Span(start.start, spans.months_span(year, last, 1, "month").end, "month")


@rule(
    "time",
    "'from'? year '-|to|through|till|until|thru' year",
    "'between' year 'and' year",
    "'from'? digit_year '-' last_two",
)
def _years(place: Place, first: int, last: int) -> Span | None:
    if last < 100:
        last += first // 100 * 100
    if last <= first or (
        not re.search("[a-z]", place.said, re.I)
        and not place.follows(_PREPOSITION)
        and place.said != place.text.strip(" .?!")
    ):
        return None
    return Span(spans.at(date(first, 1, 1)), spans.at(date(last + 1, 1, 1)), "year")


pattern("last_two", r"\d\d(?![\w-])", int)


@rule("time", "'from'? day_like ','? 'from|at|,'? strict_side '-|to|till|until' strict_side 'on'? day_like")
def _unused_range(_place: Place, day: Span, first: Clock, last: Clock, other: Span) -> Span:
    return spans.joined(first.on(day), last.on(other))


@rule("strict_side", "strict_clock")
def _strict_side(_place: Place, clock: Clock) -> Clock:
    return clock


@rule("time", "'from'? moment '-|to|till|until' 'the'? clock_side", "'between' moment 'and' clock_side")
def _moment_to_clock(_place: Place, first: Span, clock: Clock) -> Span | None:
    if first.start is None or first.unit not in ("hour", "minute"):
        return None
    midnight = first.start.replace(hour=0, minute=0, second=0)
    after = (first.start - midnight).total_seconds()
    end = clock.start
    if clock.halves and end <= after:
        end += 43200
    if end <= after:
        end += 86400
    return Span(first.start, midnight + timedelta(seconds=end), "hour", zone=first.zone)


@rule(
    "time",
    "'since|ever since|starting from|starting|beginning|from' since_side 'on|onward|onwards|until now|to now|to date|to the present|to present|till now|up to now'?",
)
def _since(place: Place, span: Span) -> Span | None:
    if span.unit == "number" or span.silent:
        return None
    if place.said.lower().startswith(("from", "starting", "beginning")) and not re.search(
        r"(?:on|onwards?|now|date|present)$|^start|^beg", place.said, re.I
    ):
        return None
    if re.search(r"(?:now|date|present)$", place.said, re.I):
        return Span(span.start, place.now.moment, span.unit, zone=span.zone)
    return Span(span.start, None, span.unit, zone=span.zone)


@rule(
    "time",
    "'before|prior to|earlier than|previous to|no later than|up to|until|till|til|by|not later than|through|as late as|up until' side",
    "'before|until|till|by|prior to|no later than' clock",
)
def _before(place: Place, span: Span | Clock) -> Span | None:
    first = place.said.lower().split()[0]
    span = span.alone(place.now) if isinstance(span, Clock) else span
    if span.unit == "number" or span.start is None:
        return None
    if first == "through" and span.unit not in ("day", "week", "month", "year"):
        return None
    exclusive = first in ("before", "prior", "earlier", "previous") or span.unit in ("hour", "minute", "part")
    return Span(None, span.start if exclusive else span.end, span.unit, zone=span.zone)


@rule("time", "'after|later than' side", "'after|later than' clock")
def _after(place: Place, span: Span | Clock) -> Span | None:
    span = span.alone(place.now) if isinstance(span, Clock) else span
    if span.unit == "number" or span.start is None:
        return None
    return Span(span.start if span.unit in ("hour", "minute") else span.end, None, span.unit, zone=span.zone)


@rule(
    "time",
    "side 'or later|or after|and later|onward|onwards|and onwards|and after|and onward'",
    "side 'or earlier|or before|and before|and earlier'",
)
def _or_later(place: Place, span: Span) -> Span | None:
    if span.unit == "number":
        return None
    later = re.search(r"(?:later|after|onwards?)$", place.said, re.I)
    return Span(span.start, None, span.unit) if later else Span(None, span.end, span.unit)


@rule("time", "'in|during|at|on'? part", "'at|around|by|about|@'? clock")
def _alone(place: Place, clock: Clock) -> Span | None:
    if clock.is_part and (place.follows(_EVERY) or not re.search(r"\b(?:in|during|at|this|at)\b", place.said, re.I)):
        return None
    if clock.is_part and place.said.lower() == "at night":
        return None
    return clock.alone(place.now)


@rule(
    "time",
    "'every|each|any|per' 'other|single|second|third|few'? time",
    "'every|each|any|per' 'other|single|second|third'? unit 'at'? time",
    "'every|each|any' 'other|single'? part_word 'at'? time?",
    "'every|each' weekday 'at'? time?",
    "'every|each' quantity",
    "'every|each|per' 'other|single|second'? unit",
    "'every|each' month day_number?",
)
def _every(_place: Place, *_values: object) -> Span:
    return SILENT


@rule(
    "time",
    "weekdays_plural 'at'? clock?",
    "time_of_set 'every|each|on' 'other|single'? weekdays_plural",
    "time_of_set 'every|each' 'other|single'? 'day|week|month|year|morning|night|afternoon|evening|weekday|weekend|monday|tuesday|wednesday|thursday|friday|saturday|sunday'",
    "'on' weekdays_plural",
)
def _weekdays_in_general(_place: Place, *_values: object) -> Span:
    return SILENT


@rule("time_of_set", "'at'? clock", "'at' loose_hour")
def _time_of_set(_place: Place, clock: Clock) -> Clock:
    return clock


words(
    "weekdays_plural",
    {f"{name}s": number for name, number in WEEKDAYS.items() if name.endswith("day")}
    | {"weekdays": 0, "weekends": 0, "mornings": 0, "evenings": 0, "afternoons": 0, "nights": 0},
)
