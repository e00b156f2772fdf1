"""Check what a time in words means, English and Chinese; and what a job's file may hold."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from runs.schedule.due import coming
from runs.schedule.jobs import JobError, job_of
from runs.schedule.when import read_when
from tests.rows import cases, rows
from ui.runs.schedule import when

NOW = datetime(2026, 11, 22, 14, 30, tzinfo=ZoneInfo("Europe/Berlin"))  # a Sunday


@pytest.mark.parametrize(("said", "meant"), rows(__name__, "meant"))
def test_a_time_in_words_means_one_thing(said: str, meant: dict[str, Any]) -> None:
    keys = read_when(said, NOW, "Europe/Berlin")
    assert keys == meant
    job = job_of("job", {"timezone": "Europe/Berlin", **keys, "prompt": "p"})
    assert coming(job, NOW.astimezone(UTC), NOW.astimezone(UTC))


@cases
def test_what_could_be_meant_in_two_ways_or_in_none_is_not_guessed(said: str) -> None:
    with pytest.raises(JobError):
        read_when(said, NOW, "Europe/Berlin")


def test_minutes_and_hours_pass_as_they_do_when_the_clocks_change() -> None:
    # ten minutes before three is two again
    now = datetime(2026, 10, 25, 2, 50, tzinfo=ZoneInfo("Europe/Berlin"))
    assert read_when("in 20 minutes", now, "Europe/Berlin") == {"at": "2026-10-25T02:10:00+01:00"}
    assert read_when("in 2 days", now, "Europe/Berlin") == {"at": "2026-10-27T02:50:00+01:00"}


@cases
def test_what_is_not_understood_is_said(said: str, problem: str) -> None:
    with pytest.raises(JobError) as refused:
        read_when(said, NOW, "Europe/Berlin")
    assert problem in str(refused.value) and len(str(refused.value).splitlines()) <= 2


@cases
def test_a_file_is_read_strictly(fields: dict[str, Any], problem: str) -> None:
    with pytest.raises(JobError) as refused:
        job_of("job", {"prompt": "p", "timezone": "UTC", **fields})
    assert problem in str(refused.value)


@cases
def test_a_cron_line_is_said_in_words_where_it_is_plain(line: str, said: str) -> None:
    assert when(job_of("job", {"prompt": "p", "timezone": "UTC", "cron": line})) == said


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
    assert job_of("daily", fields | {"timezone": "UTC"}).cron == ("0 8 * * *",)


@cases
def test_due_times_follow_the_clock_of_the_jobs_own_timezone(
    fields: dict[str, Any], now: str, expected: list[str]
) -> None:
    assert due(fields, now)[: len(expected)] == expected
    if fields.get("until") or fields.get("repeat") == "once":
        assert due(fields, now) == expected


def test_monday_is_one_and_sunday_is_zero_and_seven() -> None:
    for line, day in (("0 9 * * 1", "11-23"), ("0 9 * * 0", "11-29"), ("0 9 * * 7", "11-29")):
        assert due({"cron": line}, "2026-11-22T14:00+01:00")[0].startswith(day)
