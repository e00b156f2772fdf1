"""Changes of files that can be taken back: read off an overlay, made real by steps that survive a
kill, kept in the undo store until they are forgotten."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandbox.undo import commits, conflicts, entries, places, trees, walk
    from sandbox.undo.places import StageError
    from sandbox.undo.store import UndoStore

__all__ = [
    "StageError",
    "UndoStore",
    "commits",
    "conflicts",
    "entries",
    "places",
    "trees",
    "walk",
]
_FROM = {"StageError": "places", "UndoStore": "store"}


def __getattr__(name: str) -> Any:
    """Load a name of the face on first use."""
    if name in _FROM:
        return getattr(import_module(f"sandbox.undo.{_FROM[name]}"), name)
    if name in __all__:
        return import_module(f"sandbox.undo.{name}")
    raise AttributeError(name)
