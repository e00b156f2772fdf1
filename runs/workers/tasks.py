"""Tasks that any of many machines does: sending one, looking at them, taking one back.

A task is a job of Procrastinate and a row that will hold its run's log, made in one transaction.
The tasks of a session are done one after the other, in the order in which they were sent (the
engine's lock); one that may run beside the others has a lock of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from config import Config
from memory.inbox import Inbox
from memory.logs.reading import NoSuchRun
from memory.runlog import new_run_id
from runs.assemble import Options
from runs.run import cancelled as ended
from runs.workers.database import Database, opened
from runs.workers.log import BY_HAND, CANCELLED, GOES_ON, events_of, take, write

if TYPE_CHECKING:
    from procrastinate import App

NAME = "sopwith.run"
QUEUE = "sopwith"
SENT_OPTIONS = (
    "session",
    "model",
    "persona",
    "max_turns",
    "max_cost",
    "max_minutes",
    "approve",
    "rote",
    "window",
)


@dataclass(frozen=True, slots=True)
class Sent:
    """One task as `worker --list` shows it. Times are UTC, ISO 8601; `written`: when its log last
    grew."""

    run: str
    session: str
    task: str
    status: str
    worker: str
    result: str
    queued: str
    written: str


def app_on(url: str) -> App:
    """Return the engine, not opened."""
    from procrastinate import App, PsycopgConnector

    from runs.workers.database import settings

    given = settings(url)
    conninfo = given.pop("conninfo")
    pool: dict[str, Any] = {"min_size": 1, "max_size": 3, "timeout": 5.0, "reconnect_timeout": 5.0}
    return App(connector=PsycopgConnector(conninfo=conninfo, kwargs=given, **pool))


def send(
    config: Config,
    what: Mapping[str, Any],
    options: Options,
    redact: Callable[[Any], Any],
    *,
    parallel: bool = False,
) -> str:
    """Put a task into the queue and return the id that its run will have. `what`: {"task": TEXT},
    or {"sop": NAME, "values": {…}}. `parallel`: it may run beside other tasks of its session.
    Raises QueueError."""
    run = new_run_id()

    def ask(connection: Any) -> None:
        with connection.transaction():
            put(connection, config, run, redact(dict(what)), options, parallel=parallel)

    with closing(opened(config)) as database:
        database.ask(ask)
    return run


def put(
    connection: Any,
    config: Config,
    run: str,
    what: Mapping[str, Any],
    options: Options,
    *,
    parallel: bool,
) -> None:
    """Add the row and the job of a task, in the caller's transaction."""
    words = what.get("task") or " ".join(
        [what["sop"], *(f"{key}={value}" for key, value in what["values"].items())]
    )
    query = "INSERT INTO sopwith_runs (run, session, task) VALUES (%s, %s, %s)"
    connection.execute(query, (run, options.session, words.replace("\0", "")))
    lock = run if parallel else f"session {options.session}"
    job = app_on(config.queue.url if config.queue else "").configure_task(
        NAME, lock=lock, queue=QUEUE, connection=connection
    )
    told: dict[str, Any] = {
        "run": run,
        "what": dict(what),
        "options": options_as_json(options),
        "lang": config.lang,
    }
    connection.execute("UPDATE sopwith_runs SET job = %s WHERE run = %s", (job.defer(**told), run))


def options_as_json(options: Options) -> dict[str, Any]:
    """Return what goes with a task. The folder must be there on the machine that does it."""
    return {name: getattr(options, name) for name in SENT_OPTIONS} | {"cwd": str(options.cwd)}


def sent(config: Config, limit: int) -> list[Sent]:
    """Return the tasks, newest first. Raises QueueError."""
    with closing(opened(config)) as database:
        return listed(database, limit)


def listed(database: Database, limit: int) -> list[Sent]:
    """Return the tasks, newest first; their helpers, which nobody has sent, are left out."""
    query = (
        "SELECT run, session, task, status, worker, result, to_char(queued AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'),"
        " to_char(written AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
        " FROM sopwith_runs WHERE job IS NOT NULL ORDER BY queued DESC, run DESC LIMIT %s"
    )
    rows = database.ask(lambda it: it.execute(query, (limit,)).fetchall())
    return [Sent(*row) for row in rows]


def counts(config: Config) -> tuple[int, int]:
    """Return how many tasks wait and how many are at work. Raises QueueError."""
    query = "SELECT count(*) FILTER (WHERE status = 'queued'), count(*) FILTER (WHERE status = 'working') FROM sopwith_runs"
    with closing(opened(config)) as database:
        found = database.ask(lambda it: it.execute(query).fetchone()) or (0, 0)
    return found[0], found[1]


def take_back(config: Config, run: str) -> bool:
    """Take a task and its helpers back, and what waits in this inbox for their owner. False: all
    are over already. Raises NoSuchRun, QueueError."""
    with closing(opened(config)) as database:
        cancelled = cancel(database, run)
    for each in cancelled:
        Inbox(config.home).remove_run(each)
    return bool(cancelled)


def cancel(database: Database, run: str) -> list[str]:
    """Take a task back: one that waits is never begun, one that is at work stops before its next
    effect, wherever it is; its helpers too. Return those that were not over already. Raises
    NoSuchRun."""
    row = database.ask(
        lambda it: it.execute("SELECT job FROM sopwith_runs WHERE run = %s", (run,)).fetchone()
    )
    if row is None:
        raise NoSuchRun("error.workers.task-shared-database", run=run)
    claim = take(database, run, CANCELLED, [*GOES_ON, *(set(BY_HAND) - {"cancelled"})])
    events = [json.loads(line) for line in events_of(database, run) or []]
    cancelled = []
    if claim is not None:
        end = ended(claim.run, events, events[0].get("sop") if events else None)
        write(database, claim, claim.events, [end])
        if row[0] is not None:
            statement = "SELECT procrastinate_cancel_job_v1(%s, false, false)"
            database.ask(lambda it: it.execute(statement, (row[0],)))
        cancelled.append(run)
    for child in dict.fromkeys(each["child"] for each in events if each["type"] == "delegated"):
        cancelled += cancel(database, child)
    return cancelled
