"""Records of what a staged call did to files, made by the stage and judged by the gate."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Literal, NamedTuple

ChangeKind = Literal["new", "changed", "moved", "gone", "mode"]
FileType = Literal["file", "folder", "link", "other"]


class Change(NamedTuple):
    """One path that a call left otherwise than it found it.

    `path` is absolute and as it is called after the call, `was` the path before a move. Sizes are
    bytes, of a folder those of all that is below it; `None` where nothing stood or stands.
    """

    kind: ChangeKind
    path: Path
    type: FileType
    before: int | None = None
    after: int | None = None
    was: Path | None = None
    files: int = 1  # files below a folder that came or went whole, else 1
    mode: int | None = None  # permission bits after the call
    is_ours: bool = False  # this run made it, so taking it away again loses nothing of the owner's

    @property
    def raises(self) -> bool:
        """Return True for a program that runs with the rights of its owner or group."""
        return self.mode is not None and self.mode & (stat.S_ISUID | stat.S_ISGID) != 0


class ChangeSet(NamedTuple):
    """Everything one call changed, sorted by path, before any of it is committed."""

    changes: tuple[Change, ...] = ()

    def of(self, *kinds: ChangeKind) -> tuple[Change, ...]:
        """Return the changes of these kinds."""
        return tuple(change for change in self.changes if change.kind in kinds)

    @property
    def bytes(self) -> int:
        """Count the bytes that would be written."""
        return sum(change.after or 0 for change in self.of("new", "changed"))
