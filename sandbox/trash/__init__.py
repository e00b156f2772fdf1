"""The trash of homes from before the undo store: what lies there is listed and brought back,
and nothing is put there any more."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from sandbox.trash.old import Item as Item
    from sandbox.trash.old import Trash as Trash
    from sandbox.trash.old import TrashError as TrashError
else:
    __getattr__ = lazy(__name__)
