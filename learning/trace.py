"""A run as learning sees it: the request, the calls that were carried out, and what each of them
brought.

A recording, a finished run and a replay are all runs in the run log, so this is the only door
through which experience comes in. A result's hash is what evidence points to. Source: seed 002 §3
(no execution, no memory).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory.evidence import Result, results_of
from memory.logs import RunLogError, find_run, read_events
from memory.usage import opening_of
from models.base import Event


@dataclass(frozen=True, slots=True)
class Trace:
    """Hold what happened in one run, in order. `answer` is what the run ended with."""

    run: str
    request: str
    cwd: Path
    lang: str
    status: str
    answer: str
    calls: tuple[Result, ...]
    at: str
    taught: str | None  # the SOP that a recording is for
    changed: frozenset[str] = frozenset()  # the calls that changed files of the owner's

    def evidence(self) -> dict[str, Any]:
        """Return what proves it: the run, and its results with their hashes."""
        keys = ("turn", "call", "tool", "hash")
        results = [{key: getattr(call, key) for key in keys} for call in self.calls]
        return {"run": self.run, "at": self.at, "results": results}


def read_trace(home: Path, run: str) -> Trace:
    """Return the trace of a run. Raises RunLogError when its log cannot be read."""
    run = find_run(home, run)
    events = list(read_events(home, run))
    if not events:
        raise RunLogError("error.learning.run-holds-nothing", run=run)
    return trace_of(run, events)


def trace_of(run: str, events: list[Event]) -> Trace:
    """Return the trace that the events of a run tell."""
    opening = opening_of(events)
    ended = end_of(events)
    return Trace(
        run=run,
        request=opening["task"],
        cwd=Path(opening["cwd"]),
        lang=opening["lang"],
        status=ended["status"] if ended else "interrupted",
        answer=ended["result"] if ended else "",
        calls=tuple(results_of(events)),
        at=opening["at"],
        taught=opening.get("teaches"),
        changed=frozenset(str(event.get("call")) for event in events if _is_change(event)),
    )


def end_of(events: Sequence[Event]) -> Event | None:
    """Return the event that ended a run; None while it goes on."""
    return next((event for event in reversed(events) if event["type"] == "run_ended"), None)


def _is_change(event: Event) -> bool:
    kinds = ("new", "changed", "moved", "gone")
    return event["type"] == "changes" and any(event.get(kind) for kind in kinds)
