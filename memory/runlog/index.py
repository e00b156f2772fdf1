"""An index of the run logs: the line of each run, so that a list of 100,000 is read and not worked out. Derived; it may be
deleted at any time.

`runs/.index/runs.sqlite3` holds one row a run. A run that is done never changes again, so its row is believed; of others
the length of the log is compared first. Which runs there are is what the folder says, not the index. Where the file
cannot be used the logs are read, which only takes longer.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from memory.runlog.log import RunSummary, log_size, run_ids, summarise, worker

SCHEMA = 2
LOCKED_SECONDS = 10.0
AT_ONCE = 2_000  # rows between two commits: what a kill in between costs
_TABLE = "CREATE TABLE runs (run TEXT PRIMARY KEY, size INTEGER, status TEXT, trial INTEGER, line TEXT) WITHOUT ROWID"
_Row = tuple[int, str, int, str]  # size of the log, status, whether it is a trial, the line as JSON


def lines(home: Path, limit: int | None = None) -> list[str]:
    """One JSON object a run (memory/runlog/log.py: RunSummary), newest first, without trials; at most `limit`."""
    ids = run_ids(home)
    try:
        with _opened(home) as database:
            return _lines(home, ids, limit, database)
    except (sqlite3.Error, OSError):
        return _lines(home, ids, limit, None)


def rebuild(home: Path) -> None:
    """Forgets the index; the next list makes it anew. Raises OSError."""
    with _locked(home):
        _remove(home)


def _lines(
    home: Path, ids: list[str], limit: int | None, database: sqlite3.Connection | None
) -> list[str]:
    known: dict[str, _Row] = {}
    if database is not None:
        oldest = ids[limit - 1] if limit and limit <= len(ids) else ""
        query = "SELECT run, size, status, trial, line FROM runs WHERE run >= ?"
        known = {
            run: (size, status, trial, line)
            for run, size, status, trial, line in database.execute(query, (oldest,))
        }
    found: list[str] = []
    new: list[tuple[str, int, str, int, str]] = []
    for run in ids:
        if limit is not None and len(found) >= limit:
            break
        row = known.get(run)
        if row is None or not _holds(home, run, row):
            row = _row(home, run)
            if row is None:
                continue
            new.append((run, *row))
            if len(new) >= AT_ONCE:
                _keep(database, new)
        if not row[2]:
            found.append(row[3])
    _keep(database, new)
    return found


def _holds(home: Path, run: str, row: _Row) -> bool:
    size, status = row[:2]
    if status == "done":
        return True
    if log_size(home, run) != size:
        return False
    return status not in ("working", "interrupted") or (
        worker(home / "runs" / run) is not None
    ) == (status == "working")


def _row(home: Path, run: str) -> _Row | None:
    size = (
        log_size(home, run) or 0
    )  # before it is read: what is added meanwhile is seen the next time
    summary = summarise(home, run)
    return None if summary is None else (size, summary.status, int(summary.trial), line_of(summary))


def line_of(summary: RunSummary) -> str:
    """One run as a line of JSON."""
    return json.dumps(asdict(summary), ensure_ascii=False)


def _keep(database: sqlite3.Connection | None, new: list[tuple[str, int, str, int, str]]) -> None:
    if database is not None and new:
        with database:
            database.executemany("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?)", new)
    new.clear()


@contextlib.contextmanager
def _opened(home: Path) -> Iterator[sqlite3.Connection]:
    """The file, ours alone while it is open; a new one when it is damaged or another version's."""
    with _locked(home):
        try:
            database = _connect(home)
        except sqlite3.DatabaseError:
            _remove(home)
            database = _connect(home)
        with contextlib.closing(database):
            yield database


def _connect(home: Path) -> sqlite3.Connection:
    database = sqlite3.connect(_path(home), timeout=LOCKED_SECONDS)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        said = database.execute("PRAGMA user_version").fetchone()[0]
        if said not in (0, SCHEMA):
            raise sqlite3.DatabaseError(f"made by another version: {said}")
        if said == 0:
            database.executescript(f"BEGIN; {_TABLE}; PRAGMA user_version = {SCHEMA}; COMMIT;")
        database.execute("SELECT 1 FROM runs LIMIT 1").fetchone()
    except sqlite3.DatabaseError:
        database.close()
        raise
    return database


@contextlib.contextmanager
def _locked(home: Path) -> Iterator[None]:
    if not (home / "runs").is_dir():
        raise OSError(2, "there are no runs")
    _path(home).parent.mkdir(exist_ok=True, mode=0o700)
    lock = os.open(_path(home).with_name("lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _remove(home: Path) -> None:
    for end in ("", "-wal", "-shm"):
        _path(home).with_name(_path(home).name + end).unlink(missing_ok=True)


def _path(home: Path) -> Path:
    return home / "runs" / ".index" / "runs.sqlite3"
