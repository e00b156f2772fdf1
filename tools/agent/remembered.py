"""The tool that finds what was said before, in earlier tasks too; only what the run's session may know. Seed 000 stage 2."""

from __future__ import annotations

from models.base import ToolResult
from tools.base import ToolContext, tool


@tool("none")
def recall(ctx: ToolContext, query: str) -> ToolResult:
    """Search earlier conversations."""
    found = ctx.recall(query)
    data = {"output": "\n".join(found.lines) or "nothing was found", "count": len(found.lines)}
    more = {"degraded": list(found.degraded)} if found.degraded else {}
    return ToolResult("ok", data | more, origin=found.origin)
