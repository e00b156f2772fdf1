"""English words for times that come again: "every other Friday at 9", "the last day of each month", "in 20 minutes"."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

from runs.schedule.jobs import DAYS
from runs.schedule.spoken import english
from runs.schedule.words import Reading
from text.values import cardinal, ordinal

_DAY = r"(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?)(?:days?)?"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_NUMBER = r"(?:\d{1,6}|(?:twenty|thirty|forty|fifty)[- ](?:one|two|three|four|five|six|seven|eight|nine)|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|ninety)"
_UNIT = r"(?:min(?:ute)?s?|h(?:ou)?rs?|hours?|days?|weeks?)"
_ORDINAL = r"(?:\d{1,2}(?:st|nd|rd|th)|first|second|third|fourth|fifth|last)"
_NTHS = rf"{_ORDINAL}(?:(?:\s*,\s*|\s+and\s+)(?:the\s+)?{_ORDINAL})*"
_EVERY = r"(?:every|each)"
_LIST = rf"{_DAY}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*[&/]\s*|\s+){_DAY}\b)*"
_CLOCK = r"(?:(\d{1,2})(?:[:.h](\d\d))?\s*(a\.?m\.?|p\.?m\.?|o'?clock)?|(noon|midday|midnight))(?![\w:.]*\d)"
_PARTS = {"morning": 9, "afternoon": 14, "evening": 19, "night": 21}
_BARE = r"(?P<clock>(?P<hour>1[0-2]|0?[1-9])(?::[0-5]\d)?(?![\d:]))"
_HALVES = (
    ("morning", 1, 11, "am"), ("afternoon", 12, 12, "pm"), ("afternoon", 1, 7, "pm"), ("evening", 4, 11, "pm"),
    ("night", 6, 11, "pm"), ("night", 12, 12, "am"), ("night", 1, 5, "am"),
)  # fmt: skip
_NTH = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}


class _Either:
    """A match in which a group has several names: `nth`, `nth2`, `nth3`."""

    def __init__(self, match: re.Match[str], *names: str) -> None:
        groups = match.groupdict()
        self._found = {
            name: next(
                (groups[name + more] for more in ("", "2", "3") if groups.get(name + more)), ""
            )
            for name in names
        }

    def __getitem__(self, name: str) -> str:
        return self._found[name]


def plain(said: str) -> str:
    """The text in small letters, spoken times in digits, with the half of the day that "in the evening" says."""
    said = english(said.lower().replace("o’clock", "o'clock").rstrip("."))
    said = re.sub(rf"\b{_BARE} (in the|at) (morning|afternoon|evening|night)\b", _with_half, said)
    return re.sub(
        rf"\b(morning|afternoon|evening|night)(s?,?(?: at)?) {_BARE}(?!\s*(?:[ap]\.?m|in the))",
        _with_half,
        said,
    )


def _with_half(match: re.Match[str]) -> str:
    """ "8 in the evening" as "8pm", "evening at 8" as "evening at 8pm"; as it stands where that cannot be."""
    said = match.groupdict()
    half = _half(int(said["hour"]), next(each for each in match.groups() if each in _PARTS))
    clock = f"{said['clock']}{half}"
    if not half:
        return match[0]
    return match[0].replace(said["clock"], clock) if match[0][0].isalpha() else clock


def _half(hour: int, part: str) -> str:
    """Return which half of the day this hour of that part of the day is in; "" where it is in
    neither."""
    for part_of, first, last, half in _HALVES:
        if part == part_of and first <= hour <= last:
            return half
    return ""


def part_of_day(said: str) -> int | None:
    """The hour that the part of a day stands for that is named: evening is 19."""
    return next((hour for word, hour in _PARTS.items() if word in said.lower()), None)


def read(reading: Reading) -> None:
    """Takes out of the reading what is understood."""
    for pattern, meaning in _REPEATS:
        reading.take(re.compile(rf"\b{pattern}\b(?!\w)"), meaning)
    _read_clock(reading)
    reading.rest = re.sub(
        r"\b(?:at|on|the|and|in|of|repeat|please|do it|run it)\b|[,;&]", " ", reading.rest
    )


def _read_clock(reading: Reading) -> None:
    parts = [word for word in _PARTS if re.search(rf"\b(?:to)?{word}s?\b", reading.rest)]
    if (
        re.search(rf"\b(?:{'|'.join(_PARTS)})s\b", reading.rest)
        and not {"repeat", "cron", "step"} & reading.keys.keys()
    ):
        reading.keys["repeat"] = "daily"  # nights at 11
    found: list[str] = []

    def clock(match: re.Match[str]) -> dict[str, Any] | None:
        is_bare = bool(not match[3] and match[1] and int(match[1]) <= 12)
        half = _half(int(match[1]), parts[0]) if is_bare and len(parts) == 1 else ""
        time = _time(match, half)
        if time is None or (parts and is_bare and not half):
            return None  # an hour that this part of the day has not, or it is not said which part is meant
        found.append(time)
        if is_bare and not half and re.fullmatch("[1-5]", match[1]):
            reading.vague.append(time)
        return {}

    said_at = re.compile(rf"(?:\b(?:at|by|around|and)\s+|(?<![\w:.])|,\s*){_CLOCK}")
    reading.take(said_at, clock)
    reading.take(
        re.compile(r"\b(?:in the |at )?(?:mornings?|afternoons?|evenings?|nights?)\b"), lambda _: {}
    )
    if parts and not found:
        found += [f"{_PARTS[part]:02d}:00" for part in parts]
    reading.times += found


def _time(match: re.Match[str], half: str = "") -> str | None:
    if match[4]:
        return "00:00" if match[4] == "midnight" else "12:00"
    hour, minute, half = int(match[1]), int(match[2] or 0), (half or match[3] or "")[:1]
    if half in ("a", "p"):
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "p" else 0)
    return (
        f"{hour:02d}:{minute:02d}"
        if (hour < 24 and minute < 60) or (hour, minute) == (24, 0)
        else None
    )


def _count(said: str | None) -> int:
    return 1 if said in (None, "", "a", "an") else cardinal(said or "") or 0


def _interval(match: re.Match[str]) -> dict[str, Any]:
    count, unit = _count(match["n"]), match["unit"][0]
    if match["other"]:
        count = 2
    if unit in "mh":
        return {"step": (count, unit)}
    return {
        "repeat": "daily"
        if (count, unit) == (1, "d")
        else "weekly"
        if (count, unit) == (1, "w")
        else f"every_{count}{unit}"
    }


def _in(match: re.Match[str]) -> dict[str, Any] | None:
    total = timedelta()
    for number, unit in re.findall(rf"(half an|{_NUMBER})\s+({_UNIT})", match[0]):
        size = {
            "m": timedelta(minutes=1),
            "h": timedelta(hours=1),
            "d": timedelta(days=1),
            "w": timedelta(weeks=1),
        }[unit[0]]
        total += size / 2 if number == "half an" else size * _count(number)
    return {"in": total} if total else None


def _days(match: re.Match[str]) -> dict[str, Any] | None:
    names = [name[:3] for name in re.findall(_DAY, match["days"])]
    if not (
        re.match("every|each|weekly", match[0]) or match["days"].endswith("s") or len(names) > 1
    ):
        return None  # "on friday" is one day
    days = [day for day in DAYS if day in names]
    step = 2 if match["other"] else _count(match["n"]) if match["n"] else 1
    return {
        "repeat": "weekly" if step == 1 else f"every_{step}w",
        "on": days if len(days) > 1 else days[0],
    }


def _except(match: re.Match[str]) -> dict[str, Any]:
    said = match["days"]
    named = (
        DAYS[1:6]
        if said.startswith("weekday")
        else (DAYS[0], DAYS[6])
        if said.startswith("weekend")
        else ()
    )
    return {
        "except": [
            day for day in DAYS if day in (named or [name[:3] for name in re.findall(_DAY, said)])
        ]
    }


def _so_often(match: re.Match[str]) -> dict[str, Any]:
    """Twice a day, three times a week: at as many times, on as many days, as are named."""
    count = 2 if match["n"] == "twice" else _count(match["n"].split()[0])
    often = {"often": (count, match["unit"][0])}
    names = [name[:3] for name in re.findall(_DAY, match["days"] or "")]
    days = [day for day in DAYS if day in names]
    if match["unit"] == "day":
        return {**often, "repeat": "daily"}
    return {
        **often,
        "repeat": "weekly",
        **({"on": days if len(days) > 1 else days[0]} if days else {}),
    }


def _range(match: re.Match[str]) -> dict[str, Any]:
    first, last = DAYS.index(match[1][:3]), DAYS.index(match[2][:3])
    days = [DAYS[(first + step) % 7] for step in range((last - first) % 7 + 1)]
    return {"repeat": "weekday"} if days == list(DAYS[1:6]) else {"repeat": "weekly", "on": days}


def _of_month(match: _Either) -> dict[str, Any]:
    said = re.findall(_ORDINAL, match["nth"])
    days: list[str | int] = ["last" if each == "last" else ordinal(each) or 0 for each in said]
    return {"repeat": "monthly", "on": days if len(days) > 1 else days[0]}


def _weekday_of_month(match: _Either) -> dict[str, Any]:
    day, said = DAYS.index(match["day"][:3]), re.findall(_ORDINAL, match["nth"])
    numbers = [
        _NTH.get(nth) or (None if nth == "last" else int(re.sub(r"\D", "", nth))) for nth in said
    ]
    return {
        "cron": f"* * {','.join(f'{day}L' if number is None else f'{day}#{number}' for number in numbers)}"
    }


def _of_year(match: re.Match[str]) -> dict[str, Any] | None:
    day = match["d1"] or match["d2"]
    number = int(day) if day.isdecimal() else ordinal(day)
    return (
        {"cron": f"{number} {_MONTHS.index((match['m1'] or match['m2'])[:3]) + 1} *"}
        if number
        else None
    )


def _minute(match: re.Match[str]) -> dict[str, Any] | None:
    """Every hour at so many minutes past it."""
    said = next((each for each in match.groups() if each), "hour")
    minute = {"hour": 0, "half": 30, "quarter": 15}.get(said) if not said.isdecimal() else int(said)
    if minute is None or minute > 59:
        return None
    return (
        {"minute": minute}
        if match[0].startswith(("on", "at"))
        else {"minute": minute, "step": (1, "h")}
    )


def _hours(match: re.Match[str]) -> dict[str, Any] | None:
    ends = [re.fullmatch(_CLOCK, each.strip()) for each in (match[1], match[2])]
    times = [_time(each) if each else None for each in ends]
    if not (times[0] and times[1]) or any(time and not time.endswith(":00") for time in times):
        return None
    first, last = int(times[0][:2]), int(times[1][:2])
    is_bare = not re.search("[apn]", match[0].partition(match[1])[2] + match[1] + match[2])
    return {
        "hours": (first, last + 12 if is_bare and last < first <= 12 else last)
    }  # from 9 to 5 is until 17:00


_ONE_CLOCK = r"(?:\d{1,2}(?:[:.]\d\d)?\s*(?:a\.?m\.?|p\.?m\.?)?|noon|midnight)"
_STEP = rf"{_EVERY}\s+(?:(?P<other>other|second)\s+|(?P<n>{_NUMBER})\s+)?"
_REPEATS: tuple[tuple[str, Any], ...] = (
    (rf"after\s+(?!{_ONE_CLOCK}$)(?:the\s+)?(?:job\s+)?([\w.-]+)(?:\s+is\s+done)?$", lambda match: {"after": match[1]}),
    (rf"in\s+(?:half an|{_NUMBER})\s+{_UNIT}(?:(?:\s+and|,)?\s+(?:half an|{_NUMBER})\s+{_UNIT})*(?:\s+from now)?$", _in),
    (rf"(?:half an|{_NUMBER})\s+{_UNIT}(?:(?:\s+and|,)?\s+(?:half an|{_NUMBER})\s+{_UNIT})*\s+from\s+now$", _in),
    (rf"(?:except|but(?:\s+not)?|apart\s+from|other\s+than|not)\s+(?:for\s+)?(?:on\s+)?(?P<days>weekends?|weekdays?|{_LIST})", _except),
    (rf"(?P<n>twice|{_NUMBER}\s+times)\s+(?:an?|per|{_EVERY})\s+(?P<unit>day|week)(?:\s+on\s+(?P<days>{_LIST}))?", _so_often),
    (rf"(?:from|between)\s+({_ONE_CLOCK})\s*(?:to|until|till|and|-|–)\s*({_ONE_CLOCK})", _hours),
    (rf"(?:(?:on\s+|{_EVERY}\s+)?(?:the\s+)?(?P<nth>{_NTHS})\s+(?P<day>{_DAY})\s+(?:of\s+)?(?:the|{_EVERY}|a)\s+month|{_EVERY}\s+month\s+on\s+the\s+(?P<nth2>{_NTHS})\s+(?P<day2>{_DAY})|monthly\s+on\s+the\s+(?P<nth3>{_NTHS})\s+(?P<day3>{_DAY}))", lambda match: _weekday_of_month(_Either(match, "nth", "day"))),
    (rf"(?:on\s+|{_EVERY}\s+)?(?:the\s+)?last\s+(?:week|work(?:ing)?|business)\s*day\s+of\s+(?:the|{_EVERY}|a)\s+month", lambda _: {"cron": "LW * *"}),
    (rf"(?:on\s+)?(?:the\s+)?(?:end|last\s+day)\s+of\s+(?:the|{_EVERY}|a)\s+quarter", lambda _: {"cron": "L 3,6,9,12 *"}),
    (rf"(?:(?:on\s+|{_EVERY}\s+)?(?:the\s+)?(?P<nth>{_ORDINAL}(?:(?:\s*,\s*|\s+and\s+)(?:the\s+)?{_ORDINAL})*)(?:\s+day)?\s+of\s+(?:the|{_EVERY}|a)\s+month|(?:{_EVERY}\s+month|monthly)\s+on\s+(?:the\s+)?(?P<nth2>{_ORDINAL}(?:(?:\s*,\s*|\s+and\s+)(?:the\s+)?{_ORDINAL})*)(?:\s+day)?|{_EVERY}\s+(?P<nth3>last)\s+day\s+of\s+(?:the|a)\s+month)", lambda match: _of_month(_Either(match, "nth"))),
    (rf"(?:(?:{_EVERY}\s+year|yearly|annually)\s+on|{_EVERY})\s+(?:the\s+)?(?:(?P<d1>{_ORDINAL}|\d{{1,2}})\s+(?:of\s+)?(?P<m1>{_MONTH})|(?P<m2>{_MONTH})\s+(?:the\s+)?(?P<d2>{_ORDINAL}|\d{{1,2}}))", _of_year),
    (rf"on\s+the\s+(?P<nth>{_ORDINAL}(?:(?:\s*,\s*|\s+and\s+)(?:the\s+)?{_ORDINAL})+)(?!\s+(?:{_DAY}|of)\b)", lambda match: _of_month(_Either(match, "nth"))),
    (r"(?:on\s+the\s+|at\s+(?:a\s+)?)(half|quarter)(?:\s+past)?(?:\s+(?:the|every|each)?\s*hour)", _minute),
    (r"on\s+the\s+hour|at\s+(\d{1,2})\s+(?:minutes\s+)?past(?:\s+the\s+hour)?|at\s+:(\d\d)", _minute),
    (rf"(?:starting|beginning|from)(?:\s+at)?(?=\s+{_ONE_CLOCK}(?!\s*(?:to|until|till|and|-|–)))", lambda _: {"from": True}),
    (rf"(?:{_EVERY}\s+year|yearly|annually)", lambda _: {"cron": "1 1 *"}),
    (rf"(?:{_EVERY}\s+quarter|quarterly)", lambda _: {"cron": "1 1,4,7,10 *"}),
    (rf"(?:{_EVERY}\s+)?({_DAY})\s*(?:to|through|-|–)\s*({_DAY})", _range),
    (rf"(?:{_EVERY}\s+)?(?:weekdays?|work(?:ing)?\s*days?|business\s+days?)", lambda _: {"repeat": "weekday"}),
    (rf"(?:{_EVERY}\s+)?(?:weekends?)", lambda _: {"repeat": "weekend"}),
    (rf"{_EVERY}\s+half\s+(?:an\s+)?hour", lambda _: {"step": (30, "m")}),
    (rf"(?:{_STEP}(?:weeks?\s+on\s+(?:an?\s+)?)?|(?:weekly\s+)?on\s+|weekly\s+)?(?P<days>{_LIST})", _days),
    (rf"{_STEP}(?P<unit>minutes?|mins?|hours?|hrs?|days?|weeks?)", _interval),
    (rf"{_EVERY}\s+month|monthly", lambda _: {"repeat": "monthly"}),
    (rf"(?:daily|{_EVERY}(?=\s+(?:morning|afternoon|evening|night|noon|midnight)))", lambda _: {"repeat": "daily"}),
    (r"nightly", lambda _: {"repeat": "daily"}),
    (r"hourly", lambda _: {"step": (1, "h")}),
    (r"weekly", lambda _: {"repeat": "weekly"}),
)  # fmt: skip
