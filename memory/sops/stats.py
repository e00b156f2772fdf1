"""Keep what each run of an SOP cost and how it ended: the learning curve, in SQLite, derived from the run logs alone.

`sops/.stats.sqlite3` may be deleted at any time. Whoever asks gets what the run logs say: before an answer, runs that
are not in it yet are read; `update` at the end of a run only makes that cheaper. When the file cannot be used (locked
for long, read-only, no room), the answer is worked out from the logs in memory. Source: seed 002 §2;
docs/learning.md.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field, fields, replace
from datetime import datetime
from functools import cache
from itertools import accumulate, takewhile
from pathlib import Path
from typing import Any, Literal, TypeVar

from memory.runlog.log import RUN_ID, Totals, log_size, open_log, opening_of, run_ids
from models.base import Event

Lane = Literal["rote", "rote→model", "model", "teach"]
Unit = Literal["cost", "tokens", "seconds"]
SCHEMA = 3
LAST = 10  # outcomes in a count
LOCKED_SECONDS = 10.0  # how long somebody else's lock on the file is waited for
FAILURES = (
    "failed",
    "limit",
    "diverged",
)  # what speaks against an SOP; a run that was cancelled or waits does not
NOT_READY = "not_ready"  # what the SOP requires was not there: no fault of its steps
MAX_TEACHING_RUNS = 50
MAX_TASK_CHARS = 2_000
_Answer = TypeVar("_Answer")
_PREFIX = b'{"type": "'
_ASKED = {"confirm": "confirmed", "asked": "answered"}  # the owner is thinking in between
_KINDS = (
    "run_started model_called rote run_ended run_resumed confirm confirmed asked answered chosen"
)
_WANTED = tuple(_PREFIX + kind.encode() + b'"' for kind in _KINDS.split())
_TABLES = """
CREATE TABLE runs (sop TEXT, run TEXT, at TEXT, lane TEXT, turns INTEGER, model_calls INTEGER, fresh INTEGER,
  cached INTEGER, output INTEGER, cost REAL, seconds REAL, status TEXT, outcome TEXT, version INTEGER, stopped TEXT,
  task TEXT, kind TEXT, PRIMARY KEY (sop, run)) WITHOUT ROWID;
CREATE TABLE seen (run TEXT PRIMARY KEY, size INTEGER, is_open INTEGER) WITHOUT ROWID;
CREATE INDEX open_runs ON seen (is_open) WHERE is_open;
CREATE TABLE listed (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER);
"""


@dataclass(frozen=True, slots=True)
class SopRun:
    """One run of an SOP, or, in lane `teach`, one that taught it.

    `at`: when it began, UTC, ISO 8601. `fresh`, `cached`, `output`: tokens; `fresh` is input that was not cached.
    `cost` in USD. `status`: how the run ended. `outcome`: that of the SOP: the status, or `diverged` when a model had
    to go on, or `not_ready` when what it requires was missing. `stopped`: step and reason of a replay that stopped.
    `kind`: what it stopped on: world, parameter, step, expectation, check or budget.
    """

    sop: str
    run: str
    at: str
    lane: Lane
    turns: int
    model_calls: int
    fresh: int
    cached: int
    output: int
    cost: float
    seconds: float
    status: str
    outcome: str
    version: int | None
    stopped: str
    task: str
    kind: str = ""

    @property
    def tokens(self) -> int:
        """All tokens, cached ones too."""
        return self.fresh + self.cached + self.output


@dataclass(frozen=True, slots=True)
class Saved:
    """Hold what the runs after the first one took less than if each had been like it; below 0 when they took more."""

    tokens: int
    seconds: float
    cost: float  # USD


@dataclass(frozen=True, slots=True)
class Counts:
    """How an SOP does. `runs` are those after teaching; `last` are outcomes, newest first.

    `first`: the run that the others are held against: the first one that taught it or that a model did.
    `break_even`: after how many runs the teaching was paid back, in `unit`; None: not yet, or nobody knows.
    """

    runs: int
    rote_rate: float | None
    successes: int
    failures_in_row: int
    last: list[str]
    first: str | None = None
    saved: Saved | None = None
    break_even: int | None = None
    unit: Unit | None = None
    failures: dict[str, int] = field(default_factory=dict)  # how many of each kind
    by_rote: int = 0  # runs that a replay did to the end


def update(home: Path, run: str) -> None:
    """To be called when a run has ended. Never fails: what it cannot write is worked out by whoever asks."""
    SopStats(home).update(run)


class SopStats:
    """The counts of one home folder."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._path = home / "sops" / ".stats.sqlite3"

    def update(self, run: str) -> None:
        """Takes one run in, or takes it in again."""
        with contextlib.suppress(sqlite3.Error, OSError), self._opened() as database, database:
            self._take_in(database, run)

    def rebuild(self) -> int:
        """Forgets everything and reads all run logs again. Returns how many runs have an SOP."""
        with contextlib.suppress(OSError), self._locked():
            self._remove()
        return self._ask(
            lambda database: int(database.execute("SELECT count(*) FROM runs").fetchone()[0])
        )

    def runs(self, name: str) -> list[SopRun]:
        """The runs of an SOP and those that taught it, oldest first."""
        names = ", ".join(each.name for each in fields(SopRun))
        query = f"SELECT {names} FROM runs WHERE sop = ?"
        found = [
            SopRun(*row)
            for row in self._ask(lambda database: database.execute(query, (name,)).fetchall())
        ]
        return self._with_teaching(name, found)

    def counts(self, name: str, version: int | None = None) -> Counts:
        """How an SOP does, or one version of it."""
        return count(
            [
                row
                for row in self.runs(name)
                if version in (None, row.version) or row.lane == "teach"
            ]
        )

    def of_all(self) -> dict[str, Counts]:
        """How each SOP does that was ever done by rote, in one question for all of them."""
        names = ", ".join(each.name for each in fields(SopRun))
        query = f"SELECT {names} FROM runs WHERE sop IN (SELECT sop FROM runs WHERE lane = 'rote')"
        rows = self._ask(lambda database: database.execute(query).fetchall())
        found: dict[str, list[SopRun]] = {}
        for row in rows:
            found.setdefault(row[0], []).append(SopRun(*row))
        return {name: count(self._with_teaching(name, runs)) for name, runs in found.items()}

    # from the run logs

    def _with_teaching(self, name: str, found: list[SopRun]) -> list[SopRun]:
        known = {row.run for row in found}
        return sorted([*found, *self._teaching(name, known)], key=lambda row: (row.at, row.run))

    def _teaching(self, name: str, known: set[str]) -> Iterator[SopRun]:
        """The runs that the SOP's evidence names and that are not runs of the SOP itself."""
        try:
            evidence = json.loads((self._home / "sops" / name / "evidence.json").read_bytes())
        except (OSError, ValueError, RecursionError):
            return
        taught = (
            evidence.get("runs") if isinstance(evidence, dict) else None
        )  # its other ids are of replays
        named = dict.fromkeys(
            run for run in _strings(taught) if RUN_ID.fullmatch(run) and run not in known
        )
        for run in list(named)[:MAX_TEACHING_RUNS]:
            row = _taught(self._home, run, name, _size(self._home, run))
            if row is not None:
                yield row

    def _catch_up(self, database: sqlite3.Connection) -> None:
        """Takes in what happened since the last time: new runs, and those that had not ended then."""
        still_open = database.execute("SELECT run, size FROM seen WHERE is_open").fetchall()
        due = [run for run, size in still_open if _size(self._home, run) != size]
        changed = _changed_at(self._home / "runs")
        is_listed = (changed,) == database.execute("SELECT at FROM listed").fetchone()
        if not is_listed:
            seen = {run for (run,) in database.execute("SELECT run FROM seen")}
            due += [run for run in run_ids(self._home) if run not in seen]
        is_settled = (
            time.time_ns() - changed > 1_000_000_000
        )  # a clock that stands still for a moment hides no run
        if due or (is_settled and not is_listed):  # else nothing is written: most answers only read
            with database:
                for run in due:
                    self._take_in(database, run)
                if is_settled:
                    database.execute("INSERT OR REPLACE INTO listed VALUES (1, ?)", (changed,))

    def _take_in(self, database: sqlite3.Connection, run: str) -> None:
        reading = _read(self._home, run)
        if reading is None:  # not a line yet: looked at again when there is one
            reading = _Reading(_size(self._home, run), True, None)
        database.execute(
            "INSERT OR REPLACE INTO seen VALUES (?, ?, ?)", (run, reading.size, reading.is_open)
        )
        database.execute(
            "DELETE FROM runs WHERE run = ? AND sop IS NOT ?",
            (run, reading.row and reading.row.sop),
        )
        if reading.row is not None:
            marks = ", ".join("?" * len(fields(SopRun)))
            database.execute(f"INSERT OR REPLACE INTO runs VALUES ({marks})", astuple(reading.row))

    # the file

    def _ask(self, question: Callable[[sqlite3.Connection], _Answer]) -> _Answer:
        """The answer from the file; from a new one when it is damaged or gone; from memory when there can be none."""
        for attempt in (1, 2):
            try:
                with self._opened() as database:
                    self._catch_up(database)
                    return question(database)
            except sqlite3.DatabaseError as error:
                if attempt == 2 or "locked" in str(error):
                    break
                with contextlib.suppress(OSError), self._locked():
                    self._remove()
            except OSError:
                break
        with contextlib.closing(sqlite3.connect(":memory:")) as database:
            database.executescript(_TABLES)
            self._catch_up(database)
            return question(database)

    @contextlib.contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """The file, ours alone while it is open: one writer at a time is what this SQLite is sound with."""
        with (
            self._locked(),
            contextlib.closing(sqlite3.connect(self._path, timeout=LOCKED_SECONDS)) as database,
        ):
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            said = database.execute("PRAGMA user_version").fetchone()[0]
            if said not in (0, SCHEMA):
                raise sqlite3.DatabaseError(f"made by another version: {said}")
            if said == 0:
                database.executescript(f"BEGIN; {_TABLES} PRAGMA user_version = {SCHEMA}; COMMIT;")
            yield database

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        lock = os.open(
            self._path.with_name(".stats.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
        )
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def _remove(self) -> None:
        for end in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + end).unlink(missing_ok=True)


def count(rows: Iterable[SopRun], since: int = 0) -> Counts:
    """The counts of some runs of one SOP, oldest first. `since`: the version from which failures in a row are counted."""
    ordered = list(rows)
    uses = [row for row in ordered if row.lane != "teach"]
    by_rote = sum(row.lane == "rote" and row.outcome == "done" for row in uses)
    first = next(
        (row for row in ordered if row.lane in ("teach", "model") and row.status == "done"), None
    )
    counts = Counts(
        runs=len(uses),
        rote_rate=round(by_rote / len(uses), 3) if uses else None,
        successes=sum(row.outcome == "done" for row in uses),
        failures_in_row=_failures_in_row([row for row in uses if (row.version or 0) >= since]),
        failures=dict(Counter(row.kind for row in uses if row.kind)),
        last=[row.outcome for row in reversed(uses[-LAST:])],
        by_rote=by_rote,
    )
    if first is None:
        return counts
    later = uses[uses.index(first) + 1 :] if first in uses else uses
    saved = Saved(
        tokens=int(sum(_gains(first, later, "tokens"))),
        seconds=round(sum(_gains(first, later, "seconds")), 3),
        cost=round(sum(_gains(first, later, "cost")), 6),
    )
    unit: Unit = "cost" if first.cost > 0 else "tokens" if first.tokens else "seconds"
    price = sum(_amount(row, unit) for row in ordered if row.lane == "teach" or row is first)
    paid = _paid_after(price, _gains(first, later, unit))
    return replace(
        counts, first=first.run, saved=saved if later else None, break_even=paid, unit=unit
    )


def _amount(row: SopRun, unit: Unit) -> float:
    return row.cost if unit == "cost" else row.tokens if unit == "tokens" else row.seconds


def _gains(first: SopRun, later: list[SopRun], unit: Unit) -> list[float]:
    """Return what each later run took less than the first. One that brought nothing gains nothing, and still had its price."""
    return [
        (_amount(first, unit) if row.status == "done" else 0) - _amount(row, unit) for row in later
    ]


def _paid_after(price: float, gains: list[float]) -> int | None:
    for number, together in enumerate(accumulate(gains), 1):
        if together >= price:
            return number
    return None


def _failures_in_row(uses: list[SopRun]) -> int:
    judged = [
        row.outcome in FAILURES for row in reversed(uses) if row.outcome in (*FAILURES, "done")
    ]
    return len(list(takewhile(bool, judged)))


# reading a run log


@cache
def _taught(home: Path, run: str, name: str, size: int) -> SopRun | None:
    """A run that taught an SOP; its log is read again only when it has grown to another `size`."""
    reading = _read(home, run, name)
    return reading.row if reading else None


@dataclass(slots=True)
class _Reading:
    """Hold what a run log says: how long it was, whether the run may still go on, and its row when it has an SOP."""

    size: int
    is_open: bool
    row: SopRun | None


def _read(home: Path, run: str, teaches: str | None = None) -> _Reading | None:
    """One run as `sops stats` sees it; None when it has no log. `teaches`: as a run that taught this SOP."""
    try:
        with open_log(home, run) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            events = _events(file)
            first = next(events, None)
            if first is None or first.get("type") != "run_started":
                return None
            ahead = [] if teaches or first.get("sop") else list(_until_chosen(events))
            first = opening_of([first, *ahead])
            sop = teaches or first.get("sop")
            if not sop:  # most runs: the rest of a long log need not be read
                return _Reading(size, _may_choose(ahead), None)
            return _reading(str(sop), run, size, first, [*ahead, *events], bool(teaches))
    except (OSError, KeyError, TypeError):  # no log yet, or one that somebody else wrote
        return None


def _reading(
    sop: str, run: str, size: int, first: Event, events: list[Event], is_teaching: bool
) -> _Reading:
    totals, end = Totals(), None
    steps = [event for event in events if event["type"] == "rote"]
    for event in events:
        totals.add(event)
        end = event if event["type"] == "run_ended" else end
    status = str(end["status"]) if end else "interrupted"
    with_rote, with_model = bool(steps) or "rote" in totals.kinds, bool(totals.kinds - {"rote"})
    lane: Lane = "rote→model" if with_rote and with_model else "rote" if with_rote else "model"
    stop = next((event for event in reversed(steps) if event.get("state") == "diverged"), None)
    tokens = totals.tokens
    row = SopRun(
        sop=sop,
        run=run,
        at=str(first.get("at", "")),
        lane="teach" if is_teaching else lane,
        turns=totals.turns,
        model_calls=totals.model_calls,
        fresh=max(0, tokens["input"] - tokens["cached"]),
        cached=tokens["cached"],
        output=tokens["output"],
        cost=round(totals.cost, 6),
        seconds=max(0.0, round(totals.seconds - _thinking(events), 3)),
        status=status,
        outcome=_outcome(status, lane, stop),
        version=first.get("sop_version") if not is_teaching else None,
        stopped=f"{stop.get('step', '')}: {stop.get('reason', '')}" if stop else "",
        task=str(first.get("task", ""))[:MAX_TASK_CHARS],
        kind=str(stop.get("kind", "step")) if stop and status != "cancelled" else "",
    )
    return _Reading(size, end is None or status in ("waiting", "limit"), row)


def _until_chosen(events: Iterable[Event]) -> Iterator[Event]:
    """The events up to the one in which the owner chose an SOP, or a model said something."""
    for event in events:
        yield event
        if event["type"] in ("chosen", "model_called"):
            return


def _may_choose(events: Sequence[Event]) -> bool:
    """Return True if the owner has been asked which SOP a request means, and the run has not ended by then."""
    return bool(events) and (events[-1]["type"] == "asked" or events[-1].get("status") == "waiting")


def _thinking(events: Iterable[Event]) -> float:
    """Seconds in which a run that was at work waited for its owner's word."""
    found, since = 0.0, dict[str, str]()
    for event in events:
        kind = str(event["type"])
        if kind in _ASKED:
            since = {_ASKED[kind]: str(event.get("at", ""))}
        elif kind in since:
            with contextlib.suppress(ValueError):
                asked, said = (
                    datetime.fromisoformat(at) for at in (since[kind], str(event.get("at", "")))
                )
                found += max(0.0, (said - asked).total_seconds())
            since = {}
        elif kind in ("run_ended", "run_resumed"):  # the process was gone meanwhile
            since = {}
    return found


def _outcome(status: str, lane: Lane, stop: Event | None) -> str:
    if stop is None or status == "cancelled":
        return status
    if stop.get("step") == "requires" or stop.get("kind") == "world":
        return NOT_READY
    return status if lane == "rote" and status != "no_model" else "diverged"


def _events(file: Iterable[bytes]) -> Iterator[Event]:
    """The events that say how a run went. Lines of other types are not parsed: they are most of a log."""
    for line in file:
        if not line.endswith(b"\n") or (line.startswith(_PREFIX) and not line.startswith(_WANTED)):
            continue
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):  # a damaged line: the rest still counts
            continue
        if isinstance(event, dict) and "type" in event:
            yield event


def _strings(value: Any) -> Iterator[str]:
    """All texts in a JSON document, names of fields too."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            waiting += [*each.keys(), *each.values()]
        elif isinstance(each, list):
            waiting += each


def _size(home: Path, run: str) -> int:
    size = log_size(home, run)
    return -1 if size is None else size


def _changed_at(folder: Path) -> int:
    """When something was added to a folder, nanoseconds; 0 when there is none."""
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0
