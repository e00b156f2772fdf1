"""Whole expressions in Chinese: ranges, open sides, what comes again and again."""

from __future__ import annotations

import re
from datetime import date

from text.time import spans
from text.time.chinese.periods import third_of
from text.time.chinese.words import rule
from text.time.grammar import Place
from text.time.spans import DAY, SILENT, Span, day_span
from text.values import chinese_number as number


@rule("side", "moment", "period")
def _side(_place: Place, span: Span) -> Span:
    return span


@rule("joint", "'-|--|到|至|直到|一直到|到了'")
def _joint(place: Place) -> str:
    return str(place.said)


@rule("time", "'从|自'? a_month '的'? third joint '月初|月中|月底|月末|上旬|中旬|下旬|中|底|末'")
def _thirds(place: Place, month: Span, first: int, _joint: str) -> Span:
    last = (
        0
        if place.said[-1] == "初" or place.said.endswith("上旬")
        else 2
        if re.search("[底末]$|下旬$", place.said)
        else 1
    )
    return Span(third_of(month, first).start, third_of(month, last).end, "day")


@rule(
    "time",
    "'从|自|在'? side '开始|起|一直'? joint side '为止|止|期间|之间|这段时间|的时候'?",
    "'在|介于'? side '和|与|跟' side '之间|期间'",
)
def _range(place: Place, first: Span, *rest: object) -> Span | None:
    last = rest[-1]
    if not isinstance(last, Span):
        return None
    if (place.said.startswith("从") and place.said.endswith("到")) or first.unit == "number":
        return None
    return spans.joined(first, last)


@rule("time", "'从|自'? date joint '初' short_number")
def _lunar_days(place: Place, first: Span, _joint: str, last: int) -> Span | None:
    """ "正月初一到初七"."""
    begun = re.search(r"初([一二三四五六七八九十]{1,2})\s*(?:到|至|-)", place.said)
    days = last - (number(begun[1]) or 31) if begun else -1
    return (
        Span(first.start, first.start + (days + 1) * DAY, "day")
        if first.start and 0 < days < 30
        else None
    )


@rule("time", "'从|自'? calendar_day joint day_number", "'从|自'? calendar_day joint calendar_day")
def _days(_place: Place, first: Span, _joint: str, last: int | Span) -> Span | None:
    if isinstance(last, Span) or first.start is None:
        return None
    day = first.start.date().replace(day=last)
    if day < first.start.date():
        day = spans.plus_months(first.start.date().replace(day=1), 1).replace(day=last)
    return spans.joined(Span(first.start, first.end, "day"), day_span(day))


@rule(
    "time",
    "'从|自'? any_year month_number joint month_number",
    "'从|自'? shift weekday joint weekday",
)
def _inherited(place: Place, one: int, two: int, _joint: str, three: int) -> Span | None:
    if "月" in place.said:
        first = spans.months_span(one, two, 1, "month")
        return spans.joined(first, spans.months_span(one + (three < two), three, 1, "month"))
    monday = spans.monday(place.now.today) + 7 * one * DAY
    return (
        spans.joined(day_span(monday + two * DAY), day_span(monday + three * DAY))
        if two <= three
        else None
    )


@rule(
    "time",
    "'从|自'? short_number joint month_number",
    "'从|自'? year_digits joint year_digits '年'",
)
def _short_ranges(place: Place, first: int, _joint: str, last: int) -> Span | None:
    if last > 100:
        return (
            Span(spans.at(date(first, 1, 1)), spans.at(date(last + 1, 1, 1)), "year")
            if first < last
            else None
        )
    if not 1 <= first <= 12 or place.follows(re.compile(r"[\d年]$")) or first >= last:
        return None
    return spans.yearly(
        place.now,
        lambda year: Span(
            spans.months_span(year, first, 1, "month").start,
            spans.months_span(year, last, 1, "month").end,
            "month",
        ),
    )


@rule(
    "time",
    "'自从|自|从|打' side '以来|起|开始|至今|之后|以后|以后到现在|到现在|到今天'",
    "side '以来|起|至今'",
    "'自从|自打' side",
)
def _since(place: Place, span: Span) -> Span | None:
    if span.start is None or (
        place.said.endswith("起") and place.precedes(re.compile("[床身飞来火]"))
    ):
        return None
    if place.said.endswith(("至今", "到现在")):
        return Span(span.start, place.now.moment, span.unit, zone=span.zone)
    return Span(span.start, None, span.unit, zone=span.zone)


@rule("time", "'在|于'? side '之前|以前|前'", "'早于|在此之前' side")
def _before(place: Place, span: Span) -> Span | None:
    if span.start is None or (
        place.precedes(re.compile(r"[往面边后天两几夕]"))
        and place.said.endswith("前")
        and not place.said.endswith(("之前", "以前"))
    ):
        return None
    return Span(None, span.start, span.unit, zone=span.zone)


@rule("time", "'截至|截止|截止到|截至到|直到|到' side '为止|止|之前|前'?")
def _until(place: Place, span: Span) -> Span | None:
    if place.said.startswith("到") and not place.said.endswith(("止", "前")):
        return None
    return Span(
        None,
        span.end if span.unit not in ("hour", "minute") else span.start,
        span.unit,
        zone=span.zone,
    )


@rule("time", "'在|于'? side '之后|以后|过后|后'", "'晚于' side")
def _after(place: Place, span: Span) -> Span | None:
    if span.start is None or (
        place.precedes(re.compile(r"[面边天来两几]"))
        and place.said.endswith("后")
        and not place.said.endswith(("之后", "以后", "过后"))
    ):
        return None
    return Span(
        span.start if span.unit in ("hour", "minute") else span.end, None, span.unit, zone=span.zone
    )


@rule("time", "side '期间|那天|那时|的时候|左右'?")
def _time(_place: Place, span: Span) -> Span:
    return span


@rule(
    "time",
    "'每个|每逢|每隔|每一|每|隔|逢' one_quantity clocks?",
    "'每个|每逢|每|逢|每一个' date",
    "'每个|每逢|每|逢' period",
    "'每个|每逢|每|逢|每一个' weekday_prefix weekday_digit? clocks?",
    "'每个|每逢|每|逢|每一个' weekday_prefix weekday_digit part",
    "'每|每个' unit part? clocks?",
    "'每|天天' part clocks?",
    "'每天|每日|天天' clocks",
    "'每天|每日|天天' part",
    "'每个|每' '月' day_number? clocks?",
    "'每年' '的'? time",
    "'每月' day_number?",
    "'每年|每月|每天|每日'",
)
def _every(_place: Place, *_values: object) -> Span:
    return SILENT


@rule("time", "'每'? '周' weekday_digit '至|到|-' '周'? weekday_digit '每天|都'", "'工作日'")
def _weekdays_in_general(_place: Place, *_values: object) -> Span:
    return SILENT
