"""Let the model ask for a family of tools that it was not offered."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any, Literal

from models.base import ToolResult
from tools.base import ToolContext, tool
from tools.families import families
from tools.schema import schemas

Name = Literal["fetch", "browser", "desktop", "terminal", "processes", "mcp", "tasks", "helpers"]


def with_families(schema: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return the schema of `more_tools` with the families of plugins named behind ours."""
    if schema["function"]["name"] != more_tools.name:
        return schema
    known = schema["function"]["parameters"]["properties"]["family"]["enum"]
    more = [name for name in names if name not in known]
    if not more:
        return schema
    wider = copy.deepcopy(schema)
    wider["function"]["parameters"]["properties"]["family"]["enum"] = [*known, *more]
    return wider


@tool("none")
def more_tools(ctx: ToolContext, family: Name) -> ToolResult:
    """Offer more tools from the next turn."""
    found = families(ctx.config.plugins if ctx.config else ())[family]
    if problem := found.problem():
        return ToolResult("error", problem)
    lines = [schema["function"] for schema in schemas(found.load().values())]
    return ToolResult("ok", "\n".join(f"{each['name']}: {each['description']}" for each in lines))
