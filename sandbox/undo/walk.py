"""Read off the upper folder of an overlay what was done to the folder below it.

The cost is by what was touched: what nobody wrote to is not in the upper folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator
from typing import Literal, NamedTuple

from sandbox.undo import trees
from sandbox.undo.places import Layer

LARGE_BYTES = 64 << 20  # what is read in some hundredths of a second
LEFT_ALONE = -1  # in the place of a time: others work in the folder too
DeltaKind = Literal["new", "changed", "gone", "dress"]


class Dress(NamedTuple):
    """Hold what a path has beside its content: rights, owner, times in nanoseconds, extended
    attributes."""

    mode: int
    uid: int
    gid: int
    mtime: int
    attributes: dict[str, str]

    def is_but_for_time(self, other: Dress) -> bool:
        """Return True if the two differ in their times at most."""
        return self._replace(mtime=0) == other._replace(mtime=0)


class Delta(NamedTuple):
    """One path that is another than before. `dress` changes what a path has beside its content.
    `upper` is where the new state lies. `inside` is a name of a file with several ones, which is to
    be written in place; `others` are its names beside `path`. `image` is where the old state lies,
    "": at `path`."""

    kind: DeltaKind
    path: str
    upper: str
    layer: int
    before: os.stat_result | None
    after: os.stat_result | None
    inside: str = ""
    others: tuple[str, ...] = ()
    image: str = ""

    @property
    def lower(self) -> str:
        """Where the old state lies."""
        return self.image or self.inside or self.path


def deltas(layers: list[Layer], copies: Collection[tuple[int, int]] = ()) -> list[Delta]:
    """Return what was done in all layers, a folder's own changes after those in it. `copies` are
    the inodes of files with several names and of the one copy of each, which are passed over where
    they stand for one another."""
    found: list[Delta] = []
    for number, layer in enumerate(layers):
        # where somebody has removed the folder meanwhile, what was done in it is gone too
        if all(map(os.path.isdir, (layer.upper, layer.lower))):
            found += _Walker(number, copies).folder(layer.upper, layer.lower)
    return found


def dress_of(path: str) -> Dress:
    found = os.lstat(path)
    values = {name: value.hex() for name, value in sorted(trees.attributes(path).items())}
    return Dress(trees.mode_of(path, found), found.st_uid, found.st_gid, found.st_mtime_ns, values)


def staged_dress(upper: str, lower: str) -> Dress:
    """Return the dress that a path got in a stage. Only root gives files away: for others another
    owner is that of our copy, as for the top of a root that is somebody else's, such as /tmp."""
    new, old = dress_of(upper), dress_of(lower)
    return new if os.geteuid() == 0 else new._replace(uid=old.uid, gid=old.gid)


class _Walker:
    def __init__(self, layer: int, copies: Collection[tuple[int, int]]) -> None:
        self.layer, self.copies = layer, copies

    def folder(self, upper: str, lower: str, is_opaque: bool = False) -> Iterator[Delta]:
        """Yield what differs in a folder that is there below and above, and in its dress."""
        before, after = os.lstat(lower), os.lstat(upper)
        is_touched = staged_dress(upper, lower) != dress_of(lower)
        for found in self.entries(upper, lower, is_opaque):
            is_touched = True
            yield found
        if is_touched:  # also where its time is to stay, since each rename in it changes that
            yield Delta("dress", lower, upper, self.layer, before, after)

    def entries(self, upper: str, lower: str, is_opaque: bool) -> Iterator[Delta]:
        # of what lies in a folder that was made anew, nothing below shows through either
        is_opaque = is_opaque or trees.has_mark(upper, trees.OPAQUE)
        names = sorted(os.listdir(upper))
        if is_opaque:
            for name in sorted(set(os.listdir(lower)) - set(names)):
                yield self.gone(f"{upper}/{name}", f"{lower}/{name}")
        for name in names:
            yield from self.entry(f"{upper}/{name}", f"{lower}/{name}", is_opaque)

    def entry(self, upper: str, lower: str, is_opaque: bool) -> Iterator[Delta]:
        after, before = os.lstat(upper), trees.look(lower)
        if trees.is_whiteout(after):
            if before is not None:
                yield self.gone(upper, lower)
        elif before is None:
            if not trees.has_mark(upper, trees.UUID) or os.listdir(upper):
                yield Delta("new", lower, upper, self.layer, None, after)
        elif trees.is_folder(after) and trees.is_folder(before):
            yield from self.folder(upper, lower, is_opaque)
        else:
            yield from self.file(upper, lower, after, before)

    def file(
        self, upper: str, lower: str, after: os.stat_result, before: os.stat_result
    ) -> Iterator[Delta]:
        """Yield the delta of a path that is no folder on either side."""
        if (before.st_ino, after.st_ino) in self.copies:
            return
        inside = lower if self.is_copy(after, before) else ""
        # another file than before, or one that other names lead to, even where both hold the same
        is_other = after.st_nlink > 1 or (before.st_nlink > 1 and not inside)
        if is_other or not is_same(upper, lower, after, before):
            yield Delta("changed", lower, upper, self.layer, before, after, inside)
        elif inside or staged_dress(upper, lower) != dress_of(lower):
            # a copy that is as before is told too: its links fell apart when it was made
            yield Delta("dress", lower, upper, self.layer, before, after)

    def is_copy(self, after: os.stat_result, before: os.stat_result) -> bool:
        """Return True for a copy of a file with several names that has not got one copy for all of
        them.

        A copy keeps the access time of its original, as the stage is mounted without those.
        """
        if any(before.st_ino == inode for inode, _ in self.copies):
            return False
        is_file = stat.S_ISREG(before.st_mode) and stat.S_ISREG(after.st_mode)
        is_alone = before.st_nlink == 1 or after.st_nlink > 1
        return is_file and not is_alone and after.st_atime_ns == before.st_atime_ns

    def gone(self, upper: str, lower: str) -> Delta:
        return Delta("gone", lower, upper, self.layer, os.lstat(lower), None)


def kind_of(before: os.stat_result | None, after: os.stat_result | None) -> DeltaKind:
    """Return what was done where the one stood and the other stands."""
    if before is None:
        return "new"
    return "changed" if after else "gone"


def is_same(upper: str, lower: str, after: os.stat_result, before: os.stat_result) -> bool:
    """Return True if both hold the same, as far as it is worth to read them: a large file that was
    touched counts as changed."""
    if stat.S_ISREG(after.st_mode) and after.st_size > LARGE_BYTES:
        return False
    try:
        return trees.same_content(upper, lower, after, before)
    except PermissionError:  # the owner's file may be written to and not read
        return False
