"""Ways to say a time that come down to plainer ones, before the words are read: half past eight is 8:30, a fortnight 2 weeks.

What can be meant in two ways is an error that says both.
"""

from __future__ import annotations

import re

from runs.schedule.jobs import JobError
from text.values import cardinal, ordinal
from text.values.numbers import CHINESE_DIGITS, chinese_number

_HOUR = r"(\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_MINUTES = r"(?:(?:an?\s+)?(quarter)|(\d{1,2}(?=\s+min)|5|10|20|25|five|ten|twenty|twenty[- ]five)(?:\s+minutes?)?)"
_COUNT = r"(\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve)"
_EVERY = r"\b(?:every|each)"
_PER = {"day": "daily", "week": "weekly", "month": "monthly", "hour": "hourly", "year": "yearly"}
_NUMBER = rf"(?:\d{{1,3}}|[{CHINESE_DIGITS}]{{1,3}})"
_HOUR_ZH = "(?:[一二两三四五六七八九]|十[一二]?|1?[0-9])"
_WEEKDAYS = str.maketrans("1234567", "一二三四五六日")
_TWO_WAYS = (
    (r"\bbi-?weekly\b", "every 2 weeks", "twice a week on Monday and Thursday"),
    (r"\b(?:every|each) (?:other|two|2) months?\b", "0 9 1 1-11/2 *", "0 9 1 2-12/2 *"),
    (r"\b(?:every|each) (?:three|3) months\b", "quarterly", "0 9 1 2-11/3 *"),
    (r"\b(?:every|each) (?:six|6) months\b", "0 9 1 1,7 *", "0 9 1 6,12 *"),
    (r"每隔?[两2]个月", "0 9 1 1-11/2 *", "0 9 1 2-12/2 *"),
    (r"每隔?[三3]个月", "每季度", "0 9 1 2-11/3 *"),
    (r"每隔?(?:半年|[六6]个月)", "0 9 1 1,7 *", "0 9 1 6,12 *"),
    (r"\bbi-?monthly\b", "the 1st and 15th of every month", "a cron line, such as 0 9 1 */2 *"),
    (
        r"^(?:at\s+)?(?:the\s+)?(?:end|beginning|start) of the month\b",
        "the last day of every month",
        "on 30 November",
    ),
    (r"^(?:在)?月[底末初](?![一二三四五六七八九十])", "每月月底", "11月30日"),
)


def english(said: str) -> str:
    """The same in plainer English, in small letters."""
    _check(said)
    said = re.sub(rf"\bhalf past {_HOUR}\b", lambda it: f"{_digits(it[1])}:30", said)
    said = re.sub(
        rf"(?<!from )(?<!between )\b{_MINUTES}\s+(past|after|to|before|of) {_HOUR}(?:\b|(?=[ap]m))(?!:)",
        _around,
        said,
    )
    said = re.sub(rf"\b{_HOUR} o'clock\b", lambda it: str(_digits(it[1])), said)
    said = re.sub(
        rf"\b(at|by) {_HOUR}\b(?!\s+{_HOUR})", lambda it: f"{it[1]} {_digits(it[2])}", said
    )
    said = re.sub(r"\b12 (noon|midnight)\b", r"\1", said)
    said = re.sub(rf"{_EVERY} fortnight\b|\bfortnightly\b", "every 2 weeks", said)
    said = re.sub(r"\ba fortnight\b", "2 weeks", said)
    said = re.sub(rf"({_EVERY}) hour and a half\b", r"\1 90 minutes", said)
    said = re.sub(rf"({_EVERY}) quarter (?:of an )?hour\b", r"\1 15 minutes", said)
    said = re.sub(
        rf"\b{_COUNT} and a half hours\b", lambda it: f"{_count(it[1]) * 60 + 30} minutes", said
    )
    said = re.sub(rf"({_EVERY}) (\w+) (day|week|hour|minute)\b", _nth, said)
    said = re.sub(r"\bonce (?=every|each)", "", said)
    said = re.sub(r"\bevery single\b", "every", said)
    said = re.sub(r"\bm-f\b", "mon-fri", said)
    said = re.sub(r"\b(twice|times) daily\b", r"\1 a day", said)
    said = re.sub(
        r"\bat (quarter|half|\d{1,2}) past (?:every|each) hour\b",
        r"every hour at \1 past the hour",
        said,
    )
    said = re.sub(
        r"\b(?:once|one time) (?:an?|per|each|every) (day|week|month|hour|year)\b",
        lambda it: _PER[it[1]],
        said,
    )
    said = re.sub(
        r"\b(?:month[- ]end|(?:the )?end of (every|each|a) month)\b",
        "the last day of every month",
        said,
    )
    return re.sub(
        r"\b(?:the )?(?:beginning|start) of (?:every|each|a) month\b",
        "the 1st of every month",
        said,
    )


def chinese(said: str) -> str:
    """The same in plainer Chinese: simplified, without blanks."""
    _check(said)
    said = re.sub("天天(?=[早晚上下中凌清傍深半夜0-9一二三四五六七八九十])", "每天", said)
    said = re.sub(r"(?<!每)逢(?=周|星期|礼拜)", "每逢", said)
    said = re.sub("一([天周]|个?星期)(?=[两二三四五六2-6]次)", r"每\1", said).replace(
        "正午", "中午"
    )
    said = re.sub(r"((?:周|星期|礼拜)[日天一二三四五六])一次", r"\1", said)
    said = re.sub(
        r"(?<=周)[1-7](?:[、,和及到至-][1-7])*(?![\d点时:次天个])",
        lambda it: it[0].translate(_WEEKDAYS),
        said,
    )
    said = re.sub(rf"((?:周|星期|礼拜)[日天一二三四五六])(?={_HOUR_ZH}点)", r"\1 ", said)
    said = re.sub("(每个?季度)的?(?:最后一天|末)", r"\1末", said)
    said = re.sub(rf"差(?:(一刻)|({_NUMBER})分)({_NUMBER})点", _before, said)
    said = re.sub(
        rf"({_NUMBER})点差(?:(一刻)|({_NUMBER})分)", lambda it: _minus(it[1], it[2], it[3]), said
    )
    said = re.sub(rf"早晚各?({_NUMBER}点(?:半|[一三]刻|{_NUMBER}分)?)", r"早上\1和晚上\1", said)
    said = re.sub(
        rf"(每隔?)({_NUMBER})个半(?:小时|钟头)",
        lambda it: f"{it[1]}{(chinese_number(it[2]) or 0) * 60 + 30}分钟",
        said,
    )
    said = re.sub(r"(每隔?)一?刻钟", r"\g<1>15分钟", said).replace("点整", "点")
    said = re.sub(r"(每个?季度)的?第一天", r"\1", said)
    said = re.sub(r"(每个?月)的?(?:第一天|月?初(?![一二三四五六七八九十]))", r"\g<1>1号", said)
    said = re.sub(r"(每个?月)的?月([底末])", r"\1\2", said)
    return re.sub(r"(每[天日周月年]|每个?(?:星期|礼拜|月))一次", r"\1", said)


def _check(said: str) -> None:
    for pattern, one, two in _TWO_WAYS:
        if found := re.search(pattern, said):
            raise JobError("error.job.two-ways", found=found[0], one=one, two=two)


def _digits(hour: str) -> int:
    return cardinal(hour) or 0


def _count(said: str) -> int:
    return 1 if said in ("a", "an") else cardinal(said) or 0


def _around(match: re.Match[str]) -> str:
    """So many minutes before or after an hour, which keeps its half of the day."""
    minutes = 15 if match[1] else cardinal(match[2].replace("-", " ")) or 0
    hour = _digits(match[4])
    if not 0 < minutes < 60 or hour > 24:
        return match[0]
    if match[3] in ("to", "before", "of"):
        hour, minutes = (hour - 1 if hour > 1 else 12 if hour else 23), 60 - minutes
    return f"{hour}:{minutes:02d}"


def _nth(match: re.Match[str]) -> str:
    nth = (
        ordinal(match[2])
        if re.fullmatch(r"\d+(?:st|nd|rd|th)|\w+(?:th|rd|nd)|third|second", match[2])
        else None
    )
    return f"{match[1]} {nth} {match[3]}s" if nth and nth > 1 else match[0]


def _before(match: re.Match[str]) -> str:
    return _minus(match[3], match[1], match[2])


def _minus(hour: str, quarter: str | None, minutes: str | None) -> str:
    many, before = 15 if quarter else chinese_number(minutes or "") or 0, chinese_number(hour)
    if before is None or not 0 < many < 60:
        return f"差{quarter or minutes}{hour}点"
    return f"{before - 1 if before > 1 else 12 if before else 23}:{60 - many:02d}"
