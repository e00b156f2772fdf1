"""Try a procedure of a stage with values, and hold what it would do against what its SOP
expects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from learning.prove.seen import Seen
from learning.prove.trying import Ground
from models.base import ToolResult
from replay import template
from replay.procedure import Procedure
from replay.staged import holding


class Tried(NamedTuple):
    """Hold what came of it. `why`: what differs from the expectation, "" when nothing does."""

    seen: Seen
    why: str


def tried(procedure: Procedure, values: Mapping[str, Any], ground: Ground) -> Tried:
    """Return what a procedure would do with bound values; nothing is changed. Raises StageError,
    TemplateError."""
    step, known = procedure.steps[0], {"today": date.today().isoformat(), "cwd": str(ground.cwd)}
    there = replace(ground, cwd=folder_of(procedure, values, ground.cwd))
    given = {name: template.as_text(each) for name, each in values.items() if each is not None}
    seen = there.tried(str(step.args["script"]), str(step.args.get("type", "bash")), given)
    data = {"exit_code": seen.code, "output": seen.output}
    result = ToolResult("ok" if seen.code == 0 else "error", data)
    return Tried(seen, holding.difference(step, result, seen.changes, known | dict(values), "en"))


def folder_of(procedure: Procedure, values: Mapping[str, Any], cwd: Path) -> Path:
    """Return the folder in which the script works."""
    said = template.fill(procedure.steps[0].args.get("cwd", str(cwd)), dict(values))
    return (cwd / Path(str(said)).expanduser()).resolve()


def inputs_of(
    values: Mapping[str, Any], schemas: Mapping[str, Mapping[str, Any]]
) -> dict[str, str]:
    """Return which values name what is there, "file" or "folder"."""
    found = {}
    for name, value in values.items():
        if schemas.get(name, {}).get("format") != "path" or not isinstance(value, str):
            continue
        path = Path(value)
        if path.exists():
            found[name] = "folder" if path.is_dir() else "file"
    return found
