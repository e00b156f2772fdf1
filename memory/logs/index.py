"""An index of the run logs: the line of each run, so that a list of 100,000 is read and not worked
out. Derived; it may be deleted at any time.

`runs/.index/runs.sqlite3` holds one row a run, and beside it what the run was to its SOP
(memory/sops/curve/). A run that is done never changes again, so its row is believed; of others the
length of the log is compared first. Which runs there are is what the folder says, not the index.
Where the file cannot be used the logs are read, which only takes longer.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import asdict
from functools import lru_cache
from itertools import islice
from pathlib import Path

from memory.files.writing import locked
from memory.logs.reading import RunSummary, log_size, run_ids, summarise, worker

SCHEMA = 3
LOCKED_SECONDS = 10.0
FEW = 500  # runs that are read as quickly as looked up
AT_ONCE = 2_000  # rows between two commits: what a kill in between costs
_TABLE = """
CREATE TABLE runs (run TEXT PRIMARY KEY, size INTEGER, status TEXT, trial INTEGER, line TEXT, sop TEXT, "use" TEXT)
WITHOUT ROWID;
CREATE INDEX runs_of_sops ON runs (sop) WHERE sop IS NOT NULL;
"""
_KNOWN = "SELECT run, size, status FROM runs WHERE run >= ?"
_LINES = "SELECT line FROM runs WHERE run >= ? AND NOT trial ORDER BY run DESC"
_USES = """SELECT run, "use" FROM runs WHERE sop IS NOT NULL AND ? IN ('', sop) ORDER BY run"""


def list_runs(home: Path, limit: int | None = None) -> list[RunSummary]:
    """Return what the run logs say of each run, newest first; trials on copies are left out."""
    if limit is None or limit > FEW:
        return [_of_line(line) for line in lines(home, limit)]
    summaries = (summarise(home, run) for run in run_ids(home))
    found: list[RunSummary] = []
    for summary in summaries:
        if len(found) == limit:
            break
        if summary is not None and not summary.trial:
            found.append(summary)
    return found


@lru_cache(maxsize=20_000)
def _of_line(line: str) -> RunSummary:
    """Return the summary that a line of the index holds. Nobody changes it: a server lists the same
    runs again and again."""
    return RunSummary(**json.loads(line))


def lines(home: Path, limit: int | None = None) -> list[str]:
    """Return one JSON object a run (`RunSummary`), newest first, without trials; at most
    `limit`."""
    ids = run_ids(home)
    return _ask(home, lambda database: _lines(home, database, ids, limit or len(ids)))


def uses(home: Path, sop: str, derive: Callable[[str], str]) -> list[str]:
    """Return what `derive` makes of each run of an SOP, or of every SOP with ""; oldest first. A
    run is read once."""
    return _ask(home, lambda database: _uses(home, database, sop, derive))


def rebuild(home: Path) -> None:
    """Forget the index; the next question makes it anew. Raises OSError."""
    with _locked(home):
        _remove(home)


def line_of(summary: RunSummary) -> str:
    """Return one run as a line of JSON."""
    return json.dumps(asdict(summary), ensure_ascii=False)


def _lines(home: Path, database: sqlite3.Connection, ids: list[str], limit: int) -> list[str]:
    found: list[str] = []
    for end in range(limit, len(ids) + limit, max(limit, 1)):  # without trials: look further back
        oldest = ids[min(end, len(ids)) - 1]
        _catch_up(home, database, ids, oldest)
        found = [line for (line,) in database.execute(_LINES, (oldest,))]
        if len(found) >= limit:
            break
    return found[:limit]


def _uses(
    home: Path, database: sqlite3.Connection, sop: str, derive: Callable[[str], str]
) -> list[str]:
    _catch_up(home, database, run_ids(home), "")
    rows = database.execute(_USES, (sop,)).fetchall()
    new = {run: derive(run) for run, use in rows if use is None}
    with database:
        pairs = [(use, run) for run, use in new.items()]
        database.executemany('UPDATE runs SET "use" = ? WHERE run = ?', pairs)
    return [new.get(run, use) for run, use in rows]


def _catch_up(home: Path, database: sqlite3.Connection, ids: list[str], oldest: str) -> None:
    """Take in what is new among the runs since `oldest`, and those that have changed; forget what
    is gone."""
    known = {run: (size, status) for run, size, status in database.execute(_KNOWN, (oldest,))}
    here = [run for run in ids if run >= oldest]
    gone = [(run,) for run in known.keys() - set(here)]
    new = (run for run in here if run not in known or not _holds(home, run, *known[run]))
    rows = filter(None, (_row(home, run) for run in new))
    with database:
        database.executemany("DELETE FROM runs WHERE run = ?", gone)
    while some := list(islice(rows, AT_ONCE)):
        with database:
            database.executemany(
                "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, NULL)", some
            )


def _holds(home: Path, run: str, size: int, status: str) -> bool:
    if status == "done":
        return True
    if log_size(home, run) != size:
        return False
    is_at_work = worker(home / "runs" / run) is not None
    return status not in ("working", "interrupted") or is_at_work == (status == "working")


def _row(home: Path, run: str) -> tuple[str, int, str, bool, str, str | None] | None:
    size = log_size(home, run) or 0  # before it is read: what comes meanwhile is seen the next time
    summary = summarise(home, run)
    if summary is None:
        return None
    return run, size, summary.status, summary.trial, line_of(summary), summary.sop


def _ask(home: Path, question: Callable[[sqlite3.Connection], list[str]]) -> list[str]:
    """Return the answer from the file; from a new one when it is damaged; from memory when there
    can be none."""
    with _locked(home):
        for place in (_path(home), _path(home)):
            try:
                with closing(_connect(place)) as database:
                    return question(database)
            except (sqlite3.Error, OSError):
                with suppress(OSError):
                    _remove(home)
        with closing(_connect(":memory:")) as database:
            return question(database)


def _connect(path: Path | str) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=LOCKED_SECONDS)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        version = database.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            database.executescript(f"BEGIN; {_TABLE} PRAGMA user_version = {SCHEMA}; COMMIT;")
        elif version != SCHEMA:
            raise sqlite3.DatabaseError(f"made by another version: {version}")
    except sqlite3.Error:
        database.close()
        raise
    return database


@contextmanager
def _locked(home: Path) -> Iterator[None]:
    """Take the turn where there is a place for it: not without runs, nor on a read-only disk."""
    with ExitStack() as held:
        with suppress(OSError):
            _path(home).parent.mkdir(exist_ok=True, mode=0o700)
            held.enter_context(locked(_path(home).with_name("lock")))
        yield


def _remove(home: Path) -> None:
    for end in ("", "-wal", "-shm"):
        _path(home).with_name(_path(home).name + end).unlink(missing_ok=True)


def _path(home: Path) -> Path:
    return home / "runs" / ".index" / "runs.sqlite3"
