"""Words that say when, English or Chinese, as the keys of a job's file: "every weekday 08:00", "每天早上8点", a cron line.

Every word must be understood: what is left over is an error that says what was. One time or day that is named is found
by the time words of memory (text/time), in the owner's timezone, in the future.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from runs.schedule.jobs import DAYS, DEFAULT_TIME, MACROS, JobError, check_cron, zone_of

_CRON = re.compile(r"(?:[\d*/,#LW-]|\b[A-Za-z]{3}\b)+(?:\s+(?:[\d*/,#LW-]|\b[A-Za-z]{3}\b)+){4}")
_ISO = re.compile(
    r"\d{4}-\d\d?-\d\d?(?:[T ]\d\d?:\d\d(?::\d\d(?:\.\d+)?)?)?\s*(?:Z|[+-]\d\d:?\d\d)?"
)
_DAY_NAMES = r"(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat)[a-z]*/"
_ZONE = re.compile(
    rf"\(?\b(?:in\s+|by\s+)?(?!{_DAY_NAMES})([A-Z][A-Za-z_]+/[A-Za-z_/+-]+\d*|UTC)(?:\s+time)?\)?"
)
_CITY_TIME = re.compile(r"\(?\b(?:in\s+)?([A-Z]\w+(?: [A-Z]\w+)*) time\b\)?")
_CITY_TIME_ZH = re.compile(
    "(北京|上海|香港|台北|东京|首尔|新加坡|悉尼|莫斯科|柏林|巴黎|伦敦|纽约|洛杉矶)时间"
)
_CITIES_ZH = {
    "北京": "Asia/Shanghai", "上海": "Asia/Shanghai", "香港": "Asia/Hong_Kong", "台北": "Asia/Taipei", "东京": "Asia/Tokyo",
    "首尔": "Asia/Seoul", "新加坡": "Asia/Singapore", "悉尼": "Australia/Sydney", "莫斯科": "Europe/Moscow", "柏林": "Europe/Berlin",
    "巴黎": "Europe/Paris", "伦敦": "Europe/London", "纽约": "America/New_York", "洛杉矶": "America/Los_Angeles",
}  # fmt: skip
_CHINESE = re.compile("[\u4e00-\u9fff]")
MAX_CHARS = 300
_SUCH_AS = 'Say when, such as: every weekday 08:00, in 20 minutes, 2026-12-24T18:00, "0 8 * * 1-5"'


@dataclass(slots=True)
class Reading:
    """Hold what has been read of a text so far. `rest`: the text, with a blank for each part that is understood."""

    rest: str
    now: datetime
    keys: dict[str, Any] = field(default_factory=dict)
    times: list[str] = field(default_factory=list)  # "HH:MM"
    vague: list[str] = field(
        default_factory=list
    )  # those of the times that could be either half of the day
    understood: list[str] = field(default_factory=list)

    def take(
        self, pattern: re.Pattern[str], read: Callable[[re.Match[str]], dict[str, Any] | None]
    ) -> None:
        """Reads every part that fits; `read` gives the keys that it means, or None when it cannot be meant."""

        def once(found: re.Match[str]) -> str:
            keys = read(found)
            if keys is None or any(
                self.keys.get(key, value) != value for key, value in keys.items()
            ):
                return found[0]
            self.keys |= keys
            self.understood.append(found[0].strip())
            return " \x00 "

        self.rest = pattern.sub(once, self.rest)


def read_when(text: str, now: datetime, timezone: str) -> dict[str, Any]:
    """The keys that say when: `schedule` and `repeat`, `cron`, `at`, `after`; `timezone` when one is named. `now` is aware.

    Raises JobError, which says what was understood and what was not."""
    said = " ".join(text.split())
    if not said:
        raise JobError("there is no time: say when, such as: every weekday 08:00")
    if len(said) > MAX_CHARS:
        raise JobError(f"a time has {MAX_CHARS} characters at most")
    keys: dict[str, Any] = {}
    if (zone := _zone_in(said)) and not _CRON.fullmatch(said):
        found, keys["timezone"] = zone
        timezone = keys["timezone"]
        zone_of(timezone)
        said = " ".join((said[: found.start()] + said[found.end() :]).split())
    now = now.astimezone(zone_of(timezone))
    if said.lower() in MACROS or (
        _CRON.fullmatch(said) and not re.search(r"\d:\d|\d-\d\d-\d", said)
    ):
        return keys | {"cron": check_cron(said)}
    if _ISO.fullmatch(said):
        return keys | {"at": _iso(said)}
    return keys | _words(said, now)


def _zone_in(said: str) -> tuple[re.Match[str], str] | None:
    """Where a timezone is named, and its name: by its own, or by that of a city that one zone alone is called after."""
    if found := _ZONE.search(said):
        return found, found[1]
    if found := _CITY_TIME_ZH.search(said):
        return found, _CITIES_ZH[found[1]]
    if found := _CITY_TIME.search(said):
        from zoneinfo import available_timezones

        city = found[1].replace(" ", "_")
        zones = [
            each
            for each in available_timezones()
            if each.rpartition("/")[2] == city and "/" in each
        ]
        return (found, zones[0]) if len(zones) == 1 else None
    return None


def _iso(said: str) -> str:
    try:
        moment = datetime.fromisoformat(re.sub(r"\s+(?=[+\-Z]\S*$)", "", said))
    except ValueError:
        raise JobError(f'there is no such day or time: "{said}"') from None
    if len(said) <= 10:
        moment = moment.replace(hour=int(DEFAULT_TIME[:2]))
    return moment.isoformat()


def _words(said: str, now: datetime) -> dict[str, Any]:
    if _CHINESE.search(said):
        from runs.schedule.words_zh import part_of_day, plain, read
    else:
        from runs.schedule.words_en import part_of_day, plain, read
    reading = Reading(plain(said), now)
    read(reading)
    left = " ".join(reading.rest.replace("\x00", " ").split())
    has_repeat = bool({"repeat", "step", "cron", "after", "in"} & reading.keys.keys())
    if not (left or has_repeat) and len(reading.times) == 1:
        _check_halves(reading.vague)
        return {"at": _next(reading.times[0], now).isoformat()}
    if left or not has_repeat:
        once = None if has_repeat else _once(said, reading, part_of_day)
        if once is None:
            raise _unclear(said, left, reading)
        return once
    if "in" in reading.keys:
        if len(reading.keys) > 1:
            raise _unclear(said, left, reading)
        _check_halves(reading.vague)
        return {"at": _later(reading.keys["in"], reading.times, now).isoformat()}
    return _assembled(said, reading)


def _next(time: str, now: datetime) -> datetime:
    """The next time that the clock on the wall shows this."""
    moment = now.replace(hour=int(time[:2]) % 24, minute=int(time[3:]), second=0, microsecond=0)
    return moment if moment > now else moment + timedelta(days=1)


def _later(wait: timedelta, times: list[str], now: datetime) -> datetime:
    """So much later: days and weeks by the calendar, at a time of the day where one is named; minutes and hours as they pass."""
    is_days = not wait % timedelta(days=1)
    if times and (not is_days or len(times) > 1):
        raise JobError("so many minutes or hours from now take no time of the day")
    try:
        moment = now + wait if is_days else (now.astimezone(UTC) + wait).astimezone(now.tzinfo)
    except OverflowError:
        raise JobError("that is later than any calendar goes") from None
    if times:
        moment = moment.replace(hour=int(times[0][:2]), minute=int(times[0][3:]), second=0)
    return moment.replace(microsecond=0)


def _assembled(said: str, reading: Reading) -> dict[str, Any]:
    """The keys, with the times of the day put where they belong."""
    _check_halves(reading.vague)
    keys, times = _without(dict(reading.keys)), list(dict.fromkeys(reading.times))
    if "24:00" in times:
        if keys.get("repeat", "daily") != "daily":
            raise JobError("24:00 is 00:00 of the next day: name that day, at 00:00")
        times = list(dict.fromkeys("00:00" if time == "24:00" else time for time in times))
    _check_count(keys, times)
    if _contradict(keys):
        raise _unclear(said, "", reading)
    if "cron" in keys:  # day fields of a line, of what `repeat` cannot say
        lines = [
            f"{int(time[3:])} {int(time[:2])} {keys['cron']}" for time in times or [DEFAULT_TIME]
        ]
        minutes = {line.split()[0] for line in lines}
        if len(minutes) > 1:
            raise JobError(
                "several times of such a day must be at the same minute: make a job for each"
            )
        hours = ",".join(line.split()[1] for line in lines)
        return {"cron": check_cron(f"{minutes.pop()} {hours} {keys['cron']}")}
    if "step" in keys:
        return (
            _step_from(times[0], keys)
            if "from" in keys and len(times) == 1
            else _stepped(times, keys)
        )
    if "hours" in keys:
        raise JobError("within those hours, but how often? Say so: every 2 hours from 8 to 18")
    if "after" in keys:
        if len(keys) > 1 or times:
            raise JobError('"after" another job takes no time of its own')
        return {"after": keys["after"]}
    found = {"schedule": ",".join(sorted(times)) or DEFAULT_TIME, **keys}
    return {key: found[key] for key in ("schedule", "repeat", "on") if key in found}


def _contradict(keys: dict[str, Any]) -> bool:
    """Return True if something is said that would be left out without a word: hours of a day that is named by its month, a minute of no hour."""
    steps = {"step", "hours", "minute", "from"} & keys.keys()
    if "cron" in keys:
        return bool(steps or {"repeat", "on"} & keys.keys())
    return bool({"minute", "from"} & steps) and "step" not in keys


def _without(keys: dict[str, Any]) -> dict[str, Any]:
    """The keys, with the days that are excepted left out of those that are meant."""
    left_out = keys.pop("except", None)
    if left_out is None:
        return keys
    repeat, on = keys.get("repeat", "daily"), keys.pop("on", [])
    named = {"daily": DAYS, "weekday": DAYS[1:6], "weekend": (DAYS[0], DAYS[6])}.get(repeat, ())
    days = (on if isinstance(on, list) else [on]) if repeat == "weekly" else list(named)
    kept = [day for day in days if day not in left_out]
    if not kept or "cron" in keys:
        raise JobError(
            "days can be left out of days of the week only: every day except Sunday, weekdays except Friday"
        )
    if kept == list(DAYS[1:6]):
        return keys | {"repeat": "weekday"}
    return keys | {"repeat": "weekly", "on": kept if len(kept) > 1 else kept[0]}


def _check_count(keys: dict[str, Any], times: list[str]) -> None:
    """Twice a day takes two times, twice a week two days."""
    count, unit = keys.pop("often", (0, ""))
    on = keys.get("on", [])
    named = len(times) if unit == "d" else len(on) if isinstance(on, list) else 1
    if count and count != named:
        raise JobError(
            "so often, but when? Name the times, or the days: every day at 8 and 20, every Monday and Thursday"
        )


def _step_from(time: str, keys: dict[str, Any]) -> dict[str, Any]:
    """Every so many hours, of which one is at this time of the day: where that fits into a day, it says when all of them are."""
    count, unit = keys["step"]
    if {"hours", "repeat", "minute"} & keys.keys() or unit == "m" or not count or 24 % count:
        raise JobError(
            f"every {count}{unit} does not go with such days or hours: make it a cron line"
        )
    hours = sorted((int(time[:2]) + hour) % 24 for hour in range(0, 24, count))
    return {
        "cron": check_cron(
            f"{int(time[3:])} {','.join(map(str, hours)) if count > 1 else '*'} * * *"
        )
    }


def _stepped(times: list[str], keys: dict[str, Any]) -> dict[str, Any]:
    """Every so many minutes or hours: by a clock of its own, or on some days or within hours by the wall's."""
    if times:
        raise JobError(
            "every so many minutes or hours takes no time of the day, but hours: every 2 hours from 8 to 18"
        )
    count, unit = keys["step"]
    repeat = keys.get("repeat", "daily")
    if "minute" in keys and (unit == "m" or not count or 24 % count):
        raise JobError(f"every {count}{unit} takes no minute of the hour: make it a cron line")
    if repeat == "daily" and not {"hours", "minute"} & keys.keys():
        return {"repeat": f"every_{count}{unit}"}
    days = {"daily": "*", "weekday": "1-5", "weekend": "0,6"}.get(repeat)
    if repeat == "weekly":
        days = ",".join(keys["on"] if isinstance(keys["on"], list) else [keys["on"]])
    if days is None or not count or (unit == "m" and 60 % count):
        raise JobError(
            f"every {count}{unit} does not go with such days or hours: make it a cron line"
        )
    first, last = keys.get("hours", (0, 24))
    many = (last - first) % 24 or 24
    hours = [
        (first + hour) % 24
        for hour in range(0, many + (unit == "h" and many < 24), count if unit == "h" else 1)
    ]
    minutes = str(keys.get("minute", 0)) if unit == "h" else f"*/{count}"
    listed = "*" if len(hours) == 24 else ",".join(map(str, hours))
    return {"cron": check_cron(f"{minutes} {listed} * * {days}")}


def _check_halves(vague: list[str]) -> None:
    """At 3 may be in the afternoon or in the night; at 8 is in the morning."""
    if vague:
        time = vague[0]
        raise JobError(
            f'"{time.removeprefix("0")}" can be meant in two ways.\nSay "{time}", or "{int(time[:2]) + 12}{time[2:]}".'
        )


def _once(
    said: str, reading: Reading, part_of_day: Callable[[str], int | None]
) -> dict[str, Any] | None:
    """One moment that is named; a day alone is meant at nine, a part of one at its hour of days that come again."""
    from text.time import find

    now = reading.now
    ranges = find(said, now, past=False)
    if len(ranges) != 1 or ranges[0].start is None:
        return None
    found, rest = ranges[0], said.replace(ranges[0].text, " ")
    if re.sub(r"\b(on|at|once|the)\b|[在于的,，。.\s]|一次", "", rest.lower()):
        return None
    start = ranges[0].start.astimezone(now.tzinfo)
    lasts = found.end - ranges[0].start if found.end is not None else timedelta()
    if lasts > timedelta(hours=26):
        return None  # a week, a month: no day is named
    if lasts > timedelta(hours=12):
        start = start.replace(hour=int(DEFAULT_TIME[:2]))
    elif lasts > timedelta(hours=1) and (hour := part_of_day(said)) is not None:
        start = start.replace(hour=hour) + timedelta(
            days=hour == 0 and start.hour > 12
        )  # midnight ends a day
    half = f"{start.hour % 12:02d}:{start:%M}"
    if half in reading.vague and f"{start:%H:%M}" not in set(reading.times) - set(reading.vague):
        _check_halves([half])
    if (
        len(reading.times) == 1
        and f"{start:%H:%M}" == f"{(int(reading.times[0][:2]) + 12) % 24:02d}{reading.times[0][2:]}"
    ):
        _check_halves([min(f"{start:%H:%M}", reading.times[0])])  # it is read in two ways: 今晚3点
    if start <= now:
        raise JobError(f'"{said}" is over: it was {start:%Y-%m-%d %H:%M}')
    return {"at": start.isoformat()}


def _unclear(said: str, left: str, reading: Reading) -> JobError:
    known = ", ".join(reading.understood)
    if known and left:
        return JobError(f'understood "{known}", but not "{left}".\n{_SUCH_AS}')
    if known:
        return JobError(f'understood "{known}", but not when or how often that is.\n{_SUCH_AS}')
    return JobError(f'"{said}" says no time that is understood.\n{_SUCH_AS}')
