"""Lists the core tools, which are always offered: a new one is a file in this folder and a line here. The others:
tools/families.py."""

from __future__ import annotations

from tools.agent import ask_user, recall, start_long_term_update, update_working_checkpoint
from tools.base import Tool
from tools.files import file_patch, file_read, file_trash, file_write
from tools.more_tools import more_tools
from tools.scripts import code_run


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
