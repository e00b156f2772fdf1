"""Check what a time in words means, English and Chinese; and what a job's file may hold."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from runs.schedule.due import coming
from runs.schedule.jobs import JobError, job_of
from runs.schedule.when import read_when

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
NOT_MEANT = (
    "biweekly on friday at 10",
    "every day except the 1st",
    "every leap year",
    "weekdays from 9 to 5",
    "Wednesday at 3",
    "in 2 days at 5",
    "every 3 months",
    "every 5 hours starting at 6",
    "after 6pm and before 8",
    "fridays at 24:00",
    "月底",
    "每月第一个工作日",
    "三点",
    "今晚3点",
    "每天早上9点和3点",
    "每天25点",
    "每隔几个小时",
)


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
        ("every feb 30", "day-of-month cannot be"),
        ("today 10:00", "is over: it was 2026-11-22 10:00"),
        ("2026-02-30T08:00", "no such day"),
        ("0 0 30 2 *", "day-of-month cannot be"),
        ("0 0 31 2,4 *", "day-of-month"),
        ("* * * * * *", "says no time"),
        ("every 2 hours at 8", "takes no time of the day"),
        ("每天8点下雨的话", "下雨"),
        ("有空再说", "says no time"),
        ("20分钟后8点", "take no time of the day"),
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
    [
        ({"schedule": "08:00", "enable": False}, "Did you mean enabled?"),
        ({"schedule": "8 Uhr"}, "times of a day"),
        ({"schedule": "24:00"}, "times of a day"),
        ({"repeat": "every_0m"}, "must be at least 1"),
        ({"repeat": "fortnightly"}, "repeat must be"),
        ({"repeat": "every_2h", "schedule": "08:00, 09:00"}, "one time"),
        ({"schedule": "08:00", "repeat": "monthly", "on": 32}, "days of a month"),
        ({"schedule": "08:00", "repeat": "monthly", "on": "0"}, "days of a month"),
        ({"schedule": "08:00", "repeat": "weekly", "on": "noday"}, "weekdays"),
        ({"schedule": "08:00", "on": "fri"}, '"on"'),
        ({"schedule": "08:00", "cron": "* * * * *"}, "in exactly one way"),
        ({}, "in exactly one way"),
        ({"cron": "60 * * * *"}, "minute cannot be"),
        ({"cron": "0 0 * *"}, "five fields"),
        ({"at": "tomorrow"}, "date and time"),
        ({"at": "2026-12-24"}, "lacks the time"),
        ({"schedule": "08:00", "timezone": "Nowhere"}, "no timezone"),
        ({"schedule": "08:00", "enabled": "yes"}, "true or false"),
        ({"schedule": "08:00", "max_delay_hours": -1}, "0 or more"),
        ({"schedule": "08:00", "catch_up": "some"}, "latest, all, skip"),
        ({"schedule": "08:00", "limits": {"cost": 1}}, "no limit"),
        ({"schedule": "08:00", "limits": {"turns": 0}}, "above 0"),
        ({"schedule": "08:00", "session": "ours"}, "shared:ID"),
        ({"schedule": "08:00", "sop": "x"}, "needs a task"),
        ({"schedule": "08:00", "parameters": {"a": 1}}, "belong to"),
    ],
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
    [
        ({"schedule": "2:30"}, "2026-03-28T12:00+01:00", ["03-29T03:00+0200", "03-30T02:30+0200"]),
        ({"schedule": "2:30"}, "2026-10-24T12:00+02:00", ["10-25T02:30+0200", "10-26T02:30+0100"]),
        ({"schedule": "2:30"}, "2026-10-25T02:15+01:00", ["10-26T02:30+0100"]),
        ({"cron": "*/30 2 * * *"}, "2026-10-25T01:00+02:00", ["10-25T02:00+0200", "10-25T02:30+0200", "10-25T02:00+0100", "10-25T02:30+0100"]),
        ({"cron": "0 9 29 2 *"}, "2026-01-01T00:00+01:00", ["02-29T09:00+0100"]),
        ({"repeat": "monthly", "on": 31}, "2026-04-01T00:00+02:00", ["05-31T09:00+0200", "07-31T09:00+0200"]),
        ({"repeat": "monthly", "on": "last"}, "2028-02-01T00:00+01:00", ["02-29T09:00+0100", "03-31T09:00+0200"]),
        ({"repeat": "weekly", "on": ["mon", "sun"]}, "2026-11-22T14:00+01:00", ["11-23T09:00+0100", "11-29T09:00+0100"]),
        ({"repeat": "every_2w", "on": "fri"}, "2026-11-22T14:00+01:00", ["11-27T09:00+0100", "12-11T09:00+0100"]),
        ({"repeat": "every_2h"}, "2026-03-29T00:30+01:00", ["03-29T03:30+0200", "03-29T05:30+0200"]),
        ({"repeat": "every_5h", "schedule": "9:15"}, "2026-11-22T14:00+01:00", ["11-22T14:15+0100", "11-22T19:15+0100", "11-23T09:15+0100"]),
        ({"repeat": "every_90m", "schedule": "21:00"}, "2026-11-22T14:00+01:00", ["11-22T21:00+0100", "11-22T22:30+0100", "11-23T21:00+0100"]),
        ({"repeat": "every_2h", "start": "2026-11-22T20:00"}, "2026-11-22T14:00+01:00", ["11-22T20:00+0100", "11-22T22:00+0100"]),
        ({"schedule": "8:00", "until": "2026-11-24"}, "2026-11-22T14:00+01:00", ["11-23T08:00+0100", "11-24T08:00+0100"]),
        ({"schedule": "20:00", "repeat": "once"}, "2026-11-22T14:00+01:00", ["11-22T20:00+0100"]),
    ],
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
