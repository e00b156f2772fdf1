"""Runs the jobs of a home folder at their times: each due time once, or its row in the ledger says why not.

It sleeps in the kernel until the next due time or a change of the files. A due time is first claimed in the ledger, then
done by a process of its own (runs/schedule/child.py), two at a time; what a kill left open is found in the ledger and in
the run log at the next start, or by another scheduler. Source: seed 002 §6, contract `schedule …`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from config import Config, SopwithError
from memory.logs import worker
from runs.schedule.due import GRACE, allowed_lateness, due_after, due_rows, problems, runnable
from runs.schedule.folder import JobFolder
from runs.schedule.jobs import Broken, Job
from runs.schedule.ledger import Counted, Ledger, Owner, Row, micros
from runs.schedule.outcomes import Outcomes
from runs.schedule.waiting import Waiter, steady
from safety.secrets import Redactor, held_values

WORKERS = 2  # runs at a time
MAX_ATTEMPTS = 3  # of one due time whose process dies
AGAIN_SECONDS = 30.0  # until it looks again at another scheduler's work, or a full disk
RESUMED_SECONDS = 5.0  # until it looks again at a run that its owner has answered
CHILD = Path(__file__).with_name("child.py")
Work = Callable[[Row, Owner], None]
Key = tuple[str, int]  # of a row: job and due time


class Clock:
    """Hold what the scheduler reads the time from."""

    def now(self) -> datetime:
        """The clock on the wall, UTC."""
        return datetime.now(UTC)

    def steady(self) -> float:
        """Seconds that nobody sets back or ahead."""
        return steady()


@dataclass(slots=True)
class _Planned:
    """A job with its next due time. `since`: from when its rule counts; up to `cursor` each due time has its row."""

    job: Job
    since: datetime
    cursor: datetime
    next: datetime | None = None


class Scheduler:
    """The jobs of one home folder. `run` works until it is told to stop; `tick` is one look at the clock."""

    def __init__(
        self,
        config: Config,
        clock: Clock | None = None,
        *,
        ledger: Ledger | None = None,
        work: Work | None = None,
        told: Callable[[str], None] = lambda _: None,
        ended: Callable[[Row], None] = lambda _: None,
    ) -> None:
        """`work` does a claimed row (default: in a process of its own); `told` hears what went wrong with the ledger,
        `ended` of each row whose run is over here."""
        self.folder = JobFolder(config.home)
        self.ledger = ledger or Ledger(config.home)
        self.outcomes = Outcomes(config, self.ledger, self.folder)
        self._config, self._clock, self._told, self._ended = config, clock or Clock(), told, ended
        self._work = work or self._in_a_process
        self._planned: dict[str, _Planned] = {}
        self._is_stale = True  # files may have changed
        self._origin = (self._clock.now(), self._clock.steady())
        self._seen = self._origin[0]
        self._again: float | None = None  # seconds until it must look again, for what wakes nobody
        self._blocked: set[str] = set()  # jobs that are due and still at work
        # Found by this look, and not written down yet.
        self._found: list[tuple[Job, list[Row], datetime]] = []
        self._queue: deque[Row] = deque()
        self._ours: set[Key] = set()  # rows in the queue or at work here
        self._at_work: set[Key] = set()
        self._said: dict[Key, str] = {}  # the last line of a process that left its row open
        self._turn = threading.Lock()  # of the queue and the two sets
        self._threads = 0
        self._owner: Owner | None = None
        self._waiter: Waiter | None = None

    @property
    def owner(self) -> Owner:
        """In whose name rows are claimed."""
        if self._owner is None:
            self._owner = Owner(self._config.home)
        return self._owner

    def run(self, stop: threading.Event) -> None:
        """Works until `stop` is set. Runs that are at work then go on by themselves and settle their rows. Raises OSError,
        LedgerError when it cannot begin."""
        home = self._config.home
        with Waiter([home / "schedule", home / "inbox"]) as waiter, self.owner:
            self._waiter = waiter
            waiter.wake_at(stop)
            self.tick()
            while not stop.is_set():
                self._start()
                self._is_stale |= waiter.wait(*self.next_wake())
                if not stop.is_set():
                    self._tick_or_tell()
            with self._turn:
                self._ours -= {(row.job, row.due) for row in self._queue}
                self._queue.clear()  # they are claimed, and found at the next start
            self._waiter = self._owner = None

    def wake(self) -> None:
        """Lets it look at once."""
        if self._waiter is not None:
            self._waiter.wake()

    def _tick_or_tell(self) -> None:
        try:
            self.tick()
        except (SopwithError, OSError) as error:  # a full disk: what is due stays due
            self._told(str(error))
            self._again = AGAIN_SECONDS

    # One look at the clock

    def tick(self) -> None:
        """Claims what is due and queues it, records what is skipped, settles what has ended elsewhere."""
        try:
            self._look()
            self._write_down()
        except BaseException:  # what was found and is not written down is found again
            self._found.clear()
            self._planned.clear()
            self._is_stale = True
            raise

    def _look(self) -> None:
        now = self._clock.now()
        self._again = None
        if now < self._seen:  # the clock was set back: what has no row up to now comes again
            self._planned.clear()
            self._is_stale = True
        self._seen = now
        self.ledger.retract(now)
        if self._is_stale:
            self._read(now)
            self._is_stale = False
        busy, waiting = self._look_at_open(now)
        self._blocked.clear()
        for plan in self._planned.values():
            here = self._now_for(plan.job, now)
            if plan.next is not None and plan.next <= here:
                self._take_due(plan, here, now, busy, waiting)

    def next_wake(self) -> tuple[datetime | None, float | None]:
        """Until when it may sleep: a time on the wall's clock, and seconds; None: no such end."""
        here, wall, seconds = self._now_steady(), list[datetime](), list[float]()
        for plan in self._planned.values():
            if plan.next is None or plan.job.id in self._blocked:
                continue
            if plan.job.is_steady:
                seconds.append((plan.next - here).total_seconds())
            else:
                wall.append(plan.next)
        if self._again is not None:
            seconds.append(self._again)
        return min(wall, default=None), max(0.0, min(seconds)) if seconds else None

    def _now_for(self, job: Job, now: datetime) -> datetime:
        return self._now_steady() if job.is_steady else now

    def _now_steady(self) -> datetime:
        began, at = self._origin
        return began + timedelta(seconds=self._clock.steady() - at)

    def _read(self, now: datetime) -> None:
        """Take in what changed in the folder."""
        jobs = self.folder.all()
        wrong = problems(jobs)
        for id in jobs:
            self.outcomes.tell_broken(id, wrong.get(id, ""))
        sound = runnable(jobs)
        old = {id: plan for id, plan in self._planned.items() if sound.get(id) is plan.job}
        new = {id: job for id, job in sound.items() if id not in old}
        counts = self.ledger.counted(self._rules(jobs), now)
        counts |= self._set_back(new, counts, now)
        self._planned = old | {id: self._plan(job, counts[id], now) for id, job in new.items()}

    def _rules(self, jobs: Mapping[str, Job | Broken]) -> dict[str, tuple[str, datetime]]:
        """Return the rules of all jobs, of disabled ones too: one counts anew when it is enabled."""
        return {
            id: (job.rule, self.folder.written(id))
            for id, job in jobs.items()
            if isinstance(job, Job)
        }

    def _set_back(
        self, new: Mapping[str, Job], counts: Mapping[str, Counted], now: datetime
    ) -> dict[str, Counted]:
        """Count from now on what was counted further ahead, before the clock was set back; what has a row stays done."""
        found = {}
        for id, job in new.items():
            here, counted = self._now_for(job, now), counts[id]
            if counted.cursor > here:
                since = here if job.is_steady else min(here, counted.since)
                found[id] = Counted(since, here)
        if found:
            self.ledger.count_from(found)
        return found

    def _plan(self, job: Job, counted: Counted, now: datetime) -> _Planned:
        plan = _Planned(job, *counted)
        plan.next = next(due_after(job, plan.since, plan.cursor), None)
        if job.at and job.at <= plan.since and plan.cursor <= plan.since:
            reason = "it was over when the file was written"
            row = Row(job.id, micros(job.at), status="skipped", reason=reason, noticed=micros(now))
            self._found.append((job, [row], max(now, plan.since + timedelta(microseconds=1))))
        return plan

    def _take_due(
        self, plan: _Planned, here: datetime, now: datetime, busy: set[str], waiting: set[str]
    ) -> None:
        """All due times of a job up to now get their rows: claimed, or skipped with the reason."""
        job = plan.job
        if job.id in busy:
            self._blocked.add(job.id)  # when it has ended, its catch_up says which of them are done
            return
        if self.outcomes.pause_if_failing(job, plan.since):
            plan.next = None
            return
        dues = due_after(job, plan.since, plan.cursor)
        known = self.ledger.rows(job.id, start=plan.cursor)
        rows, following = due_rows(
            job, dues, known, here, now, owner=self.owner.name, is_waiting=job.id in waiting
        )
        self._found.append((job, rows, here))
        plan.cursor, plan.next = here, following

    def _write_down(self) -> None:
        """Write down in one step what this look has found; what is claimed is queued."""
        if not self._found:
            return
        jobs = {job.id: job for job, _, _ in self._found}
        cursors = {job.id: at for job, _, at in self._found}
        new = self.ledger.add([row for _, rows, _ in self._found for row in rows], cursors)
        self._found.clear()
        self._enqueue([row for row in new if row.status == "claimed"])
        for row in filter(is_skipped, new):
            self.outcomes.tell_skipped(row, jobs[row.job])

    def _enqueue(self, rows: list[Row]) -> None:
        with self._turn:
            self._ours |= {(row.job, row.due) for row in rows}
            self._queue.extend(rows)

    # Open rows

    def _look_at_open(self, now: datetime) -> tuple[set[str], set[str]]:
        """The jobs that are at work, and those that wait for their owner. What a dead process left is settled or taken."""
        busy: set[str] = set()
        waiting: set[str] = set()
        left: list[Row] = []
        for row in self.ledger.open_rows():
            if (row.job, row.due) in self._ours:
                busy.add(row.job)
            elif row.status == "waiting":
                if not self._settled(row):
                    (busy if worker(self._config.home / "runs" / row.run) else waiting).add(row.job)
                    self._look_again(RESUMED_SECONDS if row.job in busy else None)
            elif row.owner != self.owner.name and self.ledger.is_alive(row.owner):
                busy.add(row.job)
                self._look_again(AGAIN_SECONDS)
            elif self._recovered(row, now, left):
                busy.add(row.job)
        self._take_over(left)
        return busy, waiting

    def _take_over(self, rows: list[Row]) -> None:
        if rows:
            self._enqueue(self.ledger.take(rows, self.owner.name))

    def _settled(self, row: Row) -> bool:
        """True when the run log says how the run of a row ended, or that it waits as before."""
        settled = self.outcomes.settle(row, self._job(row.job))
        return settled is not None and settled.status != "waiting"

    def _recovered(self, row: Row, now: datetime, left: list[Row]) -> bool:
        """True when a row that nobody works on any more is open still: it goes into `left`, for us to take over, or its run
        is at work elsewhere."""
        job = self._job(row.job)
        if self.outcomes.settle(row, job):
            return False
        if row.run and worker(self._config.home / "runs" / row.run):
            self._look_again(RESUMED_SECONDS)
            return True
        if row.attempts + 1 >= MAX_ATTEMPTS:
            said = self._said.get((row.job, row.due), "") or "killed"
            self.outcomes.fail(row, job, f"its process died {MAX_ATTEMPTS} times: {said}", now)
            return False
        allowed = allowed_lateness(job) if job else GRACE
        if now - row.at > allowed and _may_be_missed(row, job):
            hours = allowed.total_seconds() / 3600
            self.outcomes.skip(row, job, f"missed: more than {hours:g} hours late", now)
            return False
        left.append(row)
        return True

    def _look_again(self, seconds: float | None) -> None:
        if seconds is not None:
            self._again = min(self._again or seconds, seconds)

    def _job(self, id: str) -> Job | None:
        if id in self._planned:
            return self._planned[id].job
        job = self.folder.one(id)
        return job if isinstance(job, Job) else None

    # Doing it

    def _start(self) -> None:
        """Starts as many as may work at a time."""
        with self._turn:
            wanted = min(WORKERS - self._threads, len(self._queue))
            self._threads += max(0, wanted)
        for _ in range(wanted):
            threading.Thread(target=self._do_queue, daemon=True).start()

    def _do_queue(self) -> None:
        """Does one row after another, until none is left that may be done now."""
        try:
            while row := self.next_row():
                self.perform(row)
                if row.job in self._blocked:
                    self.wake()
        finally:
            with self._turn:
                self._threads -= 1
            self.wake()

    def next_row(self) -> Row | None:
        """The first row of the queue whose job is not at work; it counts as at work from now on."""
        with self._turn:
            working = {job for job, _ in self._at_work}
            for row in self._queue:
                if row.job not in working:
                    self._queue.remove(row)
                    self._at_work.add((row.job, row.due))
                    return row
        return None

    def perform(self, row: Row) -> None:
        """Does a claimed row to its end; one whose process died is queued again."""
        key = (row.job, row.due)
        try:
            try:
                self._work(row, self.owner)
            finally:
                with self._turn:
                    self._ours.discard(key)
                    self._at_work.discard(key)
            found = next(
                iter(self.ledger.rows(row.job, 1, row.at, row.at + timedelta(microseconds=1))), None
            )
            if found and found.status in ("claimed", "running") and found.owner == self.owner.name:
                left: list[Row] = []
                self._recovered(found, self._clock.now(), left)
                self._take_over(left)
            elif found:
                self._ended(found)
            if plan := self._planned.get(row.job):
                self.outcomes.pause_if_failing(plan.job, plan.since)
        except (SopwithError, OSError) as error:  # the row stays open: the next look settles it
            self._told(str(error))
            self._look_again(AGAIN_SECONDS)

    def _in_a_process(self, row: Row, owner: Owner) -> None:
        config = self._config
        what = [str(config.home), config.lang, row.job, str(row.due), owner.name]
        command = [sys.executable, str(CHILD), *what]
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=[owner.descriptor],
            start_new_session=True,  # a Ctrl-C at the scheduler's terminal does not stop the runs
            check=False,
        )
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        self._said[(row.job, row.due)] = (
            Redactor(held_values(config, os.environ))(lines[-1])[:300] if lines else ""
        )


def is_skipped(row: Row) -> bool:
    """Return True for a due time that passed without a run."""
    return row.status == "skipped"


def _may_be_missed(row: Row, job: Job | None) -> bool:
    """Return True for a row that has not begun; by hand, and on a steady clock, none is late."""
    has_begun = row.run or row.kind == "hand"
    return not has_begun and not (job is not None and job.is_steady)
