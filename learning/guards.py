"""Say what must hold before a replay of steps writes: its tools are there, the world can take
it.

`ReplayGuards` is asked by replay/rote/ before the first step, and between plan and commit (nothing
has been written). It stops with a reason; it never works around anything. Source: seed 002 §7. A
replay that stops is fine, one that does the wrong thing is not.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory.sops import Sop
from replay.parameters import ParameterError
from replay.procedure import Procedure, Step
from replay.rote import Doubt, Spent, Write
from replay.said import Lang, say
from tools.base import LOOKS, Tool

CALLS_FACTOR, CALLS_MORE = 1.5, 2  # of the teaching; at least so many more
SECONDS_FACTOR, SECONDS_MORE = 3.0, 20.0
PLAN_EFFECTS = {"none", "read", "execute", "ask"}
LOCAL_EFFECTS = {*PLAN_EFFECTS, "write", "delete", "memory"} - {"ask"}  # delete: to the trash
COMMIT_EFFECTS: Mapping[str, set[str]] = {
    "none": PLAN_EFFECTS - {"ask"},
    "local": LOCAL_EFFECTS,
    "external": {*LOCAL_EFFECTS, "network"},
    "destructive": {*LOCAL_EFFECTS, "network"},
}


@dataclass(frozen=True, slots=True)
class ReplayGuards:
    """The guards of one replay. `used`: the tools that it needs; `budget`: what one run took when
    the SOP was taught."""

    tools: Mapping[str, Tool]
    cwd: Path
    lang: Lang
    used: Collection[str]
    budget: Mapping[str, Any]

    @classmethod
    def of(cls, sop: Sop, tools: Mapping[str, Tool], cwd: Path, lang: Lang) -> ReplayGuards:
        """Return the guards for a run of an SOP, by what its evidence.json recorded."""
        budget = evidence(sop.folder).get("budget") or {}
        return cls(tools, cwd, lang, tools_used(sop), budget)

    def start(self, procedure: Procedure, parameters: Mapping[str, Any]) -> Doubt | None:
        """Look at tools, effects and parameters before the first step."""
        return next(self._at_start(procedure, parameters), None)

    def before(self, procedure: Procedure, planned: Sequence[Write], spent: Spent) -> Doubt | None:
        """Look at what the writes rely on, and at what the plan took, before the first write."""
        if over := over_budget(self.budget, spent.calls + len(planned), spent.seconds, self.lang):
            return Doubt("budget", over)
        for write in planned:
            step = Step(write.step, write.tool)
            if doubt := self._beyond(procedure, step):
                return doubt
        from learning.prove.readiness import not_ready  # scripts in a stage have no such writes

        why = not_ready(planned, self.cwd, self.lang)
        return Doubt("world", why) if why else None

    def _at_start(self, procedure: Procedure, parameters: Mapping[str, Any]) -> Iterator[Doubt]:
        gone = (name for name in self.used if self.tools.get(name) is None)
        yield from (Doubt("step", self._say("gone_tool", name)) for name in gone)
        yield from filter(None, (self._beyond(procedure, step) for step in procedure.steps))
        try:
            procedure.bind(parameters, self.cwd)
        except ParameterError as error:
            yield Doubt("parameter", str(error))

    def _beyond(self, procedure: Procedure, step: Step) -> Doubt | None:
        """Return why a call does more than the SOP declares; in a plan, more than to read."""
        tool = self.tools.get(step.tool)
        if tool is None:
            return None
        looks = {"network"} if step.tool in LOOKS else set()  # whom: runs/replaying/replaying.py
        in_plan = PLAN_EFFECTS | looks
        allowed = COMMIT_EFFECTS[procedure.effects] if step.changes_something else in_plan
        beyond = sorted(_effects(step.tool, tool) - allowed)
        if not beyond:
            return None
        if not step.changes_something:
            return Doubt("step", self._say("writes_in_plan", step.id, step.tool))
        told = (step.id, step.tool, ", ".join(beyond), procedure.effects)
        return Doubt("step", self._say("effects", *told))

    def _say(self, what: str, *args: object) -> str:
        return say(f"guard.{what}", self.lang, *args)


def _effects(name: str, tool: Tool) -> set[str]:
    """Return the effects of a tool; of one that is not ours, those that its name tells."""
    if tool.effects:
        return set(tool.effects)
    from safety.calls import read_name  # few replays need it

    return {"read": {"read"}, "change": {"write"}}.get(read_name(name).effect, {"network"})


def evidence(folder: Path) -> dict[str, Any]:
    """Return evidence.json of an SOP; {} when there is none that can be read."""
    try:
        found = json.loads((folder / "evidence.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def over_budget(budget: Mapping[str, Any], calls: int, seconds: float, lang: Lang = "en") -> str:
    """Return why so many calls, or so long a time, are more than an SOP may take; "" while they are
    not.

    `budget` is what one run took when the SOP was taught: calls, and seconds in which the tools
    worked.
    """
    if "calls" not in budget or "seconds" not in budget:
        return ""
    if calls > max(CALLS_FACTOR * budget["calls"], budget["calls"] + CALLS_MORE):
        return say("guard.calls", lang, calls, budget["calls"])
    if seconds > max(SECONDS_FACTOR * budget["seconds"], budget["seconds"] + SECONDS_MORE):
        return say("guard.seconds", lang, seconds, budget["seconds"])
    return ""


def tools_used(sop: Sop) -> set[str]:
    """Return the tools that an SOP calls, and was seen to call."""
    steps = sop.procedure.steps if sop.procedure else ()
    return {step.tool for step in steps if step.tool} | set(evidence(sop.folder).get("tools", {}))
