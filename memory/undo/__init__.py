"""Take back the last change of the memory."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.undo.last import newest as newest
    from memory.undo.last import undo as undo
else:
    __getattr__ = lazy(__name__)
