"""The tools about the run itself: ask the owner, note, recall. The handler does what they say. Seed
002 §3, 000 stage 2."""

from __future__ import annotations

from collections.abc import Generator
from typing import Annotated, Any

from models.base import ToolResult
from tools.base import Between, ToolContext, ToolError, Wish, tool


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


MAX_TASKS = 8


@tool("read", paths=("files",))
def delegate(
    ctx: ToolContext,
    tasks: list[str],
    files: list[str] | None = None,
    tools: list[str] | None = None,
    max_turns: Annotated[int, Between(1, 40)] | None = None,
    max_cost: float | None = None,
    max_minutes: float | None = None,
) -> Generator[Any, None, ToolResult]:
    """Give tasks that do not depend on each other to helpers, which work at the same time; returns
    what each found. They know nothing of this run.

    tasks: one for each helper, at most 8; say all that it must know, and what it should answer
    files: files that they should read
    tools: names of the tools that they may use; all that you have when left out
    max_turns: of each
    max_cost: USD, of each
    max_minutes: of each
    """
    wanted = [task.strip() for task in tasks if task.strip()]
    if not 0 < len(wanted) <= MAX_TASKS:
        raise ToolError("error.agent.give-between-tasks-each", count=MAX_TASKS)
    if ctx.delegate is None:
        raise ToolError("error.agent.helpers-here")
    read = [str(ctx.path(file)) for file in files or ()]
    wish = Wish(wanted, read, tools, max_turns, max_cost, max_minutes)
    return (yield from ctx.delegate(ctx.call, wish))


def problem() -> str:
    """Return "": helpers need nothing that could be missing."""
    return ""
