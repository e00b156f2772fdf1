"""Where scripts run: the walls of a cell, how much of them this machine can hold,
and how far the gate lifts them for one call."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandbox.cells import bubblewrap, levels, mounts
    from sandbox.cells.cgroups import Group
    from sandbox.cells.escalations import lifts_of
    from sandbox.cells.levels import Lift, Profile, Sandbox

__all__ = ["Group", "Lift", "Profile", "Sandbox", "bubblewrap", "levels", "lifts_of", "mounts"]
_FROM = {
    "Group": "cgroups",
    "Lift": "levels",
    "Profile": "levels",
    "Sandbox": "levels",
    "lifts_of": "escalations",
}


def __getattr__(name: str) -> Any:
    """Load a name of the face on first use."""
    if name in _FROM:
        return getattr(import_module(f"sandbox.cells.{_FROM[name]}"), name)
    if name in __all__:
        return import_module(f"sandbox.cells.{name}")
    raise AttributeError(name)
