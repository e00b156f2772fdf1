"""Tools about the run itself: ask the owner, note, recall, delegate, the to-do list."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from tools.agent.run import ask_user as ask_user
    from tools.agent.run import recall as recall
    from tools.agent.run import start_long_term_update as start_long_term_update
    from tools.agent.run import update_working_checkpoint as update_working_checkpoint
else:
    __getattr__ = lazy(__name__)
