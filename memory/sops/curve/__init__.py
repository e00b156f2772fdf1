"""Say what each run of an SOP cost and how it ended: the learning curve."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.sops.curve.sop_runs import SopRun as SopRun
    from memory.sops.curve.sop_stats import Counts as Counts
    from memory.sops.curve.sop_stats import SopStats as SopStats
    from memory.sops.curve.sop_stats import count as count
else:
    __getattr__ = lazy(__name__)
