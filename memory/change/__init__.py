"""Change files of the memory and record it: all or nothing, also when the process is killed; take
the last change back."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.change.changing_files import changing as changing
    from memory.change.changing_files import is_unfinished as is_unfinished
    from memory.change.changing_files import store as store
    from memory.change.undoing import undo as undo
else:
    __getattr__ = lazy(__name__)
