"""Keep what a run must not forget, what others say to it, and see when it goes round in circles."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.working.state import Letters as Letters
    from memory.working.state import LoopWatch as LoopWatch
    from memory.working.state import TurnState as TurnState
    from memory.working.state import WorkingMemory as WorkingMemory
    from memory.working.state import left_open as left_open
    from memory.working.state import without_summary as without_summary
else:
    __getattr__ = lazy(__name__)
