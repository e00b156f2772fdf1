"""List the tools: the core ones, which are always offered, and the families that `more_tools`
offers.

A new core tool is a file in this folder and a line here, a family is a row of assets/families.json.
`python -m tools.registry` writes the schemas of all.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

from models.base import ToolResult
from text.plugin import found
from tools.agent import ask_user, recall, start_long_term_update, update_working_checkpoint
from tools.base import Tool, ToolContext, tool
from tools.files import file_patch, file_read, file_trash, file_write
from tools.schema import FAMILY_FILE, FILE, derive, schemas
from tools.scripts import code_run

ASSETS = Path(__file__).parent.parent / "assets"


def all_tools() -> dict[str, Tool]:
    """Return the tools by name, in the order in which models are shown them."""
    listed = (
        code_run,
        file_read,
        file_patch,
        file_write,
        file_trash,
        recall,
        more_tools,
        ask_user,
        update_working_checkpoint,
        start_long_term_update,
    )
    return {tool.name: tool for tool in listed}


def listed() -> dict[Path, list[Tool]]:
    """Return the tools whose schemas each file holds."""

    of_families = [tool for family in families().values() for tool in family.load().values()]
    return {FILE: list(all_tools().values()), FAMILY_FILE: of_families}


def write() -> None:
    """Write both files anew."""
    from memory.files import write_atomic

    for file, tools in listed().items():
        text = json.dumps([derive(tool) for tool in tools], ensure_ascii=False, indent=2)
        write_atomic(file, text + "\n")


class Family(NamedTuple):
    """A family by name. `words`: a request in which this pattern is found has the family from the
    start."""

    name: str
    module: str
    tools: tuple[str, ...]
    words: str

    def load(self) -> dict[str, Tool]:
        """Its tools by name; imports the module."""
        module = import_module(self.module)
        return {name: getattr(module, name) for name in self.tools}

    def problem(self) -> str:
        """Return why it cannot work here, or ""; imports the module."""
        said: str = import_module(self.module).problem()
        return said


def families(plugins: Sequence[str] = ()) -> dict[str, Family]:
    """Return the families of ours by name, then those of the plugins that the owner asks for."""
    return _ours() | found("family", plugins)


@cache
def _ours() -> dict[str, Family]:
    rows = json.loads((ASSETS / "families.json").read_text("utf-8"))
    return {
        name: Family(name, row["module"], tuple(row["tools"]), row["words"])
        for name, row in rows.items()
    }


def named_in(request: str, families: Mapping[str, Family]) -> list[str]:
    """Return the families that a request asks for by its words."""
    return [
        family.name
        for family in families.values()
        if re.search(family.words, request, re.IGNORECASE)
    ]


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


if __name__ == "__main__":
    write()
