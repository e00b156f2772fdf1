"""Says why the plan of an SOP's script may not ask for a call: whatever is not known to read alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tools.base import Tool


def plan_calls(tools: Mapping[str, Tool]) -> Callable[[str, Mapping[str, Any]], str | None]:
    """The judge that RoteModel takes as `may_read`: None lets a call pass, else it is the reason."""

    def why_not(name: str, args: Mapping[str, Any]) -> str | None:
        tool = tools.get(name)
        if tool is None:
            from difflib import get_close_matches

            return f"there is no tool {name!r} (nearest: {', '.join(get_close_matches(name, tools, 3)) or 'none'})"
        if tool.only_reads and "ask" not in tool.effects:
            return None
        if not tool.effects:
            return _by_its_name(name)
        if "execute" not in tool.effects:
            return f"{name} does more ({', '.join(tool.effects)})"
        from learning.reach import python_only_reads, shell_only_reads  # only the plans of scripts ask

        script = str(args.get("script", ""))
        reads = python_only_reads(script) if args.get("type") == "python" else shell_only_reads(script)
        return None if reads else f"what {name} would run is not known to leave everything as it is"

    return why_not


def _by_its_name(name: str) -> str | None:
    """Of a tool that is not ours: the gate judges it in the same way."""
    from safety.tool_words import read_name

    return None if read_name(name).effect == "read" else f"{name} does more than read, by its name"
