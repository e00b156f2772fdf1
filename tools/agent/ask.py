"""The tool that asks the owner; the handler puts the question and brings the answer."""

from __future__ import annotations

from models.base import ToolResult
from tools.base import ToolContext, tool


@tool("ask")
def ask_user(ctx: ToolContext, question: str, candidates: list[str] | None = None) -> ToolResult:
    """Ask the owner what only they decide or know."""
    return ToolResult("ok", {"question": question, "candidates": candidates or []})
