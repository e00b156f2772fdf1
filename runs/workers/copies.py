"""Runs of which a copy lies here while they go on, or have ended, on another machine: what has become of them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

from config import Config
from memory.logs import RunSummary, summarise
from memory.runlog import SHARED
from runs.workers.database import Database, QueueError
from runs.workers.log import GOES_ON, copy

_STATUS = "SELECT run, status FROM sopwith_runs WHERE run = ANY (%s)"


def up_to_date(config: Config, found: Sequence[RunSummary]) -> list[RunSummary]:
    """The runs of a list, each as it stands in the shared database where this machine has not seen its end: a worker that
    was frozen or killed lost it to another. As they are here when the database is away."""
    left = [run.run for run in found if run.status == "interrupted" and _is_shared(config, run)]
    if not left or config.queue is None:
        return list(found)
    try:
        with closing(Database(config.queue.url)) as database:
            status, ended = _elsewhere(database, config, left)
    except QueueError:
        return list(found)

    def now(run: RunSummary) -> RunSummary:
        if run.run in ended:
            return summarise(config.home, run.run) or run
        return replace(run, status="working") if run.run in status else run

    return [now(run) for run in found]


def _elsewhere(
    database: Database, config: Config, runs: list[str]
) -> tuple[dict[str, str], set[str]]:
    """Return the status of runs in the database, and which of them have ended there: their logs are copied here."""
    rows = database.ask(lambda it: it.execute(_STATUS, (runs,)).fetchall())
    status = dict(rows)
    over = [run for run in runs if status.get(run, GOES_ON[0]) not in GOES_ON]
    return status, {run for run in over if copy(database, config.home, run)}


def _is_shared(config: Config, run: RunSummary) -> bool:
    return (config.home / "runs" / run.run / SHARED).exists()
