"""Writes files so that a crash, a full disk or a power cut leaves the old content or the new, never
a part.

Every store that rewrites a file goes through here.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path


def write_atomic(
    path: Path,
    data: bytes | str | Iterable[bytes],
    mode: int | None = None,
    folder: int | None = None,
) -> int:
    """Replace the content of `path` (of a link: its target); return the bytes written once they are
    on the disk.

    `data`: bytes, text (written as UTF-8), or pieces of bytes for what is too large for memory. An
    existing file keeps its permission bits, and its owner where we may set it; `mode` sets the
    bits. The folder must exist; `folder` is a handle of it, and then no link is followed. Raises
    OSError (no space, no permission, read-only, …) and leaves the old file untouched and nothing
    else behind.
    """
    if folder is None:
        target = Path(os.path.realpath(path))
        held = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            return write_atomic(target, data, mode, held)
        finally:
            os.close(held)
    pieces: Iterable[bytes] = (
        [data.encode()] if isinstance(data, str) else [data] if isinstance(data, bytes) else data
    )
    before = _existing(path, folder)
    draft = f".{path.name[:80]}.{os.urandom(4).hex()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    descriptor = os.open(draft, flags, 0o666 if mode is None else mode, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            _keep_attributes(descriptor, before, mode)
            os.fsync(descriptor)
            size = file.tell()
        os.replace(draft, path.name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:  # an interrupt too must not leave the draft behind; it is raised again
        with contextlib.suppress(FileNotFoundError):
            os.unlink(draft, dir_fd=folder)
        raise
    os.fsync(folder)
    return size


def write_new(path: Path, data: bytes | str) -> bool:
    """Write a file that is there whole or not at all; False when something has its name already.
    Raises OSError."""
    draft = path.with_name(f".{path.name[:80]}.{os.urandom(4).hex()}.tmp")
    write_atomic(draft, data, 0o600)
    try:
        os.link(draft, path)
    except FileExistsError:
        return False
    finally:
        draft.unlink(missing_ok=True)
    fsync_folder(path.parent)
    return True


def fsync_folder(folder: Path) -> None:
    """Write the names in a folder, or a file, to the disk: a rename lasts only after this."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def locked(path: Path, *, waits: bool = True) -> Iterator[int]:
    """Hold the lock file at `path`: yield its descriptor, or -1 when somebody else has it and this
    one does not wait. Raises OSError."""
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    found = lock
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
        except BlockingIOError:
            found = -1
        yield found
    finally:
        os.close(lock)


def _existing(target: Path, folder: int) -> os.stat_result | None:
    try:
        found = os.stat(target.name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise OSError(f"{target} is not a regular file")
    return found


def _keep_attributes(descriptor: int, before: os.stat_result | None, mode: int | None) -> None:
    if before is not None and (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
        # only root may give a file away; the writer owns it then
        with contextlib.suppress(PermissionError):
            os.fchown(descriptor, before.st_uid, before.st_gid)
    if mode is not None:
        os.fchmod(descriptor, mode)
    elif before is not None:
        os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
