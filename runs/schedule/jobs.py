"""Define a job: the keys of its file, checked, with every way to say when as cron lines, a step or
a moment.

Read strictly: a key that is misspelt could mean a job that runs when its owner thinks it does not.
Source: seed 002 §6 (scheduled_task_sop), docs/schedules.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import Any, Literal, NamedTuple

from config import Message, SopwithError

ID = re.compile(r"\w[\w.-]{0,79}")
MAX_ID_BYTES = 180  # it is a part of the names of files
YEARS = range(1970, 9000)  # what a calendar can count on from
TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
EVERY = re.compile(r"every_(\d{1,6})([mhdw])")
DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
REPEATS = ("daily", "weekday", "weekend", "weekly", "monthly", "once")
DEFAULT_TIME = "09:00"
MACROS = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}


class JobError(SopwithError):
    """A job cannot be meant as it is written."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Job:
    """One job. When: exactly one of `cron` (lines), `every` (N and m, h, d or w), `at`; what:
    `prompt` or `sop`.

    `every` with d or w is held against `cron`, which then says at what times of such a day.
    `fields`: as in the file.
    """

    id: str
    zone: tzinfo
    timezone: str
    prompt: str = ""
    sop: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    cron: tuple[str, ...] = ()
    every: tuple[int, str] | None = None
    at: datetime | None = None
    is_once: bool = False
    start: datetime | None = None
    until: datetime | None = None
    session: str = "main"
    enabled: bool = True
    max_delay_hours: float = 6.0
    catch_up: Literal["latest", "all", "skip"] = "latest"
    notify: Literal["failure", "always", "never"] = "failure"
    approve: Literal["ask", "never", "all"] = "ask"
    limits: Mapping[str, Any] = field(default_factory=dict)  # turns, cost_usd, minutes
    model: str = ""
    cwd: str = ""
    paused: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_single(self) -> bool:
        """Return True when it is due once and never again."""
        return self.at is not None or self.is_once

    @property
    def rule(self) -> str:
        """Return what says when it is due, as text: another rule counts from when it was
        written."""
        said = [self.timezone, *(self.fields.get(key) for key in _RULE)]
        return json.dumps(said, ensure_ascii=False)

    @property
    def task(self) -> str:
        """Return what is to be done, in one text."""
        return self.prompt or " ".join(
            [self.sop, *(f"{name}={value}" for name, value in self.parameters.items())]
        )


class Broken(NamedTuple):
    """A file that is no job."""

    id: str
    problem: str


def job_of(id: str, fields: Mapping[str, Any]) -> Job:
    """Return the job that these fields of a file mean. Raises JobError."""
    from memory.journal.api import local_timezone

    if not is_id(id):
        raise JobError("error.job.bad-name", id=id)
    _check_keys(fields)
    fields = {key: value for key, value in fields.items() if value is not None}
    given = _DEFAULTS | {key: fields[key] for key in fields if fields[key]}
    _check(given)
    named = given["timezone"] or local_timezone()
    zone = zone_of(named)
    return Job(
        id=id,
        zone=zone,
        timezone=named,
        prompt=given["prompt"].strip(),
        **_when(given | {"on": fields.get("on")}, zone),
        start=_moment("start", given["start"], zone),
        until=_moment("until", given["until"], zone),
        enabled=fields.get("enabled", True),
        max_delay_hours=float(fields.get("max_delay_hours", 6)),
        limits=_limits(given["limits"]),
        **{key: _word(given, key) for key in _WORDS},
        **{key: given[key] for key in ("sop", "parameters", "session", "model", "cwd", "paused")},
        fields=dict(fields),
    )


def is_id(id: str) -> bool:
    """Return True if this may be the name of a job."""
    return bool(ID.fullmatch(id)) and len(id.encode()) <= MAX_ID_BYTES


def _check(given: Mapping[str, Any]) -> None:
    """Check that one thing is to be done, in a session that may be."""
    prompt, sop, session = given["prompt"].strip(), given["sop"], given["session"]
    if bool(prompt) == bool(sop):
        raise JobError("error.job.nothing-to-do")
    if given["parameters"] and not sop:
        raise JobError("error.job.parameters-alone")
    if not re.fullmatch(r"main|shared:[\w.@+-]{1,80}", session):
        raise JobError("error.job.session", session=session)
    if not 0 <= given.get("max_delay_hours", 6) <= 1e6:
        raise JobError("error.job.max-delay")


def _check_keys(fields: Mapping[str, Any]) -> None:
    for key in fields:
        if key not in _KINDS:
            raise _no_key(key)
    for key, (kind, wanted) in _KINDS.items():
        value = fields.get(key)
        if value is not None and not _is_of(value, kind):
            raise JobError(
                "error.job.wanted", key_name=key, wanted=Message(f"error.job.a-{wanted}")
            )
        if isinstance(value, str) and re.search("[\0\ud800-\udfff]", value):
            raise JobError("error.job.no-text", key_name=key)


def _no_key(key: str) -> JobError:
    from difflib import get_close_matches

    for near in get_close_matches(key, list(_KINDS), 1):
        return JobError("error.job.nearest-key", key_name=key, near=near)
    return JobError("error.job.no-key", key_name=key)


def _is_of(value: Any, kind: Any) -> bool:
    """Return True for a value of this kind; true and false are no numbers here."""
    return kind is bool if isinstance(value, bool) else isinstance(value, kind)


def _limits(said: Mapping[str, Any]) -> Mapping[str, Any]:
    for key, most in said.items():
        if key not in ("turns", "cost_usd", "minutes"):
            raise JobError("error.job.no-limit", wrong=key)
        if not _is_of(most, (int, float)) or not most > 0:
            raise JobError("error.job.limits-above-0")
    if isinstance(said.get("turns"), float):
        raise JobError("error.job.limits-turns")
    return said


def _word(given: Mapping[str, Any], key: str) -> Any:
    word, known = given[key], _WORDS[key]
    if word not in known:
        raise JobError("error.job.one-of", key_name=key, known=", ".join(known), word=word)
    return word


def _when(fields: Mapping[str, Any], zone: tzinfo) -> dict[str, Any]:
    """Return the fields of Job that say when."""
    given = [key for key in ("schedule", "cron", "at", "repeat") if key in fields]
    if given not in (["schedule"], ["cron"], ["at"], ["repeat"], ["schedule", "repeat"]):
        raise JobError("error.job.one-way")
    repeat, on = fields.get("repeat", "daily"), fields.get("on")
    if on is not None and not re.fullmatch(r"weekly|monthly|every_\d+w", repeat):
        raise JobError("error.job.on-without-days")
    if given == ["at"]:
        return {"at": _moment("at", fields["at"], zone)}
    if given == ["cron"]:
        return {"cron": (check_cron(fields["cron"]),)}
    return _repeated(fields.get("schedule"), repeat, on)


def _repeated(times: Any, repeat: str, on: Any) -> dict[str, Any]:
    """`schedule` and `repeat`."""
    every = EVERY.fullmatch(repeat)
    if every is None:
        if repeat not in REPEATS:
            raise JobError("error.job.repeat", known=", ".join(REPEATS), repeat=repeat)
        return {"cron": _cron_lines(times, _days(repeat, "", on)), "is_once": repeat == "once"}
    count, unit = int(every[1]), every[2]
    if count == 0:
        raise JobError("error.job.every-0", repeat=repeat)
    if unit not in "mh":
        return {"cron": _cron_lines(times, _days(repeat, unit, on)), "every": (count, unit)}
    if times:
        minutes = count * 60 if unit == "h" else count
        return {"cron": tuple(_each_day_from(_times(times), minutes))}
    return {"every": (count, unit)}


def _cron_lines(times: Any, days: str) -> tuple[str, ...]:
    found = _times(times or DEFAULT_TIME)
    return tuple(check_cron(f"{minute} {hour} {days}") for hour, minute in found)


def _each_day_from(first: list[tuple[int, int]], minutes: int) -> Iterator[str]:
    """Cron lines of every so many minutes, from a time of each day to its end: `schedule` with
    every_Nm or every_Nh."""
    if len(first) != 1:
        raise JobError("error.job.one-time")
    hours: dict[int, list[int]] = {}
    for minute in range(first[0][0] * 60 + first[0][1], 24 * 60, minutes):
        hours.setdefault(minute % 60, []).append(minute // 60)
    return (f"{minute} {','.join(map(str, of_day))} * * *" for minute, of_day in hours.items())


def _times(said: str | list[Any]) -> list[tuple[int, int]]:
    """Return the times of a day, each hour and minute."""
    texts = [str(each).strip() for each in (said if isinstance(said, list) else said.split(","))]
    found = [TIME.fullmatch(text) for text in texts]
    if wrong := [text for text, match in zip(texts, found, strict=True) if match is None]:
        raise JobError("error.job.no-times", wrong=wrong[0])
    return [(int(match[1]), int(match[2])) for match in found if match]


def _days(repeat: str, unit: str, on: Any) -> str:
    """Return the last three fields of a cron line."""
    said = on if isinstance(on, list) else re.split(r"[,\s]+", str(on or ""))
    words = [word for each in said if (word := str(each).strip().lower())]
    if repeat == "weekly" or unit == "w":
        return _weekdays(words or ["mon"])
    if repeat == "monthly":
        return _month_days(words or ["1"])
    return {"weekday": "* * 1-5", "weekend": "* * 0,6"}.get(repeat, "* * *")


def _weekdays(words: list[str]) -> str:
    wrong = next((word for word in words if word[:3] not in DAYS), None)
    if wrong is not None:
        raise JobError("error.job.weekdays", days=", ".join(DAYS), wrong=wrong)
    return f"* * {','.join(word[:3] for word in words)}"


def _month_days(words: list[str]) -> str:
    is_day = re.compile(r"0?[1-9]|[12]\d|3[01]|last").fullmatch
    wrong = next((word for word in words if not is_day(word)), None)
    if wrong is not None:
        raise JobError("error.job.month-days", wrong=wrong)
    return f"{','.join(words).replace('last', 'L')} * *"


def check_cron(line: str, said: str = "") -> str:
    """Return the cron line, its five fields; `said`: the words that it was made of. Raises
    JobError."""
    from cronsim import CronSim, CronSimError

    line = MACROS.get(line.strip().lower(), line.strip())
    said = said or line
    if len(line.split()) != 5:
        raise JobError("error.job.five-fields", line=line)
    try:
        next(CronSim(line, datetime(2000, 1, 1)))
    except CronSimError as error:
        is_far = re.fullmatch(r"\S+ \S+ (?:29|30|31) \S+ \S+", line)  # of a month that is shorter
        what = str(error).removeprefix("Bad ")
        key = "error.job.never" if is_far and what == "day-of-month" else "error.job.cron-field"
        raise JobError(key, line=said, value=what) from error
    except StopIteration:
        raise JobError("error.job.never", line=said) from None
    return line


def zone_of(name: str) -> tzinfo:
    """Return the timezone of an IANA name or an offset (+08:00). Raises JobError."""
    from memory.journal.originals import zone

    found = zone(name)
    if found is UTC and name.upper() not in ("UTC", "Z", "ETC/UTC", "+00:00", "-00:00"):
        raise JobError("error.job.no-timezone", name=name)
    return found


def _moment(key: str, said: str | None, zone: tzinfo) -> datetime | None:
    """Return a date and time as UTC; what has no zone is the job's. A date alone is its beginning,
    for `until` its end."""
    if not said:
        return None
    try:
        moment = datetime.fromisoformat(said)
        if re.fullmatch(r"\d{4}-?\d\d-?\d\d", said.strip()):
            if key == "at":
                raise JobError("error.job.lacks-time", said=said, default_time=DEFAULT_TIME)
            moment = moment.replace(hour=23, minute=59, second=59) if key == "until" else moment
        if moment.year not in YEARS:
            raise JobError("error.job.no-year", key_name=key, said=said)
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise JobError("error.job.no-moment", key_name=key, said=said) from None


_RULE = ("schedule", "repeat", "on", "cron", "at", "timezone", "start", "until", "enabled")
_WORDS = {  # the first is meant where nothing is said
    "catch_up": ("latest", "all", "skip"),
    "notify": ("failure", "always", "never"),
    "approve": ("ask", "never", "all"),
}
_TEXTS = ("prompt", "sop", "model", "cwd", "paused", "timezone", "start", "until")
_DEFAULTS: dict[str, Any] = {
    **dict.fromkeys(_TEXTS, ""),
    **{key: known[0] for key, known in _WORDS.items()},
    "session": "main",
    "parameters": {},
    "limits": {},
}
_KINDS: dict[str, tuple[Any, str]] = {
    "schedule": ((str, list), "times"),
    "on": ((str, int, list), "days"),
    **dict.fromkeys(("repeat", "cron", "at", "session", "note", *_WORDS, *_TEXTS), (str, "text")),
    **dict.fromkeys(("parameters", "limits"), (dict, "object")),
    **dict.fromkeys(("enabled", "overlap"), (bool, "boolean")),
    "max_delay_hours": ((int, float), "number"),
}
