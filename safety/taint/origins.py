"""Whose words a result is: the owner's own, or somebody else's, who may want the model to do what
the owner never asked.

A run keeps the origins of all that its model has read. Once there is one, what the run does to
others is asked about: models obey what they read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from safety.findings import foreign
from safety.paths import Places
from safety.reach import fetches
from text import pattern
from text.sections import sections

__all__ = ["Origin", "foreign", "of_messages", "of_result"]


class Origin(StrEnum):
    """Name who may have written what a tool brought."""

    WEB = "web"
    TOOL = "tool"
    OUTSIDE = "outside"
    SHARED = "shared"
    SCREEN = "screen"


# Effects of tools that bring nothing from elsewhere.
_OURS = {"none", "ask", "memory", "read", "write", "delete", "execute"}
_PATH = pattern(r"(?<![\w:/.~-])(/[\w.@%+-]+(?:/[\w.@%+-]+)+)")
_SHARED_NOTE = pattern(r"\(shared:[^\s()]{1,80}\)")
_MOST_PATHS = 200


def of_result(
    effects: Sequence[str], args: dict[str, Any], paths: Sequence[Path], places: Places
) -> str:
    """Return the origin of what a call brought: "" for the owner's own. `paths` are those that the
    call names."""
    own = set(effects)
    if not own or not own <= _OURS:
        return Origin.WEB if "network" in own else Origin.TOOL
    if "execute" in own:
        return _of_script(args, places)
    only_reads = "read" in own and "write" not in own
    return Origin.OUTSIDE if only_reads and _any_outside(paths, places) else ""


def _of_script(args: dict[str, Any], places: Places) -> str:
    script, env = str(args.get("script", "")), args.get("env")
    known = {str(name): str(value) for name, value in env.items()} if isinstance(env, dict) else {}
    asked = fetches(script, is_python=args.get("type") == "python", variables=known)
    if asked.urls or asked.is_hidden:
        return Origin.WEB
    named = [Path(text) for text in _PATH.findall(script[:50_000])[:_MOST_PATHS]]
    return Origin.OUTSIDE if _any_outside(named, places) else ""


def of_messages(messages: Iterable[dict[str, Any]]) -> str:
    """Return the origin of the notes in the first messages: what shared sessions said carries their
    name."""
    texts = (str(message.get("content")) for message in messages)
    return Origin.SHARED if any(map(_SHARED_NOTE.search, texts)) else ""


def _any_outside(paths: Iterable[Path], places: Places) -> bool:
    """Return True if one lies outside the roots and is no file of the system."""
    outside = [str(path) for path in paths if places.kind(path) == "outside"]
    return not all(path.startswith(_system_folders()) for path in outside)


@cache
def _system_folders() -> tuple[str, ...]:
    return tuple(sections("safety/places.txt")["system_folders"].split())
