"""Tools about the run itself: ask the owner, note, recall, delegate, the to-do list."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from tools.agent.ask import ask_user as ask_user
    from tools.agent.checkpoint import update_working_checkpoint as update_working_checkpoint
    from tools.agent.long_term import start_long_term_update as start_long_term_update
    from tools.agent.remembered import recall as recall
else:
    __getattr__ = lazy(
        __name__,
        ask_user="ask",
        recall="remembered",
        start_long_term_update="long_term",
        update_working_checkpoint="checkpoint",
    )
