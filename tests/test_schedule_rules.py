"""Schedules by an injected clock: each due time at most once, every one that came has its row,
missed ones by policy."""

import json
import os
import shutil
import sys
import tempfile
from bisect import bisect
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from config import Config, load
from runs.schedule.due import GRACE, due_after
from runs.schedule.jobs import Job, job_of
from runs.schedule.ledger import Ledger, Owner, Row, micros
from runs.schedule.scheduler import Scheduler
from tests.rows import rows

# SOPWITH_SCHEDULES=10000 pytest tests/test_schedule_rules.py
EXAMPLES = int(os.environ.get("SOPWITH_SCHEDULES", "40"))
BEGIN = datetime(2026, 3, 20, 10, 7, 13, tzinfo=UTC)
ZONES = tuple(rows(__name__, "zones"))


class SetClock:
    """A clock that stands where the test puts it."""

    def __init__(self, now: datetime) -> None:
        self.wall = now

    def now(self) -> datetime:
        return self.wall

    def passes(self, time: timedelta) -> None:
        self.wall += time


class Home:
    """A scheduler on a home folder that a test drives by hand. Its runs do nothing and end as the
    test says."""

    def __init__(self, home: Path, clock: SetClock) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.home, self.clock = home, clock
        self.config: Config = load(home, "en", {})
        self.ledger = Ledger(home)
        self.done: list[tuple[str, int]] = []
        self.late: list[timedelta] = []
        self.ends: dict[str, str] = {}
        self.scheduler = self._scheduler()

    def _scheduler(self) -> Scheduler:
        return Scheduler(self.config, self.clock.now, work=self._work)

    def restart(self) -> None:
        """Another process takes over: the one before is gone."""
        self.scheduler.owner.close()
        self.scheduler = self._scheduler()

    def add(self, id: str, **fields: Any) -> Job:
        """Return a job's file, written now by the clock of the test."""
        path = self.home / "schedule" / f"{id}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"prompt": id, **fields}), "utf-8")
        os.utime(path, (self.clock.wall.timestamp(),) * 2)
        self.scheduler._is_stale = True
        return job_of(id, {"prompt": id, **fields})

    def look(self) -> None:
        """One look at the clock, and all that it claimed is done."""
        self.scheduler.tick()
        while rows := self.scheduler.next_rows():
            self.scheduler.perform(rows)

    def _work(self, row: Row, owner: Owner) -> str:
        self.done.append((row.job, row.due))
        self.late.append(self.clock.wall - row.at)
        run = f"run-{len(self.done)}"
        assert self.ledger.begin(row, run, self.clock.wall)
        status = self.ends.get(row.job, "done")
        assert self.ledger.end(replace(row, run=run, status=status, ended=micros(self.clock.wall)))
        return ""

    def rows(self, job: str = "") -> list[Row]:
        return self.ledger.rows(job)


@contextmanager
def fresh_home(clock: SetClock) -> Iterator[Home]:
    memory = Path("/dev/shm")  # thousands of ledgers: no disk needs to turn for them
    folder = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
    home = Home(folder / "home", clock)
    try:
        yield home
    finally:
        home.scheduler.owner.close()
        shutil.rmtree(folder)


times = st.builds("{:02d}:{:02d}".format, st.integers(0, 23), st.sampled_from((0, 1, 15, 30, 59)))
days = st.sampled_from(("sun", "mon", "tue", "wed", "thu", "fri", "sat"))
rules = st.one_of(
    st.builds(lambda at, repeat: {"schedule": at, "repeat": repeat}, times, st.sampled_from(("daily", "weekday", "once"))),
    st.builds(lambda at, on: {"schedule": at, "repeat": "weekly", "on": on}, times, st.lists(days, min_size=1, max_size=3)),
    st.builds(lambda at, on: {"schedule": at, "repeat": "monthly", "on": on}, times, st.sampled_from((1, 29, 31, "last"))),
    st.builds(lambda n, unit: {"repeat": f"every_{n}{unit}"}, st.integers(7, 90), st.sampled_from("mh")),
    st.builds(lambda at, n, unit: {"schedule": at, "repeat": f"every_{n}{unit}"}, times, st.integers(1, 5), st.sampled_from("dw")),
    st.sampled_from(("*/20 * * * *", "30 2 * * *", "0 0 29 2 *", "15 1-3 * * 0", "0 9 * * 5L", "45 1 * 10,11 *")).map(lambda line: {"cron": line}),
    st.integers(-5, 5000).map(lambda n: {"at": (BEGIN + timedelta(minutes=n)).isoformat()}),
)  # fmt: skip
jobs = st.builds(
    lambda rule, zone, policy, hours: {
        **rule,
        "timezone": zone,
        "catch_up": policy,
        "max_delay_hours": hours,
    },
    rules,
    st.sampled_from(ZONES),
    st.sampled_from(("latest", "all", "skip")),
    st.sampled_from((0, 1, 6, 30)),
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("passes"), st.integers(1, 300)),
        st.tuples(st.just("sleeps"), st.integers(300, 20_000)),
        st.tuples(st.just("jumps"), st.integers(-3000, 3000)),
        st.tuples(st.just("jumps"), st.sampled_from((-525_600, 525_600, -60, 60))),
        st.tuples(st.just("restarts"), st.integers(0, 600)),
    ),
    min_size=3,
    max_size=12,
)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(jobs, min_size=1, max_size=3), steps, st.integers(0, 400 * 24 * 60))
@example(  # what was done before a set-back lies amid what is missed after it
    [{"cron": "*/20 * * * *", "timezone": "UTC", "catch_up": "latest", "max_delay_hours": 0}],
    [("passes", 656), ("jumps", -180), ("sleeps", 6318)],
    97,
)
def test_each_due_time_runs_at_most_once_and_none_is_passed_over(
    fields: list[dict[str, Any]], steps: list[tuple[str, int]], began: int
) -> None:
    clock = SetClock(BEGIN + timedelta(minutes=began))
    with fresh_home(clock) as home:
        known = {
            f"job{number}": home.add(f"job{number}", **each) for number, each in enumerate(fields)
        }
        home.look()
        is_straight = True
        for what, minutes in steps:
            if what == "jumps":
                clock.wall += timedelta(minutes=minutes)
                is_straight = False
            else:
                clock.passes(timedelta(minutes=minutes))
            if what == "restarts":
                home.restart()
            home.look()
            assert len(set(home.done)) == len(home.done), "a due time ran twice"
            for id, job in known.items():
                check_rows(home, id, job, is_straight)
        allowed = max(
            (timedelta(hours=job.max_delay_hours) for job in known.values()), default=GRACE
        )
        if is_straight:
            assert all(late <= max(allowed, GRACE) for late in home.late)


def check_rows(home: Home, id: str, job: Job, is_straight: bool) -> None:
    """Every due time that came is in exactly one row, and each row stands for due times that
    were."""
    rows = [row for row in home.rows(id) if row.kind == "due"]
    assert {row.status for row in rows} <= {"done", "skipped"}
    assert all(row.reason for row in rows if row.status == "skipped")
    spans = sorted((row.due, row.until) for row in rows)
    assert all(before[1] < after[0] for before, after in pairwise(spans)), (
        "two rows for one due time"
    )
    since = home.ledger.counted(home.scheduler.folder.rules(), home.clock.wall)[id].since
    came = []
    for due in due_after(job, since, since):
        if due > home.clock.wall:
            break
        came.append(micros(due))
        place = bisect(spans, (came[-1], sys.maxsize)) - 1
        assert place >= 0 and came[-1] <= spans[place][1], f"{due} was passed over"
    if is_straight and not (job.at and job.at <= since):
        assert sum(row.n for row in rows) == len(came)


@pytest.fixture
def clock() -> SetClock:
    return SetClock(BEGIN)


@pytest.fixture
def at_home(clock: SetClock) -> Iterator[Home]:
    with fresh_home(clock) as home:
        yield home


def statuses(home: Home, job: str) -> list[str]:
    return [row.status for row in reversed(home.rows(job))]


@pytest.mark.parametrize(
    ("policy", "ran"), [("latest", ["skipped"] * 23 + ["done"]), ("skip", ["skipped"] * 23 + ["done"]), ("all", ["skipped"] * 17 + ["done"] * 7)]
)  # fmt: skip
def test_what_was_missed_is_caught_up_by_policy(
    at_home: Home, clock: SetClock, policy: str, ran: list[str]
) -> None:
    at_home.add("hourly", cron="7 * * * *", timezone="UTC", catch_up=policy)
    at_home.look()
    clock.passes(timedelta(hours=24) - timedelta(seconds=13))
    at_home.look()
    assert statuses(at_home, "hourly") == ran
    reasons = {row.reason for row in at_home.rows() if row.status == "skipped"}
    assert all(reason.startswith("missed: ") for reason in reasons) and reasons


def test_a_clock_that_was_ahead_costs_no_job_its_times(at_home: Home, clock: SetClock) -> None:
    at_home.add("daily", schedule="12:00", timezone="UTC")
    at_home.add("steady", repeat="every_30m")
    at_home.look()
    clock.wall += timedelta(days=365)  # a dead battery
    at_home.look()
    assert all(at_home.rows(job) for job in ("daily", "steady"))
    clock.wall -= timedelta(days=365)
    at_home.done.clear()
    for _ in range(48 * 2):
        clock.passes(timedelta(minutes=30))
        at_home.look()
    assert len([each for each in at_home.done if each[0] == "daily"]) == 2
    assert len([each for each in at_home.done if each[0] == "steady"]) == 96
    assert len(set(at_home.done)) == len(at_home.done)


def test_an_hour_that_comes_twice_runs_once_and_one_that_is_left_out_is_made_up(
    at_home: Home, clock: SetClock
) -> None:
    at_home.add("night", schedule="02:30", timezone="Europe/Berlin")
    for day, expected in (("2026-03-29", "2026-03-29T01:00"), ("2026-10-25", "2026-10-25T00:30")):
        clock.wall = datetime.fromisoformat(f"{day}T00:00+00:00") - timedelta(hours=3)
        at_home.done.clear()
        at_home.look()
        at_home.done.clear()
        for _ in range(12 * 4):
            clock.passes(timedelta(minutes=15))
            at_home.look()
        came = [datetime.fromtimestamp(due / 1e6, UTC).isoformat()[:16] for _, due in at_home.done]
        assert came == [expected]


def test_three_failures_pause_a_job_and_the_owner_reads_it(at_home: Home, clock: SetClock) -> None:
    from memory.inbox import Inbox

    at_home.add("weak", cron="0 * * * *", timezone="UTC")
    at_home.ends["weak"] = "failed"
    for _ in range(6):
        at_home.look()
        clock.passes(timedelta(hours=1))
    at_home.scheduler._is_stale = True
    at_home.look()
    assert statuses(at_home, "weak") == ["failed"] * 3
    kept = json.loads((at_home.home / "schedule" / "weak.json").read_text("utf-8"))
    assert kept["enabled"] is False and "3 times" in kept["paused"]
    [notice] = [entry for entry in Inbox(at_home.home).list() if entry.id == "job-weak-paused"]
    assert notice.kind == "notice" and notice.command == "sopwith schedule enable weak"


def test_a_run_that_waits_for_its_owner_is_not_followed_by_another(
    at_home: Home, clock: SetClock
) -> None:
    at_home.add("asks", cron="0 * * * *", timezone="UTC")
    at_home.ends["asks"] = "waiting"
    for _ in range(4):
        at_home.look()
        clock.passes(timedelta(hours=1))
    (folder := at_home.home / "runs" / "run-1").mkdir(parents=True)
    assert folder.is_dir() and statuses(at_home, "asks") == ["waiting", "skipped", "skipped"]
    assert at_home.rows("asks")[0].reason == "the run before waits for the owner"
