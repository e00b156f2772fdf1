"""What is counted from now, in Chinese."""

from __future__ import annotations

import re
from datetime import timedelta

from text.time import spans
from text.time.chinese.words import rule, words
from text.time.grammar import Place
from text.time.spans import DAY, Quantity, Span, day_span


@rule("counted", "'大约|大概|差不多|约|就在|才'? quantity '左右|多'? sign_after")
def _ago(place: Place, quantity: Quantity, sign: int) -> Span | None:
    if place.said[0] in "几" and quantity[0][1] in ("day", "week", "month", "year"):
        return _some_ago(place, quantity, sign)
    if re.search(r"\d年[前后]$|年(?:之|以)[前后]$", place.said) and quantity[0][0] > 1000:
        return None
    return spans.moved(place.now, place.now.moment, quantity, sign)


def _some_ago(place: Place, quantity: Quantity, sign: int) -> Span:
    return spans.moved(place.now, place.now.moment, quantity, sign)


@rule("counted", "number '个'? '周|星期|礼拜' sign_after '的'? weekday")
def _weekday_weeks_ago(place: Place, weeks: int, sign: int, weekday: int) -> Span:
    return day_span(spans.monday(place.now.today) + (7 * sign * weeks + weekday) * spans.DAY)


@rule("counted", "'再过|过' quantity")
def _in(place: Place, quantity: Quantity) -> Span | None:
    return (
        spans.moved(place.now, place.now.moment, quantity, 1)
        if not place.follows(re.compile(r"[经度超不路通]$")) and place.said.startswith("再")
        else None
    )


@rule("counted", "date '的|再'? quantity sign_after", "date '的'? sign_after quantity")
def _from_day(place: Place, day: Span, one: object, two: object) -> Span | None:
    quantity, sign = (one, two) if isinstance(one, list) else (two, one)
    if (
        day.start is None
        or not isinstance(quantity, list)
        or not isinstance(sign, int)
        or quantity[0][1] in spans.CLOCK_UNITS
    ):
        return None
    return spans.moved(place.now, day.start, quantity, sign)


@rule("counted", "date '的'? sign_after '第' number '天|日'")
def _nth_day_from(_place: Place, day: Span, sign: int, nth: int) -> Span | None:
    return day_span(day.start.date() + sign * nth * DAY) if day.start and nth <= 366 else None


@rule("counted", "quantity '前|之前|以前|后|之后|以后' '的' '今天|这一天|同一天'")
def _same_day(place: Place, quantity: Quantity) -> Span:
    return spans.moved(place.now, place.now.moment, quantity, -1 if "前" in place.said else 1)


@rule("stretch", "'在'? back_or_on '的|这'? quantity '里|内|以来|之内|中|间|期间|来'?")
def _last_few(place: Place, sign: int, quantity: Quantity) -> Span | None:
    said = place.said
    if said == "前一天" or place.follows(re.compile("公元$")):
        return None
    if said.startswith(("这", "上", "下")) and not re.match(
        r"[这上下]\D*[两几三四五六七八九十\d]", said
    ):
        return None
    if said.startswith(("后", "前", "上", "下", "之前", "以前")) and (
        place.follows(re.compile(r"[天年日月周以之今向往目当从提]$"))
        or (quantity[0][1] in spans.CLOCK_UNITS and quantity[0][0] < 1)
    ):
        return None
    if re.match(r"前[几数]|这[几数]", said):
        return (
            Span(spans.at(place.now.today - 7 * DAY), spans.at(place.now.today), "day")
            if quantity[0][1] == "day"
            else spans.stretch(place.now, quantity, sign)
        )
    return spans.stretch(place.now, quantity, sign)


@rule("stretch", "quantity '内|之内|以内'")
def _within(place: Place, quantity: Quantity) -> Span:
    return spans.stretch(place.now, quantity, 1)


@rule("stretch", "quantity '以来|来'")
def _ever_since(place: Place, quantity: Quantity) -> Span | None:
    return (
        spans.stretch(place.now, quantity, -1)
        if place.said.endswith("以来") or place.follows(re.compile(r"(?:近|这)$"))
        else None
    )


words("vague", {
    "最近": (14, 0), "近来": (14, 0), "近期": (14, 0), "近日": (7, 0), "这几天": (7, 0), "这些天": (7, 0), "这两天": (2, 0), "这阵子": (14, 0), "这段时间": (30, 0), "前几天": (7, 1),
    "前些天": (14, 1), "前些日子": (30, 1), "前两天": (2, 1), "前阵子": (30, 1), "前一阵": (30, 1), "前一阵子": (30, 1), "前段时间": (30, 1), "前一段时间": (30, 1), "不久前": (7, 1), "不久之前": (7, 1), "不久以前": (7, 1),
    "几天前": (3, 2), "前几周": (21, 1), "前几个月": (90, 1), "前几年": (1095, 1), "近几年": (1095, 0), "这几年": (1095, 0), "近些年": (1095, 0), "近年来": (1095, 0), "前些年": (1095, 1), "这几周": (21, 0), "这几个月": (90, 0), "近几个月": (90, 0),
})  # fmt: skip


@rule("stretch", "vague")
def _vague(place: Place, days: tuple[int, int]) -> Span | None:
    today = place.now.today
    if days[1] == 2:
        return day_span(today - days[0] * DAY)
    return Span(
        spans.at(today - days[0] * DAY), spans.at(today) if days[1] else place.now.moment, "day"
    )


@rule("stretch", "'过几天|过两天|过些天|过些日子|改天'")
def _soon(place: Place) -> Span | None:
    if place.follows(re.compile(r"[经超度不]$")) or "改" in place.said:
        return None
    return Span(spans.at(place.now.today + DAY), spans.at(place.now.today + 8 * DAY), "day")


@rule("moment", "'刚才|刚刚|方才|刚刚才'")
def _just_now(place: Place) -> Span:
    return spans.hours_around(place.now, timedelta(hours=1), timedelta())


@rule("moment", "'现在|此刻|目前|当前|眼下|此时此刻|如今|这会儿|当下|此时'")
def _now(place: Place) -> Span | None:
    if place.precedes(re.compile(r"(?:进行时|版|目录|文件|页|用户|窗口|分支)")):
        return None
    return spans.hours_around(place.now, timedelta(), timedelta(minutes=1))
