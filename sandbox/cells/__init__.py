"""Where scripts run: the walls of a cell, and how much of them this machine can hold."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandbox.cells import bubblewrap, levels, mounts
    from sandbox.cells.cgroups import Group
    from sandbox.cells.levels import Profile, Sandbox

__all__ = ["Group", "Profile", "Sandbox", "bubblewrap", "levels", "mounts"]
_FROM = {"Group": "cgroups", "Profile": "levels", "Sandbox": "levels"}


def __getattr__(name: str) -> Any:
    """Load a name of the face on first use."""
    if name in _FROM:
        return getattr(import_module(f"sandbox.cells.{_FROM[name]}"), name)
    if name in __all__:
        return import_module(f"sandbox.cells.{name}")
    raise AttributeError(name)
