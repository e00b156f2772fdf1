"""Read the lines that somebody wrote down: MEMORY.md, facts, notes, other files below memory/."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.written.lines import Written as Written
    from memory.written.lines import written_files as written_files
    from memory.written.lines import written_lines as written_lines
else:
    __getattr__ = lazy(__name__)
