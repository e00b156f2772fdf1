"""The tool that deletes: into the trash, from where everything can be brought back. Seed 002 §3."""

from __future__ import annotations

from pathlib import Path

from models.base import ToolResult
from sandbox.trash import Trash, TrashError
from sandbox.undo import trees
from tools.base import ToolContext, ToolError, resolve, tool

_LISTED = 50


@tool("delete", paths=("paths",))
def file_trash(ctx: ToolContext, paths: list[str]) -> ToolResult:
    """Move paths to the trash."""
    places = [ctx.path(path) for path in paths]
    if not places:
        return ToolResult("ok", {"output": "nothing to move", "count": 0})
    try:
        uses_desktop = ctx.config is not None and ctx.config.safety.trash == "auto"
        trash = Trash(ctx.home, uses_desktop)
        chosen = trash.checked(_itself(place) for place in places)
        if ctx.is_dry:
            id, listed, where = "", _removed(chosen), "the trash"
        elif ctx.recording and not trash.is_desktops:
            id, listed, where = ctx.recording.remove(ctx.call, chosen), chosen, "the trash"
        else:
            id, items = trash.send(chosen)
            listed = [item.origin for item in items]
            where = "the desktop's trash" if any(item.note for item in items) else "the trash"
    except (TrashError, OSError) as error:
        raise ToolError(str(error)) from error
    more = f"\n… and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
    output = f"moved to {where} as {id}:\n" + "\n".join(map(str, listed[:_LISTED])) + more
    return ToolResult("ok", {"output": output, "count": len(listed), "trash": id})


def _removed(chosen: list[Path]) -> list[Path]:
    """Remove what nobody wants back: the stage of a dry run keeps the originals."""
    for path in chosen:
        trees.remove(str(path))
    return chosen


def _itself(place: Path) -> Path:
    """Return the path of what goes, which of a link is the link."""
    return resolve(place.parent) / place.name if place.name not in ("", "..") else resolve(place)
