"""Check what a time in words means, English and Chinese; and what a job's file may hold."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from runs.schedule.due import coming
from runs.schedule.jobs import JobError, job_of
from runs.schedule.when import read_when
from tests.rows import rows

NOW = datetime(2026, 11, 22, 14, 30, tzinfo=ZoneInfo("Europe/Berlin"))  # a Sunday


def daily(*times: str, repeat: str = "daily", **more: Any) -> dict[str, Any]:
    return {"schedule": ",".join(times), "repeat": repeat, **more}


def at(day: str, time: str) -> dict[str, Any]:
    return {"at": f"2026-{day}T{time}:00+01:00"}


MEANT: list[tuple[str, dict[str, Any]]] = [
    ("every weekday 08:00", daily("08:00", repeat="weekday")),
    ("every other friday", daily("09:00", repeat="every_2w", on="fri")),
    ("every year on 24 december at 9", {"cron": "0 9 24 12 *"}),
    ("tomorrow at 9", at("11-23", "09:00")),
    ("每晚9点", daily("21:00")),
    ("每月最后一天", daily("09:00", repeat="monthly", on="last")),
    ("今晚8点", at("11-22", "20:00")),
    ("每周二和周四10点", daily("10:00", repeat="weekly", on=["tue", "thu"])),
    ("last working day of the month at 16:00", {"cron": "0 16 LW * *"}),
    ("every 4 hours starting at 6am", {"cron": "0 2,6,10,14,18,22 * * *"}),
    ("every evening at 8 and 10", daily("20:00", "22:00")),
    ("一天三次，8点、12点和18点", daily("08:00", "12:00", "18:00")),
    ("每天晚上1点", daily("01:00")),
    ("every fortnight on thursday at 6pm", daily("18:00", repeat="every_2w", on="thu")),
    ("every day at twenty past 4pm", daily("16:20")),
    ("beginning of each month", daily("09:00", repeat="monthly", on=1)),
    ("once a week on Tuesday", daily("09:00", repeat="weekly", on="tue")),
    ("tomorrow at a quarter to eight", at("11-23", "07:45")),
    ("every 6 weeks on a Friday", daily("09:00", repeat="every_6w", on="fri")),
    ("every month on the last day at noon", daily("12:00", repeat="monthly", on="last")),
    ("every three hours", {"repeat": "every_3h"}),
    ("每月月底下午五点", daily("17:00", repeat="monthly", on="last")),
    ("每天差一刻九点", daily("08:45")),
    ("每天凌晨三点", daily("03:00")),
    ("每周末上午", daily("09:00", repeat="weekend")),
    ("每三周周五", daily("09:00", repeat="every_3w", on="fri")),
    ("每隔一周的周四下午五点一刻", daily("17:15", repeat="every_2w", on="thu")),
    ("每四十五分钟", {"repeat": "every_45m"}),
    ("明天早上差五分八点", at("11-23", "07:55")),
]
NOT_MEANT = tuple(rows(__name__, "not_meant"))


@pytest.mark.parametrize(("said", "meant"), MEANT)
def test_a_time_in_words_means_one_thing(said: str, meant: dict[str, Any]) -> None:
    keys = read_when(said, NOW, "Europe/Berlin")
    assert keys == meant
    job = job_of("job", {"timezone": "Europe/Berlin", **keys, "prompt": "p"})
    assert coming(job, NOW.astimezone(UTC), NOW.astimezone(UTC))


@pytest.mark.parametrize("said", NOT_MEANT)
def test_what_could_be_meant_in_two_ways_or_in_none_is_not_guessed(said: str) -> None:
    with pytest.raises(JobError):
        read_when(said, NOW, "Europe/Berlin")


def test_minutes_and_hours_pass_as_they_do_when_the_clocks_change() -> None:
    now = datetime(
        2026, 10, 25, 2, 50, tzinfo=ZoneInfo("Europe/Berlin")
    )  # ten minutes before three is two again
    assert read_when("in 20 minutes", now, "Europe/Berlin") == {"at": "2026-10-25T02:10:00+01:00"}
    assert read_when("in 2 days", now, "Europe/Berlin") == {"at": "2026-10-27T02:50:00+01:00"}


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("every day at 8 when it rains", 'understood "every day at 8", but not "when it rains"'),
        ("every day at 25:00", "25:00"),
        ("sometimes", "says no time that is understood"),
        ("every feb 30", "a day that never comes"),
        ("today 10:00", "is over: it was 2026-11-22 10:00"),
        ("2026-02-30T08:00", "no such day"),
        ("0 0 30 2 *", "a day that never comes"),
        ("0 0 31 2,4 *", "a day that never comes"),
        ("* * * * * *", "says no time"),
        ("every 2 hours at 8", "cannot have a time of day"),
        ("每天8点下雨的话", "下雨"),
        ("有空再说", "says no time"),
        ("20分钟后8点", "cannot have a time of day"),
        ("every day 08:00 Mars/Olympus", 'no timezone "Mars/Olympus"'),
        ("", "there is no time"),
        ("8" * 400, "300 characters"),
    ],
)
def test_what_is_not_understood_is_said(said: str, problem: str) -> None:
    with pytest.raises(JobError) as refused:
        read_when(said, NOW, "Europe/Berlin")
    assert problem in str(refused.value) and len(str(refused.value).splitlines()) <= 2


@pytest.mark.parametrize(
    ("fields", "problem"),
    rows(__name__, "a_file_is_read_strictly"),
)
def test_a_file_is_read_strictly(fields: dict[str, Any], problem: str) -> None:
    with pytest.raises(JobError) as refused:
        job_of("job", {"prompt": "p", "timezone": "UTC", **fields})
    assert problem in str(refused.value)


def due(fields: dict[str, Any], now: str, zone: str = "Europe/Berlin") -> list[str]:
    job = job_of("job", {"prompt": "p", "timezone": zone, **fields})
    moment = datetime.fromisoformat(now).astimezone(UTC)
    return [f"{each.astimezone(job.zone):%m-%dT%H:%M%z}" for each in coming(job, moment, moment)]


def test_the_seed_format_is_read() -> None:
    fields = {
        "schedule": "08:00",
        "repeat": "daily",
        "enabled": True,
        "max_delay_hours": 6,
        "prompt": "p",
    }
    assert job_of("daily", fields, "UTC").cron == ("0 8 * * *",)


@pytest.mark.parametrize(
    ("fields", "now", "expected"),
    rows(__name__, "due_times_follow_the_clock_of_the_jobs_own_timezone"),
)  # fmt: skip
def test_due_times_follow_the_clock_of_the_jobs_own_timezone(
    fields: dict[str, Any], now: str, expected: list[str]
) -> None:
    assert due(fields, now)[: len(expected)] == expected
    if fields.get("until") or fields.get("repeat") == "once":
        assert due(fields, now) == expected


def test_monday_is_one_and_sunday_is_zero_and_seven() -> None:
    for line, day in (("0 9 * * 1", "11-23"), ("0 9 * * 0", "11-29"), ("0 9 * * 7", "11-29")):
        assert due({"cron": line}, "2026-11-22T14:00+01:00")[0].startswith(day)
