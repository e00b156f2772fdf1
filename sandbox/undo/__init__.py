"""Changes of files that can be taken back: read off an overlay, made real by steps that survive a
kill, kept in the undo store until they are forgotten."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from sandbox.undo.old_trash import Trash as Trash
    from sandbox.undo.places import StageError as StageError
    from sandbox.undo.store import UndoStore as UndoStore
else:
    __getattr__ = lazy(__name__)
