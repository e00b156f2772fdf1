"""Lists the core tools, which are always offered: a new one is a file in this folder and a line here. The others:
tools/families.py."""

from __future__ import annotations

from tools.agent.ask_user import ask_user
from tools.agent.recall import recall
from tools.agent.start_long_term_update import start_long_term_update
from tools.agent.update_working_checkpoint import update_working_checkpoint
from tools.base import Tool
from tools.files.file_patch import file_patch
from tools.files.file_read import file_read
from tools.files.file_trash import file_trash
from tools.files.file_write import file_write
from tools.more_tools import more_tools
from tools.scripts.code_run import code_run


def all_tools() -> dict[str, Tool]:
    """The tools by name, in the order in which models are shown them."""
    listed = (
        code_run,
        file_read,
        file_patch,
        file_write,
        file_trash,
        recall,
        more_tools,
        ask_user,
        update_working_checkpoint,
        start_long_term_update,
    )
    return {tool.name: tool for tool in listed}
