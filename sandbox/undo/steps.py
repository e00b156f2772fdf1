"""The steps of a commit or an undo: each can be done, found done, and taken back, however often a
process was killed on the way.

A step is one path. What stood there goes to `kept`, what is to stand there comes from `put`; both
lie in the undo store on the same file system, so each is a rename. `old` and `new` are the inodes
of the two (0: nothing), by which a later process sees how far an earlier one came."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from config import Message, Worded
from sandbox import kernel
from sandbox.undo import trees
from sandbox.undo.places import StageError
from sandbox.undo.walk import LEFT_ALONE, Dress, dress_of

Way = Literal["move", "inside", "dress"]


class Interfered(Worded):
    """Somebody else has changed the path of a step; nothing was done to it."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__("error.undo.at", place=path, error=why)
        self.path, self.why = path, why


class Stuck(StageError):
    """Steps can neither be done nor taken back. What they replaced stays in the undo store."""


class Step(NamedTuple):
    """One path of a commit. `way`: `move` replaces it by renaming, `inside` writes into it because
    it has several links, `dress` changes rights and times from `before` to `after`."""

    way: Way
    path: str
    kept: str = ""
    put: str = ""
    old: int = 0
    new: int = 0
    before: Dress | None = None
    after: Dress | None = None

    @classmethod
    def read(cls, fields: list[Any]) -> Step:
        """Return the step that was written as JSON."""
        worn = [Dress(*each) if each else None for each in fields[6:]]
        return cls(*fields[:6], *worn)

    def do(self) -> None:
        """Do it, as far as it is not done. Raises Interfered and OSError."""
        match self.way:
            case "move":
                _move(self)
            case "inside":
                _overwrite(self.put, self.path, self.old)
            case "dress":
                _put_on(self.path, self.after)

    def take_back(self) -> None:
        """Bring back what stood there, as far as the step was done. Raises Interfered and
        OSError."""
        if self.way == "move":
            _move_back(self)
        else:
            self.inverse("").do()

    def inverse(self, kept: str) -> Step:
        """Return the step that brings back what stood there; what stands there now goes to
        `kept`."""
        if self.way == "dress":
            return self._replace(before=self.after, after=self.before)
        if self.way == "inside":
            return self._replace(kept=kept, put=self.kept)
        return Step("move", self.path, kept if self.new else "", self.kept, self.new, self.old)


def do_all(steps: list[Step], check: Callable[[Step], None] = lambda _: None) -> None:
    """Do all steps, or take back those that were done. `check` looks at each done step. Raises
    Interfered, OSError and Stuck."""
    try:
        for step in steps:
            step.do()
            check(step)
    except (Interfered, OSError) as error:
        try:
            take_back_all(steps)
        except (Interfered, OSError) as second:
            raise Stuck(Message("error.undo.stuck", error=error, second=second)) from error
        raise


def take_back_all(steps: list[Step]) -> None:
    """Take back what was done of the steps: last first, but times at the end, since each rename
    changes that of its folder."""
    last_first = steps[::-1]
    for step in sorted(last_first, key=lambda step: step.way == "dress"):
        step.take_back()


def _move(step: Step) -> None:
    has_left = _is_at(step.kept, step.old)
    has_come = not step.new or _inode(step.put) != step.new
    if has_left and has_come:
        return  # done before we were killed
    if step.new and has_come:
        raise Interfered(step.path, Message("error.undo.put-gone"))
    _keep(step)
    if step.put:
        _place(step)


def _keep(step: Step) -> None:
    """Move the old away; where both are files, by a second link, so that the path is never
    empty."""
    if _is_at(step.kept, step.old):
        return
    if _inode(step.path) != step.old:
        raise Interfered(step.path, Message("error.undo.other-file"))
    if step.put and _is_file(step.path) and _is_file(step.put):
        try:
            os.link(step.path, step.kept, follow_symlinks=False)
        except OSError as error:  # FAT knows no links, and a file of others may not be linked
            if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EMLINK):
                raise
        else:
            return
    _rename(step.path, step.kept)


def _place(step: Step) -> None:
    stands = _inode(step.path)
    if stands and stands == step.old and _is_file(step.path):
        os.replace(step.put, step.path)
    else:
        _rename(step.put, step.path)


def _move_back(step: Step) -> None:
    if step.new and _inode(step.path) == step.new and _inode(step.put) != step.new:
        _rename(step.path, step.put)
    if step.old and _inode(step.kept) == step.old:
        if _inode(step.path) == step.old:  # linked, and not yet replaced
            os.unlink(step.kept)
        else:
            _rename(step.kept, step.path)


def _overwrite(source: str, target: str, inode: int) -> None:
    """Write the content of one file into another, which stays the same file for all its names."""
    if _inode(target) != inode:
        raise Interfered(target, Message("error.undo.other-file"))
    if _is_file(source):  # else it is a link with several names, which has a dress alone
        with trees.writable(target), open(source, "rb") as old, open(target, "r+b") as new:
            shutil.copyfileobj(old, new, 1 << 20)
            new.truncate()
            os.fsync(new.fileno())
    trees.clothe(source, target)


def _put_on(path: str, wanted: Dress | None) -> None:
    if wanted is None or not os.path.lexists(path):
        return
    now = dress_of(path)
    if (now.uid, now.gid) != (wanted.uid, wanted.gid):
        os.chown(path, wanted.uid, wanted.gid, follow_symlinks=False)
    with trees.writable(path):
        values = {name: bytes.fromhex(value) for name, value in wanted.attributes.items()}
        trees.set_attributes(path, values)
    if not os.path.islink(path) and now.mode != wanted.mode:
        os.chmod(path, wanted.mode)
    if wanted.mtime != LEFT_ALONE:
        os.utime(path, ns=(os.lstat(path).st_atime_ns, wanted.mtime), follow_symlinks=False)


def _inode(path: str) -> int:
    found = trees.look(path) if path else None
    return found.st_ino if found else 0


def _is_at(path: str, inode: int) -> bool:
    """Return True where a file has come to its place, or there is none that should."""
    return not inode or _inode(path) == inode


def _is_file(path: str) -> bool:
    found = trees.look(path)
    return found is not None and stat.S_ISREG(found.st_mode)


def _rename(source: str, target: str) -> None:
    """Rename, never onto something. Raises Interfered where something stands."""
    try:
        _rename_alone(source, target)
    except FileExistsError as error:
        raise Interfered(target, Message("error.undo.made-meanwhile")) from error
    except PermissionError:
        mode = stat.S_IMODE(os.lstat(source).st_mode)
        if mode & 0o700 == 0o700 or not os.path.isdir(source):
            raise
        os.chmod(source, mode | 0o700)  # a folder that its owner may not write to cannot be moved
        _rename_alone(source, target)
        os.chmod(target, mode)


def _rename_alone(source: str, target: str) -> None:
    try:
        kernel.rename(kernel.HERE, source, kernel.HERE, target, kernel.NO_REPLACE)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        if os.path.lexists(target):  # a file system without that promise
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), target) from error
        os.rename(source, target)
