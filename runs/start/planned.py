"""A request for a set time, where no model can read it: the words that say when, and a task that an
SOP does by rote.

"every weekday at 8 clean out files older than 30 days in ~/tmp" is a time and a request. Both must
be understood whole: the time by runs/schedule/when.py, the rest by a lane that is sure. The owner
sees it with its next times, and says yes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from learning.route import Match, Where, exact_match
from memory.sops import Sop

SAYS_WHEN = re.compile(
    r"\b(?:every|each|daily|hourly|weekly|monthly|nightly|weekdays?|weekends?|tomorrow|tonight|today|noon|midnight|at \d|on \w+day|in (?:\d+|an?|half) \w+)"
    r"|\d{4}-\d\d-\d\d|每|明天|后天|今晚|今天|工作日|周末|点|分钟后|小时后|天后",
    re.IGNORECASE,
)
MAX_CHARS = 300  # of a request
MAX_CUTS = 80  # places where the time may end; longer requests are no such ones
EDGES = " \t\n,，、:：。"


class Planned(NamedTuple):
    """A job that is not kept yet: its file's keys, what it does, and its next due times."""

    when: str
    task: str
    fields: dict[str, Any]
    match: Match
    following: tuple[datetime, ...]

    @property
    def command(self) -> list[str]:
        """Return the words of the command that keeps it."""
        return ["schedule", "add", self.when, self.task]

    @property
    def next(self) -> str:
        """Return the next two due times, on the wall's clock."""
        return ", ".join(f"{at.astimezone():%Y-%m-%d %H:%M}" for at in self.following[:2])

    def keep(self, home: Path) -> str:
        """Write the job's file. Return the job's id. Raises OSError, RepositoryError."""
        return keep_job(home, self.match.sop.name, self.fields)


def keep_job(home: Path, name: str, fields: Mapping[str, Any]) -> str:
    """Write a job's file under a free id. Gives the id. Raises OSError, RepositoryError."""
    from runs.schedule.folder import JobFolder

    folder = JobFolder(home)
    id = folder.free(name)
    folder.write(id, dict(fields), f"schedule: {id} added")
    return id


def planned(
    request: str, known: Sequence[Sop], where: Where, now: datetime | None = None, asked: str = "{}"
) -> Planned | None:
    """Return the job that a request asks for; None when it names no time, its rest is not sure, or
    it can be read in two ways. `asked`: how the rest is asked for."""
    request = request.strip()
    cuts = _cuts(request) if len(request) <= MAX_CHARS and SAYS_WHEN.search(request) else []
    if not 0 < len(cuts) <= MAX_CUTS:
        return None
    now = (now or datetime.now(UTC)).replace(microsecond=0)
    times_first = ((request[:at], request[at:]) for at in reversed(cuts))  # the longest first
    times_last = ((request[at:], request[:at]) for at in cuts)
    before = _first(times_first, known, where, now, asked)
    behind = _first(times_last, known, where, now, asked)
    return None if before and behind else before or behind


def _cuts(request: str) -> list[int]:
    """Return where one part may end and another begin: at a space or a comma, and between Chinese
    characters."""
    return [
        at
        for at in range(1, len(request))
        if request[at] in EDGES
        or request[at - 1] in EDGES
        or not (request[at].isascii() and request[at - 1].isascii())
    ]


def _first(
    pairs: Iterator[tuple[str, str]], known: Sequence[Sop], where: Where, now: datetime, asked: str
) -> Planned | None:
    able = [sop for sop in known if sop.runs_alone]
    for when, task in ((time.strip(EDGES), rest.strip(EDGES)) for time, rest in pairs):
        if not task or not SAYS_WHEN.search(when):
            continue
        fields = _when(when, now)
        match = exact_match(asked.format(task), able, where) if fields else None
        if match is not None:
            return _plan(when, task, fields, match, where, now)
    return None


def _when(words: str, now: datetime) -> dict[str, Any]:
    """Return the fields of a job that say when; {} for words that say no time."""
    from memory.journal.api import local_timezone
    from runs.schedule.jobs import JobError
    from runs.schedule.when import read_when

    zone = local_timezone()
    try:
        return {"timezone": zone, **read_when(words, now, zone)}
    except JobError:
        return {}


def _plan(
    when: str, task: str, fields: dict[str, Any], match: Match, where: Where, now: datetime
) -> Planned | None:
    from runs.schedule.due import coming
    from runs.schedule.jobs import JobError, job_of

    fields |= {"sop": match.sop.name, "cwd": str(where.cwd)}
    fields |= {"parameters": match.parameters} if match.parameters else {}
    try:
        following = tuple(coming(job_of(match.sop.name, fields), now, now))
    except JobError:
        return None
    return Planned(when, task, fields, match, following) if following else None
