"""Weeks, months, seasons and years in Chinese."""

from __future__ import annotations

import re
from datetime import date

from text.time import spans
from text.time.chinese.words import (
    A_WISH,
    DURATION_AFTER,
    EVERY,
    NO_WEEKDAY,
    pattern,
    rule,
    words,
)
from text.time.feasts import lunar_date, weekday_in_month
from text.time.grammar import Place
from text.time.spans import DAY, Quantity, Span
from text.values import chinese_number as number


@rule("period", "any_year '的|-'? month_number", "any_year '的'? '第' number '个月'")
def _month_of_year(_place: Place, year: int, month: int) -> Span | None:
    return spans.months_span(year, month, 1, "month") if 1 <= month <= 12 else None


@rule("period", "year_month")
def _numeric_month(_place: Place, said: str) -> Span:
    year, month = (int(part) for part in re.split(r"[-/]", said))
    return spans.months_span(year, month, 1, "month")


@rule("period", "month_number")
def _month(place: Place, month: int) -> Span | None:
    if place.precedes(re.compile(r"(?:饼|薪|球|亮|票|经|革命|兔|[一两三]次)")):
        return None
    return spans.yearly(place.now, lambda year: spans.months_span(year, month, 1, "month"))


pattern(
    "month_pair",
    "(?:1、2|2、3|3、4|4、5|5、6|6、7|7、8|8、9|[一二三四五六七八]、?[二三四五六七八九])(?=月)",
    lambda said: _pair(said),
)


def _pair(said: str) -> tuple[int, int] | None:
    first, last = number(said[0]), number(said[-1])
    return (first, last) if first and last and last == first + 1 else None


@rule("period", "year? month_pair '月份|月间|月'")
def _two_months(place: Place, year: int | None, pair: tuple[int, int]) -> Span | None:
    if place.follows(re.compile("[十个第]$")):
        return None
    if year:
        return spans.months_span(year, pair[0], 2, "month")
    return spans.yearly(place.now, lambda each: spans.months_span(each, pair[0], 2, "month"))


@rule("period", "shift '月份|月'", "shift '月' '份'")
def _shifted_month(place: Place, shift: int) -> Span | None:
    if place.said in ("上一月", "前一月") or (place.said[0] in "后" and shift > 0):
        return None
    return spans.unit_span(place.now.today, "month", shift)


@rule("period", "shift '周|星期|礼拜'")
def _shifted_week(place: Place, shift: int) -> Span | None:
    is_weekday = place.precedes(re.compile("[天日一二三四五六]")) and not NO_WEEKDAY.match(
        place.text, place.end
    )
    if (
        is_weekday
        or place.precedes(re.compile(r"(?:几|年|末|期|边|围|到的|转)"))
        or place.said.startswith("当")
    ):
        return None
    return spans.unit_span(place.now.today, "week", shift)


@rule("period", "shift '周末|周的周末|个周末|星期的周末'", "'周末'", "shift '周双休日'")
def _weekend(place: Place, shift: int = 0) -> Span | None:
    if place.follows(EVERY) or place.precedes(A_WISH):
        return None
    return spans.unit_span(place.now.today, "weekend", shift)


@rule("period", "shift '季度|季'")
def _shifted_quarter(place: Place, shift: int) -> Span | None:
    return spans.unit_span(place.now.today, "quarter", shift) if place.said.endswith("度") else None


@rule("period", "shift '世纪|个世纪'")
def _shifted_century(place: Place, shift: int) -> Span:
    return spans.unit_span(place.now.today, "century", shift)


@rule(
    "period",
    "shift '世纪|个世纪' '初|末|中叶|中期|初期|末期|前期|后期'",
    "short_number '世纪' '初|末|中叶|中期|初期|末期|前期|后期'",
)
def _part_of_century(place: Place, which: int) -> Span:
    century = place.now.today.year // 100 + which if place.said[0] in "上这本下" else which - 1
    first, years = (
        (0, 10)
        if re.search("[初前]期?$", place.said)
        else (90, 10)
        if re.search("[末后]期?$", place.said)
        else (40, 20)
    )
    return spans.months_span(century * 100 + first, 1, 12 * years, "decade")


@rule(
    "period",
    "year '的'? special_month '里|间'?",
    "special_month '里|间'?",
    "lunar_mark year? '的'? month_number",
)
def _lunar_month(place: Place, *values: int) -> Span | None:
    """A month of the Chinese calendar, from its first day to before that of the next."""
    if "元月" in place.said or place.precedes(re.compile("[初十廿二三卅\\d]")):
        return None
    month = values[-1]

    def make(year: int) -> Span:
        first = lunar_date(year, month, 1)
        try:
            after = lunar_date(year, month, 1, leap=True)
        except ValueError:  # as in most years
            after = lunar_date(year + month // 12, month % 12 + 1, 1)
        return Span(spans.at(first), spans.at(after), "month")

    said_year = values[-2] if len(values) > 1 and values[-2] and values[-2] > 1000 else None
    return make(said_year) if said_year else spans.yearly(place.now, make)


@rule("period", "shift '年代'", "shift '十年'")
def _shifted_decade(place: Place, shift: int) -> Span:
    return spans.unit_span(place.now.today, "decade", shift)


@rule("nth_quarter", "'的'? '第' short_number '季度|个季度'", "'的'? short_number '季度'")
def _nth_quarter(_place: Place, nth: int) -> int | None:
    return nth if 1 <= nth <= 4 else None


pattern("quarter_digit", r"[qQ][1-4](?!\w)", lambda said: int(said[1]))


@rule("period", "quarter_digits")
def _quarter_digits(_place: Place, said: str) -> Span:
    year, nth = (int(each) for each in sorted(re.findall(r"\d+", said), key=len, reverse=True))
    months = 3 if "q" in said.lower() else 6
    return spans.months_span(
        year + 2000 * (year < 100), nth * months - months + 1, months, "quarter"
    )


@rule(
    "period",
    "any_year nth_quarter",
    "any_year quarter_digit",
    "short_year quarter_digit",
    "short_year nth_quarter",
)
def _quarter_of_year(_place: Place, year: int, nth: int) -> Span:
    return spans.months_span(year, 3 * nth - 2, 3, "quarter")


@rule("period", "nth_quarter")
def _quarter(place: Place, nth: int) -> Span:
    return spans.yearly(place.now, lambda year: spans.months_span(year, 3 * nth - 2, 3, "quarter"))


@rule("period", "any_year half_year", "half_year")
def _half_year(place: Place, *values: int) -> Span:
    if len(values) == 2:
        return spans.months_span(values[0], values[1], 6, "half")
    return spans.yearly(place.now, lambda year: spans.months_span(year, values[0], 6, "half"))


@rule("period", "any_year year_third")
def _third_of_year(place: Place, year: int, third: int) -> Span:
    return spans.months_span(year, (1, 4, 10)[third], (3, 6, 3)[third], "quarter")


@rule("period", "'年初|年中|年底|年末|岁末'")
def _third_of_this_year(place: Place) -> Span | None:
    if place.follows(re.compile(r"[\d一二三四五六七八九十每去今明前后当]$")):
        return None
    third = {"年初": 0, "年中": 1}.get(place.said, 2)
    return spans.yearly(
        place.now,
        lambda year: spans.months_span(year, (1, 4, 10)[third], (3, 6, 3)[third], "quarter"),
    )


def third_of(span: Span, third: int) -> Span:
    if span.start is None or span.end is None:
        raise ValueError("no month")
    again = span.again
    start = span.start + 10 * third * DAY
    return Span(
        start,
        start + 10 * DAY if third < 2 else span.end,
        "day",
        again=(lambda n: third_of(again(n), third)) if again else None,
    )


@rule("period", "a_month '的'? third")
def _third_of_month(_place: Place, month: Span, third: int) -> Span:
    return third_of(month, third)


@rule("a_month", "any_year '的'? month_number")
def _a_month_of_year(_place: Place, year: int, month: int) -> Span:
    return spans.months_span(year, month, 1, "month")


@rule("a_month", "month_number")
def _a_month(place: Place, month: int) -> Span:
    return spans.yearly(place.now, lambda year: spans.months_span(year, month, 1, "month"))


@rule("a_month", "shift '月'")
def _a_shifted_month(place: Place, shift: int) -> Span:
    return spans.unit_span(place.now.today, "month", shift)


@rule("period", "'月初|月中|月底|月末|上旬|中旬|下旬'")
def _third_of_this_month(place: Place) -> Span | None:
    if place.follows(re.compile(r"(?:[\d一二三四五六七八九十个每上下本这当]|每个)$")):
        return None
    third = {"月初": 0, "月中": 1, "上旬": 0, "中旬": 1}.get(place.said, 2)
    return third_of(spans.unit_span(place.now.today, "month"), third)


@rule("period", "shift '周初|周末尾|周伊始'", "shift '季度' '初|末|底'")
def _edge_of_unit(place: Place, shift: int) -> Span | None:
    if "季度" in place.said:
        quarter = spans.unit_span(place.now.today, "quarter", shift)
        if quarter.start is None or quarter.end is None:
            return None
        month = (
            quarter.start.date()
            if place.said.endswith("初")
            else spans.plus_months(quarter.end.date(), -1)
        )
        return spans.months_span(month.year, month.month, 1, "month")
    return spans.part_of(spans.unit_span(place.now.today, "week", shift), "early")


@rule("whole", "a_month", "year", "any_year nth_quarter", "shift '季度|周|星期|礼拜'")
def _whole(place: Place, *values: Span | int) -> Span | None:
    first = values[0]
    if isinstance(first, Span):
        return first
    if len(values) == 2 and isinstance(values[1], int):
        return spans.months_span(first, 3 * values[1] - 2, 3, "quarter")
    if place.said.endswith(("度", "周", "期", "拜")):
        return spans.unit_span(
            place.now.today, "quarter" if place.said.endswith("度") else "week", first
        )
    return spans.months_span(first, 1, 12, "year")


@rule("period", "whole '的'? '前|头|最初|开头' quantity", "whole '的'? '最后|后' quantity")
def _edge_of_period(place: Place, period: Span, quantity: Quantity) -> Span | None:
    amount, unit = quantity[0]
    if (
        period.start is None
        or period.end is None
        or period.unit == "day"
        or len(quantity) > 1
        or unit in spans.CLOCK_UNITS
        or amount % 1
    ):
        return None
    if place.follows(re.compile("[上下这]$")) or place.said.endswith(("前", "后")):
        return None
    if quantity == [(1, "week")]:
        return None
    months, days = (
        int(amount) * spans.MONTH_UNITS.get(unit, 0),
        int(amount) * spans.DAY_UNITS.get(unit, 0),
    )
    if re.search(r"后[^后]*$", place.said) and not re.search(r"[前头初][^前头初]*$", place.said):
        edge = spans.at(spans.plus_months(period.end.date(), -months)) - days * DAY
        return Span(edge, period.end, unit) if edge >= period.start else None
    edge = spans.at(spans.plus_months(period.start.date(), months)) + days * DAY
    return Span(period.start, edge, unit) if edge <= period.end else None


@rule(
    "period",
    "a_month '的'? '第' short_number '周|个星期|个礼拜|个周|星期'",
    "a_month '的'? '最后' '一周|1周|一个星期|一个礼拜'",
)
def _week_of_month(_place: Place, month: Span, nth: int = -1) -> Span | None:
    if month.start is None or month.end is None:
        return None
    first_thursday = month.start.date() + (3 - month.start.weekday()) % 7 * DAY
    last_thursday = month.end.date() - ((month.end.weekday() - 4) % 7 + 1) * DAY
    thursday = last_thursday if nth < 0 else first_thursday + 7 * (nth - 1) * DAY
    return spans.days_span(thursday - 3 * DAY, 7, "week") if thursday < month.end.date() else None


@rule("period", "a_month '的'? '第' number '个'? '周末'", "a_month '的'? '最后' '一个|1个' '周末'")
def _nth_weekend(_place: Place, month: Span, nth: int = -1) -> Span | None:
    if month.start is None:
        return None
    return spans.days_span(
        weekday_in_month(month.start.year, month.start.month, nth, 5), 2, "weekend"
    )


@rule("period", "any_year '的'? '第' number '周|个星期|个礼拜|个周'")
def _week_of_year(_place: Place, year: int, week: int) -> Span:
    return spans.days_span(date.fromisocalendar(year, week, 1), 7, "week")


@rule("period", "any_year '的'? season")
def _season_of_year(_place: Place, year: int, season: tuple[int, int]) -> Span:
    return spans.months_span(year, season[0], season[1], "season")


@rule("period", "season")
def _season(place: Place, season: tuple[int, int]) -> Span | None:
    if len(place.said) < 2 or place.follows(EVERY) or place.follows(re.compile(r"(?:个|像|如)$")):
        return None
    return spans.yearly(
        place.now, lambda year: spans.months_span(year, season[0], season[1], "season")
    )


@rule("period", "year '全年|整年|一整年|一年|期间'?")
def _whole_year(place: Place, year: int) -> Span | None:
    return spans.months_span(year, 1, 12, "year")


@rule("period", "short_year")
def _short_whole_year(place: Place, year: int) -> Span | None:
    certain = year < 2010 or (
        place.follows(re.compile(r"(?:在|于|自|从|至|到|[,，。]|^)$"))
        and year > 2010
        and place.precedes(re.compile(r"(?:的时候|那年|时|,|，|我|他|她|你)"))
    )
    if (
        place.precedes(DURATION_AFTER)
        or (place.precedes(re.compile(r"(?:前|后|来|级|间|内|之)")) and year >= 2000)
        or not certain
    ):
        return None
    return spans.months_span(year, 1, 12, "year")


words(
    "decade_tens",
    {f"{tens}十": value * 10 for value, tens in enumerate("一二三四五六七八九", 1)}
    | {f"{tens}0": tens * 10 for tens in range(10)}
    | {"00": 0, "零零": 0},
)


@rule("decade", "decade_tens '年代'")
def _decade_tens(_place: Place, tens: int) -> int:
    return tens


@rule(
    "period",
    "short_number '世纪' decade",
    "'上世纪|上个世纪' decade",
    "'本世纪|这个世纪' decade",
    "decade",
    "year_digits '年代'",
)
def _decade(place: Place, *values: int) -> Span:
    if len(values) == 2:
        start = (values[0] - 1) * 100 + values[1]
    elif values[0] >= 100:
        start = values[0]
    elif place.said.startswith("上"):
        start = place.now.today.year // 100 * 100 - 100 + values[0]
    elif place.said.startswith(("本", "这")):
        start = place.now.today.year // 100 * 100 + values[0]
    else:
        start = values[0] + (1900 if values[0] >= 30 else 2000)
    return spans.months_span(start, 1, 120, "decade")


@rule(
    "period",
    "decade '的'? '初|早期|初期|末|后期|末期|中期|中|晚期'",
    "'上世纪|上个世纪|20世纪|二十世纪' decade '的'? '初|早期|初期|末|后期|末期|中期|中|晚期'",
)
def _part_of_decade(place: Place, tens: int) -> Span:
    start = tens + (1900 if tens >= 30 or "世纪" in place.said else 2000)
    part = (
        "early" if re.search("[初早]", place.said) else "mid" if "中" in place.said[-2:] else "late"
    )
    return spans.part_of(spans.months_span(start, 1, 120, "decade"), part)


@rule("period", "'公元'? short_number '世纪'")
def _century(_place: Place, nth: int) -> Span:
    return spans.months_span((nth - 1) * 100, 1, 1200, "century")
