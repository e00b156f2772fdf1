"""What is counted from now or from another time, in English."""

from __future__ import annotations

import re

from text.time import spans
from text.time.english.words import HOUR, HOW_OFTEN, UNITS, rule, words
from text.time.grammar import Place
from text.time.spans import DAY, Clock, Quantity, Span, day_span


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


@rule("counted", "quantity 'ago' near_day")
def _ago_from_day(place: Place, quantity: Quantity, days: int) -> Span | None:
    return spans.moved(place.now, spans.at(place.now.today + days * DAY), quantity, -1)


words(
    "compact_unit",
    {
        "s": "second",
        "m": "minute",
        "h": "hour",
        "d": "day",
        "w": "week",
        "mo": "month",
        "y": "year",
    },
)


@rule("counted", "digits compact_unit 'ago|from now'")
def _compact(place: Place, amount: int, unit: str) -> Span:
    return spans.moved(
        place.now,
        place.now.moment,
        [(amount, unit)],
        -1 if place.said.lower().endswith("ago") else 1,
    )


@rule("counted", "'a|one' 'week|fortnight' 'today|tomorrow'", "'today|tomorrow' 'week|fortnight'")
def _today_week(place: Place) -> Span | None:
    if place.precedes(re.compile(r"\s*(?:of|in|on)\b|-", re.I)):
        return None
    days = (14 if "fortnight" in place.said.lower() else 7) + ("tomorrow" in place.said.lower())
    return day_span(place.now.today + days * DAY)


@rule("counted", "amount parts_plural 'ago'")
def _nights_ago(place: Place, amount: float, hours: tuple[int, int]) -> Span:
    return Clock(hours[0] * HOUR, (hours[1] - hours[0]) * HOUR, is_part=True).on(
        day_span(place.now.today - int(amount) * DAY)
    )


@rule("counted", "amount 'weekends|weekend' sign_after")
def _weekends_ago(place: Place, amount: float, sign: int) -> Span:
    return spans.unit_span(place.now.today, "weekend", sign * int(amount))


@rule(
    "counted",
    "'in|in about|in another|after about|within about|in around|in just' quantity 'time'?",
)
def _in(place: Place, quantity: Quantity) -> Span | None:
    if (
        place.precedes(re.compile(r"\s+(?:of|or|a row|old)\b", re.I))
        or place.follows(HOW_OFTEN)
        or place.said.lower() == "in a second"
    ):
        return None
    return spans.moved(place.now, place.now.moment, quantity, 1)


@rule(
    "counted",
    "'more than|over|longer than|at least' quantity 'ago'",
    "'less than|under|within' quantity 'ago'",
)
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
    if place.precedes(re.compile(r"\s+(?:of|in)\b", re.I)):  # "in the last week of May"
        return None
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
def _recently(place: Place) -> Span | None:
    if place.follows(re.compile(r"\bas\s+$", re.I)):  # "as recently as last Friday"
        return None
    return Span(spans.at(place.now.today - 14 * DAY), place.now.moment, "day")


@rule(
    "stretch",
    "'a while ago|some time ago|a while back|sometime ago|not long ago|a short while ago|a little while ago'",
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
    if (
        len(quantity) == 1
        and quantity[0][1] in spans.CLOCK_UNITS
        and span.unit in ("day", "week", "month", "year")
    ):
        return None
    start = span.start
    if start.date() <= place.now.today and re.search(r"\bfrom\s+\w+day$", place.said, re.I):
        start += 7 * DAY  # "a week from Friday": from the next one
    return spans.moved(place.now, start, quantity, sign)


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
        span.start.date(),
        "day" if unit == "eve" else unit,
        1 if side in ("after", "following") else -1,
    )
