"""The log of a run that any machine may go on with: its events are in PostgreSQL, and a copy in
this home folder.

Each claim of a run has a number, higher than the one before. An event is written only while the
claim is the newest one: a worker that was frozen and comes back is refused, in the same statement
that would have written, and its run stops before its next effect. The copy gets what the database
has taken, never more.
"""

from __future__ import annotations

import os
import socket
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from config import Config
from memory.files import write_atomic
from memory.logs import RunLogError, worker
from memory.runlog import LEFT, SHARED, RunLog, line_of, new_run_id
from models.base import Event
from runs.workers.database import PATIENCE_SECONDS, Database, opened

LIGHT = {"turn_started", "rote", "reminder"}
MAX_RESULT_CHARS = 2_000
_APPEND = """
WITH mine AS (
  UPDATE sopwith_runs SET events = %(first)s + cardinality(%(lines)s::text[]), written = now(),
    status = coalesce(%(status)s, status), result = coalesce(%(result)s, result)
  WHERE run = %(run)s AND token = %(token)s RETURNING run),
put AS (
  INSERT INTO sopwith_events (run, number, event)
  SELECT mine.run, %(first)s + line.number, line.event
  FROM mine, unnest(%(lines)s::text[]) WITH ORDINALITY AS line (event, number)
  ON CONFLICT DO NOTHING)
SELECT run FROM mine
"""
_TAKE = """
UPDATE sopwith_runs SET token = token + 1, worker = %(worker)s, status = 'working', written = now()
WHERE run = %(run)s AND status = ANY (%(from)s)
AND (status <> 'cancelled' OR worker <> %(taken_back)s OR %(worker)s = %(by_hand)s) RETURNING token, events
"""
_ADD = "INSERT INTO sopwith_runs (run, session, task) VALUES (%s, %s, %s)"
GOES_ON = ["queued", "working"]  # what a worker takes
OWNER = "by hand"  # the worker of a run that its owner lets go on
CANCELLED = "cancelled"  # the worker of a run that its owner has taken back
BY_HAND = ["waiting", "failed", "limit", "no_model", "cancelled"]  # what its owner may let go on


class Fenced(RunLogError):
    """This process was silent for so long that the run went on elsewhere: it may write nothing
    more."""


class Claim(NamedTuple):
    """The right to write to the log of a run, as long as it is the newest; `events` are there
    already."""

    run: str
    token: int
    events: int


def take(database: Database, run: str, worker: str, states: list[str]) -> Claim | None:
    """Claim a run whose status is one of `states`; whoever held it before is refused from now on.
    What its owner has taken back, only its owner lets go on."""
    values = {
        "run": run,
        "worker": worker,
        "from": states,
        "taken_back": CANCELLED,
        "by_hand": OWNER,
    }
    row = database.ask(lambda connection: connection.execute(_TAKE, values).fetchone())
    return Claim(run, row[0], row[1]) if row else None


def write(database: Database, claim: Claim, first: int, events: list[Event]) -> None:
    """Write events behind the first `first` ones. To write the same again changes nothing. Raises
    Fenced."""
    end = next(
        (event for event in reversed(events) if event["type"] in ("run_ended", "run_resumed")), None
    )
    status = None if end is None else end["status"] if end["type"] == "run_ended" else "working"
    result = str(end.get("result") or "")[:MAX_RESULT_CHARS].replace("\0", "") if end else None
    lines = [line_of(event).decode().rstrip("\n") for event in events]
    values = {**claim._asdict(), "first": first, "lines": lines, "status": status, "result": result}
    row = database.ask(lambda connection: connection.execute(_APPEND, values).fetchone())
    if row is None:
        raise Fenced("error.workers.run-gone-elsewhere-process", run=claim.run)


def events_of(database: Database, run: str) -> list[str] | None:
    """Return the events of a run, each as a line of JSON; None when there is no such run."""

    def read(connection: Any) -> list[str] | None:
        if not connection.execute("SELECT 1 FROM sopwith_runs WHERE run = %s", (run,)).fetchone():
            return None
        query = "SELECT event FROM sopwith_events WHERE run = %s ORDER BY number"
        return [row[0] for row in connection.execute(query, (run,)).fetchall()]

    return database.ask(read)


def copy(database: Database, home: Path, run: str) -> bool:
    """Bring the log of a run into this home folder, as far as it is written; False when there is no
    such run."""
    lines = events_of(database, run)
    if lines is None:
        return False
    folder = home / "runs" / run
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    # first: a copy is never mistaken for a run of this machine alone
    (folder / SHARED).touch(mode=0o600)
    write_atomic(folder / "log.jsonl", "".join(line + "\n" for line in lines), mode=0o600)
    return True


def copied(config: Config, run: str) -> bool:
    """Bring the log of a shared run here, to be read; False when there is no such run. Raises
    QueueError."""
    with closing(opened(config)) as database:
        return copy(database, config.home, run)


def _is_light(event: Event) -> bool:
    """Return True for what costs nothing to lose: it is written with the next event, or is done
    again."""
    is_step = event["type"] == "model_called" and event["kind"] == "rote"
    only_reads = event["type"] == "tool_started" and event["only_reads"]
    return event["type"] in LIGHT or is_step or only_reads


class SharedRunLog(RunLog):
    """The log of one claimed run."""

    def __init__(self, folder: Path, database: Database, claim: Claim) -> None:
        super().__init__(folder)
        self._database, self._claim = database, claim
        self._events, self._waiting = claim.events, list[Event]()
        self.closes_database = False

    def append(self, event: Event) -> None:
        """Write one event. After it returns, the event survives the end of this machine, unless it
        is a light one."""
        self._waiting.append(event)
        if not _is_light(event):
            self.sync()

    def sync(self) -> None:
        """Return when everything appended so far is in the database. Raises Fenced."""
        if not self._waiting:
            return
        events, self._waiting = self._waiting, []
        write(self._database, self._claim, self._events, events)
        self._events += len(events)
        for event in events:
            self._write(line_of(event))

    def close(self) -> None:
        """Let go of the copy; the claim stays until somebody else takes it."""
        super().close()
        if self.closes_database:
            self._database.close()


class SharedLogs:
    """Gives the log of one claimed run to whoever starts or resumes it (runs/assemble.py: Logs)."""

    def __init__(self, database: Database, claim: Claim) -> None:
        self._database, self._claim = database, claim

    def create(self, home: Path) -> SharedRunLog:
        """Return the log of a run of which nothing is written yet."""
        return self.reopen(home, self._claim.run)

    def apart(self, home: Path, task: str) -> SharedRunLog:
        """Return the log of a new run that works for this one, in a process of its own, here or
        where this one goes on."""
        run = new_run_id()
        values = (run, "main", task.replace("\0", ""))
        self._database.ask(lambda it: it.execute(f"{_ADD} ON CONFLICT DO NOTHING", values))
        claim = take(self._database, run, here(), GOES_ON)
        assert claim is not None
        return SharedLogs(self._database, claim).create(home)

    def fetch(self, home: Path, run: str) -> None:
        """Bring the log of such a run here, unless a process of this machine works on it. One that
        was stopped because whoever it worked for was may go on (runs/control/subprocess_run.py);
        one that its owner took back may not."""
        folder = home / "runs" / run
        if worker(folder) is not None or not copy(self._database, home, run):
            return
        query = "SELECT status, worker FROM sopwith_runs WHERE run = %s"
        row = self._database.ask(lambda it: it.execute(query, (run,)).fetchone())
        is_left = row is not None and row[0] == "cancelled" and row[1] != CANCELLED
        (folder / LEFT).touch() if is_left else (folder / LEFT).unlink(missing_ok=True)

    def reopen(self, home: Path, run: str) -> SharedRunLog:
        """Return the log of a run that goes on here. Whoever held the copy before writes no more to
        it: it is a new file."""
        copy(self._database, home, run)
        folder = home / "runs" / run
        # held by a worker of this machine that is frozen or dead
        (folder / "lock").unlink(missing_ok=True)
        log = SharedRunLog(folder, self._database, self._claim)
        log._open()
        return log


def here() -> str:
    """Return this process, as others read who has a run."""
    return f"{socket.gethostname()}:{os.getpid()}"


def gone_on_with(config: Config, run: str) -> SharedLogs:
    """Return the log of a helper's run, for the process that does it now
    (runs/control/subprocess_run.py). Raises RunLogError, QueueError."""
    database = opened(config, PATIENCE_SECONDS)
    claim = take(database, run, here(), [*GOES_ON, *BY_HAND])
    if claim is None:
        database.close()
        raise RunLogError("error.queue.taken", run=run)
    return SharedLogs(database, claim)


def resumed_by_hand(config: Config, run: str) -> SharedRunLog:
    """Return the log of a shared run that its owner lets go on here. Raises RunLogError when a
    worker has it."""
    database = opened(config, PATIENCE_SECONDS)
    claim = take(database, run, OWNER, BY_HAND)
    if claim is None:
        database.close()
        raise RunLogError("error.queue.taken", run=run)
    log = SharedLogs(database, claim).reopen(config.home, run)
    log.closes_database = True
    return log
