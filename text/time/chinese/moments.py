"""A day with its time in Chinese, and now."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, tzinfo

from text.time.chinese.words import HOUR, NOT_A_CLOCK, PARTS, rule
from text.time.grammar import Place
from text.time.spans import DAY, Clock, Span, day_span
from text.values.numbers import CHINESE_DIGITS as CHARACTERS


@rule("moment", "iso")
def _iso(_place: Place, said: str) -> Span:
    day, clock = re.split(r"[T ]", said, maxsplit=1)
    year, month, day_number = (int(part) for part in day.split("-"))
    found = re.match(r"(\d+):(\d+)(?::(\d+)(?:\.\d+)?)?\s?(Z|[+-]\d{2}:?\d{2})?", clock)
    if not found:
        raise ValueError(said)
    hour, minute, second, zone = found.groups()
    start = datetime(year, month, day_number, int(hour), int(minute), int(second or 0))
    known: tzinfo | None = (
        datetime.fromisoformat(f"2000-01-01T00:00:00{zone}").tzinfo if zone else None
    )
    return Span(start, start + timedelta(seconds=1 if second else 60), "minute", zone=known)


@rule("day", "date", "counted")
def _day(_place: Place, day: Span) -> Span | None:
    return (
        day if day.unit == "day" and day.start and day.end and day.end - day.start <= DAY else None
    )


@rule("moment", "day '的|,|在|大概|大约|差不多|约|快|快到|将近|接近|近'? clocks")
def _day_and_clock(_place: Place, day: Span, clock: Clock) -> Span:
    return clock.on(day)


@rule("moment", "day '的|,|在'? part")
def _day_and_part(place: Place, day: Span, part: Clock) -> Span | None:
    if (
        place.said[-1] in "早晚夜"
        and place.precedes(re.compile(r"(?:餐|饭|会|点|安|期|年|宵|于|到|了|睡|起)"))
        and len(place.said) > 2
        and place.said[-2:] not in ("早上",)
    ):
        return None
    return part.on(day)


@rule("moment", "'今天|今日|今儿'? '早些时候'", "'今天|今日|今儿'? '晚些时候|稍晚'")
def _earlier_or_later_today(place: Place) -> Span:
    day = day_span(place.now.today)
    if "早" in place.said:
        return Span(day.start, place.now.moment, "hour")
    return Span(place.now.moment, day.end, "hour")


@rule(
    "moment",
    "near_day_short part_word '的|,|大概|大约|差不多|约|快|快到|将近|接近|近'? clocks",
    "near_day_short part_word",
)
def _short_day(
    place: Place, days: int, hours: tuple[int, int], clock: Clock | None = None
) -> Span | None:
    if days == -2 and (
        place.said[1] not in "晚夜" or place.follows(re.compile(r"[之以从目先提往向天日周月年上]$"))
    ):
        return None
    part = Clock(hours[0] * HOUR, (hours[1] - hours[0]) * HOUR, is_part=True)
    if clock:
        part = clock.within(part)
    return part.on(day_span(place.now.today + days * DAY))


@rule("time", "'当|那天的|那天|那|当天' '早上|上午|中午|下午|傍晚|晚上|晚|夜里|夜|早|晨'")
def _that_evening(place: Place) -> Span | None:
    word = re.sub("^(?:当天|那天的|那天|那|当)", "", place.said)
    if len(word) == 1 and (
        place.said[:-1] not in ("当", "那天", "当天")
        or place.precedes(re.compile("[餐饭会点安期年到了于间]"))
    ):
        return None
    hours = PARTS[word]
    return Clock(hours[0] * HOUR, (hours[1] - hours[0]) * HOUR, is_part=True).told()


@rule("moment", "counted", "stretch", "date")
def _moment(_place: Place, span: Span) -> Span:
    return span


@rule("moment", "clocks")
def _clock_alone(place: Place, clock: Clock) -> Span | None:
    said = place.said
    if re.fullmatch(rf"(?:1|一|\d{{1,3}}|[{CHARACTERS}]+)(?:点|时)", said) and (
        said[:-1] in ("1", "一")
        or (
            said.endswith("时")
            and not re.match("[0-9零]", said)
            and not place.follows(re.compile(r"[在于到从至]$"))
        )
        or place.follows(NOT_A_CLOCK)
    ):
        return None
    if place.follows(re.compile(r"(?:每天|每日|每晚|每早|天天|[\d.:])$")) or place.precedes(
        re.compile(r"(?:比|的比|\d)")
    ):
        return None
    return clock.alone(place.now)


@rule("moment", "part")
def _part_alone(place: Place, part: Clock) -> Span | None:
    if (
        len(place.said) < 2
        or place.follows(re.compile(r"(?:每|每天|每个|天天|一|[日月周年])$"))
        or place.precedes(re.compile(r"(?:好|安|茶|饭|餐|场)"))
    ):
        return None
    return part.alone(place.now)
