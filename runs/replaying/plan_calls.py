"""Say why the plan of an SOP may not ask for a call: whatever is not known to read alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tools.base import LOOKS, Tool


def plan_calls(
    tools: Mapping[str, Tool], hosts: Callable[[], frozenset[str]] = frozenset
) -> Callable[[str, Mapping[str, Any]], str | None]:
    """Return the judge that RoteModel takes as `may_read`: None lets a call pass, else it is the reason. `hosts` names those
    that may be asked for what they have, beside this machine. The gate still judges each call, and a script of a plan runs
    in a stage, where it may change nothing (replay/rote.py)."""

    def why_not(name: str, args: Mapping[str, Any]) -> str | None:
        tool = tools.get(name)
        if tool is None:
            return _no_such_tool(name, tools)
        reads = tool.only_reads and "ask" not in tool.effects
        if reads or name == "code_run":
            return None
        if not tool.effects:
            return _by_its_name(name)
        if name not in LOOKS:
            return f"{name} does more ({', '.join(tool.effects)})"
        from learning.looks import only_looks  # few replays ask

        is_named = only_looks(args, hosts())
        said = f"{name} asks a host that neither the request nor its runs name"
        return None if is_named else said

    return why_not


def _no_such_tool(name: str, tools: Mapping[str, Tool]) -> str:
    from difflib import get_close_matches

    near = ", ".join(get_close_matches(name, tools, 3)) or "none"
    return f"there is no tool {name!r} (nearest: {near})"


def _by_its_name(name: str) -> str | None:
    """Judge a tool that is not ours by its name, as the gate does."""
    from safety.calls import read_name

    return None if read_name(name).effect == "read" else f"{name} does more than read, by its name"
