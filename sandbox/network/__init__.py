"""The way out of a cell: a proxy for the hosts that a policy allows, and a broker for single programs of the host.

Both serve sockets that a cell hands over; nothing in a cell holds a connection to the outside."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandbox.network.exits import Exits, Leave
    from sandbox.network.journal import read as read_journal
    from sandbox.network.named import commands_of, leave_of

_WHERE = {
    "Exits": ("exits", "Exits"),
    "Leave": ("exits", "Leave"),
    "commands_of": ("named", "commands_of"),
    "leave_of": ("named", "leave_of"),
    "read_journal": ("journal", "read"),
}
__all__ = ["Exits", "Leave", "commands_of", "leave_of", "read_journal"]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(name)
    module, inner = _WHERE[name]
    return getattr(import_module(f"{__name__}.{module}"), inner)
