"""Count what runs used: tokens, money, by day, by model, by SOP."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.usage.counting import Totals as Totals
    from memory.usage.counting import choice_of as choice_of
    from memory.usage.counting import opening_of as opening_of
    from memory.usage.usage import FAILED as FAILED
    from memory.usage.usage import by_day as by_day
    from memory.usage.usage import by_model as by_model
    from memory.usage.usage import by_sop as by_sop
    from memory.usage.usage import since as since
else:
    __getattr__ = lazy(
        __name__,
        FAILED="usage",
        Totals="counting",
        by_day="usage",
        by_model="usage",
        by_sop="usage",
        choice_of="counting",
        opening_of="counting",
        since="usage",
    )
