"""Opens a path that the gate has judged, and nothing else that may stand in its place by then.

The gate looks at a path with all links followed. Between its look and the tool's open somebody may
put a link where a folder or a file was. So the tool follows none: the kernel walks from a folder
downwards (openat2), and where it cannot, each name is opened in the handle of the folder before it.
Source: openat2(2).
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

OPENAT2 = 437  # on every machine
NO_MAGICLINKS, NO_SYMLINKS, BENEATH = 2, 4, 8
_TRIES = 8  # while others rename on the way
_MISSING = (errno.ENOSYS, errno.EPERM)  # an old kernel, or a filter of system calls
_FOLDER = getattr(os, "O_PATH", 0) | os.O_DIRECTORY | os.O_CLOEXEC


def open_beneath(path: Path, flags: int, mode: int = 0, root: Path = Path("/")) -> int:
    """Open `path`, which lies below `root` and holds no link below it, and return the descriptor.

    Raises OSError: ELOOP where a link stands on the way now, EXDEV for a path that leads out of
    `root`.
    """
    names = _names(path, root)
    start = os.open(root, _FOLDER)
    try:
        return _opened(start, names, flags | os.O_CLOEXEC, mode)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise OSError(
                error.errno, "a link or another file stands here now", str(path)
            ) from error
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        os.close(start)


@contextmanager
def folder_of(path: Path, *, makes: bool = False, root: Path = Path("/")) -> Iterator[int]:
    """Hold the folder in which `path` lies, as a descriptor; `makes` it, and those above it, where
    they are missing."""
    if makes:
        _make(path.parent, root)
    held = open_beneath(path.parent, os.O_RDONLY | os.O_DIRECTORY, root=root)
    try:
        yield held
    finally:
        os.close(held)


def _make(folder: Path, root: Path) -> None:
    try:
        os.close(open_beneath(folder, _FOLDER, root=root))
    except FileNotFoundError:
        with folder_of(folder, makes=True, root=root) as above:
            try:
                os.mkdir(folder.name, dir_fd=above)
            except FileExistsError:  # somebody else was quicker
                return


def _names(path: Path, root: Path) -> list[str]:
    try:
        names = path.relative_to(root).parts
    except ValueError as error:
        raise OSError(errno.EXDEV, f"not below {root}", str(path)) from error
    if ".." in names:
        raise OSError(errno.EXDEV, f"not below {root}", str(path))
    return list(names)


def _opened(start: int, names: list[str], flags: int, mode: int) -> int:
    for _ in range(_TRIES):
        try:
            return _by_kernel(start, "/".join(names) or ".", flags, mode)
        except OSError as error:
            if error.errno in _MISSING:
                break
            if error.errno != errno.EAGAIN:
                raise
    return _walked(start, names, flags, mode)


def _by_kernel(start: int, path: str, flags: int, mode: int) -> int:
    how = struct.pack("QQQ", flags, mode, BENEATH | NO_SYMLINKS | NO_MAGICLINKS)
    result = _syscall()(OPENAT2, start, os.fsencode(path), how, ctypes.c_size_t(len(how)))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), path)
    return int(result)


@cache
def _syscall() -> ctypes._NamedFuncPointer:
    return ctypes.CDLL(None, use_errno=True).syscall


def _walked(start: int, names: list[str], flags: int, mode: int) -> int:
    """Open one name after the other, without following links."""
    held = os.dup(start)
    try:
        for name in names[:-1]:
            below = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=held)
            os.close(held)
            held = below
        last = names[-1] if names else "."
        return os.open(last, flags | os.O_NOFOLLOW, mode, dir_fd=held)
    finally:
        os.close(held)
