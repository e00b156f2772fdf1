"""Files, links and folders as a stage needs them: looked at, compared, copied and removed with all
that belongs to them."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import stat
from collections.abc import Collection, Iterable, Iterator
from typing import BinaryIO, NamedTuple

_PIECE = 1 << 20
_QUIET = getattr(os, "O_NOATIME", 0)  # Linux alone
OVERLAY = "user.overlay."
OPAQUE = f"{OVERLAY}opaque"
MODE = f"{OVERLAY}sopwith.mode"
# of a folder for copies; overlayfs would set it later, as if a script had touched the folder
UUID = f"{OVERLAY}uuid"


class Stamp(NamedTuple):
    """Hold which file stood somewhere, and in which state. `ctime` is set by the kernel alone."""

    inode: int
    mtime: int
    size: int
    ctime: int


def look(path: str) -> os.stat_result | None:
    """Return the status of what stands there, a link itself; None for nothing."""
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def stamp(path: str) -> Stamp | None:
    """Return the stamp of what stands there, None for nothing."""
    found = look(path)
    return stamp_of(found) if found else None


def stamp_of(found: os.stat_result) -> Stamp:
    size = 0 if stat.S_ISDIR(found.st_mode) else found.st_size
    return Stamp(found.st_ino, found.st_mtime_ns, size, found.st_ctime_ns)


def is_folder(found: os.stat_result | None) -> bool:
    return found is not None and stat.S_ISDIR(found.st_mode)


def is_whiteout(found: os.stat_result) -> bool:
    """Return True for overlayfs's mark of what is gone: character device 0:0."""
    return stat.S_ISCHR(found.st_mode) and found.st_rdev == 0


def attributes(path: str) -> dict[str, bytes]:
    """Return the extended attributes of a path but for overlayfs's own."""
    try:
        names = os.listxattr(path, follow_symlinks=False)
    except OSError:
        return {}
    found = {}
    for name in names:
        if not name.startswith(OVERLAY):
            try:
                found[name] = os.getxattr(path, name, follow_symlinks=False)
            except OSError:
                continue
    return found


def has_mark(path: str, name: str) -> bool:
    """Return True if overlayfs has marked this path with the attribute."""
    try:
        os.getxattr(path, name, follow_symlinks=False)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def writable(path: str) -> Iterator[None]:
    """Let us write to a file or folder of ours meanwhile, whose rights may forbid it; a change of
    them within is kept."""
    mode = stat.S_IMODE(os.lstat(path).st_mode)
    wanted = mode | (0o700 if os.path.isdir(path) else 0o600)
    if os.geteuid() == 0 or mode == wanted or os.path.islink(path):
        yield
        return
    os.chmod(path, wanted)
    try:
        yield
    finally:
        os.chmod(path, mode)


def open_up(folder: str) -> None:
    """Let us into folders of a stage whose rights a script has taken away; `mode_of` still tells
    them."""
    if os.geteuid() == 0 or not os.path.isdir(folder):
        return
    _open(folder)
    for each in _folders_below(folder):  # which goes into a folder after it was opened
        _open(each)


def _open(folder: str) -> None:
    found = os.lstat(folder)
    mode = stat.S_IMODE(found.st_mode)
    if mode & 0o700 != 0o700 and found.st_uid == os.geteuid():
        os.chmod(folder, mode | 0o700)
        os.setxattr(folder, MODE, b"%o" % mode)


def mode_of(path: str, found: os.stat_result) -> int:
    """Return the rights of a path, as they were before it was opened."""
    mode = stat.S_IMODE(found.st_mode)
    if os.geteuid() == 0 or not stat.S_ISDIR(found.st_mode):
        return mode
    try:
        return int(os.getxattr(path, MODE, follow_symlinks=False), 8)
    except OSError:
        return mode


def entered(
    paths: Iterable[str], dressed: Collection[str] = ()
) -> contextlib.AbstractContextManager[None]:
    """Let us look at and change what lies in folders of ours whose rights forbid it; those that are
    `dressed` meanwhile keep what they are given."""
    folders = sorted({os.path.dirname(path) for path in paths})
    every = os.R_OK | os.W_OK | os.X_OK
    return _opened((folder for folder in folders if not os.access(folder, every)), dressed)


def all_open(folders: Iterable[str]) -> contextlib.AbstractContextManager[None]:
    """Let us look into these folders and all below them, whose rights may forbid it."""
    chained = (itertools.chain([folder], _folders_below(folder)) for folder in folders)
    return _opened(itertools.chain.from_iterable(chained))


def _folders_below(folder: str) -> Iterator[str]:
    return (each.path for each in below(folder) if each.is_dir(follow_symlinks=False))


@contextlib.contextmanager
def _opened(folders: Iterable[str], dressed: Collection[str] = ()) -> Iterator[None]:
    closed: dict[str, int] = {}
    try:
        for folder in folders if os.geteuid() else ():
            _enter(folder, closed)
        yield
    finally:
        for folder, mode in reversed(closed.items()):
            if folder not in dressed and os.path.isdir(folder):
                os.chmod(folder, mode)


def _enter(folder: str, closed: dict[str, int]) -> None:
    above = os.path.dirname(folder)
    if above != folder and not os.access(above, os.X_OK):
        _enter(above, closed)
    found = look(folder)
    if not is_folder(found) or found is None or found.st_uid != os.geteuid():
        return
    mode = stat.S_IMODE(found.st_mode)
    if mode & 0o700 != 0o700:
        closed[folder] = mode
        os.chmod(folder, mode | 0o700)


def unmark(path: str) -> None:
    """Remove overlayfs's attributes from one path, and close it again if it was opened."""
    mode = mode_of(path, os.lstat(path))
    try:
        names = [
            name for name in os.listxattr(path, follow_symlinks=False) if name.startswith(OVERLAY)
        ]
    except OSError:
        return
    if names:
        with writable(path):
            for name in names:
                os.removexattr(path, name, follow_symlinks=False)
        if f"{MODE}" in names:
            os.chmod(path, mode)


def same_content(one: str, other: str, a: os.stat_result, b: os.stat_result) -> bool:
    """Return True if both are of one type and hold the same: bytes, target of a link, number of a
    device."""
    if stat.S_IFMT(a.st_mode) != stat.S_IFMT(b.st_mode):
        return False
    if stat.S_ISREG(a.st_mode):
        return a.st_size == b.st_size and (a.st_size == 0 or _same_bytes(one, other))
    if stat.S_ISLNK(a.st_mode):
        return os.readlink(one) == os.readlink(other)
    return stat.S_ISDIR(a.st_mode) or a.st_rdev == b.st_rdev


def _same_bytes(one: str, other: str) -> bool:
    with quietly(one) as first, quietly(other) as second:
        while (piece := first.read(_PIECE)) == second.read(_PIECE):
            if not piece:
                return True
    return False


def quietly(path: str) -> BinaryIO:
    """Open a file for reading, and leave its access time: a copy of a file is known by that."""
    try:
        return open(os.open(path, os.O_RDONLY | _QUIET | os.O_CLOEXEC), "rb")
    except PermissionError:  # a file of others
        return open(path, "rb")


def below(folder: str) -> Iterator[os.DirEntry[str]]:
    """Yield everything below a folder, a folder before what is in it; what cannot be read is passed
    over."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        yield entry
        if entry.is_dir(follow_symlinks=False):
            yield from below(entry.path)


def measured(path: str) -> tuple[int, int]:
    """Return how many files stand at and below a path, and their bytes."""
    found = look(path)
    if found is None:
        return 0, 0
    if not is_folder(found):
        return 1, _bytes(found)
    sizes = [_size(entry) for entry in below(path) if not entry.is_dir(follow_symlinks=False)]
    return len(sizes), sum(sizes)


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return _bytes(entry.stat(follow_symlinks=False))
    except PermissionError:  # it lies in a folder that nobody may enter
        return 0


def _bytes(found: os.stat_result) -> int:
    """Return what a file takes of a disk: the image of a machine may be mostly holes."""
    is_small = found.st_size <= _PIECE  # which may lie in its inode
    return found.st_size if is_small else min(found.st_size, found.st_blocks * 512)


def carry(source: str, target: str, seen: dict[int, str] | None = None) -> None:
    """Copy a file, link, pipe or folder with its rights, times, owner, attributes and links among
    its own files. `seen`: where files with several names went, for links among several calls."""
    _carry(source, target, {} if seen is None else seen)
    if is_folder(look(source)):
        # a folder's time changes while it is filled
        for folder in reversed([source, *_folders_below(source)]):
            clothe(folder, target + folder[len(source) :])


def _carry(source: str, target: str, seen: dict[int, str]) -> None:
    found = os.lstat(source)
    if is_folder(found):
        os.mkdir(target, 0o700)
        with os.scandir(source) as entries:
            for entry in entries:
                _carry(entry.path, os.path.join(target, entry.name), seen)
        return
    if found.st_nlink > 1 and found.st_ino in seen:
        os.link(seen[found.st_ino], target, follow_symlinks=False)
        return
    if found.st_nlink > 1:
        seen[found.st_ino] = target
    if stat.S_ISLNK(found.st_mode):
        os.symlink(os.readlink(source), target)
    elif stat.S_ISREG(found.st_mode):
        with quietly(source) as old, open(target, "wb") as new:
            _copy(old, new)
    else:
        os.mknod(target, found.st_mode, found.st_rdev)
    clothe(source, target)


def _copy(old: BinaryIO, new: BinaryIO) -> None:
    """Copy a file, with holes where it has them."""
    while piece := old.read(_PIECE):
        if piece.count(0) == len(piece):
            new.seek(len(piece), os.SEEK_CUR)
        else:
            new.write(piece)
    new.truncate()


def clothe(source: str, target: str) -> None:
    """Give a path the owner, rights, attributes and times of another one, as far as we may."""
    found, now = os.lstat(source), os.lstat(target)
    if (found.st_uid, found.st_gid) != (now.st_uid, now.st_gid):
        with contextlib.suppress(PermissionError):  # only root gives files away
            os.chown(target, found.st_uid, found.st_gid, follow_symlinks=False)
    with writable(target):
        set_attributes(target, attributes(source))
    if not stat.S_ISLNK(found.st_mode):
        os.chmod(target, stat.S_IMODE(found.st_mode))
    os.utime(target, ns=(found.st_atime_ns, found.st_mtime_ns), follow_symlinks=False)


def receive(lower: str, upper: str) -> None:
    """Make a folder for the copies of what is in another one, or for those of a part of it."""
    if not has_mark(upper, UUID):
        os.makedirs(upper, exist_ok=True)
        with writable(upper), contextlib.suppress(OSError):  # where overlayfs cannot be used
            os.setxattr(upper, UUID, os.urandom(16))
    clothe(lower, upper)


def dress_above(lower: str, upper: str, path: str) -> None:
    """Give the folders above a path, which is in `lower`, their dress in `upper` too."""
    while path != lower:
        path = os.path.dirname(path)
        clothe(path, upper + path[len(lower.rstrip("/")) :])


def set_attributes(path: str, wanted: dict[str, bytes]) -> None:
    """Make these the extended attributes of a path, as far as we may and the file system has
    them."""
    present = attributes(path)
    for name in present.keys() - wanted.keys():
        os.removexattr(path, name, follow_symlinks=False)
    for name, value in wanted.items():
        if present.get(name) != value:
            try:
                os.setxattr(path, name, value, follow_symlinks=False)
            except OSError as error:
                if error.errno not in (errno.EPERM, errno.ENOTSUP):
                    raise


def remove(path: str) -> None:
    """Remove whatever stands there, also folders that nobody may enter, as overlayfs leaves
    them."""
    found = look(path)
    if found is None:
        return
    if not is_folder(found):
        os.unlink(path)
        return
    if stat.S_IMODE(found.st_mode) & 0o700 != 0o700:
        os.chmod(path, 0o700)
    with os.scandir(path) as entries:
        names = [entry.path for entry in entries]
    for name in names:
        remove(name)
    os.rmdir(path)


def sync(path: str) -> None:
    """Bring a file or folder to the disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
