"""List the core tools, which are always offered: a new one is a file in this folder and a line here. The others:
tools/families.py. `python -m tools.registry` writes the schemas of all.
"""

from __future__ import annotations

import json
from pathlib import Path

from tools.agent import ask_user, recall, start_long_term_update, update_working_checkpoint
from tools.base import Tool
from tools.files import file_patch, file_read, file_trash, file_write
from tools.more_tools import more_tools
from tools.schema import FAMILY_FILE, FILE, derive
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


def listed() -> dict[Path, list[Tool]]:
    """Return the tools whose schemas each file holds."""
    from tools.families import families

    of_families = [tool for family in families().values() for tool in family.load().values()]
    return {FILE: list(all_tools().values()), FAMILY_FILE: of_families}


def write() -> None:
    """Write both files anew."""
    from memory.files import write_atomic

    for file, tools in listed().items():
        text = json.dumps([derive(tool) for tool in tools], ensure_ascii=False, indent=2)
        write_atomic(file, text + "\n")


if __name__ == "__main__":
    write()
