"""Whose words a result is: the owner's own, or somebody else's, who may want the model to do what the owner never asked.

A run keeps the origins of all that its model has read. Once there is one, what the run does to others is asked about
(gate.py): models obey what they read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from safety.fetches import fetches
from safety.paths import Places

WEB, TOOL, OUTSIDE, SHARED, SCREEN = "web", "tool", "outside", "shared", "screen"
_OWN = {"", "owner", "user", "self", "own", "main", "local", "none", "request", "home", "trusted"}
_OURS = {
    "none",
    "ask",
    "memory",
    "read",
    "write",
    "delete",
    "execute",
}  # effects of tools that bring nothing from elsewhere
_SYSTEM = (
    "/usr",
    "/etc",
    "/proc",
    "/sys",
    "/bin",
    "/sbin",
    "/lib",
    "/dev",
    "/var/log",
    "/opt",
    "/run",
)
_PATH = re.compile(r"(?<![\w:/.~-])(/[\w.@%+-]+(?:/[\w.@%+-]+)+)")
_SHARED_NOTE = re.compile(r"\(shared:[^\s()]{1,80}\)")


def foreign(origins: Iterable[str]) -> tuple[str, ...]:
    """The origins that are not the owner; a word that nobody knows is foreign."""
    return tuple(sorted({each for each in origins if each.strip().casefold() not in _OWN}))


def of_result(
    effects: Sequence[str], args: dict[str, Any], paths: Sequence[Path], places: Places
) -> str:
    """The origin of what a call brought: "" for the owner's own. `paths` are those that the call names."""
    if not set(effects) <= _OURS or not effects:
        return WEB if "network" in effects else TOOL
    if "execute" in effects:
        script = str(args.get("script", ""))
        found = fetches(script, is_python=args.get("type") == "python", variables=_variables(args))
        if found.urls or found.is_hidden:
            return WEB
        named = [Path(text) for text in _PATH.findall(script[:50_000])[:200]]
        return OUTSIDE if any(_is_outside(path, places) for path in named) else ""
    if (
        "read" in effects
        and "write" not in effects
        and any(_is_outside(path, places) for path in paths)
    ):
        return OUTSIDE
    return ""


def of_messages(messages: Iterable[dict[str, Any]]) -> str:
    """The origin of the notes that stand in the first messages: what was said in shared sessions carries their name."""
    return (
        SHARED
        if any(_SHARED_NOTE.search(str(message.get("content"))) for message in messages)
        else ""
    )


def _variables(args: dict[str, Any]) -> dict[str, str]:
    env = args.get("env")
    return {str(name): str(value) for name, value in env.items()} if isinstance(env, dict) else {}


def _is_outside(path: Path, places: Places) -> bool:
    """Outside the roots, and no file of the system."""
    return places.kind(path) == "outside" and not str(path).startswith(_SYSTEM)
