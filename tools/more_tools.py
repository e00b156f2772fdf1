"""Lets the model ask for a family of tools that it was not offered."""

from __future__ import annotations

from typing import Literal

from models.base import ToolResult
from tools.base import ToolContext, tool
from tools.families import FAMILIES
from tools.schema import schemas

Name = Literal["fetch", "browser", "desktop", "terminal", "processes", "mcp", "tasks", "helpers"]


@tool("none")
def more_tools(ctx: ToolContext, family: Name) -> ToolResult:
    """Offer more tools from the next turn on."""
    found = FAMILIES[family]
    if problem := found.problem():
        return ToolResult("error", problem)
    lines = [schema["function"] for schema in schemas(found.load().values())]
    return ToolResult("ok", "\n".join(f"{each['name']}: {each['description']}" for each in lines))
