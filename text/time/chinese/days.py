"""Days in Chinese: dates, weekdays, holidays, the lunar calendar."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

from text.time import spans
from text.time.chinese.words import (
    A_WISH,
    FROM,
    HOLIDAYS,
    NO_WEEKDAY,
    THINGS_BY_NUMBER,
    dated,
    rule,
)
from text.time.feasts import (
    LUNAR_YEARS,
    Feast,
    lunar_date,
    weekday_in_month,
)
from text.time.grammar import Place
from text.time.spans import DAY, Span, day_span


@rule("year", "'公元'? year_digits '财年|年度|年的|年'")
def _year(_place: Place, year: int) -> int:
    return year


@rule("year", "near_year '的'?")
def _near_year(place: Place, years: int) -> int | None:
    today: date = place.now.today
    return None if place.precedes(re.compile("级")) else today.year + years


@rule("year", "'民国' number '年'")
def _republic(_place: Place, year: int) -> int:
    return 1911 + year


@rule("short_year", "two_digits '年'")
def _short_year(_place: Place, year: int) -> int:
    return year + (2000 if year < 50 else 1900)


@rule("any_year", "year", "short_year")
def _any_year(_place: Place, year: int) -> int:
    return year


@rule("any_year", "number '年前的|年之前的|年以前的'")
def _years_ago(place: Place, years: int) -> int | None:
    return place.now.today.year - years if 1 <= years < 100 else None


@rule("month_number", "short_number '月份|月'")
def _month_number(place: Place, month: int) -> int | None:
    is_count = place.said[0] == "两" or place.follows(re.compile(r"[\d.一二三四五六七八九十]$"))
    is_two = re.match("一、?二月", place.said) is not None  # January and February
    return month if 1 <= month <= 12 and not is_count and not is_two else None


@rule("month_number", "'元月|元月份|1月'")
def _first_month(_place: Place) -> int:
    return 1


@rule("day_number", "short_number '日|号'")
def _day_number(place: Place, day: int) -> int | None:
    return day if 1 <= day <= 31 and not place.precedes(THINGS_BY_NUMBER) else None


@rule(
    "calendar_day",
    "any_year '-|,|年的'? month_number '的'? day_number",
    "any_year month_number short_number",
)
def _full_date(place: Place, year: int, month: int, day: int) -> Span | None:
    if place.said[-1] not in "日号" and (
        not 1 <= day <= 31
        or place.precedes(
            re.compile(
                r"\s*(?:个|天|点|时|块|元|人|次|月|年|[起直定共同样边些]|[一二三四五六七八九十\d])"
            )
        )
    ):
        return None
    return dated(place, month, day, year)


@rule("calendar_day", "month_number '的'? day_number")
def _month_day(place: Place, month: int, day: int) -> Span:
    return dated(place, month, day, None)


@rule("calendar_day", "month_number short_number")
def _month_day_bare(place: Place, month: int, day: int) -> Span | None:
    if not place.precedes(
        re.compile(r"\s*(?:$|[,，。？！?!\s和与到至-]|早|晚|上午|下午|中午|凌晨|那|我|你|他)")
    ):
        return None
    return dated(place, month, day, None)


@rule("calendar_day", "shift '月份|月' '的'? day_number")
def _day_of_shifted_month(place: Place, shift: int, day: int) -> Span:
    first = spans.plus_months(place.now.today.replace(day=1), shift)
    return replace(day_span(first.replace(day=day)), cycle="year")


@rule("calendar_day", "day_number")
def _day_of_month(place: Place, day: int) -> Span | None:
    if place.said[-1] == "日" and not place.follows(
        re.compile(rf"[在于到从至,，。的\s]$|[日号]{_AND}$")
    ):
        return None
    if place.follows(re.compile(r"[\d第A-Za-z一二三四五六七八九十]$")) or (
        place.precedes(re.compile(r"\s*(?:前|后|之前|之后|以前|以后|内)"))
        and place.said[-1] == "日"
    ):
        return None
    return spans.monthly(place.now, lambda year, month: day_span(date(year, month, day)))


_AND = r"\s*(?:[、,和与跟及或]|以及|还有|或者|还是)\s*"
_DAYS_BEHIND = re.compile(
    rf"(?:{_AND}[\d一二三四五六七八九十廿]{{1,3}})*{_AND}[\d一二三四五六七八九十廿]{{1,3}}[日号]"
)
_WEEKDAYS_BEFORE = re.compile(
    rf"(?:周|星期|礼拜)[一二三四五六日天](?:{_AND}[一二三四五六日天])*{_AND}$|(?:周|星期|礼拜)六$"
)


@rule("calendar_day", "month_number short_number", "short_number")
def _day_of_a_list(place: Place, one: int, two: int | None = None) -> Span | None:
    """ "3月1、3和5日": the last one says that they are days."""
    day = one if two is None else two
    if not 1 <= day <= 31 or not place.precedes(_DAYS_BEHIND):
        return None
    if two is not None:
        return dated(place, one, day, None)
    if not place.follows(
        re.compile(
            rf"月\D{{0,2}}[\d一二三四五六七八九十]+{_AND}(?:[\d一二三四五六七八九十]+{_AND})*$"
        )
    ):
        return None
    return spans.monthly(place.now, lambda year, month: day_span(date(year, month, day)))


@rule("date", "weekday_digit")
def _weekday_of_a_list(place: Place, weekday: int) -> Span | None:
    """ "上周一、三、五"."""
    together = place.said != "日" and place.follows(
        re.compile("六$")
    )  # only 六日 need nothing between them
    if not place.follows(_WEEKDAYS_BEFORE) or place.precedes(_COUNTED) or together:
        return None
    return spans.weekly(place.now, weekday)


_COUNTED = re.compile(r"[个件条点位次种号日月年岁本份张只块元人名遍趟期楼层家篇章]")


@rule("calendar_day", "year_first")
def _numeric(_place: Place, said: str) -> Span:
    return day_span(date(*(int(part) for part in re.split(r"[-/.]", said))))


@rule("calendar_day", "slashed '日|号'?")
def _slashed(place: Place, said: str) -> Span | None:
    if place.follows(re.compile(r"[\d.:$￥]$")) or place.precedes(
        re.compile(r"\s*(?:的|杯|勺|个|人|分|倍)")
    ):
        return None
    month, day = (int(part) for part in said.split("/"))
    return dated(place, month, day, None)


@rule("weekday", "weekday_prefix weekday_digit")
def _weekday(place: Place, _prefix: int, weekday: int) -> int | None:
    is_other = NO_WEEKDAY.match(place.text, place.end - 1) and not (
        place.precedes(_SINCE) and place.follows(FROM)
    )
    return None if is_other else weekday


_SINCE = re.compile("起")


@rule("date", "calendar_day ',|的'? '('? weekday ')'?")
def _date_and_weekday(_place: Place, day: Span, _weekday: int) -> Span:
    return day


@rule("date", "calendar_day '那天|这天|当天|那一天'?")
def _date(_place: Place, day: Span) -> Span:
    return day


@rule("date", "shift weekday '那天'?")
def _shifted_weekday(place: Place, shift: int, weekday: int) -> Span | None:
    if place.said[0] in "当前后今" and not place.said.startswith(("今", "前")):
        return None
    return spans.day_of_week(place.now, shift, weekday)


@rule("date", "shift '周|星期|礼拜' '的' weekday")
def _weekday_of_shifted_week(place: Place, shift: int, weekday: int) -> Span:
    return spans.day_of_week(place.now, shift, weekday)


@rule("date", "weekday '那天'?")
def _last_weekday(place: Place, weekday: int) -> Span | None:
    if place.follows(re.compile(r"(?:每|每个|每逢|逢|[一二三四五六七八九十两几\d]个?)$")):
        return None
    return spans.weekly(place.now, weekday)


@rule("date", "period '的'? '第' number '个'? weekday", "period '的'? '最后' '一个|1个|一' weekday")
def _nth_weekday(place: Place, period: Span, *values: int) -> Span | None:
    nth, weekday = values if len(values) == 2 else (-1, values[0])
    if period.start is None or period.unit not in ("month", "year"):
        return None
    if period.unit == "year":
        return day_span(
            weekday_in_month(period.start.year, 12 if nth < 0 else 1, min(nth, 1), weekday)
            + 7 * max(nth - 1, 0) * DAY
        )
    again = period.again

    def make(span: Span) -> Span:
        if span.start is None:
            raise ValueError("no start")
        return day_span(weekday_in_month(span.start.year, span.start.month, nth, weekday))

    found = make(period)
    return Span(found.start, found.end, "day", again=(lambda n: make(again(n))) if again else None)


@rule("date", "period '的'? '第' number '天|日'", "period '的'? '最后' '一天|1天'")
def _nth_day(_place: Place, period: Span, nth: int = 0) -> Span | None:
    if period.start is None or period.end is None or period.unit == "day":
        return None
    day = period.start + (nth - 1) * DAY if nth else period.end - DAY
    return Span(day, day + DAY, "day") if day < period.end else None


@rule(
    "date",
    "near_year '的'? '今天|今日|这一天|这天|同一天|这个时候|这时候|此时'",
    "shift '个'? '月|周|星期|礼拜' '的' '今天|今日|这一天|这天|同一天'",
)
def _this_day_then(place: Place, shift: int) -> Span:
    today = place.now.today
    if re.search("[周星拜]", place.said):
        return day_span(today + 7 * shift * DAY)
    return day_span(spans.plus_months(today, shift * (12 if "年" in place.said else 1)))


@rule("date", "'最近的|最近' '一个|上一个'? weekday")
def _latest_weekday(place: Place, weekday: int) -> Span:
    return spans.weekly(place.now, weekday)


@rule(
    "date",
    "holiday_name '后|之后|以后|过后' '的'? '第一个|第1个' weekday",
    "holiday_name '前|之前|以前' '的'? '最后一个|最后1个' weekday",
)
def _weekday_beside(place: Place, feast: Feast, weekday: int) -> Span | None:
    found = spans.yearly(place.now, feast)
    if found.start is None or found.end is None:
        return None
    if "后一个" not in place.said and "后1个" not in place.said:
        first = found.end.date()
        return day_span(first + (weekday - first.weekday()) % 7 * DAY)
    last = found.start.date() - DAY
    return day_span(last - (last.weekday() - weekday) % 7 * DAY)


@rule("date", "near_day")
def _near_day(place: Place, days: int) -> Span | None:
    if place.precedes(re.compile(r"的?(?:值|学生们)")) and days == 0:
        return None
    return (
        None
        if place.precedes(re.compile("性|花板|头条|之星|重现"))
        else day_span(place.now.today + days * DAY)
    )


@rule("date", "any_year? '的'? holiday_name '前夕'")
def _eve(place: Place, year: int | None, feast: Feast) -> Span | None:
    day = feast(year) if year else spans.yearly(place.now, feast)
    return day_span(day.start.date() - DAY) if day.start else None


@rule("date", "any_year? '的'? holiday_name '的'? '第二天|次日|翌日'")
def _day_after_holiday(place: Place, year: int | None, feast: Feast) -> Span | None:
    day = feast(year) if year else spans.yearly(place.now, feast)
    return day_span(day.start.date() + DAY) if day.start else None


@rule("date", "told_day")
def _told_day(place: Place, days: int) -> Span | None:
    day = spans.told_day(days, place.now.today)
    unclear = place.said in ("第二天", "转天", "同一天", "头一天")
    return replace(day, silent=True) if unclear else day


@rule("date", "any_year '的'? holiday_name '那天|当天'?")
def _holiday_of_year(place: Place, year: int, feast: Feast) -> Span:
    return replace(_whole_feast(place, feast)(year), cycle="year")


@rule("date", "shift '个'? holiday_name")
def _shifted_holiday(place: Place, shift: int, feast: Feast) -> Span | None:
    if shift not in (-1, 0, 1) or place.said == "今年三十":  # an age
        return None
    today = spans.at(place.now.today)
    year = place.now.today.year
    made = [feast(number) for number in range(year - 2, year + 3)]
    if shift < 0:
        return [span for span in made if span.start and span.start < today][-1]
    return next(span for span in made if span.end and span.end > today) if shift else feast(year)


@rule("date", "holiday_name '那天|当天'?")
def _holiday(place: Place, feast: Feast) -> Span | None:
    if place.precedes(A_WISH) or (
        place.said[-1] == "一" and place.precedes(re.compile("路(?:[^上]|$)"))
    ):
        return None
    said = place.said
    if said == "年三十" and (
        place.follows(re.compile("[今去明前后每当]$"))
        or place.precedes(re.compile("[一二三四五六七八九多几岁个]"))
    ):
        return None
    if (whole := _whole_feast(place, feast)) is not feast:
        return spans.yearly(place.now, whole)
    if said in (
        "五一",
        "六一",
        "跨年",
        "过年",
        "大雪",
        "小雪",
        "雨水",
        "白露",
        "新年",
        "大寒",
        "大暑",
        "重阳",
        "小满",
    ) and (
        place.follows(re.compile(r"(?:期|周|拜|[一二三四五六七八九十百零\d]|下|场|祝你|祝|第)$"))
        or place.precedes(
            re.compile(
                r"(?:村|路|班|[一二三四五六七八九十零百\d]|起|纷|快乐|好|般|后|样|天|个|很|了|的|山|广场|愿|年|半)"
            )
        )
    ):
        return None
    if said in (
        "大雪",
        "小雪",
        "雨水",
        "白露",
        "小满",
        "过年",
        "跨年",
        "圣诞",
    ) and not place.precedes(re.compile(r"(?:那|当|前|后|之|以|时|期|$|[,，。？！?!我你他])")):
        return None
    return spans.yearly(place.now, feast)


def _whole_feast(place: Place, feast: Feast) -> Feast:
    """All days of a holiday that is one of several: "五一的时候"."""
    name = next((name for name in ("五一", "国庆", "春节") if place.said.endswith(name)), "")
    return HOLIDAYS[f"{name}假期"] if name and place.precedes(re.compile("的?时候")) else feast


@rule("lunar_day", "'初'? short_number '日'?")
def _lunar_day(place: Place, day: int) -> int | None:
    return day if 1 <= day <= 30 and not place.precedes(re.compile(r"[月个年]")) else None


@rule("lunar_mark", "'农历|阴历|旧历'")
def _lunar_mark(_place: Place) -> int:
    return 1


@rule("lunar_month", "'闰'? month_number", "special_month")
def _lunar_month(place: Place, month: int) -> int:
    return -month if place.said.startswith("闰") else month


def _lunar(place: Place, year: int | None, month: int, day: int) -> Span:
    def make(number: int) -> Span:
        return day_span(lunar_date(number, abs(month), day, leap=month < 0))

    if year is not None:
        return make(year)
    today = place.now.today
    near = range(min(today.year, LUNAR_YEARS[-1]), max(today.year - 3, LUNAR_YEARS[0]), -1)
    for each in near if place.now.past else range(today.year - 1, today.year + 3):
        try:
            found = make(each)
        except ValueError:  # few years have this leap month
            continue
        if found.start and (found.start <= place.now.moment) == place.now.past:
            return found
    raise ValueError("no such day near")


@rule(
    "date",
    "lunar_mark year '的'? lunar_month '的'? lunar_day",
    "year lunar_mark lunar_month '的'? lunar_day",
)
def _lunar_date(place: Place, *values: int) -> Span:
    year = values[1] if place.said[0] in "农阴旧" else values[0]
    return _lunar(place, year, values[2], values[3])


@rule("date", "lunar_mark lunar_month '的'? lunar_day", "leap_month '的'? lunar_day")
def _lunar_this_year(place: Place, *values: int) -> Span:
    month, day = values[-2:]
    return _lunar(place, None, month, day)


@rule("leap_month", "'闰' month_number")
def _leap_month(_place: Place, month: int) -> int:
    return -month


@rule("date", "year '的'? special_month lunar_day", "special_month lunar_day")
def _lunar_month_named(place: Place, *values: int) -> Span | None:
    if "元月" in place.said:
        return None
    month, day = values[-2:]
    return _lunar(place, values[0] if len(values) == 3 else None, month, day)


@rule("date", "any_year '的'? '正月' '初' short_number", "'大年初' short_number")
def _first_days(place: Place, *values: int) -> Span:
    year, day = values if len(values) == 2 else (None, values[0])
    return _lunar(place, year, 1, day)
