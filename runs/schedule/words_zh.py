"""Chinese words for times that come again: 每天早上8点, 每隔两小时, 每月最后一天, 隔周周五, 20分钟后."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

from runs.schedule.jobs import DAYS
from runs.schedule.spoken import chinese
from runs.schedule.words import Reading
from text.values.numbers import CHINESE_DIGITS as CHARACTERS
from text.values.numbers import chinese_number as number

_NUMBER = rf"(?:\d{{1,6}}|[{CHARACTERS}]{{1,5}})"
_WEEK = "(?:周|星期|礼拜)"
_DAY_CHARACTERS = "日天一二三四五六"
_INDEX = {"日": 0, "天": 0, "一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6}
_DAYS = rf"{_WEEK}[{_DAY_CHARACTERS}](?:(?:[、,和及与]|{_WEEK})*[{_DAY_CHARACTERS}](?![点时:十]))*"
_EXCEPT = rf"(?:每?个?(?:周末|工作日)|每?{_DAYS})"
_PART = "凌晨|清晨|早晨|早上|清早|上午|中午|下午|傍晚|晚上|夜里|夜间|深夜|半夜|午夜|晚|早"
_HOURS = {"凌晨": 3, "清晨": 6, "清早": 6, "中午": 12, "下午": 14, "傍晚": 18, "晚上": 20, "夜里": 21, "夜间": 21, "深夜": 23, "半夜": 0, "午夜": 0, "晚": 20}  # fmt: skip
_NIGHT = ("夜里", "夜间", "深夜", "半夜", "午夜")
_HALVES = (  # in which parts of the day the hours from .. to are, and what is added to them
    (("凌晨",), 0, 6, 0), (("凌晨", "半夜", "午夜"), 12, 12, -12),
    (("清晨", "早晨", "早上", "清早", "早"), 3, 11, 0), (("上午",), 1, 12, 0), (("中午",), 11, 12, 0), (("中午",), 1, 3, 12),
    (("下午",), 12, 12, 0), (("下午",), 1, 11, 12), (("傍晚",), 4, 8, 12), (("晚上", "晚"), 5, 12, 12), (("晚上", "晚"), 0, 3, 0),
    (_NIGHT, 7, 11, 12), (_NIGHT, 0, 5, 0), (("夜里", "夜间", "深夜"), 12, 12, 12),
)  # fmt: skip
_CLOCK = rf"(?P<part>{_PART})?的?(?:(?P<h>{_NUMBER})(?:点钟?|时|:)(?:(?P<half>半)|(?P<quarter>[一三1 3])刻|(?P<m>{_NUMBER})分?)?)"
_WIDE = str.maketrans("０１２３４５６７８９：，、", "0123456789:,、")
_EVERY = "(?:每(?:隔|个)?|隔)"
_UNITS = {"分": "m", "小": "h", "钟": "h", "天": "d", "日": "d", "周": "w", "星": "w", "礼": "w"}
_SIZES = {
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}
_UNIT = "分钟?|小时|钟头|天|日|周|星期|礼拜"


def plain(said: str) -> str:
    """The text in simplified characters and narrow digits, without blanks, spoken times made plain."""
    from text.time.rules import language

    narrow = re.sub(
        r"\s+(?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff])\s+",
        "",
        language("zh").plain(said).translate(_WIDE),
    )
    return chinese(narrow.rstrip("。"))


def part_of_day(said: str) -> int | None:
    """The hour that the part of a day stands for that is named: 晚上 is 20."""
    found = re.search(_PART, plain(said))
    return _HOURS.get(found[0], 9) if found else None


def read(reading: Reading) -> None:
    """Takes out of the reading what is understood."""
    for pattern, meaning in _REPEATS:
        reading.take(re.compile(pattern), meaning)
    _read_clock(reading)
    reading.rest = re.sub("[在于的都时,、和及]|重复|运行|执行|一次|各", " ", reading.rest)


def _read_clock(reading: Reading) -> None:
    part, earlier = "", 0

    def clock(match: re.Match[str]) -> dict[str, Any] | None:
        nonlocal part, earlier
        is_told, part = (
            bool(match["part"]),
            match["part"] or part,
        )  # 早上8点和10点: the second one too
        hour, minute = number(match["h"]), number(match["m"]) if match["m"] else 0
        if match["half"]:
            minute = 30
        elif match["quarter"]:
            minute = 15 if match["quarter"] in "一1" else 45
        if hour is None or minute is None:
            return None
        said, hour = hour, _in_part(hour, part)
        if hour is None or (not is_told and part and said < earlier):
            return None  # an hour that this part of the day has not, or of another part that is not named
        earlier = said
        if not part and re.fullmatch(r"[1-5]|[一二两三四五]", match["h"]):
            reading.vague.append(f"{hour:02d}:{minute:02d}")
        if (hour > 23 or minute > 59) and (hour, minute) != (24, 0):
            return None
        reading.times.append(f"{hour:02d}:{minute:02d}")
        return {}

    def only_part(match: re.Match[str]) -> dict[str, Any]:
        reading.times.append(f"{_HOURS.get(match[0], 9):02d}:00")
        return {}

    reading.take(re.compile(_CLOCK), clock)
    reading.take(re.compile(_PART), only_part)


def _in_part(hour: int, part: str) -> int | None:
    """The hour of the 24-hour clock that 晚上八点 is; None where that part of the day has no such hour."""
    if not part or hour > 12:
        return hour if not part.startswith(("早", "清", "凌")) or hour < 13 else None
    return next(
        (
            hour + more
            for parts, first, last, more in _HALVES
            if part in parts and first <= hour <= last
        ),
        None,
    )


def _interval(match: re.Match[str]) -> dict[str, Any] | None:
    count, unit = number(match["n"]) if match["n"] else 1, _UNITS[match["unit"][0]]
    if count is None:
        return None
    if "隔" in match[0] and unit in "dw" and count == 1:
        count = 2  # 每隔一天, 隔天: every other day
    if match["half"]:
        return {"step": (30, "m")} if unit == "h" else None
    if unit in "mh":
        return {"step": (count, unit)}
    return {
        "repeat": {(1, "d"): "daily", (1, "w"): "weekly"}.get((count, unit), f"every_{count}{unit}")
    }


def _in(match: re.Match[str]) -> dict[str, Any] | None:
    total = timedelta()
    for half, count, unit, more in re.findall(rf"(?:(半)|({_NUMBER}))个?({_UNIT})(半)?", match[0]):
        size = _SIZES[_UNITS[unit[0]]]
        total += (
            size / 2 if half else size * (number(count) or 0) + (size / 2 if more else timedelta())
        )
    return {"in": total} if total else None


def _in_half(match: re.Match[str]) -> dict[str, Any] | None:
    count = number(match[1])
    return {"in": timedelta(hours=count + 0.5)} if count is not None else None


def _days(match: re.Match[str], step: int | None = None) -> dict[str, Any]:
    said = re.sub(rf"{_WEEK}|[、,和及与]", "", match["days"])
    days = [day for index, day in enumerate(DAYS) if index in {_INDEX[each] for each in said}]
    step = step or (number(match["n"]) if match["n"] else 2 if match["other"] else 1)
    return {
        "repeat": "weekly" if step == 1 else f"every_{step}w",
        "on": days if len(days) > 1 else days[0],
    }


def _except(match: re.Match[str]) -> dict[str, Any]:
    said = re.sub("[每个]", "", match["days"])
    if said in ("周末", "工作日"):
        return {"except": list(DAYS[1:6]) if said == "工作日" else [DAYS[0], DAYS[6]]}
    return {
        "except": [
            day
            for index, day in enumerate(DAYS)
            if index in {_INDEX[each] for each in re.sub(rf"{_WEEK}|[、,和及与]", "", said)}
        ]
    }


def _so_often(match: re.Match[str]) -> dict[str, Any] | None:
    """每天两次: at as many times, on as many days, as are named."""
    count, is_day = number(match["n"]), match["unit"] in "天日"
    if not count:
        return None
    days = _days(match, 1) if match["days"] else {}
    return {"often": (count, "d" if is_day else "w"), **({"repeat": "daily"} if is_day else days)}


def _range(match: re.Match[str]) -> dict[str, Any]:
    first, last = _INDEX[match[1]], _INDEX[match[2]]
    days = [DAYS[(first + step) % 7] for step in range((last - first) % 7 + 1)]
    return {"repeat": "weekday"} if days == list(DAYS[1:6]) else {"repeat": "weekly", "on": days}


def _of_month(match: re.Match[str]) -> dict[str, Any]:
    days: list[str | int] = [
        "last" if each in ("最后一天", "月底", "月末") else number(re.sub("[号日]", "", each)) or 0
        for each in re.findall(
            rf"最后一天|月底|月末|{_NUMBER}[号日]?", re.sub("^[底末]", "月底", match["on"])
        )
    ]
    return {"repeat": "monthly", "on": days if len(days) > 1 else days[0]}


def _weekday_of_month(match: re.Match[str]) -> dict[str, Any] | None:
    day, nth = _INDEX[match["day"]], match["nth"]
    count = None if nth.startswith("最后") else number(nth[1:].removesuffix("个"))
    if count is not None and not 1 <= count <= 5:
        return None
    return {"cron": f"* * {day}L" if count is None else f"* * {day}#{count}"}


def _of_year(match: re.Match[str]) -> dict[str, Any]:
    return {"cron": f"{number(match['d']) or 0} {number(match['m']) or 0} *"}


def _between(match: re.Match[str]) -> dict[str, Any] | None:
    first, last = (number(match["a"]), number(match["b"]))
    if first is None or last is None:
        return None
    parts = match["p"] or "", match["q"] or ""
    start, end = (
        _in_part(first, parts[0]),
        _in_part(last, parts[1] or (parts[0] if last > first else "")),
    )
    if start is None or end is None:
        return None
    first, last = start, end % 24
    if not parts[1] and last < first <= 12 and parts[0] not in ("凌晨", "半夜"):
        last += 12  # 9点到5点 is until 17:00
    return {"hours": (first, last)} if first < 24 and last < 24 else None


_REPEATS: tuple[tuple[str, Any], ...] = (
    (r"在?\s*([\w.-]+?)\s*(?:完成|做完|结束)(?:之后|以后|后)", lambda match: {"after": match[1]}),
    (r"在\s*([A-Za-z0-9_.-]+)\s*(?:之后|以后|后)", lambda match: {"after": match[1]}),
    (rf"除了?(?P<days>{_EXCEPT})(?:以外|之外|外)?", _except),
    (rf"(?P<days>{_EXCEPT})(?:除外|例外|不[算要做])", _except),
    (rf"每(?P<unit>[天日周]|个?星期|个?礼拜)(?P<n>{_NUMBER})次(?:,?(?P<days>{_DAYS}))?", _so_often),
    (rf"({_NUMBER})个半(?:小时|钟头)(?:之后|以后|后)", _in_half),
    (rf"(?:过|再过)?(?:(?:半|{_NUMBER})个?(?:{_UNIT})半?)+(?:之后|以后|后)", _in),
    (rf"从?(?P<p>{_PART})?(?P<a>{_NUMBER})点?(?:到|至|-)(?P<q>{_PART})?(?P<b>{_NUMBER})点(?:之间|期间)?", _between),
    (rf"每个?月的?(?P<nth>第{_NUMBER}个?|最后一?个?){_WEEK}(?P<day>[{_DAY_CHARACTERS}])", _weekday_of_month),
    (rf"每个?月的?(?P<on>(?:最后一天|底|末|{_NUMBER}[号日])(?:[、,和及与](?:最后一天|{_NUMBER}[号日]?))*)", _of_month),
    (r"每个?(?P<on>月底|月末)", _of_month),
    (rf"每年的?(?P<m>{_NUMBER})月(?P<d>{_NUMBER})[号日]", _of_year),
    (r"每年", lambda _: {"cron": "1 1 *"}),
    (r"每个?月的?最后一?个?工作日", lambda _: {"cron": "LW * *"}),
    (r"每个?季度末", lambda _: {"cron": "L 3,6,9,12 *"}),
    (r"(?<=小时)的?(?:在?整点|第?(?P<m>\d{1,2})分钟?)", lambda match: {"minute": int(match["m"] or 0)}),
    (rf"从?(?={_CLOCK}(?:开始|起))|(?<=[点半刻分\d])(?:开始|起)", lambda _: {"from": True}),
    (r"每(?:个)?季度", lambda _: {"cron": "1 1,4,7,10 *"}),
    (rf"(?:每个?)?{_WEEK}([{_DAY_CHARACTERS}])(?:到|至|-){_WEEK}?([{_DAY_CHARACTERS}])", _range),
    (r"每?个?(?:工作日|平日|上班日)", lambda _: {"repeat": "weekday"}),
    (r"每?个?周末", lambda _: {"repeat": "weekend"}),
    (rf"(?:(?P<other>隔(?=周[日天一二三四五六])|隔周|每隔一(?:周|个星期|个礼拜))|每(?:隔)?(?P<n>{_NUMBER})个?(?:周|星期|礼拜)|每(?:个|逢)?)的?(?P<days>{_DAYS})", _days),
    (rf"(?P<other>)(?P<n>)(?P<days>{_WEEK}[{_DAY_CHARACTERS}](?:(?:[、,和及与]|{_WEEK})+[{_DAY_CHARACTERS}](?![点时:十]))+)", _days),
    (rf"{_EVERY}(?P<half>半)?个?(?P<n>{_NUMBER})?个?(?P<unit>{_UNIT})", _interval),
    (r"每个?(?=[早晚]|清晨|上午|中午|下午|傍晚|凌晨)", lambda _: {"repeat": "daily"}),
    (r"每个?月", lambda _: {"repeat": "monthly"}),
)  # fmt: skip
