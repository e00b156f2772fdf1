"""When a job is due, what becomes of a due time that has come, and the calendar that shows both. It
writes nothing down.

Times are UTC, by the job's own timezone. Cron lines behave as Debian's cron does (cronsim): a fixed
time that the spring change leaves out comes right behind the gap, one that the autumn change
repeats comes once; `*/30` and the like follow the real half hours. A day that a month does not have
is left out.
"""

from __future__ import annotations

import heapq
from bisect import bisect
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import groupby, islice, takewhile
from typing import Literal, NamedTuple

from config import Message
from runs.schedule.folder import JobFolder
from runs.schedule.jobs import Broken, Job
from runs.schedule.ledger import FAILED, Ledger, Row, micros

UNITS = {
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}
SHOWN = 5  # of the coming due times


def due_after(job: Job, since: datetime, moment: datetime) -> Iterator[datetime]:
    """Yield the due times behind `moment`, earliest first, UTC. `since`: from when the rule counts;
    `moment` lies before it where the clock was set back."""
    begin = since
    if job.start and job.start > since:
        begin = job.start - timedelta(microseconds=1)  # the first moment counts itself
        moment = max(moment, begin)
    for due in _times(job, begin, moment):
        if job.until and due > job.until:
            return
        if due > moment:
            yield due


def _times(job: Job, begin: datetime, moment: datetime) -> Iterator[datetime]:
    """Yield the due times of a rule that counts from `begin`: those behind `moment`, some before
    it."""
    if job.at is not None:
        return iter([job.at] if job.at > begin else [])
    if job.is_once:
        return islice(_wall(job, begin), 1)
    if job.every is None:
        return _wall(job, moment)
    return _every(job, begin, moment) if job.cron else _stepped(job, begin, moment)


def coming(job: Job, since: datetime, now: datetime) -> list[datetime]:
    """Return the next five due times."""
    return list(islice(due_after(job, since, now), SHOWN)) if job.enabled else []


def _wall(job: Job, moment: datetime) -> Iterator[datetime]:
    """By the clock on the wall: all cron lines of the job in one stream that only rises."""
    from cronsim import CronSim

    here = moment.astimezone(job.zone)
    last = moment
    lines = ((due.astimezone(UTC) for due in CronSim(line, here)) for line in job.cron)
    for due in heapq.merge(*lines):
        if due > last:  # an hour that comes twice counts once; two times in one gap come together
            last = due
            yield due


def _stepped(job: Job, begin: datetime, moment: datetime) -> Iterator[datetime]:
    """Yield every so many minutes or hours from `start` on, or from when the rule was written."""
    assert job.every is not None
    count, unit = job.every
    step, anchor = count * UNITS[unit], begin
    if job.start and job.start > begin:
        anchor = job.start - step
    number = (moment - anchor) // step
    while True:
        number += 1
        yield anchor + number * step


def _every(job: Job, begin: datetime, moment: datetime) -> Iterator[datetime]:
    """Yield those times that lie on every Nth day, or in every Nth week, counted from the first one
    of all."""
    assert job.every is not None
    count, unit = job.every
    opening = next(_wall(job, begin), None)
    if opening is None:
        return
    first = opening.astimezone(job.zone).date()
    if unit == "w":
        first -= timedelta(days=first.weekday())
    step = count * UNITS[unit].days
    for due in _wall(job, moment):
        if (due.astimezone(job.zone).date() - first).days % step < UNITS[unit].days:
            yield due


# Rows for due times that have come

GRACE = timedelta(minutes=1)  # a due time that is no later than this is on time
SINGLE_ROWS = 100  # of skipped due times; what was missed before these has one row for all


def due_rows(
    job: Job,
    dues: Iterable[datetime],
    known: list[Row],
    now: datetime,
    *,
    owner: str,
    is_waiting: bool,
) -> tuple[list[Row], datetime | None]:
    """Return the rows of the `dues` up to now that are not `known` yet, claimed for `owner` or
    skipped; and the first due time after now."""
    fresh: list[datetime] = []
    late: list[datetime] = []
    following = None
    for due in dues:
        if due > now:
            following = due
            break
        at = micros(due)
        if any(row.due <= at <= row.until for row in known):
            continue
        (fresh if now - due <= allowed_lateness(job) else late).append(due)
    rows = _missed(job, late, known, now)
    if is_waiting:
        return rows + _skipped(job, fresh, Message("error.due.waits"), now), following
    doing = _chosen(job, fresh, now)
    left = [due for due in fresh if due not in doing]
    rows += _skipped(job, left, Message(_MISSED[job.catch_up == "latest"]), now)
    rows += [Row(job.id, micros(due), owner=owner, noticed=micros(now)) for due in doing]
    return rows, following


_MISSED = {True: "error.due.later", False: "error.due.skip"}


def _chosen(job: Job, fresh: list[datetime], now: datetime) -> list[datetime]:
    """Return which of the due times are done, by the policy of the job."""
    if job.catch_up == "all":
        return fresh
    if job.catch_up == "skip":
        return [due for due in fresh if now - due <= GRACE][-1:]
    return fresh[-1:]


def allowed_lateness(job: Job) -> timedelta:
    """Return how late a due time may be."""
    return max(timedelta(hours=job.max_delay_hours), GRACE)


def _missed(job: Job, dues: list[datetime], known: list[Row], now: datetime) -> list[Row]:
    """Return the rows of due times that are too late: the newest have one each, those before share
    one, up to the next one that is known."""
    reason = Message("error.due.late", hours=f"{job.max_delay_hours:g}")
    first, newest = dues[:-SINGLE_ROWS], dues[-SINGLE_ROWS:]
    begun = sorted(row.due for row in known)
    shared = []
    for _, stretch in groupby(first, lambda due: bisect(begun, micros(due))):
        together = list(stretch)
        [row] = _skipped(job, together[:1], reason, now)
        shared.append(replace(row, until=micros(together[-1]), n=len(together)))
    return shared + _skipped(job, newest, reason, now)


def _skipped(job: Job, dues: Iterable[datetime], reason: str, now: datetime) -> list[Row]:
    return [
        Row(job.id, micros(due), status="skipped", reason=reason, noticed=micros(now))
        for due in dues
    ]


# The calendar

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
    """Return the due times from `start` to before `end`, earliest first: those that came, and those
    that are planned.

    It writes nothing but from when each rule counts. `limit` is that of each job.
    """
    rows = ledger.rows(start=start, end=end)
    came = [Due(row.job, row.at, row.status, row.run, row.reason) for row in rows]
    known = {(due.job, due.at) for due in came}
    sound = runnable(folder.all())
    counts = ledger.counted(folder.rules(), now)
    planned: list[Due] = []
    for id, job in sound.items():
        dues = due_after(job, counts[id].since, max(start, now))
        here = islice(takewhile(lambda at: at < end, dues), limit)
        planned += [Due(id, at, "planned") for at in here if (id, at) not in known]
    return sorted([*came, *planned], key=lambda due: due.at)


def runnable(jobs: dict[str, Job | Broken]) -> dict[str, Job]:
    """Return the jobs that are enabled and sound."""
    return {id: job for id, job in jobs.items() if isinstance(job, Job) and job.enabled}


def health(job: Job, rows: list[Row], next_due: datetime | None, now: datetime) -> Health:
    """Say how a job is doing. `rows`: its newest; `next_due`: its first due time without a row."""
    if not job.enabled:
        return "paused" if job.paused else _last_run(rows)
    is_late = next_due is not None and next_due < now - OVERDUE
    return "overdue" if is_late else _last_run(rows)


def _last_run(rows: list[Row]) -> Health:
    """Say how the last run went."""
    ran = [row.status for row in rows if row.status not in ("skipped", "claimed", "running")]
    if not ran:
        return "never run"
    if ran[0] == "waiting":
        return "waiting"
    return "failing" if ran[0] in FAILED else "ok"
