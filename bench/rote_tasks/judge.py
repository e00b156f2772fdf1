"""What came of a run: judged from the world before and after and from the answer, never from how it was done."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from bench.rote_tasks.base import State, Task, Values
from memory.runlog.log import opening_of

if TYPE_CHECKING:
    from handler import Approval, Confirmation
    from models.base import Event

Result = Literal["right", "wrong", "stopped", "declined"]
Kind = Literal[
    "teaching",
    "supervised",
    "unproven",
    "own words",
    "by name",
    "other words",
    "uncovered",
    "near miss",
]
KEPT_OUT = ("outside", "catastrophic", "agent", "secret", "system")  # what the owner never allows


@dataclass(slots=True)
class Asked:
    """One request and what came of it. `differs`: paths that are not as they should be."""

    task: str
    kind: Kind
    request: str
    outcome: Result
    reason: str = ""
    answer: str = ""
    lane: str = ""
    sop: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    has_written: bool = False
    model_calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    differs: list[str] = field(default_factory=list)


class InsideOnly:
    """An owner who allows what stays inside the world."""

    def ask(self, id: str, question: str, candidates: list[str]) -> str | None:
        return None

    def confirm(self, confirmation: Confirmation) -> Approval | None:
        from handler import Approval

        return Approval("no", "outside") if confirmation.risk in KEPT_OUT else Approval("once")

    def secret(self, question: str) -> str | None:
        return None


class Knowing(InsideOnly):
    """An owner who is asked what a request means, and says yes to the right SOP with the right values alone. `means`: its
    name and values; None when nothing that was taught is meant."""

    def __init__(self, means: tuple[str, dict[str, Any]] | None, home: Path) -> None:
        self._means, self._home = means, home
        self.shown: list[str] = []
        self._verdict = "nothing"

    def ask(self, id: str, question: str, candidates: list[str]) -> str | None:
        *self.shown, none = candidates
        self._verdict = "others"
        for text in self.shown:
            if self._means and f"({self._means[0]};" in text:
                if all(self._stands(value, text) for value in self._means[1].values()):
                    self._verdict = "right"
                    return text
                self._verdict = "misread"
        return none

    def outcome(self, of_run: Result) -> str:
        """What came of asking, where this is what came of the run."""
        if self._verdict == "right":
            return "right" if of_run == "right" else "wrong"
        if of_run == "right":
            return "known"
        return self._verdict if of_run == "declined" else "wrong"

    def _stands(self, value: Any, text: str) -> bool:
        plain = str(value)
        forms = {plain, plain.replace(str(self._home), "~", 1), str(Path(plain).expanduser())}
        return any(re.search(rf"(?<!\w){re.escape(form)}(?!\w)", text) for form in forms)


def judge(
    asked: tuple[str, Kind, str],
    task: Task | None,
    values: Values,
    before: State,
    after: State,
    events: list[Event],
) -> Asked:
    """The verdict on a run of `asked`: (task, kind, request). Without a task nothing should have been done at all."""
    opening, end = (
        opening_of(events),
        next(event for event in reversed(events) if event["type"] == "run_ended"),
    )
    stop = next(
        (event for event in events if event["type"] == "rote" and event["state"] == "diverged"),
        None,
    )
    is_rote = opening.get("sop") is not None
    found = Asked(
        *asked,
        outcome="declined",
        answer=str(end["result"]),
        lane=str(opening.get("lane") or ("rote" if is_rote else "")),
        sop=opening.get("sop") or "",
        parameters=opening.get("parameters") or {},
        has_written=before != after,
        model_calls=end["model_calls"],
        tokens=sum(end["tokens"].values()),
    )
    due = before if task is None else task.after(before, values)
    if end["status"] == "done" and not is_rote and asked[1] != "teaching":
        return found  # not begun by rote: now a model does it, call by call
    if end["status"] == "done":
        found.differs = differences(due, after)
        is_right = (
            task is not None and not found.differs and task.answers(before, values, found.answer)
        )
        found.outcome = "right" if is_right else "wrong"
    elif is_rote:
        found.outcome = "stopped"
        found.reason = (
            f"{stop['step']}: {stop['reason']}" if stop else f"{end['status']}: {end['result']}"
        )
        found.differs = differences(before, after)
    return found


def differences(due: State, there: State) -> list[str]:
    """What is not as it should be, a line each, at most eight."""
    lines = []
    for path in sorted(due.keys() | there.keys()):
        if due.get(path) != there.get(path):
            lines.append(f"{path}: {_shown(there.get(path))}, due {_shown(due.get(path))}")
    return lines[:8]


def _shown(content: Any) -> str:
    text = "nothing" if content is None else json.dumps(content, ensure_ascii=False, default=str)
    return text if len(text) <= 160 else f"{text[:157]}…"
