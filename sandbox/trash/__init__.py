"""The trash of a home folder: moves files away, all or none, and brings them back by an id;
what lies there before the undo store (sandbox/stage) is restored from here."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandbox.trash import desktop
    from sandbox.trash.bin import Item, Trash, TrashError

__all__ = ["Item", "Trash", "TrashError", "desktop"]


def __getattr__(name: str) -> Any:
    """Load a name of the face on first use."""
    if name == "desktop":
        return import_module("sandbox.trash.desktop")
    if name in __all__:
        return getattr(import_module("sandbox.trash.bin"), name)
    raise AttributeError(name)
