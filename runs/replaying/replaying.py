"""The SOP lane of a run: the model that does an SOP by rote, its guards, and the turns that it may
take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from functools import cache, partial
from pathlib import Path
from typing import Any

from config import Lang
from learning.guards import ReplayGuards
from memory.sops import Sop
from models.base import Event
from replay.rote import MAX_SCRIPT_CALLS, RoteModel
from runs.options import Replay
from runs.resume import Progress
from tools.base import LOOKS, Tool
from tools.toolbox import Toolbox


def lane(
    replay: Replay, progress: Progress, cwd: Path, tools: Toolbox, lang: Lang
) -> list[RoteModel]:
    """Return the model that does this SOP, as far as the run has not done it; none where the SOP is
    only text."""
    sop = replay.sop
    if sop.procedure is None:
        return []
    rote = RoteModel(
        sop.procedure,
        replay.parameters,
        sop=sop.name,
        version=sop.version,
        lang=lang,
        cwd=cwd,
        guards=guards(replay, cwd, tools, lang),
        may_read=plan_calls(tools, cache(partial(_hosts, sop, progress.opening["task"]))),
        today=_day(progress.opening),
        knows=tools.__contains__,
    )
    rote.fast_forward(progress.replayed, progress.asked)
    return [rote]


def guards(replay: Replay, cwd: Path, tools: Toolbox, lang: Lang) -> ReplayGuards:
    """Return what is looked at before this SOP is done (learning/guards.py)."""
    return ReplayGuards.of(replay.sop, tools, cwd, lang)


def steps(sop: Sop | None) -> int:
    """Return the turns that a replay may take; they do not use up those of a model that goes on
    behind it."""
    if sop is None or sop.procedure is None:
        return 0
    return MAX_SCRIPT_CALLS if sop.procedure.script else len(sop.procedure.steps)


def _hosts(sop: Sop, task: str) -> frozenset[str]:
    from learning.looks import hosts_of  # few plans ask anybody

    return hosts_of(sop, task)


def _day(opening: Event) -> date:
    """Return the day on which the run began, here; a resumed run keeps it."""
    began = (
        datetime.fromisoformat(opening["at"]) if "at" in opening else datetime.now().astimezone()
    )
    return began.astimezone().date()


def plan_calls(
    tools: Mapping[str, Tool], hosts: Callable[[], frozenset[str]] = frozenset
) -> Callable[[str, Mapping[str, Any]], str | None]:
    """Return the judge that RoteModel takes as `may_read`: None lets a call pass, else it is the
    reason. `hosts` names those that may be asked for what they have, beside this machine. The gate
    still judges each call, and a script of a plan runs in a stage, where it may change nothing
    (replay/rote/)."""

    def why_not(name: str, args: Mapping[str, Any]) -> str | None:
        tool = tools.get(name)
        if tool is None:
            return _no_such_tool(name, tools)
        reads = tool.only_reads and "ask" not in tool.effects
        if reads or name == "code_run":
            return None
        if not tool.effects:
            from safety.calls import read_name  # by its name, as the gate does

            only_reads = read_name(name).effect == "read"
            return None if only_reads else f"{name} does more than read, by its name"
        if name not in LOOKS:
            return f"{name} does more ({', '.join(tool.effects)})"
        from learning.looks import only_looks  # few replays ask

        is_named = only_looks(args, hosts())
        said = f"{name} asks a host that neither the request nor its runs name"
        return None if is_named else said

    return why_not


def _no_such_tool(name: str, tools: Mapping[str, Tool]) -> str:
    from difflib import get_close_matches

    near = ", ".join(get_close_matches(name, tools, 3)) or "none"
    return f"there is no tool {name!r} (nearest: {near})"
