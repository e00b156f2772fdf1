"""Files of jobs that are none: named, told of once, and in nobody's way."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from config import load
from memory.runlog.inbox import Inbox
from runs.schedule.scheduler import Clock, Scheduler
from tests.conftest import CommandLine

DAILY = {"schedule": "08:00", "prompt": "p", "timezone": "UTC"}


@pytest.fixture
def folder(home: Path) -> Path:
    path = home / "schedule"
    path.mkdir(parents=True)
    return path


def write(folder: Path, name: str, **fields: Any) -> None:
    (folder / f"{name}.json").write_text(json.dumps(DAILY | fields), "utf-8")


def test_names_that_no_job_can_have_are_told_and_stop_no_other(folder: Path, home: Path) -> None:
    names = ["a b", "x; touch pwned", "\x1b[31mred\n", "a" * 245, "名" * 80]
    for name in names:
        write(folder, name)
    at = datetime.now(UTC) + timedelta(hours=1)
    write(folder, "good", schedule=None, at=at.isoformat())

    class AtThatTime(Clock):
        def now(self) -> datetime:
            return at

    scheduler = Scheduler(load(home, "en", {}), AtThatTime())
    with scheduler.owner:
        scheduler.tick()
        assert [row.job for row in scheduler.ledger.open_rows()] == ["good"]
    told = {entry.id: entry for entry in Inbox(home).list()}
    assert len(told) == len(names)
    assert all(id.isascii() and id.replace("-", "").isalnum() for id in told)
    assert any(entry.command == "sopwith schedule show 'x; touch pwned'" for entry in told.values())


def test_a_pipe_among_the_files_is_not_waited_for(folder: Path, cli: CommandLine) -> None:
    os.mkfifo(folder / "pipe.json")
    write(folder, "good")
    jobs = {job["id"]: job for job in json.loads(cli("schedule", "list", "--json").stdout)["jobs"]}
    assert jobs["pipe"]["health"] == "broken" and "it is not a file" in jobs["pipe"]["problem"]
    assert jobs["good"]["health"] == "never run" and len(jobs["good"]["next"]) == 5


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"start": "9999-12-31"}, "no year for a job"),
        ({"schedule": None, "at": "0001-01-01T00:00:00+12:00"}, "no year for a job"),
        ({"prompt": "a\x00b"}, "no text"),
        ({"cwd": "\ud800"}, "no text"),
    ],
)
def test_values_beyond_every_calendar_and_text_break_their_job_alone(
    folder: Path, cli: CommandLine, fields: dict[str, Any], problem: str
) -> None:
    write(folder, "odd", **fields)
    write(folder, "good")
    done = cli("schedule", "list", "--json")
    jobs = {job["id"]: job for job in json.loads(done.stdout)["jobs"]}
    assert problem in jobs["odd"]["problem"] and len(jobs["good"]["next"]) == 5


def test_control_characters_of_names_reach_no_terminal(
    folder: Path, home: Path, cli: CommandLine
) -> None:
    write(folder, "\x1b[31mred\n")
    scheduler = Scheduler(load(home, "en", {}))
    with scheduler.owner:
        scheduler.tick()
    for words in (("schedule", "list"), ("inbox", "list")):
        assert "\x1b" not in cli(*words).stdout
