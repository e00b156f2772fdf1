"""The tool that notes what the rest of the run must not forget; the handler keeps it in the anchor. Seed 002 §3."""

from __future__ import annotations

from models.base import ToolResult
from tools.base import ToolContext, tool


@tool("none")
def update_working_checkpoint(
    ctx: ToolContext, key_info: str, related_sop: str | None = None
) -> ToolResult:
    """Keep what must not be forgotten."""
    return ToolResult("ok", {"key_info": key_info, "related_sop": related_sop or ""})
