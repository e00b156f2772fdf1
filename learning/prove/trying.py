"""Run a script in a stage over the owner's files, see what it does, and throw that away; hold it
against what its SOP expects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from learning.prove.seen import Seen, seen_in
from models.base import ToolResult
from replay import template
from replay.procedure import Procedure
from replay.staged import holding
from tools.scripts.calls import environment
from tools.scripts.staged import argv, confined, without_temporary

SECONDS = 120.0
RUN = "lesson"


@dataclass(frozen=True, slots=True)
class Ground:
    """Where scripts are tried: the folders that they may change, the agent's home, the working
    folder."""

    roots: tuple[Path, ...]
    home: Path
    cwd: Path

    @classmethod
    def of(cls, roots: Sequence[Path], home: Path, cwd: Path) -> Ground:
        """Return the ground with these roots; without any: the owner's home and the working folder.
        Temporary files have a folder of their own in each run."""
        wanted = roots or (Path.home(), cwd)
        found = without_temporary(root for root in wanted if root.is_dir())
        return cls(tuple(found), home.resolve(), cwd)

    def tried(self, script: str, type: str = "bash", env: Mapping[str, str] | None = None) -> Seen:
        """Return what a script does here. Raises StageError."""
        from sandbox.stage import Stage

        stage = Stage.open(self.roots, self.home, RUN, "try")
        try:
            command = confined(list(self.roots), argv(type, script))
            given = environment() | dict(env or {})
            code, output = stage.run(command, self.cwd, given, SECONDS)
            text = output.decode("utf-8", "replace")
            return seen_in(stage, text, code)
        finally:
            stage.discard()


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
