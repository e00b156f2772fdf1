"""Change SOPs: a whole folder at once, recorded in the history."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from memory.sops.changing.changes import SopChanges as SopChanges
    from memory.sops.changing.changes import SopConflict as SopConflict
    from memory.sops.changing.changes import SopNotWritten as SopNotWritten
    from memory.sops.changing.changes import Version as Version
    from memory.sops.changing.changes import exported as exported
    from memory.sops.changing.front_matter import metadata_of as metadata_of
    from memory.sops.changing.front_matter import with_metadata as with_metadata
    from memory.sops.changing.front_matter import with_said as with_said
else:
    __getattr__ = lazy(__name__)
