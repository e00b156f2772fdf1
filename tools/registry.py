"""Lists the core tools, which are always offered: a new one is a file in this folder and a line here. The others:
tools/families.py."""

from __future__ import annotations

from tools.ask_user import ask_user
from tools.base import Tool
from tools.code_run import code_run
from tools.file_patch import file_patch
from tools.file_read import file_read
from tools.file_trash import file_trash
from tools.file_write import file_write
from tools.more_tools import more_tools
from tools.recall import recall
from tools.start_long_term_update import start_long_term_update
from tools.update_working_checkpoint import update_working_checkpoint


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
