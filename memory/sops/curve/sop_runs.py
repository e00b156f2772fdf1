"""Read from a run log what the run was to its SOP: how it was done, what it took, how it ended."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal

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
