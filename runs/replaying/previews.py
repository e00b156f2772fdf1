"""Say what an SOP would change, before the owner says yes to it: it is tried in a stage."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from config import Config, sentences
from learning.guards import evidence
from learning.route import Shown
from learning.verify import NotTried, is_staged
from runs.replaying.trying import outcome_of

MOST_SECONDS = 5.0  # an SOP that took longer is not tried while somebody waits for a question
MOST_PATHS = 3


def foreseen(config: Config, cwd: Path, shown: Shown) -> str:
    """Return what would change, or why it would stop; "" where that is not known without waiting for long."""
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
    words = sentences(config.lang)
    if not outcome.passed:
        return str(words["asking.would_stop"]).format(outcome.reason)
    return "; ".join(_told(outcome.produced, str(words["asking.more"])))


def _told(produced: Mapping[str, str], more: str) -> list[str]:
    home = str(Path.home())
    marks = {"new": "+", "gone": "-", "changed": "~"}
    lines = [
        f"{marks.get(kind, kind)} {path.replace(home, '~', 1) if path.startswith(home) else path}"
        for path, kind in sorted(produced.items())
    ]
    left = len(lines) - MOST_PATHS
    return [*lines[:MOST_PATHS], more.format(left)] if left > 0 else lines
