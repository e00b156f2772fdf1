"""Read what a run proves: its results, each named by a hash, and what the owner said."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.evidence.record import SAYS_NOTHING as SAYS_NOTHING
    from memory.evidence.record import Pointer as Pointer
    from memory.evidence.record import Result as Result
    from memory.evidence.record import RunRecord as RunRecord
    from memory.evidence.record import read_record as read_record
    from memory.evidence.record import results_of as results_of
else:
    __getattr__ = lazy(__name__)
