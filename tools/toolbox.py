"""The tools of one run: those that the model is offered, and those that may be called all the same.

A tool of a family joins the offer when its family is asked for or one of its tools is called by
name; a replay calls by name. The offer only grows, behind the core tools, so that the start of each
request stays the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from models.base import ToolCall
from tools.base import Tool
from tools.registry import Family, with_families
from tools.registry import families as all_families
from tools.schema import schemas

Schema = dict[str, Any]
Foreign = Callable[[str], tuple[Tool, Schema] | None]


class Toolbox(Mapping[str, Tool]):
    """A mapping from the names of all tools that may be called to the tools; to look one up imports
    its family."""

    def __init__(
        self,
        core: Mapping[str, Tool],
        families: Mapping[str, Family] | None = None,
        offered: Iterable[str] = (),
        foreign: Foreign | None = None,
    ) -> None:
        """`offered` names the families that are offered from the start; `foreign` finds a tool that
        is not ours by a name with a dot in it, such as those of MCP servers, with its schema."""
        self._tools = dict(core)
        families = all_families() if families is None else families
        self._families = families
        self._family_of = {
            tool: family.name for family in families.values() for tool in family.tools
        }
        self._foreign = foreign or (lambda name: None)
        self.offered: list[str] = []
        self.schemas: list[Schema] = [
            with_families(schema, self._families) for schema in schemas(core.values())
        ]
        self._schema_of = {schema["function"]["name"]: schema for schema in self.schemas}
        for name in offered:
            self.offer(name)

    def __getitem__(self, name: str) -> Tool:
        """Return the tool called `name`. Raises KeyError."""
        if name not in self._tools:
            if name in self._family_of:
                self._load(self._family_of[name])
            elif "." not in name or not (found := self._foreign(name)):
                raise KeyError(name)
            else:
                self._tools[name], self._schema_of[name] = found
        return self._tools[name]

    def __contains__(self, name: object) -> bool:
        return (
            name in self._tools
            or name in self._family_of
            or (isinstance(name, str) and self.get(name) is not None)
        )

    def __iter__(self) -> Iterator[str]:
        yield from self._tools
        yield from (name for name in self._family_of if name not in self._tools)

    def __len__(self) -> int:
        return len(list(iter(self)))

    def schema(self, name: str) -> Schema:
        """Return the function schema of a tool. Raises KeyError."""
        tool = self[name]  # one that is not ours brings its schema along
        if name not in self._schema_of:
            (self._schema_of[name],) = schemas([tool])
        return self._schema_of[name]

    def _shown(self) -> set[str]:
        return {schema["function"]["name"] for schema in self.schemas}

    def offer(self, family: str) -> bool:
        """Offer the tools of a family from the next request on. False when they are offered, or
        nobody knows it."""
        if family in self.offered or family not in self._families:
            return False
        self.offered.append(family)
        self._load(family)
        self.schemas = [
            *self.schemas,
            *(self.schema(name) for name in self._families[family].tools),
        ]
        return True

    def meant(self, call: ToolCall) -> ToolCall:
        """Return the call that is meant: `mcp_call` stands for the tool that it names, and all that
        looks at a call looks at that."""
        if call.name != "mcp_call" or not call.args:
            return call
        name, args = (
            f"{call.args.get('server')}.{call.args.get('tool')}",
            call.args.get("args") or {},
        )
        if isinstance(args, str):
            with suppress(ValueError, RecursionError):
                args = json.loads(args)
        return (
            call._replace(name=name, args=dict(args))
            if isinstance(args, dict) and name in self
            else call
        )

    def family_of(self, tool: str) -> str:
        """Return the family that a tool belongs to, or ""."""
        return self._family_of.get(tool, "")

    def problem(self, tool: str) -> str:
        """Return why the family of a tool cannot work on this machine, or ""."""
        family = self._family_of.get(tool)
        return self._families[family].problem() if family else ""

    def _load(self, family: str) -> None:
        self._tools |= self._families[family].load()
