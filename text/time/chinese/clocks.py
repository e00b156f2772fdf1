"""Times of day in Chinese."""

from __future__ import annotations

import re

from text.time import spans
from text.time.chinese.words import HOUR, NOT_A_CLOCK, rule
from text.time.grammar import Place
from text.time.spans import Clock


@rule("part", "part_word '的'? '时候|时分'?")
def _part(place: Place, hours: tuple[int, int]) -> Clock:
    return Clock(hours[0] * HOUR, (hours[1] - hours[0]) * HOUR, is_part=True)


@rule("minutes", "short_number '分'?")
def _minutes(place: Place, minutes: int) -> int | None:
    ten = len(place.said) > 1 or place.said.endswith(("分", "十"))
    return (
        minutes
        if 0 <= minutes < 60 and ten and not place.precedes(re.compile(r"[个块元人岁次天年月]"))
        else None
    )


@rule("minutes", "'半'")
def _half_past(place: Place) -> int | None:
    return None if place.precedes(re.compile("会|天|年")) else 30


@rule("minutes", "'一刻|1刻|过一刻'", "'三刻|3刻'")
def _quarter_past(place: Place) -> int:
    return 45 if place.said[0] in "三3" else 15


@rule("hour_mark", "'点钟|点整|点|时整|时'")
def _hour_mark(place: Place) -> str:
    return str(place.said)


@rule("exact_clock", "short_number hour_mark '过|零'? minutes short_seconds?")
def _hour_minutes(
    place: Place, hour: int, _mark: str, minutes: int, seconds: int | None
) -> Clock | None:
    if hour > 24:
        return None
    length = 60 if seconds is None else 1
    return Clock(hour * HOUR + minutes * 60 + (seconds or 0), length, halves=1 <= hour <= 12)


@rule("short_seconds", "short_number '秒'")
def _seconds(_place: Place, seconds: int) -> int | None:
    return seconds if seconds < 60 else None


@rule("exact_clock", "short_number hour_mark '左右|前后|许'?")
def _hour(place: Place, hour: int, mark: str) -> Clock | None:
    if (
        hour > 24
        or place.precedes(
            re.compile(
                r"(?:[儿子了个下赞也击]|以[下上]|式|积分|意|建|要|问|半小时|多余|半会|水[果旁])"
            )
        )
        or (
            place.said[0] in "几两"
            and (place.follows(NOT_A_CLOCK) or place.precedes(re.compile("之间线")))
        )
    ):
        return None
    return Clock(hour * HOUR, HOUR, halves=1 <= hour <= 12)


@rule(
    "exact_clock",
    "'差' short_number '分|分钟|刻' short_number hour_mark",
    "short_number hour_mark '差' short_number '分|刻'",
)
def _before_hour(place: Place, one: object, two: object, three: object) -> Clock | None:
    hour, minutes = (three, one) if isinstance(three, int) and isinstance(two, str) else (two, one)
    if isinstance(two, str) and isinstance(three, int):
        hour, minutes = one, three
    else:
        minutes, hour = one, two
    if not isinstance(hour, int) or not isinstance(minutes, int) or not 1 <= hour <= 24:
        return None
    if "刻" in place.said:
        minutes *= 15
    return Clock((hour * 60 - minutes) * 60, 60, halves=1 <= hour <= 12)


@rule("exact_clock", "colons '分'?")
def _digital(place: Place, said: str) -> Clock | None:
    numbers = [int(part) for part in said.split(":")]
    start = numbers[0] * HOUR + numbers[1] * 60 + (numbers[2] if len(numbers) > 2 else 0)
    return Clock(
        start, 1 if len(numbers) > 2 else 60, halves=1 <= numbers[0] <= 12 and said[0] != "0"
    )


@rule("exact_clock", "latin_clock")
def _latin(_place: Place, said: str) -> Clock:
    hour, _, minute = said.lower().partition("m")[0].rstrip("ap. ").partition(":")
    start = (int(hour) % 12 + 12 * ("p" in said.lower())) * HOUR + int(minute or 0) * 60
    return Clock(start, 60 if minute else HOUR)


@rule("exact_clock", "'正午'", "'午夜|子夜|零点|零时'")
def _noon(place: Place) -> Clock:
    return Clock(12 * HOUR if place.said == "正午" else 0, HOUR)


@rule(
    "clock",
    "'大概|大约|差不多|约|快到|将近|接近' exact_clock",
    "part '大概|大约|差不多|约|快|快到|将近|接近|近' exact_clock",
)
def _about(place: Place, part: Clock, clock: Clock | None = None) -> Clock | None:
    if clock is None:
        return None if place.said.endswith(("一点", "1点")) else part
    return clock.within(part)


@rule("clock", "part ',|的'? exact_clock")
def _part_and_clock(_place: Place, part: Clock, clock: Clock) -> Clock:
    return clock.within(part)


@rule("clock", "exact_clock")
def _clock(_place: Place, clock: Clock) -> Clock:
    return clock


@rule("clocks", "clock '-|到|至|~' clock")
def _clock_range(place: Place, first: Clock, last: Clock) -> Clock:
    said_part = re.match(r"\D*(?:午|晚|夜|晨|早)", place.said)
    if (said_part and last.halves and last.start + 43200 > first.start >= last.start) or (
        said_part
        and last.halves
        and first.start >= 43200 > last.start
        and last.start + 43200 > first.start
    ):
        last = Clock(last.start + 43200, last.length)
    elif said_part and last.halves and last.start > first.start:
        last = Clock(last.start, last.length)
    return spans.clocks(first, last)


@rule("clocks", "clock")
def _one_clock(_place: Place, clock: Clock) -> Clock:
    return clock
