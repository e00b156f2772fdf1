"""The tool that deletes: into the undo store, from where everything can be brought back. Seed 002
§3."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from models.base import ToolResult
from sandbox.undo import trees
from tools.base import ToolContext, ToolError, resolve, tool

_LISTED = 50


@tool("delete", paths=("paths",))
def file_trash(ctx: ToolContext, paths: list[str]) -> ToolResult:
    """Move paths to the trash."""
    places = [ctx.path(path) for path in paths]
    if not places:
        return ToolResult("ok", {"output": "nothing to move", "count": 0})
    chosen = _checked(map(_itself, places), ctx.home / "trash")
    try:
        id = _removed(ctx, chosen)
    except OSError as error:
        raise ToolError(str(error)) from error
    more = f"\n… and {len(chosen) - _LISTED} more" if len(chosen) > _LISTED else ""
    output = f"moved to the trash as {id}:\n" + "\n".join(map(str, chosen[:_LISTED])) + more
    return ToolResult("ok", {"output": output, "count": len(chosen), "trash": id})


def _removed(ctx: ToolContext, chosen: list[Path]) -> str:
    """Remove the paths, all or none; return the number to restore them by. Raises OSError."""
    if ctx.is_dry:  # the stage of a dry run keeps the originals
        for path in chosen:
            trees.remove(str(path))
        return ""
    if ctx.recording:
        return ctx.recording.remove(ctx.call, chosen)
    from sandbox.stage import remove

    return remove(ctx.home, ctx.run, ctx.call, chosen)[0]


def _checked(paths: Iterable[Path], trash: Path) -> list[Path]:
    """Return the paths that are to go, without those that lie in another of them. Raises
    ToolError."""
    wanted = dict.fromkeys(paths)
    missing = [str(path) for path in wanted if not os.path.lexists(path)]
    if missing:
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        raise ToolError("error.files.not-moved", names=", ".join(missing[:5]), more=more)
    for path in filter(_is_fixed(trash), wanted):
        raise ToolError("error.files.cannot-go-trash-use", path=path)
    return [path for path in wanted if wanted.keys().isdisjoint(path.parents)]


def _is_fixed(trash: Path) -> Callable[[Path], bool]:
    """Return a test for mounts, and for what holds the trash or the folder that we are in."""
    inside = [trash.resolve() / "x", Path.cwd() / "x"]
    return lambda path: path.is_mount() or any(path in each.parents for each in inside)


def _itself(place: Path) -> Path:
    """Return the path of what goes, which of a link is the link."""
    return resolve(place.parent) / place.name if place.name not in ("", "..") else resolve(place)
