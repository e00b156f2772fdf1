"""Where scripts run: the walls of a cell, and how much of them this machine can hold."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from sandbox.cells.cgroups import Group as Group
    from sandbox.cells.levels import Profile as Profile
    from sandbox.cells.levels import Sandbox as Sandbox
else:
    __getattr__ = lazy(__name__)
