"""Whole expressions in English: ranges, open sides, what comes again and again."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from text.time import spans
from text.time.english.words import EVERY, NOUN, PREPOSITION, WEEKDAYS, pattern, rule, words
from text.time.grammar import Place
from text.time.spans import DAY, SILENT, Clock, Span, day_span


@rule("side", "moment", "period")
def _side(_place: Place, span: Span) -> Span:
    return span


@rule("since_side", "side")
def _since_side(_place: Place, span: Span) -> Span:
    return span


@rule("since_side", "'about|around|approximately|roughly'? clock")
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
    "'from|between'? 'the'? month 'the'? day_number '-|to|through|till|until|and|thru' 'the'? day_number ','? 'of'? said_year?",
)
def _days_of_month(
    place: Place, month: int, first: int, last: int, year: int | None
) -> Span | None:
    if re.search(r"\band\b", place.said, re.I) and not re.match("between|from", place.said, re.I):
        return None

    def make(number: int) -> Span:
        return Span(
            spans.at(date(number, month, first)), spans.at(date(number, month, last) + DAY), "day"
        )

    if last < first:
        return None
    return make(year) if year else spans.yearly(place.now, make)


@rule(
    "time",
    "'from|between'? day_number '-|to|through|till|until|and|thru' day_number month ','? 'of'? said_year?",
)
def _month_after_days(
    place: Place, first: int, last: int, month: int, year: int | None
) -> Span | None:
    found: Span | None = _days_of_month(place, month, first, last, year)
    return found


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
        and not place.follows(PREPOSITION)
        and place.said != place.text.strip(" .?!")
    ):
        return None
    return Span(spans.at(date(first, 1, 1)), spans.at(date(last + 1, 1, 1)), "year")


pattern("last_two", r"\d\d(?![\w-])", int)


@rule(
    "time",
    "'from'? day_like ','? 'from|at|,'? strict_side '-|to|till|until' strict_side 'on'? day_like",
)
def _unused_range(_place: Place, day: Span, first: Clock, last: Clock, other: Span) -> Span:
    return spans.joined(first.on(day), last.on(other))


@rule("strict_side", "strict_clock")
def _strict_side(_place: Place, clock: Clock) -> Clock:
    return clock


@rule(
    "time",
    "'from'? moment '-|to|till|until' 'the'? clock_side",
    "'between' moment 'and' clock_side",
)
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
    "'since|ever since|no earlier than|not earlier than|not before|as of|as from|effective|starting from|starting in|starting on|starting|beginning in|beginning on|beginning|from' since_side 'on|onward|onwards|until now|to now|to date|to the present|to present|till now|up to now'?",
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
    "'before|on or before|prior to|earlier than|previous to|no later than|up to|up to and including|until|till|til|by|not later than|through|as late as|up until' side",
    "'before|until|till|by|prior to|no later than' clock",
)
def _before(place: Place, span: Span | Clock) -> Span | None:
    first = place.said.lower().split()[0]
    span = span.alone(place.now) if isinstance(span, Clock) else span
    if span.unit == "number" or span.start is None:
        return None
    if first == "through" and span.unit not in ("day", "week", "month", "year"):
        return None
    if first == "up" and place.said.lower().endswith("ly"):  # "what have you been up to lately?"
        return None
    exclusive = first in ("before", "prior", "earlier", "previous") or span.unit in (
        "hour",
        "minute",
        "part",
    )
    return Span(None, span.start if exclusive else span.end, span.unit, zone=span.zone)


@rule("time", "'after|on or after|later than' side", "'after|later than' clock")
def _after(place: Place, span: Span | Clock) -> Span | None:
    span = span.alone(place.now) if isinstance(span, Clock) else span
    if span.unit == "number" or span.start is None:
        return None
    if place.said.lower().startswith("on or"):
        return Span(span.start, None, span.unit)
    return Span(
        span.start if span.unit in ("hour", "minute") else span.end, None, span.unit, zone=span.zone
    )


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
    if clock.is_part and (
        place.follows(EVERY) or not re.search(r"\b(?:in|during|at|this|at)\b", place.said, re.I)
    ):
        return None
    if clock.is_part and place.said.lower() == "at night":
        return None
    return clock.alone(place.now)


_HOURS_BEFORE = re.compile(
    r"\bat \d{1,2}(?::\d\d)?(?: ?[ap]\.?m\.?)?(?:, (?:at )?\d{1,2}(?::\d\d)?)*,? (?:and|or) $", re.I
)


@rule("time", "loose_hour")
def _hour_of_a_list(place: Place, clock: Clock) -> Span | None:
    """ "At 9 and 4"."""
    return (
        clock.alone(place.now)
        if place.follows(_HOURS_BEFORE) and not place.precedes(NOUN)
        else None
    )


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
