"""Show a calendar: due times that came with what became of them, those that are planned; and how a job is doing."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import islice, takewhile
from typing import Literal, NamedTuple

from runs.schedule.due.folder import JobFolder
from runs.schedule.due.times import due_after
from runs.schedule.jobs import Broken, Job
from runs.schedule.ledger import FAILED, Ledger, Row

OVERDUE = timedelta(minutes=2)  # a due time without a row that long: no scheduler is at work
Health = Literal["ok", "overdue", "failing", "never run", "waiting", "paused", "broken"]


class Due(NamedTuple):
    """One due time in a calendar: what came of it, or "planned"."""

    job: str
    at: datetime
    status: str
    run: str = ""
    reason: str = ""


def problems(jobs: dict[str, Job | Broken]) -> dict[str, str]:
    """Return what is wrong with each job that cannot run, by id."""
    return {id: job.problem for id, job in jobs.items() if isinstance(job, Broken)}


def due_between(
    folder: JobFolder,
    ledger: Ledger,
    now: datetime,
    start: datetime,
    end: datetime,
    limit: int = 1000,
) -> list[Due]:
    """Return the due times from `start` to before `end`, earliest first: those that came, and those that are planned.

    It writes nothing but from when each rule counts. `limit` is that of each job."""
    rows = ledger.rows(start=start, end=end)
    came = [Due(row.job, row.at, row.status, row.run, row.reason) for row in rows]
    known = {(due.job, due.at) for due in came}
    sound = runnable(folder.all())
    counts = ledger.counted({id: (job.rule, folder.written(id)) for id, job in sound.items()}, now)
    planned: list[Due] = []
    for id, job in sound.items():
        dues = due_after(job, counts[id].since, max(start, now))
        here = islice(takewhile(lambda at: at < end, dues), limit)
        planned += [Due(id, at, "planned") for at in here if (id, at) not in known]
    return sorted([*came, *planned], key=lambda due: due.at)


def runnable(jobs: dict[str, Job | Broken]) -> dict[str, Job]:
    """Return the jobs that are enabled and sound."""
    return {id: job for id, job in jobs.items() if isinstance(job, Job) and job.enabled}


def health(
    job: Job | Broken, problem: str, rows: list[Row], next_due: datetime | None, now: datetime
) -> Health:
    """Say how a job is doing. `rows`: its newest; `next_due`: its first due time without a row."""
    if isinstance(job, Broken) or problem:
        return "broken"
    if not job.enabled and job.paused:
        return "paused"
    if job.enabled and _is_overdue(next_due, now):
        return "overdue"
    ran = [row.status for row in rows if row.status not in ("skipped", "claimed", "running")]
    return _health_of(ran[0]) if ran else "never run"


def _is_overdue(next_due: datetime | None, now: datetime) -> bool:
    return next_due is not None and next_due < now - OVERDUE


def _health_of(status: str) -> Health:
    if status == "waiting":
        return "waiting"
    return "failing" if status in FAILED else "ok"
