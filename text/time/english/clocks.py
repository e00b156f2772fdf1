"""Times of day in English."""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone, tzinfo

from text.time import spans
from text.time.english.words import A_QUANTITY, HOUR, MERIDIEM, NOUN, pattern, rule
from text.time.grammar import Place
from text.time.spans import Clock
from text.values import numbers as numbers_en


def _clock(hour: int, minute: int | None, second: int | None, half: str | None) -> Clock | None:
    if hour > 24 or (minute or 0) > 59 or (second or 0) > 59 or (half and not 0 <= hour <= 23):
        return None
    if half and hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    length = 1 if second is not None else 60 if minute is not None else HOUR
    return Clock(
        hour * HOUR + (minute or 0) * 60 + (second or 0),
        length,
        halves=not half and 1 <= hour <= 12,
    )


@rule("strict_clock", "colons meridiem?")
def _digital(place: Place, said: str, half: str | None) -> Clock | None:
    if "." in said and not half and not place.precedes(_A_DAY):
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
    if place.precedes(A_QUANTITY) or place.precedes(NOUN):
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
            and not place.precedes(NOUN)
        )
        else None
    )


@rule("strict_clock", "hour_number minute_words meridiem")
def _hour_minutes(_place: Place, hour: int, minute: int, half: str) -> Clock | None:
    return _clock(hour, minute, None, half)


@rule("loose_clock", "hour_number '-'? minute_words")
def _hour_minutes_words(place: Place, hour: int, minute: int) -> Clock | None:
    return (
        _clock(hour, minute, None, None)
        if not place.said[0].isdigit()
        and (minute >= 10 or re.search(r"\b(?:oh|o)\b", place.said, re.I))
        and minute < 60
        and 1 <= hour <= 12
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
        minutes == 30
        and "half" in place.said.lower()
        and not re.search(r"\bpast\b", place.said, re.I)
    ):
        return None
    before = re.search(r"\b(?:to|till|before|of|til)\b", place.said, re.I)
    bare = (
        before
        and re.match(r"[\w-]+ (?:to|till|til|of|before)\b", place.said, re.I)
        and not re.match("quarter", place.said, re.I)
    )
    if bare and (minutes % 5 or place.follows(_FROM)):
        return None  # "from 9 to 5"
    if (
        not half
        and not re.search(r"\b(?:past|quarter)\b", place.said, re.I)
        and not place.follows(re.compile(r"\b(?:at|is|by|around|about|it's|until)\s+$", re.I))
        and place.said != place.text.strip(" .?!")
        and not place.precedes(_A_DAY)
    ):
        return None
    found = _clock(hour, 0, None, half)
    if not found:
        return None
    start = found.start + (-60 if before else 60) * minutes
    return Clock(start % 86400, 60, halves=found.halves)


_FROM = re.compile(r"\b(?:from|between)\s+$", re.I)


@rule("strict_clock", "past_minutes 'past|after|to|before' 'midnight|noon'")
def _minutes_from_noon(place: Place, minutes: int) -> Clock | None:
    sign = -1 if re.search(r"\b(?:to|before)\b", place.said, re.I) else 1
    start = (12 * HOUR if place.said.lower().endswith("noon") else 0) + sign * 60 * minutes
    return Clock(start % 86400, 60)


_A_DAY = re.compile(
    r"\s+(?:this (?:morning|afternoon|evening)|yesterday|today|tomorrow|tonight|in the|last night)\b",
    re.I,
)


@rule("strict_clock", "'half' hour_number")
def _half_seven(place: Place, hour: int) -> Clock | None:
    """As the British say it: half seven is half past seven."""
    if not 1 <= hour <= 12 or not place.follows(
        re.compile(r"\b(?:at|by|around|about|until)\s+$", re.I)
    ):
        return None
    return _clock(hour, 30, None, None)


@rule(
    "strict_clock",
    "'at'? '12'? 'noon|noonish|noontime|midday|mid-day|noonday|twelve noon|high noon'",
)
def _noon(_place: Place) -> Clock:
    return Clock(12 * HOUR, HOUR)


@rule("strict_clock", "'at'? '12'? 'midnight|mid-night|twelve midnight'")
def _midnight(_place: Place) -> Clock:
    return Clock(0, HOUR)


@rule("zone", "zone_word 'time'?")
def _zone(_place: Place, hours: float) -> tzinfo:
    return UTC if not hours else timezone(timedelta(hours=hours))


@rule("zone", "offset")
def _offset(_place: Place, said: str) -> tzinfo | None:
    found = re.fullmatch(r"(?:utc|gmt)\s?([+-])(\d{1,2}):?(\d{2})?", said, re.I)
    if not found:
        return None
    ahead = timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
    return timezone(ahead if found[1] == "+" else -ahead)


@rule("exact_clock", "strict_clock zone")
def _zoned(_place: Place, clock: Clock, zone: tzinfo) -> Clock:
    return Clock(clock.start, clock.length, clock.halves, zone)


@rule("exact_clock", "strict_clock 'sharp|exactly|on the dot|-ish|ish'?")
def _exact(_place: Place, clock: Clock) -> Clock:
    return clock


@rule(
    "exact_clock",
    "'just|shortly|right|soon|a little|a bit' 'after|before|past' strict_clock",
    "'just|shortly|right|soon|a little|a bit' 'after|before' loose_hour",
)
def _nearly(_place: Place, clock: Clock) -> Clock:
    return clock


@rule("exact_clock", "'around|about|at'? hour_ish")
def _ish(_place: Place, hour: int) -> Clock | None:
    return _clock(hour, None, None, None)


@rule(
    "exact_clock",
    "'at|by|around|about|@|at around|at about|at exactly|approximately|past' loose_hour",
)
def _at_hour(place: Place, clock: Clock) -> Clock | None:
    if place.said.lower().endswith(" one") and place.precedes(
        re.compile(r"\s+\w")
    ):  # "at one point"
        return None
    return (
        None
        if place.precedes(A_QUANTITY)
        or place.precedes(_NOUN_AFTER)
        or place.said.lower().startswith(("about", "approx", "past"))
        else clock
    )


_NOUN_AFTER = NOUN


@rule("loose_hour", "hour_number zone?")
def _loose_hour(place: Place, hour: int, zone: tzinfo | None) -> Clock | None:
    if place.precedes(A_QUANTITY) or place.precedes(MERIDIEM):
        return None
    found = _clock(hour, None, None, None)
    return found and Clock(
        found.start, found.length, found.halves and not place.said.startswith("0"), zone
    )


@rule("loose_hour", "loose_clock")
def _loose_minutes(_place: Place, clock: Clock) -> Clock:
    return clock


@rule("part", "'the'? part_word", "'the middle of the night'")
def _part(place: Place, hours: tuple[int, int] = (0, 4)) -> Clock:
    return Clock(hours[0] * HOUR, (hours[1] - hours[0]) * HOUR, is_part=True)


@rule("clock", "exact_clock ','? 'in the|at|in|during the' part")
def _clock_in_part(_place: Place, clock: Clock, part: Clock) -> Clock:
    return clock.within(part)


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
    is_range = place.follows(_A_DAY_BEFORE) or (
        re.match(r"\d?[1-46-9]\s", said) and place.precedes(_A_DAY)
    )  # "9 to 5 yesterday", not "5 to 9"
    if (
        not exact
        and not said.startswith(("from", "between"))
        and not is_range
        and not place.follows(_FROM)
    ):
        return None
    if not exact and (place.precedes(A_QUANTITY) or place.precedes(NOUN)):
        return None
    return spans.clocks(first, last)


_A_DAY_BEFORE = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|\w{3,6}day|last night|morning|afternoon|evening),?\s+$",
    re.I,
)


@rule("clock_side", "exact_clock", "loose_hour")
def _clock_side(place: Place, clock: Clock) -> Clock | None:
    return None if place.said.lower().startswith(("at ", "by ", "around ", "about ")) else clock


@rule("clock", "clock_range", "exact_clock")
def _just_clock(_place: Place, clock: Clock) -> Clock:
    return clock


@rule(
    "dated_clock",
    "'in|during|at|around|about'? part",
    "'at|around|by|from|,|@'? clock",
    "'at|@' loose_hour",
)
def _dated_clock(place: Place, clock: Clock) -> Clock:
    return clock


@rule(
    "dated_clock",
    "'in|during|at'? part ','? 'at|around|from'? clock",
    "'in the|at'? part 'at' loose_hour",
    "'in the|at'? part 'around|about' loose_hour",
)
def _part_then_clock(_place: Place, part: Clock, clock: Clock) -> Clock:
    return clock.within(part)
