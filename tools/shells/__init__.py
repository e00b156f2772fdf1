"""Bash on a terminal that stays open between calls."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from tools.shells.calls import problem as problem
else:
    __getattr__ = lazy(__name__)
