"""Decide what becomes of due times that have come: claimed, or skipped with the reason. It writes nothing down."""

from __future__ import annotations

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
    late: list[datetime] = []
    following = None
    for due in dues:
        if due > here:
            following = due
            break
        at = micros(due)
        if any(row.due <= at <= row.until for row in known):
            continue
        (fresh if here - due <= allowed_lateness(job) else late).append(due)
    missed = _missed(job, late, now)
    if is_waiting:
        waits = _skipped(job, fresh, "the run before waits for the owner", now)
        return missed + waits, following
    doing = _chosen(job, fresh, here)
    left = [due for due in fresh if due not in doing]
    reason = _MISSED[job.catch_up == "latest"]
    claimed = [Row(job.id, micros(due), owner=owner, noticed=micros(now)) for due in doing]
    return missed + _skipped(job, left, reason, now) + claimed, following


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


def _missed(job: Job, dues: list[datetime], now: datetime) -> list[Row]:
    """Return the rows of due times that are too late: the newest have one each, those before share one."""
    reason = f"missed: more than {job.max_delay_hours:g} hours late"
    first, newest = dues[:-SINGLE_ROWS], dues[-SINGLE_ROWS:]
    rows = _skipped(job, newest, reason, now)
    if first:
        until = micros(newest[0]) - 1
        shared = Row(job.id, micros(first[0]), until, len(first), status="skipped", reason=reason)
        rows.insert(0, replace(shared, noticed=micros(now)))
    return rows


def _skipped(job: Job, dues: Iterable[datetime], reason: str, now: datetime) -> list[Row]:
    return [
        Row(job.id, micros(due), status="skipped", reason=reason, noticed=micros(now))
        for due in dues
    ]
