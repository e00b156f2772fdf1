"""A day with its time in English, and now."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from text.time import spans
from text.time.english.words import HOUR, PARTS, rule
from text.time.grammar import Place
from text.time.spans import DAY, Clock, Span, day_span


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


@rule("moment", "day_like ''s' clock", "day_like ''s' 'at'? strict_clock")
def _days_clock(_place: Place, day: Span, clock: Clock) -> Span:
    """ "Last Friday's 3pm"."""
    return clock.on(day)


@rule(
    "moment",
    "'end of day|end of the day|close of business|cob|eod|end of business' 'on|of|,'? day_like",
)
def _end_of_day(_place: Place, day: Span) -> Span | None:
    return Clock(86400 - 60, 60).on(day)


@rule("moment", "clock_first 'on|of|,|in'? day_like")
def _clock_and_day(place: Place, clock: Clock, day: Span) -> Span:
    return clock.on(day)


@rule(
    "clock_first",
    "'in|during|at|over|around'? part",
    "'at|@|around|from'? clock",
    "'at|@|around' loose_hour",
)
def _clock_first(_place: Place, clock: Clock) -> Clock:
    return clock


@rule("day_like", "date", "counted")
def _day_like(_place: Place, day: Span) -> Span | None:
    return day if day.unit == "day" else None


@rule(
    "moment",
    "loose_hour near_day part",
    "'at'? loose_hour near_day 'in the' part",
    "'at'? clock near_day part",
)
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
    day = (
        spans.plus_months(today, shift * months)
        if months
        else today + shift * DAY * (7 if unit == "week" else 1)
    )
    if re.match(r"(?:at )?this time", place.said, re.I):
        start = datetime.combine(day, place.now.moment.time())
        return Span(start, start + timedelta(minutes=1), "minute")
    return day_span(day)


_TILL = re.compile(r"\b(?:since|until|till|by|before|after|from|to|and|around|about|at)\s+$", re.I)


@rule(
    "moment",
    "loose_hour 'tonight|this evening|this morning|this afternoon|last night|last evening'",
)
def _hour_tonight(place: Place, clock: Clock) -> Span | None:
    """ "Since four this afternoon"."""
    return _tonight_at(place, clock) if place.follows(_TILL) else None


@rule("moment", "loose_clock 'on|,'? day_like")
def _minutes_and_day(_place: Place, clock: Clock, day: Span) -> Span:
    return clock.on(day)


@rule(
    "moment",
    "clock_first 'tonight|this evening|this morning|this afternoon|last night|last evening'",
    "loose_clock 'tonight|this evening|this morning|this afternoon|last night|last evening'",
)
def _tonight_at(place: Place, clock: Clock) -> Span | None:
    said = place.said.lower()
    day = place.now.today - (DAY if re.search(r"last (?:night|evening)$", said) else timedelta())
    hours = PARTS["night" if said.endswith("night") else said.split()[-1]]
    if clock.is_part:
        return None
    part = Clock(hours[0] * HOUR, (hours[1] - hours[0]) * HOUR)
    return clock.within(part).on(day_span(day))


@rule(
    "moment",
    "'tonight|tonite' ','? 'at|around|from|by|,'? clock",
    "'tonight' 'at|around' loose_hour",
)
def _tonight_then(place: Place, clock: Clock) -> Span:
    return (clock.within(Clock(20 * HOUR, 4 * HOUR)) if clock.halves else clock).on(
        day_span(place.now.today)
    )


@rule("moment", "'late|later|early'? 'tonight|tonite|to-night'")
def _tonight(place: Place) -> Span:
    return Clock(20 * HOUR, 4 * HOUR, is_part=True).on(day_span(place.now.today))


@rule(
    "moment",
    "shift part_word",
    "shift part_word ','? 'at|around|from|,'? clock",
    "shift part_word 'at|around' loose_hour",
)
def _this_morning(
    place: Place, shift: int, hours: tuple[int, int], clock: Clock | None = None
) -> Span | None:
    if place.said.lower().startswith("the same"):
        return None
    part = Clock(hours[0] * HOUR, (hours[1] - hours[0]) * HOUR, is_part=True)
    if clock:
        part = clock.within(part)
    return part.on(day_span(place.now.today + shift * DAY))


@rule(
    "moment",
    "'early|late|mid|mid-' 'in|on'? 'this|last' part_word",
    "'early|late|mid|mid-' 'in|on'? 'yesterday|tomorrow|today' part_word",
)
def _early_this_morning(place: Place, hours: tuple[int, int]) -> Span:
    part, _, rest = place.said.lower().replace("-", " ").partition(" ")
    name = rest.split()[-1]
    first, last = PARTS.get(f"{part} {name}", hours)
    days = {"last": -1, "yesterday": -1, "tomorrow": 1}
    day = next((number for word, number in days.items() if word in rest.split()), 0)
    return Clock(first * HOUR, (last - first) * HOUR, is_part=True).on(
        day_span(place.now.today + day * DAY)
    )


@rule("moment", "'the'? part_word 'before last'")
def _part_before_last(place: Place, hours: tuple[int, int]) -> Span:
    return Clock(hours[0] * HOUR, (hours[1] - hours[0]) * HOUR, is_part=True).on(
        day_span(place.now.today - 2 * DAY)
    )


@rule(
    "moment",
    "'now|right now|just now|at present|at this moment|at this very moment|right this moment|at the present time|at the present moment|at this time|as of now'",
)
def _now(place: Place) -> Span | None:
    if place.said.lower() == "now" and (
        place.precedes(re.compile(r"\s*(?:and then|,|that|playing)", re.I))
        or place.follows(
            re.compile(
                r"\b(?:by|until|from|till|ago|for|just|and|before|every|even|up to)\s+$", re.I
            )
        )
    ):
        return None
    if place.said.lower() == "just now":
        return spans.hours_around(place.now, timedelta(hours=1), timedelta())
    return spans.hours_around(place.now, timedelta(), timedelta(minutes=1))


@rule("moment", "counted", "stretch", "date")
def _moment(_place: Place, span: Span) -> Span:
    return span
