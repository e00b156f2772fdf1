"""Says why the plan of an SOP may not ask for a call: whatever is not known to read alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tools.base import LOOKS, Tool


def plan_calls(
    tools: Mapping[str, Tool], hosts: Callable[[], frozenset[str]] = frozenset
) -> Callable[[str, Mapping[str, Any]], str | None]:
    """The judge that RoteModel takes as `may_read`: None lets a call pass, else it is the reason. `hosts` names those
    that may be asked for what they have, beside this machine; the gate still judges each call."""

    def why_not(name: str, args: Mapping[str, Any]) -> str | None:
        tool = tools.get(name)
        if tool is None:
            return _no_such_tool(name, tools)
        if tool.only_reads and "ask" not in tool.effects:
            return None
        if not tool.effects:
            return _by_its_name(name)
        if name in LOOKS:
            from learning.looks import only_looks  # few replays ask

            is_named = only_looks(args, hosts())
            return (
                None
                if is_named
                else f"{name} asks a host that neither the request nor its runs name"
            )
        if "execute" not in tool.effects:
            return f"{name} does more ({', '.join(tool.effects)})"
        reads = _only_reads(args, hosts)
        return None if reads else f"what {name} would run is not known to leave everything as it is"

    return why_not


def _no_such_tool(name: str, tools: Mapping[str, Tool]) -> str:
    from difflib import get_close_matches

    near = ", ".join(get_close_matches(name, tools, 3)) or "none"
    return f"there is no tool {name!r} (nearest: {near})"


def _only_reads(args: Mapping[str, Any], hosts: Callable[[], frozenset[str]]) -> bool:
    from learning.looks import python_only_reads, shell_only_reads

    script = str(args.get("script", ""))
    only_reads = python_only_reads if args.get("type") == "python" else shell_only_reads
    return only_reads(script) or only_reads(script, hosts())


def _by_its_name(name: str) -> str | None:
    """Judge a tool that is not ours by its name, as the gate does."""
    from safety.calls import read_name

    return None if read_name(name).effect == "read" else f"{name} does more than read, by its name"
