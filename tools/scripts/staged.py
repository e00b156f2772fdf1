"""Run a script in a stage apart from any run, and tell what it has touched."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING

from models.base import ToolResult
from safety.changes import Change, ChangeSet
from sandbox.cells.levels import bubblewrap

if TYPE_CHECKING:
    from sandbox.stage import Stage
    from sandbox.stage.stage import Seen

# result and change set → why they must not be committed, or ""
Hold = Callable[[ToolResult, ChangeSet], str]
MAX_OUTPUT_BYTES = 200_000  # of what is held against an expectation


def without_temporary(roots: Iterable[Path]) -> tuple[Path, ...]:
    """Return folders but that for temporary files: a script has one of its own, which ends with
    it."""
    temporary = Path(tempfile.gettempdir()).resolve()
    found = dict.fromkeys(root.resolve() for root in roots)
    return tuple(root for root in found if root != temporary)


def argv(type: str, script: str) -> list[str]:
    """Return the command that runs a script."""
    if type == "python":
        import sys

        return [sys.executable, "-P", "-X", "utf8", "-c", script]
    return ["bash", "-c", script]


def confined(roots: list[Path], command: list[str]) -> list[str]:
    """Return a command that can write in the roots alone, and reach no daemon by its socket."""
    words = [bubblewrap(), "--die-with-parent", "--ro-bind", "/", "/"]
    words += ["--dev-bind", "/dev", "/dev", "--tmpfs", "/run", "--tmpfs", tempfile.gettempdir()]
    for root in roots:
        words += ["--bind", str(root), str(root)]
    return [*words, "--", *command]


def with_rewritten(stage: Stage | Seen) -> ChangeSet:
    """Return what was done, with the files that were written anew and are as they were: they count
    as none."""
    again = [
        Change(
            "changed", Path(each.path), "file", each.before.st_size, each.before.st_size, files=0
        )
        for each in stage.deltas
        if each.kind == "dress" and each.before and S_ISREG(each.before.st_mode)
    ]
    named = {change.path for change in stage.changes.changes}
    return ChangeSet(
        (*stage.changes.changes, *(change for change in again if change.path not in named))
    )


def held(hold: Hold, result: ToolResult, changes: ChangeSet) -> ToolResult:
    """Return the result of a replayed script with what it touched; with `held`, the reason, where
    that must not be."""
    if why := hold(_whole(result), changes):
        return ToolResult("error", result.data | {"held": why})
    return ToolResult("ok", result.data | {"changes": listed(changes)}, seconds=result.seconds)


def _whole(result: ToolResult) -> ToolResult:
    """Return the result with all that was printed, where a model would see its head and tail."""
    if not result.data.get("file"):
        return result
    with Path(result.data["file"]).open("rb") as file:
        text = file.read(MAX_OUTPUT_BYTES).decode("utf-8", "replace")
    return ToolResult(result.status, result.data | {"output": text})


def listed(changes: ChangeSet) -> dict[str, list[str]]:
    """Return the paths that were touched, by kind."""
    found: dict[str, list[str]] = {}
    for change in changes.changes:
        found.setdefault(change.kind, []).append(str(change.path))
    return found
