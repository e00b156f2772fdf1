"""Due times that machines share: whoever is first puts the task into the queue, the others write down who has it.

Each machine keeps its own ledger of its schedules (runs/schedule/ledger.py). The same job on several machines (same id,
same content) has the same due times; one row for each in the shared database, made together with the task, says which
machine sent it. The task is then any worker's, and outlives the machine that sent it.
"""

from __future__ import annotations

import hashlib
import json
import socket
import time
from contextlib import closing, suppress
from typing import Any, NamedTuple

from config import Config
from memory.runlog import SHARED, new_run_id
from runs.assemble import Options
from runs.schedule.jobs import Job
from runs.workers.database import PATIENCE_SECONDS, QueueError, opened
from runs.workers.log import GOES_ON, copy
from runs.workers.tasks import put

LOOK_SECONDS = 1.0  # between two looks at a run that is at work elsewhere


class Sender(NamedTuple):
    """Hold who sent the task of a due time, and the run that does it."""

    machine: str
    run: str
    is_here: bool


def claim(config: Config, job: Job, due: int, options: Options) -> Sender:
    """Makes the task of a due time (microseconds since 1970), or says who has. Waits for a database that is away."""
    here, key, run = f"{socket.gethostname()}:{config.home}", _key(job), new_run_id()
    what: dict[str, Any] = (
        {"task": job.prompt} if job.prompt else {"sop": job.sop, "values": dict(job.parameters)}
    )
    what["by_itself"] = True

    def ask(connection: Any) -> Sender:
        with connection.transaction():
            query = "INSERT INTO sopwith_dues VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING RETURNING run"
            if connection.execute(query, (key, due, run, here)).fetchone():
                put(connection, config, run, what, options, parallel=True)
                return Sender(here, run, True)
            query = "SELECT machine, run FROM sopwith_dues WHERE job = %s AND due = %s"
            machine, known = connection.execute(query, (key, due)).fetchone()
            return Sender(machine, known, machine == here)

    with closing(opened(config, PATIENCE_SECONDS)) as database:
        return database.ask(ask)


def follow(config: Config, run: str) -> None:
    """Returns when a run has ended or waits for its owner; its log is here then."""
    query = "SELECT status FROM sopwith_runs WHERE run = %s"
    with closing(opened(config, PATIENCE_SECONDS)) as database:
        while (row := database.ask(lambda it: it.execute(query, (run,)).fetchone())) and row[
            0
        ] in GOES_ON:
            time.sleep(LOOK_SECONDS)
        copy(database, config.home, run)


def bring_up_to_date(config: Config, run: str) -> None:
    """Brings what a shared run has written since; without the database, what is here stays."""
    if config.queue and (config.home / "runs" / run / SHARED).exists():
        with suppress(QueueError), closing(opened(config)) as database:
            copy(database, config.home, run)


def _key(job: Job) -> str:
    said = json.dumps(job.fields, sort_keys=True, ensure_ascii=False, default=str)
    return f"{job.id} {hashlib.sha256(said.encode('utf-8', 'replace')).hexdigest()[:16]}"
