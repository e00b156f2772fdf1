"""The tool that finds what was said before, in earlier tasks too; only what the run's session may know. Seed 000 stage 2."""

from __future__ import annotations

from models.base import ToolResult
from tools.base import ToolContext, tool


@tool("none")
def recall(ctx: ToolContext, query: str) -> ToolResult:
    """Search earlier conversations by meaning and time."""
    lines, degraded = ctx.recall(query)
    output = "\n".join(lines) or "nothing was found"
    return ToolResult("ok", {"output": output, "count": len(lines), **({"degraded": degraded} if degraded else {})})
