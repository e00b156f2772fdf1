"""Say what each run of an SOP cost and how it ended: the learning curve, derived from the run logs
alone.

What a run was to its SOP is read from its log and kept in the index of the logs
(memory/logs/index.py). Source: seed 002 §2; docs/learning.md.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import cache, lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal

from memory.logs.index import uses
from memory.logs.reading import RUN_ID, log_size, open_log
from memory.usage import Totals, opening_of
from models.base import Event

Lane = Literal["rote", "rote→model", "model", "teach"]
NOT_READY = "not_ready"  # what the SOP requires was not there: no fault of its steps
MAX_TEACHING_RUNS = 50
MAX_TASK_CHARS = 2_000
_PREFIX = b'{"type": "'
_ASKED = {"confirm": "confirmed", "asked": "answered"}  # the owner is thinking in between
_KINDS = (
    "run_started model_called rote run_ended run_resumed confirm confirmed asked answered chosen"
)
_WANTED = tuple(_PREFIX + kind.encode() + b'"' for kind in _KINDS.split())
LAST = 10  # outcomes in a count
FAILURES = (
    "failed",
    "limit",
    "diverged",
)  # a run that was cancelled or waits says nothing of its SOP


@dataclass(frozen=True, slots=True)
class SopRun:
    """One run of an SOP, or, in lane `teach`, one that taught it.

    `at`: when it began, UTC, ISO 8601. `fresh`, `cached`, `output`: tokens; `fresh` is input that
    was not cached. `cost` in USD. `status`: how the run ended. `outcome`: that of the SOP: the
    status, or `diverged` when a model had to go on, or `not_ready` when what it requires was
    missing. `stopped`: step and reason of a replay that stopped. `kind`: what it stopped on: world,
    parameter, step, expectation, check or budget.
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
        """Return all tokens, cached ones too."""
        return self.fresh + self.cached + self.output

    @property
    def is_by_rote(self) -> bool:
        """Return True when a replay did it to the end."""
        return self.lane == "rote" and self.outcome == "done"

    @property
    def is_model_lesson(self) -> bool:
        """Return True for what the others are held against: the work of a model or of its owner,
        done to the end."""
        return self.lane in ("teach", "model") and self.status == "done"


def read_run(home: Path, run: str, teaches: str = "") -> SopRun | None:
    """Return what a run was to its SOP; None without a log or an SOP. `teaches`: as a run that
    taught this SOP."""
    try:
        with open_log(home, run) as file:
            events = list(_events(file))
        first = opening_of(events)
        sop = teaches or first.get("sop")
        if first["type"] != "run_started" or not sop:
            return None
        return _row(str(sop), run, first, events, is_teaching=teaches != "")
    except (
        OSError,
        KeyError,
        TypeError,
        IndexError,
    ):  # no log yet, or one that somebody else wrote
        return None


def taught(home: Path, name: str, known: set[str]) -> Iterator[SopRun]:
    """Yield the runs that the SOP's evidence names and that are not runs of the SOP itself."""
    try:
        evidence = json.loads((home / "sops" / name / "evidence.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return
    runs = evidence.get("runs") if isinstance(evidence, dict) else None  # others are of replays
    named = dict.fromkeys(each for each in _strings(runs) if RUN_ID.fullmatch(each))
    for run in [each for each in named if each not in known][:MAX_TEACHING_RUNS]:
        row = _taught(home, run, name, log_size(home, run))
        if row is not None:
            yield row


@cache
def _taught(home: Path, run: str, name: str, size: int | None) -> SopRun | None:
    """Read a run that taught an SOP; again only when its log has grown to another `size`."""
    return read_run(home, run, name)


def _row(sop: str, run: str, first: Event, events: list[Event], *, is_teaching: bool) -> SopRun:
    totals, steps = Totals(events), [event for event in events if event["type"] == "rote"]
    ends = [str(event["status"]) for event in events if event["type"] == "run_ended"]
    status, lane = ["interrupted", *ends][-1], _lane(steps, totals)
    row = SopRun(
        sop=sop,
        run=run,
        at=str(first.get("at", "")),
        lane="teach" if is_teaching else lane,
        turns=totals.turns,
        model_calls=totals.model_calls,
        fresh=max(0, totals.tokens["input"] - totals.tokens["cached"]),
        cached=totals.tokens["cached"],
        output=totals.tokens["output"],
        cost=round(totals.cost, 6),
        seconds=max(0.0, round(totals.seconds - _thinking(events), 3)),
        status=status,
        outcome=status,
        version=None if is_teaching else first.get("sop_version"),
        stopped="",
        task=str(first.get("task", ""))[:MAX_TASK_CHARS],
    )
    stops = [event for event in steps if event.get("state") == "diverged"]
    return _stopped(row, lane, stops[-1]) if stops else row


def _stopped(row: SopRun, lane: Lane, stop: Event) -> SopRun:
    """Return the row of a replay that stopped: at which step, and why."""
    stopped = f"{stop.get('step', '')}: {stop.get('reason', '')}"
    if row.status == "cancelled":
        return replace(row, stopped=stopped)
    kind, outcome = str(stop.get("kind", "step")), _outcome(row.status, lane, stop)
    return replace(row, stopped=stopped, kind=kind, outcome=outcome)


def _lane(steps: list[Event], totals: Totals) -> Lane:
    with_rote = steps != [] or "rote" in totals.kinds
    with_model = totals.kinds - {"rote"} != set()
    if not with_rote:
        return "model"
    return "rote→model" if with_model else "rote"


def _outcome(status: str, lane: Lane, stop: Event) -> str:
    if stop.get("step") == "requires" or (stop.get("kind") == "world" and lane == "rote"):
        return NOT_READY  # where a model went on the world was no hindrance
    return status if lane == "rote" and status != "no_model" else "diverged"


def _thinking(events: Iterable[Event]) -> float:
    """Return the seconds in which a run that was at work waited for its owner's word."""
    found, asked = 0.0, ("", "")  # the event that ends the wait, and when it began
    for event in events:
        kind, at = str(event["type"]), str(event.get("at", ""))
        if kind == asked[0]:
            found += _seconds_between(asked[1], at)
        if kind in _ASKED:
            asked = (_ASKED[kind], at)
        elif kind in (asked[0], "run_ended", "run_resumed"):  # the process was gone meanwhile
            asked = ("", "")
    return found


def _seconds_between(first: str, last: str) -> float:
    with suppress(ValueError):
        return max(
            0.0, (datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds()
        )
    return 0.0


def _events(file: Iterable[bytes]) -> Iterator[Event]:
    """Yield the events that say how a run went. Lines of other types are not parsed: they are most
    of a log."""
    for line in file:
        is_other = line.startswith(_PREFIX) and not line.startswith(_WANTED)
        if is_other or not line.endswith(b"\n"):
            continue
        with suppress(ValueError, RecursionError):  # a damaged line: the rest still counts
            event = json.loads(line)
            if isinstance(event, dict) and "type" in event:
                yield event


def _strings(value: Any) -> Iterator[str]:
    """Yield all texts in a JSON document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


@dataclass(frozen=True, slots=True)
class Saved:
    """Hold what the runs after the first one took less than if each had been like it; below 0 when
    they took more."""

    tokens: int
    seconds: float
    cost: float  # USD


@dataclass(frozen=True, slots=True)
class Counts:
    """How an SOP does. `runs` are those after teaching; `last` are outcomes, newest first.

    `first`: the run that the others are held against: the first one that taught it or that a model
    did.
    """

    runs: int
    rote_rate: float | None
    successes: int
    failures_in_row: int
    last: list[str]
    first: str | None = None
    saved: Saved | None = None
    failures: dict[str, int] = field(default_factory=dict)  # how many of each kind
    by_rote: int = 0  # runs that a replay did to the end


class SopStats:
    """The counts of one home folder."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def runs(self, name: str) -> list[SopRun]:
        """Return the runs of an SOP and those that taught it, oldest first."""
        return self._with_teaching(name, self._uses(name))

    def counts(self, name: str) -> Counts:
        """Return how an SOP does."""
        return count(self.runs(name))

    def of_all(self) -> dict[str, Counts]:
        """Return how each SOP does that was ever done by rote."""
        found: dict[str, list[SopRun]] = {}
        for row in self._uses(""):
            found.setdefault(row.sop, []).append(row)
        done = {
            name: rows for name, rows in found.items() if any(row.lane == "rote" for row in rows)
        }
        return {name: count(self._with_teaching(name, rows)) for name, rows in done.items()}

    def _uses(self, name: str) -> list[SopRun]:
        found = uses(self._home, name, self._line)
        return [_of_line(line) for line in found if line]

    def _line(self, run: str) -> str:
        row = read_run(self._home, run)
        return json.dumps(asdict(row), ensure_ascii=False) if row else ""

    def _with_teaching(self, name: str, found: list[SopRun]) -> list[SopRun]:
        known = {row.run for row in found}
        rows = [*found, *taught(self._home, name, known)]
        return sorted(rows, key=lambda row: (row.at, row.run))


@lru_cache(maxsize=20_000)
def _of_line(line: str) -> SopRun:
    return SopRun(**json.loads(line))


def count(rows: Iterable[SopRun], since: int = 0) -> Counts:
    """Return the counts of some runs of one SOP, oldest first. `since`: the version from which
    failures in a row count."""
    ordered = list(rows)
    uses = [row for row in ordered if row.lane != "teach"]
    by_rote = sum(row.is_by_rote for row in uses)
    kinds = Counter(row.kind for row in uses)
    del kinds[""]
    first = next((row for row in ordered if row.is_model_lesson), None)
    return Counts(
        runs=len(uses),
        rote_rate=_share(by_rote, len(uses)),
        successes=sum(row.outcome == "done" for row in uses),
        failures_in_row=_failures_in_row(uses, since),
        last=[row.outcome for row in reversed(uses[-LAST:])],
        first=first.run if first else None,
        saved=_saved(first, uses),
        failures=dict(kinds),
        by_rote=by_rote,
    )


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


def _saved(first: SopRun | None, uses: Sequence[SopRun]) -> Saved | None:
    """Return what the runs after the first took less. One that brought nothing gains nothing, and
    still had its price."""
    later = uses[uses.index(first) + 1 :] if first in uses else uses
    if first is None or not later:
        return None
    done = sum(row.status == "done" for row in later)
    return Saved(
        tokens=first.tokens * done - sum(row.tokens for row in later),
        seconds=round(first.seconds * done - sum(row.seconds for row in later), 3),
        cost=round(first.cost * done - sum(row.cost for row in later), 6),
    )


def _failures_in_row(uses: Sequence[SopRun], since: int) -> int:
    counted = [row.outcome for row in reversed(uses) if (row.version or 0) >= since]
    judged = [outcome in FAILURES for outcome in counted if outcome in (*FAILURES, "done")]
    return len(list(takewhile(bool, judged)))
