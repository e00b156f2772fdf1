"""Keep what was worth writing down: daily notes, MEMORY.md, the to-do list; read their lines."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.notes.written import Written as Written
    from memory.notes.written import written_files as written_files
    from memory.notes.written import written_lines as written_lines
else:
    __getattr__ = lazy(
        __name__, Written="written", written_files="written", written_lines="written"
    )
