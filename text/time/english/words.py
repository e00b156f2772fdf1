"""The words of English time expressions, and what may stand around them."""

from __future__ import annotations

import re

from text.time.feasts import Feast, easter, fixed, lunar, nth_weekday, solar_term
from text.time.grammar import Grammar
from text.values import numbers as numbers_en

_PLAIN = str.maketrans("\u2010\u2011\u2012\u2013\u2014\u2019", "-----'")


def plain(text: str) -> str:
    """The same text, character for character, with plain hyphens and apostrophes."""
    return text.translate(_PLAIN)


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
    "early afternoon": (12, 14), "late afternoon": (14, 16), "mid-afternoon": (13, 15), "mid afternoon": (13, 15), "midafternoon": (13, 15), "midmorning": (9, 11), "mid morning": (9, 11), "evening": (16, 20), "early evening": (16, 18),
    "late evening": (18, 20), "night": (20, 24), "nite": (20, 24), "nighttime": (20, 24), "night-time": (20, 24), "late night": (22, 24), "daytime": (8, 18),
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
    "teacher's day": fixed(9, 10), "children's day": fixed(6, 1), "shrove tuesday": easter(-47), "pancake day": easter(-47), "whit sunday": easter(49), "whitsun": easter(49), "trinity sunday": easter(56),
    "corpus christi": easter(60), "epiphany": fixed(1, 6), "australia day": fixed(1, 26), "anzac day": fixed(4, 25), "st. george's day": fixed(4, 23),
    "st george's day": fixed(4, 23), "bonfire night": fixed(11, 5), "flag day": fixed(6, 14), "st. nicholas day": fixed(12, 6), "st nicholas day": fixed(12, 6),
    "election day": nth_weekday(11, 1, 0, 1), "winter solstice": solar_term("冬至"), "summer solstice": solar_term("夏至"),
    "spring equinox": solar_term("春分"), "vernal equinox": solar_term("春分"), "autumn equinox": solar_term("秋分"), "fall equinox": solar_term("秋分"),
    "autumnal equinox": solar_term("秋分"), "qingming": solar_term("清明"), "qingming festival": solar_term("清明"), "tomb-sweeping day": solar_term("清明"),
    "tomb sweeping day": solar_term("清明"), "qixi": lunar(7, 7), "qixi festival": lunar(7, 7), "arbor day": nth_weekday(4, -1, 4),
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

ADVERB = re.compile(
    r"\b(?:in|on|since|of|by|until|till|before|after|during|from|through|to|around|about|last|this|next|early|late|mid|every|and|between|thru|back in)(?:\s+(?:the\s+)?|-)$",
    re.I,
)
PREPOSITION = re.compile(
    r"\b(?:in|since|during|until|till|before|after|by|from|of|back in|around|through|to|between|and|for|year|year of)\s+$",
    re.I,
)
EVERY = re.compile(
    r"\b(?:every|each|any|per|most|some|all)(?:\s+(?:other|single|second|third))?\s+$", re.I
)
A_QUANTITY = re.compile(
    r"\s*(?:%|percent|degrees|dollars|euros|pounds|bucks|people|times|km|kilometers|miles|meters|mph|points|kg|items|apples|pages|stars|years|hours|minutes|days|weeks|months|stores|places|locations|cents|-(?!ish)[a-z]|of\b|x\b|:\d|\.\d|/\d|\d)",
    re.I,
)
NOUN = re.compile(r"\s+(?!(?:on|in|at|and|or|but|the|for|to|with|because|when|if|so|we|i|he|she|they|you|it|that|was|were|is|from|by|until|today|tomorrow|yesterday|tonight|this|last|next|sharp|please|then|after|before|every|as|local|though|about|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b)[a-z]", re.I)  # fmt: skip
OF_YEAR_NOUN = re.compile(
    r"\s*(?:\d|%|percent|dollars|euros|people|times|km|miles|meters|points|items|words|tokens|pixels|pages|lines|mb|kb|gb|calories|steps|[a-z]*bytes?|files|rows|users|units|\.\d|-\d|/\d|,\d)",
    re.I,
)
PART_BEFORE = re.compile(
    r"\b(?:in|(?:rest|remainder|half|part|days?|week|quarter|course) of)\s+$", re.I
)
HOW_OFTEN = re.compile(r"\b(?:days|hours|minutes|seconds|weeks|months|times|once|twice)\s+$", re.I)
MERIDIEM = re.compile(r"\s*(?:[ap]\.?m\b|o'?clock)", re.I)

words("month", MONTHS)
words("weekday", WEEKDAYS)
words("parts_plural", {f"{name}s": hours for name, hours in PARTS.items() if name in ("morning", "afternoon", "evening", "night")}
      | {name: PARTS[name] for name in ("morning", "afternoon", "evening", "night")})  # fmt: skip
words(
    "months_plural",
    {f"{name}s": number for name, number in MONTHS.items() if len(name) > 4 and name != "march"},
)
words("seasons_plural", {f"{name}s": number for name, number in SEASONS.items()} | SEASONS)
words("unit", UNITS)
words("season", SEASONS)
words("shift", SHIFTS)
words("part_word", PARTS)
words(
    "holidays",
    {f"{name}{'es' if name.endswith('s') else 's'}": feast for name, feast in HOLIDAYS.items()},
)
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
pattern("digits", r"\d{1,4}(?!\d|(?:st|nd|rd|th)\b)", int)
pattern("decimal", r"\d{1,4}\.\d{1,2}(?![\d.])", float)
pattern("cardinal", numbers_en.CARDINAL, numbers_en.cardinal)
pattern("ordinal", numbers_en.ORDINAL, numbers_en.ordinal)
pattern("digit_year", r"(?:1[5-9]|20|21)\d\d(?![\w])", int)
pattern("spoken_year", numbers_en.SPOKEN_YEAR, numbers_en.spoken_year)
pattern("short_year", r"['’]\d\d(?!\w)", lambda said: two_digits(int(said[1:])))
pattern(
    "iso",
    r"\d{4}-\d{1,2}-\d{1,2}[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s?(?:Z|[+-]\d{2}:?\d{2})?(?![\w:])",
)
pattern("year_first", r"(?:1[5-9]|20|21)\d\d([-/.])\d{1,2}\1\d{1,2}(?![\w])")
pattern("compact", r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?![\w:/-]|[.,]\d)")
pattern("fiscal_year", r"fy ?'?(?:20)?\d\d(?!\w)", lambda said: 2000 + int(said[-2:]))
pattern("slashed", r"\d{1,2}([-/.])\d{1,2}\1(?:\d{4}|\d{2})(?![\w]|[-/.]\d)")
pattern("short_slashed", r"\d{1,2}/\d{1,2}(?![\w/]|\.\d|-\d+(?!/))")
pattern(
    "year_month",
    r"(?:1[5-9]|20|21)\d\d[-/](?:0?[1-9]|1[0-2])(?![\w/-])|(?:0?[1-9]|1[0-2])[/-](?:19|20)\d\d(?![\w/-])",
)
pattern("iso_week", r"(?:19|20)\d\d-?W\d{2}(?!\w|-\d)")
pattern("iso_week_day", r"(?:19|20)\d\d-W\d{2}-[1-7](?!\w)|(?:19|20)\d\dW\d{2}[1-7](?!\w)")
pattern("colons", r"\d{1,2}[:.h]\d{2}(?::\d{2})?(?![\d:%])|\d{1,2}:\d{2}(?=[ap]m)")
pattern("military", r"(?:[01]\d|2[0-3])[0-5]\d\s?(?:hours|hrs|h)(?!\w)")
pattern(
    "meridiem",
    r"(?:a\.?m\b\.?|p\.?m\b\.?|[ap](?=[\s,.?!]|$))",
    lambda said: said[0].lower() if len(said) > 1 or said.islower() else None,
)
pattern("quarter_word", r"q[1-4](?!\w)", lambda said: int(said[1]))
pattern(
    "quarter_digits",
    r"(?:19|20)\d\d[-/]?(?:Q[1-4]|H[12])(?!\w)|(?:[1-4]Q|[12]H|Q[1-4]|H[12])[ '-/]?(?:20)?\d\d(?!\w)",
)
pattern(
    "hour_ish",
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d{1,2})-?ish(?!\w)",
    lambda said: numbers_en.cardinal(re.sub("-?ish$", "", said.lower())),
)
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


def two_digits(year: int) -> int:
    return year + (2000 if year < 50 else 1900)
