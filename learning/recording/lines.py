"""Read the lines of a recorded demonstration: what was typed, where, how it ended, what it
printed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from learning.prove.strictness import Line
from models.base import Event

_FUNCTION = re.compile(r"(?:^|[;\n])\s*(?:function\s+)?([\w.:+-]+)\s*\(\s*\)")
NOT_FOR_SCRIPTS = ("interactive", "hidden_input", "input", "interrupted", "stopped", "unread")


@dataclass(frozen=True, slots=True)
class Typed:
    """A line that was typed in a folder; `why_not` says why a script cannot repeat it."""

    turn: int
    line: Line
    folder: str
    why_not: str = ""


def typed_lines(events: Iterable[Event]) -> list[Typed]:
    """Return the lines of a recorded run in order, without the one that left the shell."""
    scripts: dict[str, str] = {}
    found: list[Typed] = []
    known: set[str] = set()  # functions that an earlier line makes
    for event in events:
        if event["type"] == "tool_started":
            scripts[event["call"]] = event["args"].get("script", "")
        elif event["type"] == "tool_ended" and isinstance(event["data"], dict):
            text = scripts.get(event["call"], "").strip("\n")
            each = _typed(event["turn"], text, event["data"], known)
            known |= set() if each.why_not else set(_FUNCTION.findall(each.line.text))
            found.append(each)
    return [each for each in found if _is_step(each)]


def _is_step(typed: Typed) -> bool:
    """Return False for an empty line, and for the one that leaves the shell."""
    words = typed.line.text.split()
    return words[0] not in ("exit", "logout") if words else bool(typed.why_not)


def _typed(turn: int, text: str, data: Mapping[str, Any], known: Collection[str]) -> Typed:
    code = data.get("exit_code")
    never_ended = "interrupted" if code is None else ""
    why = next((note for note in NOT_FOR_SCRIPTS if data.get(note)), never_ended)
    line = Line(
        _runnable(text, data, known), 1 if code is None else code, str(data.get("output", ""))
    )
    return Typed(turn, line, data.get("cwd_before", ""), why)


def _runnable(text: str, data: Mapping[str, Any], known: Collection[str]) -> str:
    """Return a line for a shell that does not know the owner's aliases and functions."""
    aliases = [
        f"alias {name}={shlex.quote(value)}"
        for name, value in data.get("aliases", {}).items()
        if name not in value.split()[:1]
    ]
    functions = data.get("functions", {}).items()
    before = [*(each for name, each in functions if name not in known), *aliases]
    if aliases:
        before.insert(0, "shopt -s expand_aliases")
    return "\n".join([*before, text])
