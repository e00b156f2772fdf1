"""Turn words that say when into the keys of a job's file: "every weekday 08:00", "每天早上8点", a cron
line, an ISO time.

Every word must be understood (text/time reads them); what is left over, or could be meant in two
ways, is an error.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from runs.schedule.jobs import DAYS, DEFAULT_TIME, MACROS, JobError, check_cron, zone_of
from text.time import Repeat, recurring

MAX_CHARS = 300
_FIELD = r"(?:[\d*/,#LW-]|\b[A-Za-z]{3}\b)+"
_CRON = re.compile(rf"{_FIELD}(?:\s+{_FIELD}){{4}}")
_ISO = re.compile(
    r"\d{4}-\d\d?-\d\d?(?:[T ]\d\d?:\d\d(?::\d\d(?:\.\d+)?)?)?\s*(?:Z|[+-]\d\d:?\d\d)?"
)
_ZONE = re.compile(
    r"\(?\b(?:in\s+)?(?!(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat)[a-z]*/)([A-Z][A-Za-z_]+/[A-Za-z_/+-]+\d*|UTC)(?:\s+time)?\)?"
)
_LASTS = {"workday": "LW * *", "quarter": "L 3,6,9,12 *"}
_FIRSTS = {"month": "", "quarter": "1 1,4,7,10 *", "year": "1 1 *"}
_STEPS = {"hour": (1, 2, 3, 4, 6, 8, 12, 24), "minute": (1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60)}
_NAMED_DAYS = {(1, 2, 3, 4, 5): "weekday", (0, 6): "weekend"}


def read_when(text: str, now: datetime, timezone: str) -> dict[str, Any]:
    """Return the keys that say when: `schedule` and `repeat`, `cron`, `at`; `timezone` when one is
    named.

    `now` is aware. Raises JobError, which says what was understood.
    """
    said = " ".join(text.split())
    if not said:
        raise JobError("error.when.empty")
    if len(said) > MAX_CHARS:
        raise JobError("error.when.too-long", max_chars=MAX_CHARS)
    keys: dict[str, Any] = {}
    zone = _ZONE.search(said)
    if zone and not _CRON.fullmatch(said):
        keys["timezone"] = timezone = zone[1]
        said = " ".join((said[: zone.start()] + said[zone.end() :]).split())
    return keys | _plain(said, now.astimezone(zone_of(timezone)))


def _plain(said: str, now: datetime) -> dict[str, Any]:
    """Return the keys of a time that names no timezone."""
    is_cron = _CRON.fullmatch(said) and not re.search(r"\d:\d|\d-\d\d-\d", said)
    if is_cron or said.lower() in MACROS:
        return {"cron": check_cron(said)}
    if _ISO.fullmatch(said):
        return {"at": _iso(said)}
    meant, understood = recurring(said, now)
    if meant is None:
        raise _unclear(said, understood)
    return _Reading(said, meant, now).keys()


def _iso(said: str) -> str:
    try:
        moment = datetime.fromisoformat(re.sub(r"\s+(?=[+\-Z]\S*$)", "", said))
    except ValueError:
        raise JobError("error.when.no-moment", said=said) from None
    if len(said) <= 10:
        moment = moment.replace(hour=int(DEFAULT_TIME[:2]))
    return moment.isoformat()


def _unclear(said: str, understood: str) -> JobError:
    left = said[len(understood) :].strip(" ,，")
    if understood and left:
        return JobError("error.when.left", known=understood.strip(), left=left)
    return JobError("error.when.unclear", said=said)


class _Reading:
    """Turn what was said into the keys of a job."""

    def __init__(self, said: str, meant: Repeat, now: datetime) -> None:
        self._said, self._meant, self._now = said, meant, now

    def keys(self) -> dict[str, Any]:
        """Return them. Raises JobError."""
        meant = self._meant
        if not meant.every:
            return {"at": self._once().isoformat()}
        count, unit = meant.every
        if unit in ("minute", "hour"):
            return self._step(count, unit)
        if self._within_hours:
            raise JobError("error.when.no-step", said=self._said)
        if unit in ("day", "week"):
            return self._by_days(count, unit)
        if count != 1:
            raise JobError("error.when.which-months", said=self._said)
        return self._by_months(unit)

    @property
    def _within_hours(self) -> bool:
        """Return True where hours of a day, or a minute of an hour, are said."""
        meant = self._meant
        return (meant.hours, meant.start, meant.minute) != (None, None, None)

    def _once(self) -> datetime:
        """Return the one moment that is meant."""
        meant = self._meant
        rest = replace(meant, wait=(), span=None, times=(), parts=(), weekdays=())
        if rest != Repeat() or len(meant.times) > 1 or len(meant.weekdays) > 1:
            raise _unclear(self._said, "")
        if meant.wait:
            return self._later()
        if meant.span:
            return self._coming(self._of_span(meant.span))
        minutes = self._minutes()
        if not minutes:
            raise _unclear(self._said, "")
        days = (meant.weekdays[0] - self._now.weekday()) % 7 if meant.weekdays else 0
        found = _at(self._now + timedelta(days=days), minutes[0])
        if found <= self._now:
            found += timedelta(days=7 if meant.weekdays else 1)
        return found

    def _of_span(self, span: Any) -> datetime:
        """Return the moment of a day, or that is named itself."""
        if span.start is None:
            raise _unclear(self._said, "")
        start: datetime = span.start.replace(tzinfo=span.zone or self._now.tzinfo)
        if span.unit != "day":
            return start
        return _at(start, (self._minutes() or [int(DEFAULT_TIME[:2]) * 60])[0])

    def _coming(self, moment: datetime) -> datetime:
        if moment <= self._now:
            raise JobError("error.when.over", said=self._said, at=f"{moment:%Y-%m-%d %H:%M}")
        return moment

    def _later(self) -> datetime:
        """So much later: days and weeks by the calendar, minutes and hours as they pass."""
        sizes = {"minute": 60, "hour": 3600, "day": 86400, "week": 7 * 86400}
        if any(unit not in sizes for _, unit in self._meant.wait):
            raise _unclear(self._said, "")
        wait = timedelta(seconds=sum(n * sizes[unit] for n, unit in self._meant.wait))
        is_days = not wait % timedelta(days=1)
        minutes = self._minutes()
        if minutes and not is_days:
            raise JobError("error.when.no-time-later")
        try:
            elapsed = (self._now.astimezone(UTC) + wait).astimezone(self._now.tzinfo)
            moment = self._now + wait if is_days else elapsed
        except OverflowError:
            raise JobError("error.when.too-late") from None
        if minutes:
            moment = moment.replace(hour=minutes[0] // 60, minute=minutes[0] % 60, second=0)
        return moment.replace(microsecond=0)

    def _minutes(self) -> list[int]:
        """Return the times of the day that are said, in minutes; a part of the day has its usual
        hour."""
        found = [self._minute(clock) for clock in self._meant.times]
        is_in_part = all(_is_in(minute, part) for part in self._meant.parts for minute in found)
        is_plain = is_in_part and found == sorted(found)
        if self._meant.parts and not is_plain:
            raise _unclear(self._said, "")  # 9 and 3 in the morning
        return list(dict.fromkeys(found or [part.hour * 60 for part in self._meant.parts]))

    def _minute(self, clock: Any) -> int:
        """Return a time of day in minutes. Raises JobError where it may be before or after noon."""
        for part in self._meant.parts[:1]:
            clock = clock.within(part.clock)
        start = clock.start // 60
        if clock.halves and 60 <= start < 6 * 60:
            first, second = (f"{(start + more) // 60:02d}:{start % 60:02d}" for more in (0, 720))
            raise JobError("error.when.halves", first=first, second=second)
        return int(start)

    def _times(self) -> list[str]:
        """Return the times as a job's file has them; the usual one where none is said."""
        minutes = self._minutes()
        self._check_count(len(minutes))
        is_daily = self._meant.every == (1, "day") and not self._meant.left_out
        if any(minute >= 24 * 60 for minute in minutes) and not is_daily:
            raise JobError("error.when.midnight")
        found = sorted(minute % (24 * 60) for minute in minutes)
        return [f"{minute // 60:02d}:{minute % 60:02d}" for minute in found] or [DEFAULT_TIME]

    def _check_count(self, times: int) -> None:
        """Raise JobError where it is said how often a day, or a week, and that is not so."""
        meant = self._meant
        if meant.count is None:
            return
        count, unit = meant.count
        if count != (times if unit == "day" else len(meant.weekdays)):
            raise JobError("error.when.how-often")

    def _timed(self, repeat: str, on: Any = None) -> dict[str, Any]:
        found = {"schedule": ",".join(self._times()), "repeat": repeat}
        return found if on is None else found | {"on": on}

    def _by_days(self, count: int, unit: str) -> dict[str, Any]:
        """Return every so many days or weeks."""
        if unit == "day" and not self._meant.left_out:
            return self._timed("daily" if count == 1 else f"every_{count}d")
        days = self._days()
        if count == 1 and days in _NAMED_DAYS:
            return self._timed(_NAMED_DAYS[days])
        repeat = "weekly" if count == 1 else f"every_{count}w"
        return self._timed(repeat, _one_or_many([DAYS[day] for day in days]) if days else None)

    def _days(self) -> tuple[int, ...]:
        """Return the days of the week that are meant, without those that are left out; 0 is
        Sunday."""
        meant = self._meant
        days = set(meant.weekdays)
        if meant.left_out:
            days = (days or set(range(7))) - set(meant.left_out)
            if not days:
                raise JobError("error.when.left-out")
        return tuple(sorted((day + 1) % 7 for day in days))

    def _by_months(self, unit: str) -> dict[str, Any]:
        """On days of a month, or days that only a cron line can say."""
        meant = self._meant
        if meant.left_out or meant.weekdays:
            raise JobError("error.when.left-out")
        if meant.month_days:
            days = ["last" if day < 0 else day for day in meant.month_days]
            return self._timed("monthly", _one_or_many(days))
        fields = self._cron_days(unit)
        if not fields:
            return self._timed("monthly")
        return {"cron": check_cron(f"{_clock_fields(self._times())} {fields}", self._said)}

    def _cron_days(self, unit: str) -> str:
        """Return the last three fields of a cron line; "" where `repeat` can say the days."""
        meant = self._meant
        if meant.nth_weekdays:
            days = ((nth, (day + 1) % 7) for nth, day in meant.nth_weekdays)
            return "* * " + ",".join(f"{day}L" if nth < 0 else f"{day}#{nth}" for nth, day in days)
        if meant.year_day:
            return f"{meant.year_day[1]} {meant.year_day[0]} *"
        return _LASTS.get(meant.last, _FIRSTS[unit])

    def _step(self, count: int, unit: str) -> dict[str, Any]:
        """Return every so many minutes or hours: by a clock of its own, or on some days or within
        hours by the wall's."""
        meant = self._meant
        if meant.times or meant.parts:
            raise JobError("error.when.step-with-time")
        if not (self._within_hours or meant.weekdays):
            return {"repeat": f"every_{count}{unit[0]}"}
        has_minute = (meant.start, meant.minute) != (None, None)
        has_room = unit == "hour" or not has_minute
        if not has_room or count not in _STEPS[unit]:
            raise JobError("error.when.no-fit", said=self._said)
        days = ",".join(map(str, self._days()))
        days = {"": "*", "1,2,3,4,5": "1-5"}.get(days, days)
        return {"cron": check_cron(f"{self._minute_field(count, unit)} * * {days}", self._said)}

    def _minute_field(self, count: int, unit: str) -> str:
        """Return the first two fields of a cron line."""
        meant = self._meant
        if meant.start:
            first = self._minute(meant.start)
            hours = sorted((first // 60 + more) % 24 for more in range(0, 24, count))
            return f"{first % 60} {_listed(hours)}"
        first_hour, many = 0, 24
        if meant.hours:
            first_hour, many = meant.hours.start // 3600, meant.hours.length // 3600
        step = count if unit == "hour" else 1
        last = many + (unit == "hour" and many < 24)  # its end is one of the hours
        listed = _listed([(first_hour + more) % 24 for more in range(0, last, step)])
        return f"{meant.minute or 0} {listed}" if unit == "hour" else f"*/{count} {listed}"


def _at(day: datetime, minutes: int) -> datetime:
    """Return so many minutes after the midnight of a day."""
    return day.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(minutes=minutes)


def _is_in(minute: int, part: Any) -> bool:
    """Return True for a time that is in the same half of the day as a part of it; a night ends at
    four or later."""
    if 6 <= part.hour < 18:
        return bool((minute < 720) == (part.hour < 12))
    return not 6 * 60 <= minute < 720


def _clock_fields(times: list[str]) -> str:
    """Return the first two fields of a cron line for times of a day, which share their minute.
    Raises JobError."""
    hours, minutes = zip(*(map(int, time.split(":")) for time in times), strict=True)
    if len(set(minutes)) > 1:
        raise JobError("error.when.one-minute")
    return f"{minutes[0]} {','.join(map(str, hours))}"


def _listed(hours: list[int]) -> str:
    return "*" if len(hours) == 24 else ",".join(map(str, hours))


def _one_or_many(days: list[Any]) -> Any:
    return days if len(days) > 1 else days[0]
