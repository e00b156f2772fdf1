"""The commands `memory …`."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from ui.memory.journal import iso as iso
    from ui.memory.journal import opened as opened
    from ui.memory.journal import recalled as recalled
    from ui.memory.journal import results_as_json as results_as_json
    from ui.memory.journal import turn_as_json as turn_as_json
    from ui.memory.memory import facts_as_json as facts_as_json
    from ui.memory.memory import store as store
else:
    __getattr__ = lazy(__name__)
