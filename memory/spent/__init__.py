"""Add up what runs have used: by day, by model, by SOP."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.spent.tables import FAILED as FAILED
    from memory.spent.tables import by_day as by_day
    from memory.spent.tables import by_model as by_model
    from memory.spent.tables import by_sop as by_sop
    from memory.spent.tables import since as since
else:
    __getattr__ = lazy(__name__)
