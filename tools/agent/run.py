"""The tools about the run itself: ask the owner, note, recall. The handler does what they say. Seed 002 §3, 000 stage 2."""

from __future__ import annotations

from models.base import ToolResult
from tools.base import ToolContext, tool


@tool("ask")
def ask_user(ctx: ToolContext, question: str, candidates: list[str] | None = None) -> ToolResult:
    """Ask the owner what only they decide or know."""
    return ToolResult("ok", {"question": question, "candidates": candidates or []})


@tool("none")
def update_working_checkpoint(
    ctx: ToolContext, key_info: str, related_sop: str | None = None
) -> ToolResult:
    """Keep what must not be forgotten."""
    return ToolResult("ok", {"key_info": key_info, "related_sop": related_sop or ""})


@tool("memory")
def start_long_term_update(ctx: ToolContext, what: str) -> ToolResult:
    """Mark this run as worth learning from."""
    return ToolResult("ok", {"marked": True, "what": what})


@tool("none")
def recall(ctx: ToolContext, query: str) -> ToolResult:
    """Search earlier conversations."""
    found = ctx.recall(query)
    data = {"output": "\n".join(found.lines) or "nothing was found", "count": len(found.lines)}
    more = {"degraded": list(found.degraded)} if found.degraded else {}
    return ToolResult("ok", data | more, origin=found.origin)
