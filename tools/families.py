"""Name the families of tools: offered, and imported, when a task asks for them (assets/families.json).

A family is a module with its tools and a function `problem()`: "" when the family can work on this
machine, else one sentence that says what is missing and the command that mends it. A package of
somebody else brings one as a plugin (text/plugin.py); its tools pass the same gate.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from text.plugin import found
from tools.base import Tool

ASSETS = Path(__file__).parent.parent / "assets"


class Family(NamedTuple):
    """A family by name. `words`: a request in which this pattern is found has the family from the start."""

    name: str
    module: str
    tools: tuple[str, ...]
    words: str

    def load(self) -> dict[str, Tool]:
        """Its tools by name; imports the module."""
        module = import_module(self.module)
        return {name: getattr(module, name) for name in self.tools}

    def problem(self) -> str:
        """Why it cannot work here, or ""; imports the module."""
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
    """The families that a request asks for by its words."""
    return [
        family.name
        for family in families.values()
        if re.search(family.words, request, re.IGNORECASE)
    ]
