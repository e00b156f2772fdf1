"""Hold a staged script against its SOP's expectation, and say in words what differs or what was
done."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from models.base import ToolResult
from replay.procedure import Step
from replay.said import Lang, say
from replay.staged import expectation
from replay.staged.output_kinds import complaint, refused
from safety.changes import ChangeSet
from text import pattern

REFUSES = {*range(os.EX_USAGE, os.EX_CONFIG + 1)} - {
    os.EX_SOFTWARE
}  # sysexits.h: not the script's fault
_RAISED = pattern(r"^(?:\w+Error: )?(?:error: )?(?:\[Errno \d+\] )?")
_WRONG = pattern(
    r"\b(?:error|fatal|cannot|can't|no such|not found|denied|invalid|failed)\b", re.IGNORECASE
)


def difference(
    step: Step | None, result: ToolResult, changes: ChangeSet, values: Mapping[str, Any], lang: Lang
) -> str:
    """Return what differs from the expectation of a step, in one line; "" when nothing does."""
    output = str(result.data.get("output", ""))
    if result.status != "ok":
        code, told = result.data.get("exit_code"), last_line(output)
        is_said = code in REFUSES  # by the script, in its own words
        return (
            say("staged.refused", lang, told) if is_said else say("staged.failed", lang, code, told)
        )
    found = expectation.touched(changes)
    wrong = expectation.unmet(step.expect if step else {}, found, output, values)
    return say(f"staged.{wrong[0]}", lang, *wrong[1]) if wrong else ""


def is_refusal(code: int | None, output: str) -> bool:
    """Return True when the input or the world is to blame: the script says so, or the system
    refused it a file."""
    if code in REFUSES:
        return True
    return bool(complaint(output)) if code == 0 else refused(output)


def answer(step: Step, values: Mapping[str, Any], lang: Lang) -> str:
    """Return the answer of an SOP that has no text of its own: what was printed, else what was
    changed."""
    printed = str(values.get("output") or "").strip("\n")
    if printed.strip():
        return printed
    counts: Mapping[str, Sequence[str]] = values.get("changes") or {}
    told = {kind: paths[0] if len(paths) == 1 else len(paths) for kind, paths in counts.items()}
    parts = [say(f"staged.{kind}", lang, each) for kind, each in told.items() if each]
    if parts:
        return say("staged.done", lang, ", ".join(parts))
    is_question = step.expect.get("output", {}).get("type", "none") != "none"
    return say("staged.none_found" if is_question else "staged.nothing", lang)


def last_line(output: str) -> str:
    """Return the last line that says what went wrong; else the last one."""
    lines = [line for line in output.splitlines() if line.strip()]
    wrong = [line for line in lines if _WRONG.search(line)]
    return _RAISED.sub("", (wrong or lines or [""])[-1].strip())[:300]
