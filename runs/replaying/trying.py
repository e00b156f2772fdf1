"""Try an SOP in a stage: see what it would do to the owner's files and what it would answer;
nothing of it stays."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from config import Config, sentences
from learning.guards import evidence
from learning.prove import Ground, tried
from learning.route import Shown
from learning.verify import NotTried, Outcome, is_staged
from memory.sops import Sop
from models.base import Event
from replay.template import TemplateError
from sandbox.stage import Rehearsal
from sandbox.undo import StageError

CHECKOUT = Path(__file__).resolve().parents[2]
CHILD = "import sys; sys.path[0] = sys.argv.pop(1); from runs.control.subprocess_main import try_out; try_out(*sys.argv[1:])"
TOLD = ("output", "exit_code")  # of what a call brought; the rest differs each time


def outcome_of(config: Config, sop: Sop, values: Mapping[str, Any], cwd: Path) -> Outcome:
    """Return what an SOP does with bound values. Raises NotTried."""
    assert sop.procedure is not None
    attempt = _by_script if is_staged(sop.procedure) else _by_steps
    started = time.monotonic()
    try:
        found = attempt(config, sop, values, cwd)
    except (StageError, TemplateError) as error:
        raise NotTried(str(error)) from error
    return replace(found, seconds=time.monotonic() - started)


def _by_script(config: Config, sop: Sop, values: Mapping[str, Any], cwd: Path) -> Outcome:
    assert sop.procedure is not None
    seen, why = tried(sop.procedure, values, Ground.of(config.safety.roots, config.home, cwd))
    produced = {each.path: each.kind for each in seen.touched}
    return Outcome("failed" if why else "done", seen.output, produced, reason=why)


def _by_steps(config: Config, sop: Sop, values: Mapping[str, Any], cwd: Path) -> Outcome:
    """Do the steps in a process of their own, as a run like any other but for its stage: no model
    goes on."""
    from tools.staged.dry import is_dry
    from tools.staged.rehearsing import rehearsed

    if is_dry():
        raise NotTried("error.replaying.dry-run-tries-nothing")
    ground = Ground.of(config.safety.roots, config.home, cwd)
    words = [str(config.home), config.lang, str(sop.folder), json.dumps(dict(values)), str(cwd)]
    stage = Rehearsal(ground.roots, config.home)
    try:
        command = [sys.executable, "-B", "-c", CHILD, str(CHECKOUT), *words]
        with rehearsed(stage, command, cwd) as started:
            events = [json.loads(line) for line in started.stdout or ()]
        changes = stage.look().changes.changes
    finally:
        stage.close()
    if not events:
        raise NotTried("error.replaying.process-ended-before-began")
    sizes = [each.after for each in changes if each.type == "file"]
    produced = {str(each.path): each.kind for each in changes}
    return replace(_heard(events, sizes), produced=produced)


def _heard(events: Sequence[Event], sizes: Sequence[int | None]) -> Outcome:
    ended = [event for event in events if event["type"] == "tool_ended"]
    stopped = [e for e in events if (e["type"], e.get("state")) == ("rote", "diverged")]
    end = events[-1]
    said: dict[str, Any] = stopped[0] if stopped else {}
    failed = "" if end["status"] == "done" else str(end["result"]) or end["status"]
    return Outcome(
        end["status"],
        end["result"],
        more=(*sizes, *(_told(event["data"]) for event in ended)),
        calls=len(ended),
        reason=str(said.get("reason", failed)),
        kind=said.get("kind", "step"),
    )


def _told(data: Any) -> Any:
    return {key: data.get(key) for key in TOLD} if isinstance(data, dict) else data


MOST_SECONDS = 5.0  # an SOP that took longer is not tried while somebody waits for a question
MOST_PATHS = 3


def foreseen(config: Config, cwd: Path, shown: Shown) -> str | None:
    """Return what would change, None where it would stop; "" where that is not known without
    waiting for long."""
    procedure = shown.sop.procedure
    if procedure is None or not is_staged(procedure) or not shown.is_whole:
        return ""
    if procedure.effects == "external":  # a stage holds files; what a daemon is told is done
        return ""
    budget = evidence(shown.sop.folder).get("budget") or {}
    if float(budget.get("seconds", 0)) > MOST_SECONDS:
        return ""
    try:
        outcome = outcome_of(config, shown.sop, shown.parameters, cwd)
    except NotTried:
        return ""
    if not outcome.passed:
        return None
    return "; ".join(_changes(outcome.produced, str(sentences(config.lang)["asking.more"])))


def _changes(produced: Mapping[str, str], more: str) -> list[str]:
    home = str(Path.home())
    marks = {"new": "+", "gone": "-", "changed": "~"}
    lines = [
        f"{marks.get(kind, kind)} {path.replace(home, '~', 1) if path.startswith(home) else path}"
        for path, kind in sorted(produced.items())
    ]
    left = len(lines) - MOST_PATHS
    return [*lines[:MOST_PATHS], more.format(left)] if left > 0 else lines
