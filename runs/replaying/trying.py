"""Try an SOP in a scratch copy: a run like any other, but no model goes on, nobody is asked, and the gate lets nothing out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from config import Config
from learning.guards import tools_used
from learning.verify import ReplayResult
from memory.sops.store import Sop
from runs.options import Options
from runs.workshop import Workshop
from sandbox.stage import UndoStore

# Risks that a trial never takes.
NOT_ON_A_COPY = ("change", "send", "install", "spend", "outside", "system", "secret", "unknown")


def on_a_copy(config: Config, root: Path) -> Config:
    """Return the settings for a trial in the copy at `root`: no model, nobody asked, nothing beyond the copy."""
    forbid = (*config.safety.forbid, *NOT_ON_A_COPY)
    safety = replace(config.safety, roots=(root,), confirm=(), forbid=forbid)
    return replace(config, models=(), safety=safety)


def trial(
    there: Workshop, sop: Sop, parameters: Mapping[str, Any], cwd: Path, root: Path
) -> ReplayResult:
    """Do the SOP in the copy at `root` with the agent that works there (learning/verify.py)."""
    run = there.try_out(sop, dict(parameters), Options(cwd=cwd))
    events = list(run.events())
    UndoStore(there.config.home).forget(run.id)
    called = {event["tool"] for event in events if event["type"] == "tool_ended"}
    schemas = there.parts.schemas({*tools_used(sop), *called})
    return ReplayResult(events, run.status, run.result, schemas)
