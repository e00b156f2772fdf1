"""A stage lets code work on the owner's own files, copy-on-write: what it did is seen as a change
set, then committed or thrown away; what a commit replaces is kept, and undone on demand."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from sandbox.stage.holding import Holder as Holder
    from sandbox.stage.probing import why_none as why_none
    from sandbox.stage.rehearsal import Rehearsal as Rehearsal
    from sandbox.stage.stage import Stage as Stage
    from sandbox.undo.direct import record as record
    from sandbox.undo.places import StageError as StageError
    from sandbox.undo.store import UndoStore as UndoStore
    from sandbox.undo.store import recover as recover
else:
    __getattr__ = lazy(__name__)
