"""Read the lines that somebody wrote down (MEMORY.md, facts, notes, other files below memory/), and
take out what the owner wants forgotten."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.written.forgetting import forget as forget
    from memory.written.forgetting import forgets as forgets
    from memory.written.forgetting import is_to_forget as is_to_forget
    from memory.written.forgetting import says as says
    from memory.written.lines import Written as Written
    from memory.written.lines import written_files as written_files
    from memory.written.lines import written_lines as written_lines
else:
    __getattr__ = lazy(__name__)
