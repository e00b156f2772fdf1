"""Count what a run used, from its events; say what each run of an SOP cost and how it ended: the
learning curve."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.usage.counting import Totals as Totals
    from memory.usage.counting import choice_of as choice_of
    from memory.usage.counting import opening_of as opening_of
    from memory.usage.counting import own_opening as own_opening
    from memory.usage.sop_runs import SopRun as SopRun
    from memory.usage.sop_stats import Counts as Counts
    from memory.usage.sop_stats import SopStats as SopStats
    from memory.usage.sop_stats import count as count
else:
    __getattr__ = lazy(__name__)
