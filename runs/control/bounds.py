"""Bound a run that nobody started by hand: a helper by the run that it works for, an item by autonomous mode.

It stands in the run's first event, so that whoever resumes the run, and whenever, is held by the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from tools.base import Tool
from tools.families import Family

DEEPEST = 2  # a helper of a helper has none
NOT_FOR_HELPERS = {"ask_user"}  # it answers with what is missing; the run that it works for may ask
HELPERS = "helpers"  # the family


@dataclass(frozen=True, slots=True)
class Bounds:
    """`request`: the owner's own words, by which the gate goes; a task that a model wrote names nobody to it.

    `cost_usd` and `minutes` are this run's share. `tools`: what it may use; None: all. `folder`: autonomous mode's own,
    where it writes; "": the run is not in that mode. `item`: what autonomous mode calls what it works on."""

    request: str
    approve: Literal["ask", "never", "all"] = "ask"
    model: str | None = None
    turns: int | None = None
    cost_usd: float | None = None
    minutes: float | None = None
    parent: str = ""
    depth: int = 0
    tools: tuple[str, ...] | None = None
    folder: str = ""
    item: str = ""

    @classmethod
    def of(cls, opening: Mapping[str, Any]) -> Bounds | None:
        """Return those of a run, by its first event; None: its owner started it."""
        found = opening.get("bounds")
        if found is None:
            return None
        tools = found.get("tools")
        return replace(cls(**found), tools=None if tools is None else tuple(tools))

    def as_fields(self) -> dict[str, Any]:
        """The fields of `run_started`."""
        return {**({"parent": self.parent} if self.parent else {}), "bounds": asdict(self)}

    @property
    def is_alone(self) -> bool:
        """True in autonomous mode."""
        return bool(self.folder)

    def core(self, tools: Mapping[str, Tool]) -> dict[str, Tool]:
        """Return those of the core tools that the run has."""
        if self.parent:
            tools = {
                n: tool
                for n, tool in tools.items()
                if n not in NOT_FOR_HELPERS and "memory" not in tool.effects
            }
        if self.tools is None:
            return dict(tools)
        return {name: tool for name, tool in tools.items() if name in self.tools}

    def families(self, families: Mapping[str, Family]) -> dict[str, Family]:
        """Return those of the families that the run has, with the tools of them that it has."""
        found = dict(families)
        if self.depth >= DEEPEST:
            found.pop(HELPERS, None)
        if self.tools is None:
            return found
        held = {
            name: tuple(tool for tool in family.tools if tool in self.tools)
            for name, family in found.items()
        }
        return {name: found[name]._replace(tools=tools) for name, tools in held.items() if tools}


def auto_folder(home: Path, configured: Path | None) -> Path:
    """The folder of autonomous mode. It does not lie in the home folder: nothing that a model writes does."""
    return configured or home.with_name(f"{home.name}-auto")
