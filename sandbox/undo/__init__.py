"""Changes of files that can be taken back: read off an overlay, made real by steps that survive a
kill, kept in the undo store until they are forgotten."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandbox.undo import commits, conflicts, entries, places, trees, walk
    from sandbox.undo.places import StageError
    from sandbox.undo.store import UndoStore

__all__ = ["StageError", "UndoStore", "commits", "conflicts", "entries", "places", "trees", "walk"]
_FROM = {"StageError": "places", "UndoStore": "store"}


def __getattr__(name: str) -> Any:
    """Load a name of the face on first use."""
    if name not in __all__:
        raise AttributeError(name)
    found = import_module(f"sandbox.undo.{_FROM.get(name, name)}")
    return getattr(found, name) if name in _FROM else found
