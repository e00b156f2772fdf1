"""Decide what becomes of due times that have come: claimed, or skipped with the reason. It writes nothing down."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from runs.schedule.jobs import Job
from runs.schedule.ledger import Row, micros

GRACE = timedelta(minutes=1)  # a due time that is no later than this is on time
SINGLE_ROWS = 100  # of skipped due times; what was missed before these has one row for all


def due_rows(
    job: Job,
    dues: Iterable[datetime],
    known: list[Row],
    here: datetime,
    now: datetime,
    *,
    owner: str,
    is_waiting: bool,
) -> tuple[list[Row], datetime | None]:
    """The rows of the `dues` up to `here` that are not `known` yet, claimed for `owner` or skipped; and the first due time
    after `here`. `now` is the clock on the wall; `here` is the same, or the steady clock of the job."""
    fresh: list[datetime] = []
    missed, following, before = _Missed(job, now), None, 0
    for due in dues:
        if due > here:
            following = due
            break
        at = micros(due)
        if any(before < row.due <= at for row in known):
            missed.pause()  # it had come before the clock was set back
        before = at
        if any(row.due <= at <= row.until for row in known):
            continue
        if here - due <= allowed_lateness(job):
            fresh.append(due)
        else:
            missed.add(due)
    missed.pause()
    if is_waiting:
        waits = _skipped(job, fresh, "the run before waits for the owner", now)
        return missed.rows + waits, following
    doing = _chosen(job, fresh, here)
    left = [due for due in fresh if due not in doing]
    reason = _MISSED[job.catch_up == "latest"]
    claimed = [Row(job.id, micros(due), owner=owner, noticed=micros(now)) for due in doing]
    return missed.rows + _skipped(job, left, reason, now) + claimed, following


_MISSED = {True: "missed: a later one is due as well", False: "missed: catch_up is skip"}


def _chosen(job: Job, fresh: list[datetime], here: datetime) -> list[datetime]:
    """Return which of the due times are done, by the policy of the job."""
    if job.catch_up == "all":
        return fresh
    if job.catch_up == "skip":
        return [due for due in fresh if here - due <= GRACE][-1:]
    return fresh[-1:]


def allowed_lateness(job: Job) -> timedelta:
    """How late a due time may be."""
    return max(timedelta(hours=job.max_delay_hours), GRACE)


class _Missed:
    """The rows of due times that are too late: of many in a row the newest have one each, those before share one."""

    def __init__(self, job: Job, now: datetime) -> None:
        self.rows: list[Row] = []
        self._job, self._now, self._reason = (
            job,
            now,
            f"missed: more than {job.max_delay_hours:g} hours late",
        )
        self._newest: deque[datetime] = deque(maxlen=SINGLE_ROWS)
        self._first, self._count = now, 0

    def add(self, due: datetime) -> None:
        """The next one that was missed."""
        self._first = due if not self._count else self._first
        self._count += 1
        self._newest.append(due)

    def pause(self) -> None:
        """No row may reach over what comes here."""
        if (shared := self._count - len(self._newest)) > 0:
            until = micros(self._newest[0]) - 1
            shared_row = Row(
                self._job.id,
                micros(self._first),
                until,
                shared,
                status="skipped",
                reason=self._reason,
            )
            self.rows.append(replace(shared_row, noticed=micros(self._now)))
        self.rows += _skipped(self._job, self._newest, self._reason, self._now)
        self._newest.clear()
        self._count = 0


def _skipped(job: Job, dues: Iterable[datetime], reason: str, now: datetime) -> list[Row]:
    return [
        Row(job.id, micros(due), status="skipped", reason=reason, noticed=micros(now))
        for due in dues
    ]
