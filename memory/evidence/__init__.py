"""Read what a run proves: its results, each named by a hash, and what the owner said in it. Facts
and SOPs point here.

Read from the run log alone, so that nothing counts as proof but what happened. Source: seed 002 §3
(no execution, no memory).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory.logs import read_events
from memory.logs.reading import RUN_ID
from models.base import Reply

SAYS_NOTHING = (
    "start_long_term_update",
    "update_working_checkpoint",
)  # they only repeat what the model said


@dataclass(frozen=True, slots=True)
class Pointer:
    """One result of one run, as evidence names it."""

    run: str
    turn: int
    hash: str


@dataclass(frozen=True, slots=True)
class Result:
    """A call that was carried out, and what came of it; `said` is what the model said with it."""

    turn: int
    call: str
    tool: str
    args: dict[str, Any]
    status: str
    data: Any
    hash: str
    seconds: float = 0.0
    said: str = ""

    @property
    def text(self) -> str:
        """Return all that the result says, a text or number a line."""
        return "\n".join(_texts(self.data))

    @property
    def args_text(self) -> str:
        """Return all that was handed to the tool."""
        return "\n".join(_texts(self.args))


@dataclass(frozen=True, slots=True)
class RunRecord:
    """Hold what the log of one run says. `said` is what the owner said: the task, steering,
    answers."""

    run: str
    day: str  # 2026-11-21, UTC
    cwd: Path
    session: str
    status: str  # how it ended; "interrupted" while it has not
    is_trial: bool  # a replay on a copy: what it saw is not how things are
    said: tuple[str, ...]
    results: tuple[Result, ...]

    def find(self, pointer: Pointer) -> Result | None:
        """Return the result at this turn with this hash."""
        return next(
            (
                each
                for each in self.results
                if (each.turn, each.hash) == (pointer.turn, pointer.hash)
            ),
            None,
        )

    def written(self) -> Iterator[tuple[Result, str]]:
        """Yield each result with all that the model had written into calls until then, its own call
        included."""
        before: list[str] = []
        for each in self.results:
            before.append(each.args_text)
            yield each, "\n".join(before)

    def pointer(self, result: Result) -> Pointer:
        """Return what evidence writes down to name this result."""
        return Pointer(self.run, result.turn, result.hash)


def result_hash(status: str, data: Any) -> str:
    """Name a result: the same status and data give the same sixteen hex digits."""
    text = json.dumps([status, data], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def read_record(home: Path, run: str) -> RunRecord | None:
    """Return what a run's log says; None when there is none. Raises RunLogError when it is
    damaged."""
    events = list(read_events(home, run)) if RUN_ID.fullmatch(run) else []
    if not events:
        return None
    opening, status = events[0], "interrupted"
    said = [opening["task"]]
    for event in events:
        if event["type"] in ("steered", "answered"):
            said.append(event["text"])
        elif event["type"] == "run_ended":
            status = event["status"]
        elif event["type"] == "run_resumed":
            status = "interrupted"
    return RunRecord(
        run=run,
        day=opening["at"][:10],
        cwd=Path(opening["cwd"]),
        session=opening["session"],
        status=status,
        is_trial=bool(opening.get("verifies")),
        said=tuple(said),
        results=tuple(results_of(events)),
    )


def results_of(events: list[dict[str, Any]]) -> Iterator[Result]:
    """Yield the calls of a run that were carried out, in order. Those that never started or have no
    end are left out."""
    args: dict[str, Any] = {}
    said = ""
    for event in events:
        if event["type"] == "model_called":
            said = Reply.from_event(event).text
        elif event["type"] == "tool_started":
            args = event["args"]
        elif event["type"] == "tool_ended" and event["status"] not in ("refused", "cancelled"):
            status, data = event["status"], event["data"]
            hashed = result_hash(status, data)
            yield Result(
                event["turn"],
                event["call"],
                event["tool"],
                args,
                status,
                data,
                hashed,
                event["seconds"],
                said,
            )


def _texts(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        for value in data.values():
            yield from _texts(value)
    elif isinstance(data, (list, tuple)):
        for value in data:
            yield from _texts(value)
    elif isinstance(data, str):
        yield data
    elif data is not None and not isinstance(data, bool):
        yield str(data)
