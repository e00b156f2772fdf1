"""Which part of a day, week, month or year, in English: early, late, so far, the rest, its end."""

from __future__ import annotations

import re
from datetime import timedelta

from text.time import spans
from text.time.english.words import HOUR, rule
from text.time.grammar import Place
from text.time.spans import DAY, Span, day_span


@rule("period", "half '-|in'? 'the'? period", "half '-|in'? near_day")
def _half_period(place: Place, part: str, period: Span | int) -> Span | None:
    if isinstance(period, int):
        period = day_span(place.now.today + period * DAY)
    if period.unit == "day" and part == "late":
        return (
            Span(spans.at(period.start.date(), 16 * HOUR), period.end, "part")
            if period.start
            else None
        )
    found = spans.part_of(period, part)
    again = period.again
    return Span(
        found.start,
        found.end,
        found.unit,
        again=(lambda n: spans.part_of(again(n), part)) if again else None,
    )


@rule("period", "'the'? 'mid|mid-|end of|start of|beginning of|middle of' 'the'? period_unit")
def _edge_of_this(place: Place, unit: str) -> Span | None:
    """ "mid week", "end of month": of the one that is now."""
    if unit not in ("week", "month", "year", "quarter") or place.said.endswith("s"):
        return None
    part = {"m": "mid", "e": "late"}.get(re.sub(r"^the\s+", "", place.said.lower())[0], "early")
    return spans.part_of(spans.unit_span(place.now.today, unit), part)


@rule(
    "period",
    "'the'? 'rest of|remainder of' near_day",
    "'the'? 'rest of the day|remainder of the day'",
)
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


@rule(
    "period",
    "'year to date|ytd|year-to-date|month to date|mtd|month-to-date|week to date|quarter to date|qtd'",
)
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
    "period",
    "'eom|eoy|eod|eow|end of day|end of the day|close of business|cob|end of month|end of year|end of week'",
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
