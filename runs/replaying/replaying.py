"""The SOP lane of a run: the model that does an SOP by rote, its guards, and the turns that it may take."""

from __future__ import annotations

from datetime import date, datetime
from functools import cache, partial
from pathlib import Path

from config import Lang
from learning.guards import ReplayGuards, tools_used
from memory.sops import Sop
from models.base import Event
from replay.rote import MAX_SCRIPT_CALLS, RoteModel
from runs.options import Replay
from runs.replaying.plan_calls import plan_calls
from runs.resume import Progress
from tools.toolbox import Toolbox


def lane(
    replay: Replay, progress: Progress, cwd: Path, tools: Toolbox, lang: Lang
) -> list[RoteModel]:
    """The model that does this SOP, as far as the run has not done it; none where the SOP is only text."""
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
    return ReplayGuards.of(
        replay.sop,
        tools=tools,
        schemas=tools.schemas_with(tools_used(replay.sop)),
        cwd=cwd,
        lang=lang,
    )


def steps(sop: Sop | None) -> int:
    """The turns that a replay may take; they do not use up those of a model that goes on behind it."""
    if sop is None or sop.procedure is None:
        return 0
    return MAX_SCRIPT_CALLS if sop.procedure.script else len(sop.procedure.steps)


def _hosts(sop: Sop, task: str) -> frozenset[str]:
    from learning.looks import hosts_of  # few plans ask anybody

    return hosts_of(sop, task)


def _day(opening: Event) -> date:
    """The day on which the run began, here; a resumed run keeps it."""
    began = (
        datetime.fromisoformat(opening["at"]) if "at" in opening else datetime.now().astimezone()
    )
    return began.astimezone().date()
