"""A stage lets code work on the owner's own files, copy-on-write: what it did is seen as a change
set, then committed or thrown away; what a commit replaces is kept, and undone on demand."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from sandbox.stage.direct import record as record
    from sandbox.stage.direct import remove as remove
    from sandbox.stage.holding import Holder as Holder
    from sandbox.stage.images import Images as Images
    from sandbox.stage.recovery import recover as recover
    from sandbox.stage.rehearsal import Rehearsal as Rehearsal
    from sandbox.stage.stage import Stage as Stage
    from sandbox.stage.stage import why_none as why_none
else:
    __getattr__ = lazy(__name__)
