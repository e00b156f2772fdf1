"""Runs the jobs of a home folder at their times: each due time once, or its row in the ledger says
why not.

It sleeps in the kernel until the next due time or a change of the files. A due time is first
claimed in the ledger, then done by a process of its own (runs/schedule/child.py), two at a time;
what a kill left open is found in the ledger and in the run log at the next start, or by another
scheduler. Source: seed 002 §6, contract `schedule …`.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path

from config import Config, Message, SopwithError
from runs.schedule.due import GRACE, allowed_lateness, due_after, due_rows, problems, runnable
from runs.schedule.folder import JobFolder
from runs.schedule.jobs import Job
from runs.schedule.ledger import Ledger, Owner, Row, micros
from runs.schedule.outcomes import Outcomes, is_worked_on
from runs.schedule.waiting import Waiter
from safety.secrets import Redactor, held_values

WORKERS = 2  # runs at a time
MAX_ATTEMPTS = 3  # of one due time whose process dies
AGAIN_SECONDS = 30.0  # until it looks again at another scheduler's work, or a full disk
RESUMED_SECONDS = 5.0  # until it looks again at a run that its owner has answered
ROOT = Path(__file__).resolve().parents[2]
CHILD = "import sys; sys.path[:0] = [sys.argv.pop(1)]; from runs.schedule.child import main; main(*sys.argv[1:])"
Work = Callable[[Row, Owner], str]


@dataclass(slots=True)
class _Planned:
    """A job with its next due time. `since`: from when its rule counts; up to `cursor` each due
    time has its row."""

    job: Job
    since: datetime
    cursor: datetime
    next: datetime | None = None


class Scheduler:
    """The jobs of one home folder. `run` works until it is told to stop; `tick` is one look at the
    clock."""

    def __init__(
        self,
        config: Config,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        *,
        work: Work | None = None,
        told: Callable[[str], None] = lambda _: None,
        ended: Callable[[Row], None] = lambda _: None,
    ) -> None:
        """`work` does a claimed row (default: in a process of its own) and returns its last line;
        `told` hears what went wrong with the ledger, `ended` of each row whose run is over here."""
        self.folder, self.ledger = JobFolder(config.home), Ledger(config.home)
        self.outcomes = Outcomes(config, self.ledger, self.folder)
        self._config, self._now, self._told, self._ended = config, now, told, ended
        self._work = work or self._in_a_process
        self._planned: dict[str, _Planned] = {}
        self._is_stale = True  # files may have changed
        self._seen = now()
        self._again: float | None = None  # seconds until it must look again, for what wakes nobody
        self._blocked: set[str] = set()  # jobs that are due and still at work
        self._queue: queue.SimpleQueue[list[Row] | None] = queue.SimpleQueue()  # rows of one job
        self._ours: set[Row] = set()  # rows in the queue or at work here, as they were claimed
        self._owner: Owner | None = None
        self._waiter: Waiter | None = None

    @property
    def owner(self) -> Owner:
        """In whose name rows are claimed."""
        if self._owner is None:
            self._owner = Owner(self._config.home)
        return self._owner

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set. Runs that are at work then go on by themselves and settle their
        rows. Raises OSError, LedgerError when it cannot begin."""
        home = self._config.home
        with Waiter([home / "schedule", home / "inbox"]) as waiter, self.owner:
            self._waiter = waiter
            waiter.wake_at(stop)
            self.tick()
            for _ in range(WORKERS):
                threading.Thread(target=self._work_off, args=(stop,), daemon=True).start()
            while not stop.is_set():
                self._is_stale |= waiter.wait(self.next_due(), self._again)
                if not stop.is_set():
                    self._tick_or_tell()
            for _ in range(WORKERS):
                self._queue.put(None)  # what is queued is claimed, and found at the next start
            self._waiter = self._owner = None

    def _tick_or_tell(self) -> None:
        try:
            self.tick()
        except (SopwithError, OSError) as error:  # a full disk: what is due stays due
            self._told(str(error))
            self._again = AGAIN_SECONDS

    # One look at the clock

    def tick(self) -> None:
        """Claim what is due and queue it, record what is skipped, settle what has ended
        elsewhere."""
        now = self._now()
        self._again = None
        if now < self._seen:  # the clock was set back: what has no row up to now comes again
            self._planned.clear()
            self._is_stale = True
        self._seen = now
        if not self._planned:
            self.ledger.retract(now)
        try:
            found = self._look(now)
            jobs = {job.id: job for job, _ in found}
            new = self.ledger.add(
                list(chain(*(rows for _, rows in found))), dict.fromkeys(jobs, now)
            )
        except BaseException:  # what was found and is not written down is found again
            self._planned.clear()
            self._is_stale = True
            raise
        self._enqueue(row for row in new if row.status == "claimed")
        for row in new:
            if row.status == "skipped":
                self.outcomes.tell_skipped(row, jobs[row.job])

    def next_due(self) -> datetime | None:
        """Return until when it may sleep; None: nothing is due ever."""
        dues = (plan.next for id, plan in self._planned.items() if id not in self._blocked)
        return min(filter(None, dues), default=None)

    def _look(self, now: datetime) -> list[tuple[Job, list[Row]]]:
        """Return the new rows of each job that is due."""
        found = self._read(now) if self._is_stale else []
        self._is_stale = False
        busy, waiting = self._look_at_open(now)
        self._blocked.clear()
        for id, plan in self._planned.items():
            if plan.next is None or plan.next > now:
                continue
            if id in busy:
                self._blocked.add(id)  # when it has ended, its catch_up says which of them are done
            elif self.outcomes.pause_if_failing(plan.job, plan.since):
                plan.next = None
            else:
                found.append((plan.job, self._due_rows(plan, now, is_waiting=id in waiting)))
        return found

    def _read(self, now: datetime) -> list[tuple[Job, list[Row]]]:
        """Take in what changed in the folder. Return the rows of moments that were over when their
        file was written."""
        jobs = self.folder.all()
        self.outcomes.tell_broken({**dict.fromkeys(jobs, ""), **problems(jobs)})
        old, counts = self._planned, self.ledger.counted(self.folder.rules(), now)
        self._planned, over = {}, []
        for id, job in runnable(jobs).items():
            if id in old and old[id].job is job:
                self._planned[id] = old[id]
                continue
            plan = self._planned[id] = _Planned(job, *counts[id])
            plan.next = next(due_after(job, plan.since, plan.cursor), None)
            if job.at and job.at <= plan.since and plan.cursor <= plan.since:
                reason = Message("error.due.over")
                row = Row(id, micros(job.at), status="skipped", reason=reason, noticed=micros(now))
                over.append((job, [row]))
        return over

    def _due_rows(self, plan: _Planned, now: datetime, *, is_waiting: bool) -> list[Row]:
        """Return the rows of all due times of a job up to now: claimed, or skipped with the
        reason."""
        dues = due_after(plan.job, plan.since, plan.cursor)
        known = self.ledger.rows(plan.job.id, start=plan.cursor)
        owner = self.owner.name
        rows, following = due_rows(plan.job, dues, known, now, owner=owner, is_waiting=is_waiting)
        plan.cursor, plan.next = now, following
        return rows

    # Open rows

    def _look_at_open(self, now: datetime) -> tuple[set[str], set[str]]:
        """Return the jobs at work, and those that wait for their owner. What a dead process left is
        settled or taken."""
        busy: set[str] = set()
        waiting: set[str] = set()
        left: list[Row] = []
        ours = {(row.job, row.due) for row in set(self._ours)}
        for row in self.ledger.open_rows():
            if (row.job, row.due) in ours:
                busy.add(row.job)
            elif row.status == "waiting":
                self._look_at_waiting(row, busy, waiting)
            elif row.owner != self.owner.name and self.ledger.is_alive(row.owner):
                busy.add(row.job)
                self._look_again(AGAIN_SECONDS)
            elif self._is_left(row, now):
                left.append(row)
            elif is_worked_on(self._config.home, row):
                busy.add(row.job)
                self._look_again(RESUMED_SECONDS)
        self._enqueue(self.ledger.take(left, self.owner.name))
        return busy | {row.job for row in left}, waiting

    def _look_at_waiting(self, row: Row, busy: set[str], waiting: set[str]) -> None:
        settled = self.outcomes.settle(row, self._job(row.job))
        if settled is not None and settled.status != "waiting":
            return
        if is_worked_on(self._config.home, row):
            busy.add(row.job)
            self._look_again(RESUMED_SECONDS)
        else:
            waiting.add(row.job)

    def _is_left(self, row: Row, now: datetime, said: str = "") -> bool:
        """Return True when a row that its claimer left open is to be done: its run has no end and
        nobody works on it. `said`: the last line of the process that died."""
        job = self._job(row.job)
        if self.outcomes.settle(row, job) or is_worked_on(self._config.home, row):
            return False
        if row.attempts + 1 >= MAX_ATTEMPTS:
            why = Message("error.due.died", n=MAX_ATTEMPTS, text=said or "killed")
            self.outcomes.fail(row, job, why, now)
            return False
        allowed = allowed_lateness(job) if job else GRACE
        if now - row.at > allowed and not row.run and row.kind != "hand":
            hours = allowed.total_seconds() / 3600
            self.outcomes.skip(row, job, Message("error.due.late", hours=f"{hours:g}"), now)
            return False
        return True

    def _look_again(self, seconds: float) -> None:
        self._again = min(self._again or seconds, seconds)

    def _job(self, id: str) -> Job | None:
        if plan := self._planned.get(id):
            return plan.job
        job = self.folder.one(id)
        return job if isinstance(job, Job) else None

    # Doing it

    def _enqueue(self, rows: Iterable[Row]) -> None:
        """Queue rows; those of one job are done one after the other."""
        by_job: dict[str, list[Row]] = {}
        for row in rows:
            self._ours.add(row)
            by_job.setdefault(row.job, []).append(row)
        for each in by_job.values():
            self._queue.put(each)

    def _work_off(self, stop: threading.Event) -> None:
        while (rows := self._queue.get()) and not stop.is_set():
            self.perform(rows, stop.is_set)

    def next_rows(self) -> list[Row]:
        """Return the rows of a job that are queued; none where nothing is."""
        try:
            return self._queue.get_nowait() or []
        except queue.Empty:
            return []

    def perform(self, rows: list[Row], is_over: Callable[[], bool] = lambda: False) -> None:
        """Do claimed rows of one job to their end."""
        for row in rows:
            if not is_over():
                self._perform(row)
        if self._waiter is not None and rows[0].job in self._blocked:
            self._waiter.wake()

    def _perform(self, claimed: Row) -> None:
        """Do a row; one whose process died is done again."""
        row: Row | None = claimed
        try:
            while row:
                said = self._work(row, self.owner)
                [found] = self.ledger.rows(row.job, 1, row.at, row.at + timedelta(microseconds=1))
                row = None
                if found.status not in ("claimed", "running"):
                    self._ended(found)
                elif found.owner == self.owner.name and self._is_left(found, self._now(), said):
                    row = next(iter(self.ledger.take([found], self.owner.name)), None)
            if plan := self._planned.get(claimed.job):
                self.outcomes.pause_if_failing(plan.job, plan.since)
        except (SopwithError, OSError) as error:  # the row stays open: the next look settles it
            self._told(str(error))
            self._look_again(AGAIN_SECONDS)
        finally:
            self._ours.discard(claimed)

    def _in_a_process(self, row: Row, owner: Owner) -> str:
        """Do a row in a process of its own; return the last line that it said."""
        config = self._config
        what = [str(config.home), config.lang, row.job, str(row.due), owner.name]
        done = subprocess.run(
            [sys.executable, "-c", CHILD, str(ROOT), *what],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=[owner.descriptor],
            start_new_session=True,  # a Ctrl-C at the scheduler's terminal does not stop the runs
            check=False,
        )
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return Redactor(held_values(config, os.environ))(lines[-1])[:300] if lines else ""
