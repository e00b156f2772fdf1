"""When a job is due: its due times after a moment, in UTC, by the job's own timezone.

Cron lines behave as Debian's cron does (cronsim): a fixed time that the spring change leaves out comes right behind the
gap, one that the autumn change repeats comes once; `*/30` and the like follow the real half hours. A day that a month
does not have is left out.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile

from runs.schedule.jobs import Job

UNITS = {
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}
SHOWN = 5  # of the coming due times


def due_after(job: Job, since: datetime, moment: datetime) -> Iterator[datetime]:
    """Yield the due times behind `moment`, earliest first, UTC. `since`: from when the rule counts. None for `after`."""
    until = job.until
    times = _times(job, since, moment)
    if until:
        times = takewhile(lambda due: due <= until, times)
    return (due for due in times if due > moment)


def _times(job: Job, since: datetime, moment: datetime) -> Iterator[datetime]:
    first = job.start if job.start and job.start > since else None
    start = first - timedelta(seconds=1) if first else since  # the first moment counts itself
    begin = max(moment, start)
    if job.at is not None:
        return iter([job.at] if job.at > begin else [])
    if job.is_once:
        return islice(_wall(job, start), 1)
    if job.is_steady:
        return _steady(job, first, since, begin)
    times = _wall(job, begin)
    return times if job.every is None else _every(job, times, start)


def coming(job: Job, since: datetime, now: datetime) -> list[datetime]:
    """The next five due times."""
    return list(islice(due_after(job, since, now), SHOWN)) if job.enabled else []


def _wall(job: Job, moment: datetime) -> Iterator[datetime]:
    """By the clock on the wall: all cron lines of the job in one stream that only rises."""
    from cronsim import CronSim

    here = moment.astimezone(job.zone)
    last = moment
    for due in heapq.merge(*(map(_utc, CronSim(line, here)) for line in job.cron)):
        if (
            due > last
        ):  # an hour that comes twice is counted once; two times in one gap come together
            last = due
            yield due


def _utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


def _steady(
    job: Job, first: datetime | None, since: datetime, moment: datetime
) -> Iterator[datetime]:
    """Every so many minutes or hours from `first` on, or from when the rule was written."""
    count, unit = job.every or (1, "m")
    step, anchor = count * UNITS[unit], first or since
    number = max((moment - anchor) // step + 1, 0 if first else 1)
    while True:
        yield anchor + number * step
        number += 1


def _every(job: Job, times: Iterator[datetime], begin: datetime) -> Iterator[datetime]:
    """Yield those of the times that lie on every Nth day, or in every Nth week, counted from the first one of all."""
    count, unit = job.every or (1, "d")
    opening = next(_wall(job, begin), None)
    if opening is None:
        return
    first = opening.astimezone(job.zone).date()
    if unit == "w":
        first -= timedelta(days=first.weekday())
    for due in times:
        if (due.astimezone(job.zone).date() - first).days // (7 if unit == "w" else 1) % count == 0:
            yield due
