"""Run a script in a stage, ask whether what it did is as expected, and only then make it real."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, Any

from models.base import ToolResult
from safety.changes import Change, ChangeSet
from tools.base import ToolContext, ToolError

if TYPE_CHECKING:
    from sandbox.stage import Stage

MAX_OUTPUT_BYTES = 200_000


def run_staged(
    ctx: ToolContext, type: str, script: str, folder: Path, env: dict[str, str], limit: float
) -> ToolResult:
    """Return the outcome of a script; its changes are committed when `ctx.hold` has nothing against them."""
    from sandbox.stage import Stage, StageError

    assert ctx.hold is not None
    roots = roots_of(ctx, folder)
    try:
        stage = Stage.open(roots, ctx.home, ctx.run or ctx.folder.name, ctx.call)
        try:
            code, output = stage.run(confined(roots, argv(type, script)), folder, env, limit)
            result = outcome(code, output, ctx)
            if held := ctx.hold(result, with_rewritten(stage)):
                stage.discard()
                return ToolResult("error", result.data | {"held": held})
            done = stage.commit()
        except BaseException:
            stage.discard()
            raise
    except StageError as error:
        raise ToolError(str(error)) from error
    return ToolResult("ok", result.data | {"changes": listed(done.changes)})


def roots_of(ctx: ToolContext, folder: Path) -> list[Path]:
    """Return the folders that a script may change."""
    places = ctx.sandbox.profile.places.roots if ctx.sandbox else (Path.home(), folder)
    return list(without_temporary(root for root in places if root.is_dir()))


def without_temporary(roots: Iterable[Path]) -> tuple[Path, ...]:
    """Return folders but that for temporary files: a script has one of its own, which ends with it."""
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
    """Return a command that can write in the roots alone."""
    words = ["bwrap", "--die-with-parent", "--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev"]
    words += ["--tmpfs", tempfile.gettempdir()]
    for root in roots:
        words += ["--bind", str(root), str(root)]
    return [*words, "--", *command]


def outcome(code: int, output: bytes, ctx: ToolContext) -> ToolResult:
    """Return what a script brought, as `code_run` tells it."""
    text = output[:MAX_OUTPUT_BYTES].decode("utf-8", "replace")
    data: dict[str, Any] = {"exit_code": code, "output": ctx.redact(text)}
    return ToolResult("ok" if code == 0 else "error", data)


def with_rewritten(stage: Stage) -> ChangeSet:
    """Return what was done, with the files that were written anew and are as they were."""
    again = [
        Change(
            "changed", Path(each.path), "file", each.before.st_size, each.before.st_size
        )  # no mode: content and rights are as before
        for each in stage.deltas
        if each.kind == "dress" and each.before and S_ISREG(each.before.st_mode)
    ]
    named = {change.path for change in stage.changes.changes}
    return ChangeSet(
        (*stage.changes.changes, *(change for change in again if change.path not in named))
    )


def listed(changes: ChangeSet) -> dict[str, list[str]]:
    """Return the paths that were touched, by kind."""
    found: dict[str, list[str]] = {}
    for change in changes.changes:
        found.setdefault(change.kind, []).append(str(change.path))
    return found
