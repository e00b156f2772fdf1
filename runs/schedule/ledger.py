"""The ledger: one row for each due time that came, and what became of it: claimed, run, result; or
skipped, and why.

A claim is exclusive: across threads, processes, and machines that share the disk. The rows of
SQLite lie in a rollback journal and not in a WAL, whose shared memory machines cannot share; writes
are few here. Whether the claimer lives is seen by a lock on a file, which its children hold with
it, so that no row needs a heartbeat.

    SopwithError
    └── LedgerError     1  the ledger cannot be read or written
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import astuple, dataclass, fields, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple

from config import SopwithError, listed, restored

BUSY_SECONDS = 30.0
VERSION = 2
BY_HAND = "-by-hand"  # ends the name of a claimer that is no scheduler
FAILED = ("failed", "limit", "no_model")
Kind = Literal["due", "hand"]
_TABLES = """
CREATE TABLE dues (job TEXT NOT NULL, due INTEGER NOT NULL, until INTEGER NOT NULL, n INTEGER NOT NULL, kind TEXT NOT NULL,
  status TEXT NOT NULL, reason TEXT NOT NULL, owner TEXT NOT NULL, run TEXT NOT NULL, attempts INTEGER NOT NULL,
  noticed INTEGER NOT NULL, began INTEGER NOT NULL, ended INTEGER NOT NULL, result TEXT NOT NULL,
  model_calls INTEGER NOT NULL, cost REAL NOT NULL, PRIMARY KEY (job, due)) WITHOUT ROWID;
CREATE INDEX dues_open ON dues (status) WHERE status IN ('claimed', 'running', 'waiting');
CREATE INDEX dues_skipped ON dues (noticed) WHERE status = 'skipped';
CREATE INDEX dues_at ON dues (due);
CREATE TABLE jobs (id TEXT PRIMARY KEY, rule TEXT NOT NULL, since INTEGER NOT NULL, cursor INTEGER NOT NULL)
  WITHOUT ROWID;
"""
_STEPS = (  # from each version to the next
    _TABLES.split(";\n"),
    ["ALTER TABLE dues ADD COLUMN said TEXT NOT NULL DEFAULT '[]'"],
)


class LedgerError(SopwithError):
    """The ledger cannot be read or written."""


@dataclass(frozen=True, slots=True)
class Row:
    """Hold what became of one due time. Moments are microseconds since 1970, UTC; 0: not yet.

    A row with `n` above 1 stands for as many skipped due times from `due` to `until`: a long
    absence has few rows. `status`: claimed, running, waiting, skipped, or how the run ended (done,
    failed, limit, no_model, cancelled). `said`: the keys of `reason`, else of `result`, as JSON.
    """

    job: str
    due: int
    until: int = 0
    n: int = 1
    kind: Kind = "due"
    status: str = "claimed"
    reason: str = ""
    owner: str = ""
    run: str = ""
    attempts: int = 0
    noticed: int = 0
    began: int = 0
    ended: int = 0
    result: str = ""
    model_calls: int = 0
    cost: float = 0.0  # USD
    said: str = "[]"

    @property
    def at(self) -> datetime:
        """Return the due time."""
        return moment(self.due)


class Counted(NamedTuple):
    """How far a job has come: `since` when its rule counts, up to `cursor` every due time has its
    row."""

    since: datetime
    cursor: datetime


def micros(at: datetime) -> int:
    """Return microseconds since 1970."""
    return round(at.timestamp() * 1_000_000)


def moment(at: int) -> datetime:
    """Return the moment of so many microseconds since 1970, UTC."""
    return datetime.fromtimestamp(at / 1_000_000, UTC)


def folder_of(home: Path) -> Path:
    """Return where the ledger lies: out of the history, and out of the folder whose changes wake
    the scheduler."""
    return home / "schedule" / ".ledger"


def is_at_work(home: Path) -> bool:
    """Return True if a scheduler is at work on this home folder."""
    ledger = Ledger(home)
    owners = (path.stem for path in folder_of(home).glob("*.owner"))
    return any(ledger.is_alive(name) for name in owners if not name.endswith(BY_HAND))


class Owner:
    """A claimer: a name, and a lock that is held until its process and all children with
    `descriptor` have ended."""

    def __init__(self, home: Path, *, by_hand: bool = False) -> None:
        folder = folder_of(home)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.name = f"{socket.gethostname()}-{os.getpid()}-{os.urandom(4).hex()}{BY_HAND if by_hand else ''}"
        self._path = folder / f"{self.name}.owner"
        self.descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self.descriptor, fcntl.LOCK_EX)

    def __enter__(self) -> Owner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the lock; may be called twice."""
        if self.descriptor < 0:
            return
        os.close(self.descriptor)
        self.descriptor = -1
        with suppress(OSError), self._path.open() as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # no child has it any more
            self._path.unlink()


_NAMES = ", ".join(each.name for each in fields(Row))
_MARKS = ", ".join("?" for _ in fields(Row))
_OPEN = "status IN ('claimed', 'running', 'waiting')"
_AT_WORK = "job = ? AND due = ? AND owner = ? AND status IN ('claimed', 'running')"


class Ledger:
    """The ledger of one home folder. Any thread may use it."""

    def __init__(self, home: Path) -> None:
        self._folder = folder_of(home)

    def counted(
        self, rules: Mapping[str, tuple[str, datetime]], now: datetime
    ) -> dict[str, Counted]:
        """Return how far the due times of each job have come. A rule that is new, or another than
        before, counts from when its file was written, or from now; one that was counted further
        ahead, before the clock was set back, goes on from now. `rules`: by the job's id its rule
        and when its file was written."""
        query = "SELECT id, rule, since, cursor FROM jobs"
        known = {id: rest for id, *rest in self._read(query)} if rules else {}
        found, changed = {}, []
        for id, (rule, written) in rules.items():
            before, begin = known.get(id), min(now, written)
            found[id] = Counted(begin, begin)
            if before and before[0] == rule:
                since, cursor = map(moment, before[1:])
                found[id] = Counted(since, min(now, cursor))
                if cursor <= now:
                    continue
            changed.append((id, rule, *map(micros, found[id])))
        if changed:
            with self._writing() as database:
                database.executemany("INSERT OR REPLACE INTO jobs VALUES (?, ?, ?, ?)", changed)
        return found

    def add(self, rows: Sequence[Row], cursors: Mapping[str, datetime]) -> list[Row]:
        """Write those rows whose due time has none yet, and how far their jobs have come: all or
        none. The rows that it returns are the caller's now."""
        if not (rows or cursors):
            return []
        whole = [replace(row, until=row.until or row.due) for row in rows]
        values = [(micros(cursor), id) for id, cursor in cursors.items()]
        sql = f"INSERT OR IGNORE INTO dues ({_NAMES}) VALUES ({_MARKS})"
        with self._writing() as database:
            database.executemany("UPDATE jobs SET cursor = ? WHERE id = ?", values)
            return [row for row in whole if database.execute(sql, astuple(_logged(row))).rowcount]

    def take(self, rows: Sequence[Row], owner: str) -> list[Row]:
        """Return the rows whose claimers are dead, for a new owner, in one step; without those
        where somebody was quicker."""
        sql = (
            f"UPDATE dues SET owner = ?, attempts = attempts + 1 WHERE {_AT_WORK} AND attempts = ?"
        )
        taken = []
        for row in rows:
            if self._changed(sql, owner, row.job, row.due, row.owner, row.attempts):
                taken.append(replace(row, owner=owner, attempts=row.attempts + 1))
        return taken

    def begin(self, row: Row, run: str, now: datetime) -> bool:
        """Note the run of a claimed row before its first event; False when the row has gone to
        another owner."""
        sql = f"UPDATE dues SET status = 'running', run = ?, began = ? WHERE {_AT_WORK}"
        return self._changed(sql, run, micros(now), row.job, row.due, row.owner)

    def end(self, row: Row) -> bool:
        """Write how the run of a row ended, once; False when the row says so already."""
        sql = (
            "UPDATE dues SET status = ?, reason = ?, ended = ?, result = ?, model_calls = ?, cost = ?,"
            f" said = ? WHERE job = ? AND due = ? AND run = ? AND {_OPEN} AND status != ?"
        )
        told = (row.status, row.reason, row.ended, row.result, row.model_calls, row.cost)
        return self._changed(sql, *told, _logged(row).said, row.job, row.due, row.run, row.status)

    def retract(self, now: datetime) -> None:
        """Take out what was skipped by a clock that was ahead: such times come again, or are looked
        at again."""
        ahead, at = "dues WHERE status = 'skipped' AND noticed > ?", micros(now)
        if not self._read(f"SELECT 1 FROM {ahead} LIMIT 1", at):
            return
        first = f"SELECT job, min(due) - 1 FROM {ahead} AND kind = 'due' GROUP BY job"
        with self._writing() as database:
            for job, before in database.execute(first, (at,)).fetchall():
                sql = "UPDATE jobs SET cursor = min(cursor, ?) WHERE id = ?"
                database.execute(sql, (before, job))
            database.execute(f"DELETE FROM {ahead}", (at,))

    def open_rows(self) -> list[Row]:
        """Return what is claimed, running or waiting, oldest first."""
        return self._rows(f"WHERE {_OPEN} ORDER BY due")

    def rows(
        self,
        job: str = "",
        limit: int = 0,
        start: datetime | None = None,
        end: datetime | None = None,
    ) -> list[Row]:
        """Return the rows, newest due time first; `start` and before `end` bound it."""
        wanted = {
            "job = ?": job,
            "until >= ?": start and micros(start),
            "due < ?": end and micros(end),
        }
        given = {sql: value for sql, value in wanted.items() if value}
        where = f"WHERE {' AND '.join(given)} " if given else ""
        return self._rows(f"{where}ORDER BY due DESC, job LIMIT ?", *given.values(), limit or -1)

    def spent(self, moment: datetime) -> float:
        """Return USD that runs have cost since then."""
        query = "SELECT total(cost) FROM dues WHERE due >= ?"
        return float(self._read(query, micros(moment))[0][0])

    def is_alive(self, owner: str) -> bool:
        """Return True if a claimer, or a child of its, is still at work."""
        try:
            with (self._folder / f"{owner}.owner").open() as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    def _rows(self, rest: str, *values: object) -> list[Row]:
        found = self._read(f"SELECT {_NAMES} FROM dues {rest}", *values)
        return [_read_back(Row(*row)) for row in found]

    def _read(self, sql: str, *values: object) -> list[Any]:
        with self._opened() as database:
            return database.execute(sql, values).fetchall()

    def _changed(self, sql: str, *values: object) -> bool:
        with self._writing() as database:
            return bool(database.execute(sql, values).rowcount)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction, which has the file to itself; what it says is on the disk when it
        ends."""
        with self._opened() as database, database:
            database.execute("BEGIN IMMEDIATE")
            yield database

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """Open the file, with its tables. Raises LedgerError."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = self._folder / "ledger.sqlite3"
            with closing(
                sqlite3.connect(file, timeout=BUSY_SECONDS, isolation_level=None)
            ) as database:
                database.execute("PRAGMA journal_mode = PERSIST")
                database.execute("PRAGMA synchronous = FULL")
                _bring_up_to_date(database)
                yield database
        except (sqlite3.Error, OSError) as error:
            raise LedgerError("error.ledger.unusable", folder=self._folder, error=error) from error


def _logged(row: Row) -> Row:
    """Return a row with the keys of its text."""
    return replace(row, said=json.dumps(listed(row.reason or row.result), ensure_ascii=False))


def _read_back(row: Row) -> Row:
    """Return a row of the file, its text with the keys that stand beside it."""
    said = json.loads(row.said)
    if row.reason:
        return replace(row, reason=restored(row.reason, said))
    return replace(row, result=restored(row.result, said))


def _bring_up_to_date(database: sqlite3.Connection) -> None:
    """Make the tables of a new file, and the column that an older one lacks. Raises LedgerError for
    one that a newer Sopwith has made."""
    found = _version(database)
    if found > VERSION:
        raise LedgerError("error.ledger.newer", found=found)
    if found == VERSION:
        return
    with database:
        database.execute("BEGIN IMMEDIATE")
        steps = _STEPS[_version(database) :]  # somebody may have been quicker
        for statement in chain.from_iterable(steps):
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {VERSION}")


def _version(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def failures(rows: Iterable[Row]) -> int:
    """Return how many of the newest runs in a row have failed; `rows` newest first. What was
    skipped or stopped says nothing."""
    count = 0
    for row in rows:
        if row.status in FAILED:
            count += 1
        elif row.status == "done":
            break
    return count
