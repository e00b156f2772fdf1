"""The tool that marks a run as worth learning from; the learning itself starts when the run has ended. Seed 002 §3."""

from __future__ import annotations

from models.base import ToolResult
from tools.base import ToolContext, tool


@tool("memory")
def start_long_term_update(ctx: ToolContext, what: str) -> ToolResult:
    """Mark this run as worth learning from."""
    return ToolResult("ok", {"marked": True, "what": what})
