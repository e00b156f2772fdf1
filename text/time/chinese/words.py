"""The words of Chinese time expressions, and what may stand around them."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

from text.time import spans
from text.time.feasts import (
    Feast,
    easter,
    fixed,
    lunar,
    nth_weekday,
    solar_term,
)
from text.time.grammar import Grammar, Place
from text.time.spans import Span, day_span
from text.values.numbers import CHINESE_DIGITS as CHARACTERS
from text.values.numbers import chinese_number as number

CHINESE = Grammar(boundary="")
rule, words, pattern = CHINESE.rule, CHINESE.words, CHINESE.pattern
HOUR = 3600

_PLAIN = str.maketrans(
    "週後點號個禮兩俩仨幾鐘時從過這間內現剛當農曆歷節國慶聖誕陽末裡裏來約達將尾個開結餘歲夏無終給對還會與臘數將陰聯貳參壹９８７６５４３２１０：／．－—–～~至（），",
    "周后点号个礼两两三几钟时从过这间内现刚当农历历节国庆圣诞阳末里里来约达将尾个开结余岁夏无终给对还会与腊数将阴联二三一9876543210:/.-----至(),",
)


def simplified(text: str) -> str:
    """The same text, character for character, in simplified characters and plain digits as far as time words need it."""
    return text.translate(_PLAIN)


UNITS = {
    "秒": "second", "秒钟": "second", "分钟": "minute", "小时": "hour", "钟头": "hour", "天": "day", "日": "day", "周": "week",
    "星期": "week", "礼拜": "week", "周末": "weekend", "年": "year", "周年": "year", "世纪": "century", "季度": "quarter", "夜": "day", "晚上": "day",
}  # fmt: skip
WEEKDAYS = {
    day: value
    for value, names in enumerate(("一1", "二2", "三3", "四4", "五5", "六6", "日天7"))
    for day in names
}
PARTS = {
    "凌晨": (0, 6), "清晨": (6, 9), "清早": (6, 9), "一早": (6, 9), "大清早": (6, 9), "一大早": (6, 9), "拂晓": (4, 6), "黎明": (4, 6), "早上": (8, 12), "早晨": (8, 12),
    "早间": (8, 12), "上午": (8, 12), "早": (8, 12), "中午": (11, 13), "正午": (11, 13), "晌午": (11, 13), "下午": (12, 16), "午后": (12, 16), "傍晚": (16, 20),
    "黄昏": (16, 20), "晚上": (16, 20), "晚间": (16, 20), "夜晚": (16, 20), "晚": (16, 20), "夜里": (20, 24), "夜间": (20, 24), "深夜": (20, 24),
    "半夜": (20, 24), "夜": (20, 24), "morning": (8, 12), "afternoon": (12, 16), "evening": (16, 20), "night": (20, 24), "晨": (6, 9), "大半夜": (20, 24), "后半夜": (24, 30), "白天": (8, 18),
}  # fmt: skip
SEASONS = {
    "暑假": (7, 2), "暑期": (7, 2),
    "春天": (3, 3), "春季": (3, 3), "春": (3, 3), "夏天": (6, 3), "夏季": (6, 3), "夏": (6, 3), "秋天": (9, 3), "秋季": (9, 3), "秋": (9, 3), "冬天": (12, 3),
    "冬季": (12, 3), "冬": (12, 3), "初春": (3, 1), "早春": (3, 1), "仲春": (4, 1), "晚春": (5, 1), "暮春": (5, 1), "初夏": (6, 1), "盛夏": (7, 1), "仲夏": (7, 1),
    "夏末": (8, 1), "初秋": (9, 1), "仲秋": (10, 1), "金秋": (9, 3), "深秋": (11, 1), "晚秋": (11, 1), "初冬": (12, 1), "隆冬": (13, 1), "深冬": (14, 1), "寒冬": (12, 3),
    "春末": (5, 1), "秋末": (11, 1), "冬末": (14, 1), "春夏之交": (5, 2), "夏秋之交": (8, 2), "秋冬之交": (11, 2),
}  # fmt: skip
_TERMS = "立春 雨水 惊蛰 春分 谷雨 立夏 小满 芒种 夏至 小暑 大暑 立秋 处暑 白露 秋分 寒露 霜降 立冬 小雪 大雪 冬至 小寒 大寒"
HOLIDAYS: dict[str, Feast] = {
    "元旦": fixed(1, 1), "元旦节": fixed(1, 1), "新年": fixed(1, 1), "新年第一天": fixed(1, 1), "情人节": fixed(2, 14), "妇女节": fixed(3, 8), "三八妇女节": fixed(3, 8),
    "三八节": fixed(3, 8), "女神节": fixed(3, 8), "植树节": fixed(3, 12), "愚人节": fixed(4, 1), "劳动节": fixed(5, 1), "五一": fixed(5, 1), "五一节": fixed(5, 1),
    "五一劳动节": fixed(5, 1), "五一假期": fixed(5, 1, 5), "五一期间": fixed(5, 1, 5), "五一长假": fixed(5, 1, 5), "五一黄金周": fixed(5, 1, 7), "青年节": fixed(5, 4),
    "五四青年节": fixed(5, 4), "儿童节": fixed(6, 1), "六一": fixed(6, 1), "六一儿童节": fixed(6, 1), "建党节": fixed(7, 1), "建军节": fixed(8, 1), "教师节": fixed(9, 10),
    "国庆": fixed(10, 1, 7), "国庆节": fixed(10, 1), "国庆当天": fixed(10, 1), "国庆日": fixed(10, 1), "国庆假期": fixed(10, 1, 7), "国庆期间": fixed(10, 1, 7), "国庆长假": fixed(10, 1, 7),
    "国庆黄金周": fixed(10, 1, 7), "十一假期": fixed(10, 1, 7), "十一期间": fixed(10, 1, 7), "十一长假": fixed(10, 1, 7), "十一黄金周": fixed(10, 1, 7), "万圣节": fixed(10, 31),
    "万圣夜": fixed(10, 31), "双十一": fixed(11, 11), "双11": fixed(11, 11), "光棍节": fixed(11, 11), "双十二": fixed(12, 12), "双12": fixed(12, 12), "六一八": fixed(6, 18), "618": fixed(6, 18), "平安夜": fixed(12, 24),
    "圣诞夜": fixed(12, 24), "圣诞前夜": fixed(12, 24), "圣诞": fixed(12, 25), "圣诞节": fixed(12, 25), "跨年夜": fixed(12, 31), "跨年": fixed(12, 31), "元旦前夜": fixed(12, 31), "母亲节": nth_weekday(5, 2, 6),
    "父亲节": nth_weekday(6, 3, 6), "感恩节": nth_weekday(11, 4, 3), "黑色星期五": nth_weekday(11, 4, 3, 1), "复活节": easter(), "耶稣受难日": easter(-2),
    "春节": lunar(1, 1), "春节假期": lambda year: _longer(lunar(1, 1)(year), 7), "春节期间": lambda year: _longer(lunar(1, 1)(year), 7),
    "过年": lunar(1, 1), "大年初一": lunar(1, 1), "农历新年": lunar(1, 1), "除夕": lunar(1, 1, -1), "除夕夜": lunar(1, 1, -1), "大年三十": lunar(1, 1, -1), "年三十": lunar(1, 1, -1), "大年夜": lunar(1, 1, -1),
    "元宵": lunar(1, 15), "元宵节": lunar(1, 15), "正月十五": lunar(1, 15), "龙抬头": lunar(2, 2), "端午": lunar(5, 5), "端午节": lunar(5, 5), "七夕": lunar(7, 7), "七夕节": lunar(7, 7),
    "中元节": lunar(7, 15), "中秋": lunar(8, 15), "中秋节": lunar(8, 15), "重阳": lunar(9, 9), "重阳节": lunar(9, 9), "腊八": lambda year: lunar(12, 8)(year - 1), "腊八节": lambda year: lunar(12, 8)(year - 1), "小年": lambda year: lunar(12, 23)(year - 1), "北方小年": lambda year: lunar(12, 23)(year - 1), "南方小年": lambda year: lunar(12, 24)(year - 1),
    "清明": solar_term("清明"), "清明节": solar_term("清明"), **{term: solar_term(term) for term in _TERMS.split()},
}  # fmt: skip


def _longer(span: Span, days: int) -> Span:
    return spans.days_span(span.start.date(), days) if span.start else span


words("holiday_name", HOLIDAYS)
words("unit", UNITS)
words("part_word", PARTS)
words("season", SEASONS)
words("weekday_prefix", {"周": 0, "星期": 0, "礼拜": 0})
pattern(
    "weekday_digit",
    r"[一二三四五六日天](?![十百月点])|[1-7](?![\d月点.:])",
    lambda said: WEEKDAYS[said],
)
pattern("number", rf"\d{{1,4}}(?!\d)|[{CHARACTERS}]{{1,7}}", number)
pattern("short_number", rf"\d{{1,2}}(?!\d)|[{CHARACTERS}]{{1,3}}", number)
pattern("year_digits", r"(?:1[5-9]|20|21)\d\d(?!\d)|[一二][零〇○一二三四五六七八九]{3}", number)
pattern("two_digits", r"\d\d(?!\d)|[零〇○一二三四五六七八九]{2}", number)
pattern(
    "iso",
    r"\d{4}-\d{1,2}-\d{1,2}[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s?(?:Z|[+-]\d{2}:?\d{2})?(?![\w:])|\d{4}-\d{1,2}-\d{1,2}[T ]\d{1,2}:\d{2}(?::\d{2})?(?![\d:])",
)
pattern("year_first", r"(?:1[5-9]|20|21)\d\d([-/.])\d{1,2}\1\d{1,2}(?!\d)")
pattern("year_month", r"(?:1[5-9]|20|21)\d\d[-/](?:0?[1-9]|1[0-2])(?![\d/-])")
pattern("slashed", r"\d{1,2}/\d{1,2}(?![\d/])")
pattern(
    "quarter_digits",
    r"(?:19|20)\d\d[-/]?(?:Q[1-4]|H[12])(?!\w)|(?:[1-4]Q|[12]H|Q[1-4]|H[12])[-/]?(?:20)?\d\d(?!\w)",
)
pattern("latin_clock", r"(?:0?[1-9]|1[0-2])(?::[0-5]\d)?\s?[ap]\.?m(?![a-z])")
pattern("colons", r"(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?(?![\d:])")
words("shift", {"上上": -2, "上上个": -2, "上": -1, "上个": -1, "上一个": -1, "上一": -1, "前一": -1, "前一个": -1, "这": 0, "这个": 0, "这一": 0, "本": 0, "当": 0,
                "下": 1, "下个": 1, "下一个": 1, "下一": 1, "下下": 2, "下下个": 2, "后一个": 1, "今": 0, "这一个": 0, "大上": -2, "大上个": -2, "上上上": -3, "上上上个": -3})  # fmt: skip
words("near_day", {"今天": 0, "今日": 0, "今儿": 0, "今儿个": 0, "本日": 0, "昨天": -1, "昨日": -1, "昨儿": -1, "昨儿个": -1, "前天": -2, "前日": -2, "前儿": -2, "大前天": -3, "大大前天": -4,
                   "明天": 1, "明日": 1, "明儿": 1, "明儿个": 1,  "后天": 2, "后日": 2, "后儿": 2, "大后天": 3, "大大后天": 4, "上一天": -1, "下一天": 1})  # fmt: skip
words(
    "told_day",
    {
        "次日": 1,
        "翌日": 1,
        "隔天": 1,
        "第二天": 1,
        "转天": 1,
        "前一天": -1,
        "头天": -1,
        "头一天": -1,
        "当天": 0,
        "当日": 0,
        "同一天": 0,
    },
)
words("near_day_short", {"今": 0, "昨": -1, "前": -2, "明": 1})
words(
    "near_year",
    {
        "今年": 0,
        "本年": 0,
        "本年度": 0,
        "今年度": 0,
        "这一年": 0,
        "当年": 0,
        "去年": -1,
        "去年度": -1,
        "上年": -1,
        "上一年": -1,
        "上年度": -1,
        "前年": -2,
        "大前年": -3,
        "明年": 1,
        "明年度": 1,
        "来年": 1,
        "下一年": 1,
        "次年": 1,
        "后年": 2,
        "大后年": 3,
    },
)
words("special_month", {"元月": 1, "正月": 1, "冬月": 11, "腊月": 12})
words(
    "third",
    {
        "上旬": 0,
        "中旬": 1,
        "下旬": 2,
        "初": 0,
        "中": 1,
        "底": 2,
        "末": 2,
        "月初": 0,
        "月中": 1,
        "月底": 2,
        "月末": 2,
        "月头": 0,
        "的月初": 0,
        "的月底": 2,
        "尾": 2,
    },
)
words(
    "year_third",
    {
        "年初": 0,
        "年中": 1,
        "年底": 2,
        "年末": 2,
        "年尾": 2,
        "的年初": 0,
        "的年底": 2,
        "年终": 2,
        "岁末": 2,
        "初": 0,
        "底": 2,
        "末": 2,
        "中": 1,
    },
)
words(
    "half_year", {"上半年": 1, "下半年": 7, "前半年": 1, "后半年": 7, "的上半年": 1, "的下半年": 7}
)
words(
    "back_or_on",
    {
        "最近": -1,
        "近": -1,
        "过去": -1,
        "过去的": -1,
        "最近的": -1,
        "前": -1,
        "之前": -1,
        "以前": -1,
        "这": -1,
        "近来": -1,
        "此前": -1,
        "往前": -1,
        "刚过去的": -1,
        "上": -1,
        "未来": 1,
        "未来的": 1,
        "接下来": 1,
        "接下来的": 1,
        "今后": 1,
        "今后的": 1,
        "后": 1,
        "往后": 1,
        "之后的": 1,
        "随后的": 1,
        "此后": 1,
        "后续": 1,
        "下": 1,
    },
)
words("sign_after", {"前": -1, "之前": -1, "以前": -1, "后": 1, "之后": 1, "以后": 1, "过后": 1})
A_WISH = re.compile("快乐|愉快|好呀")
NO_WEEKDAY = re.compile(  # 上周 and then 一起, 三个人, 日程, 天气
    "一(?:起(?!床)|直|定|共|些|切|样|般|旦|边|同|致|向|会儿)|[二两三四五六](?:个|次|位|名|人|天|年|遍|种|条|件|本|张|家)"
    "|日(?:本|语|元|程|历|志|常|均)|天(?:天|气|津|空|候|然|生|真)"
)
FROM = re.compile(r"(?:从|自|打)[上下这本个]*$")
EVERY = re.compile(r"(?:每|每个|每一个|每逢|各|隔)$")
NOT_A_CLOCK = re.compile(r"(?:这|那|有|以下|几|注意|下面|前|后|第|得|扣|加|满|点击|共|提|提出|多)$")
THINGS_BY_NUMBER = re.compile(
    r"\s*(?:楼|线|门|房|店|机|选手|电池|公路|院|车|桌|厅|球|床|柜|窗|位|台|馆|井|字|码|种|文件|人物|舱|站|库|嫌|仓|桥|油|队|登机|球衣|信箱|高速|技师|患者|病房)"
)
DURATION_AFTER = re.compile(r"\s*(?:个|多|以上|左右)")


def dated(place: Place, month: int, day: int, year: int | None) -> Span:
    if year is not None:
        return replace(day_span(date(year, month, day)), cycle="year")
    return spans.yearly(place.now, lambda number: day_span(date(number, month, day)))
