"""Tries an SOP in a scratch copy: a run like any other, but no model goes on, nobody is asked, and the gate lets nothing out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from config import Config
from learning.guards import tools_used
from learning.verify import ReplayResult
from memory.sops.store import Sop
from models.base import Event
from runs.assemble import Agent
from runs.options import Options
from sandbox.stage import UndoStore
from sandbox.trash import Trash

# Risks that a trial never takes.
NOT_ON_A_COPY = ("change", "send", "install", "spend", "outside", "system", "secret", "unknown")


def trial(
    config: Config, sop: Sop, parameters: Mapping[str, Any], cwd: Path, root: Path
) -> ReplayResult:
    """What comes of the SOP in the copy that lies at `root` (learning/verify.py); the gate refuses all that reaches outside
    of it or that it cannot see through."""
    forbid = (*config.safety.forbid, *NOT_ON_A_COPY)
    safety = replace(config.safety, roots=(root,), confirm=(), forbid=forbid, trash="home")
    there = Agent(replace(config, models=(), safety=safety))
    run = there.try_out(sop, dict(parameters), Options(cwd=cwd))
    events = list(run.events())
    _empty_trash(config.home, events, root)
    UndoStore(config.home).forget(run.id)
    called = {event["tool"] for event in events if event["type"] == "tool_ended"}
    return ReplayResult(
        events, run.status, run.result, there.parts.schemas({*tools_used(sop), *called})
    )


def _empty_trash(home: Path, events: Sequence[Event], root: Path) -> None:
    """Removes what a trial moved to the trash: copies of files, nobody's own."""
    for event in events:
        data = (
            event.get("data")
            if event["type"] == "tool_ended" and event["tool"] == "file_trash"
            else None
        )
        if isinstance(data, dict) and "trash" in data:
            Trash(home).forget(data["trash"], root)
