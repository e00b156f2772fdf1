"""Write what a model reads: the first messages of a run, the texts of each turn, a history that
keeps its budget."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from context.builder import Brief as Brief
    from context.compaction import Compaction as Compaction
    from context.compaction import Extent as Extent
    from context.history import History as History
    from context.history import Reading as Reading
    from context.injectors import first_messages as first_messages
    from context.prompts import Prompts as Prompts
    from context.turns import TurnTexts as TurnTexts
else:
    __getattr__ = lazy(__name__)
