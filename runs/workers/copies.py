"""Runs of which a copy lies here while they go on, or have ended, on another machine: what has become of them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

from config import Config
from memory.runlog.log import SHARED, RunSummary, summarise
from runs.workers.database import Database, QueueError
from runs.workers.log import GOES_ON, copy

_STATUS = "SELECT run, status FROM sopwith_runs WHERE run = ANY (%s)"


def up_to_date(config: Config, found: Sequence[RunSummary]) -> list[RunSummary]:
    """The runs of a list, each as it stands in the shared database where this machine has not seen its end: a worker that
    was frozen or killed lost it to another. As they are here when the database is away."""
    folder = config.home / "runs"
    left = [
        run.run
        for run in found
        if run.status == "interrupted" and (folder / run.run / SHARED).exists()
    ]
    if not left or config.queue is None:
        return list(found)
    try:
        with closing(Database(config.queue.url)) as database:
            status = dict(
                database.ask(lambda connection: connection.execute(_STATUS, (left,)).fetchall())
            )
            ended = {
                run
                for run in left
                if status.get(run, GOES_ON[0]) not in GOES_ON and copy(database, config.home, run)
            }
    except QueueError:
        return list(found)
    return [
        (summarise(config.home, run.run) or run) if run.run in ended
        else replace(run, status="working") if run.run in status
        else run
        for run in found
    ]  # fmt: skip
