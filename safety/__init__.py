"""Decide whether a call may happen: the gate, whose words a run has read, secrets, guarded places.

Nothing here runs a call; the handler asks before each, and the stage before each commit."""

from typing import TYPE_CHECKING

from text.face import lazy

if TYPE_CHECKING:
    from safety.changes import Change as Change
    from safety.changes import ChangeKind as ChangeKind
    from safety.changes import ChangeSet as ChangeSet
    from safety.changes import FileType as FileType
    from safety.findings import Ask as Ask
    from safety.findings import Decision as Decision
    from safety.findings import Finding as Finding
    from safety.findings import Risk as Risk
else:
    __getattr__ = lazy(__name__)
