"""Count what a run used, from its events."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.usage.counting import Totals as Totals
    from memory.usage.counting import choice_of as choice_of
    from memory.usage.counting import opening_of as opening_of
    from memory.usage.counting import own_opening as own_opening
else:
    __getattr__ = lazy(__name__)
