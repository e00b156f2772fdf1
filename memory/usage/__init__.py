"""Count what a run used, from its events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from models.base import Event

ZERO = {"input": 0, "cached": 0, "output": 0}  # tokens


class Totals:
    """Counts what a run used, from its events."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.turns = self.model_calls = 0
        self.cost = self.seconds = 0.0
        # the helpers, and what each has cost in USD, once it has ended
        self.children: dict[str, float] = {}
        self.tokens = dict(ZERO)
        self.kinds: set[str] = set()
        self.by_model: dict[str, dict[str, float]] = {}  # the same of each model that was asked
        self.changes: dict[str, int] = {}  # how many files were new, changed, moved, gone
        for event in events:
            self.add(event)

    def add(self, event: Event) -> None:
        """Count one event; types that use nothing are passed over."""
        if event["type"] == "model_called":
            self.turns = event["turn"]
            if event[
                "turn"
                # before turn 1 a model may have chosen the SOP: the task is done by rote all the
                # same
            ]:
                self.kinds.add(event["kind"])
            self.model_calls += event["kind"] in ("openai", "anthropic")
            self.cost += event["cost"]
            for key in self.tokens:
                self.tokens[key] += event["tokens"][key]
            if event["kind"] != "rote":
                self._add_to_model(event)
        elif event["type"] == "changes":
            for key in ("new", "changed", "moved", "gone", "bytes"):
                self.changes[key] = self.changes.get(key, 0) + event[key]
        elif event["type"] == "delegated":
            self.children[event["child"]] = event.get("cost", 0.0)
        elif event["type"] == "run_ended":
            self.seconds = event["seconds"]

    def _add_to_model(self, event: Event) -> None:
        used = self.by_model.setdefault(event.get("model", ""), {"calls": 0, **ZERO, "cost": 0.0})
        used["calls"] += 1
        used["cost"] = round(used["cost"] + event["cost"], 6)
        for key in ZERO:
            used[key] += event["tokens"][key]

    @property
    def spent(self) -> float:
        """Return what the run and its helpers have cost, USD."""
        return self.cost + sum(self.children.values())

    def as_fields(self) -> dict[str, Any]:
        """Return the fields of `run_ended`."""
        return {
            "turns": self.turns,
            "model_calls": self.model_calls,
            "tokens": dict(self.tokens),
            "cost": round(self.cost, 6),
            "rote": self.kinds == {"rote"},
            **({"by_model": self.by_model} if self.by_model else {}),
            **({"children": list(self.children)} if self.children else {}),
            **({"changes": dict(self.changes)} if self.changes else {}),
        }

    def ended(
        self,
        status: str,
        *,
        seconds: float,
        result: str = "",
        exit: str = "EXITED",
        sop: str | None = None,
    ) -> Event:
        """Return the event that ends the run."""
        event = {"type": "run_ended", "status": status, "result": result, "exit": exit}
        return {**event, **self.as_fields(), "seconds": round(seconds, 3), "sop": sop}


def own_opening(task: str, home: Path, lang: str, cwd: Path, **more: Any) -> Event:
    """Return the first event of a run that no request began: a recording, a call for the text of an
    SOP."""
    event: Event = {"type": "run_started", "task": task, "session": "main", "home": str(home)}
    event |= {"models": [], "sop": None, "parameters": None, "sop_version": None}
    return {**event, "cwd": str(cwd), "lang": lang, "previous": [], "messages": [], **more}


def choice_of(event: Event) -> Event:
    """Return what the event `chosen` says of its run: the fields of `run_started` that it fills
    in."""
    return {key: event[key] for key in ("sop", "sop_version", "parameters", "lane")}


def opening_of(events: Sequence[Event]) -> Event:
    """Return how a run began: its first event, with the SOP that its owner chose."""
    choice = next((choice_of(event) for event in events if event["type"] == "chosen"), {})
    return events[0] | choice
