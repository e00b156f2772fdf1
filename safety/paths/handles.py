"""Opens a path that the gate has judged, and nothing else that may stand in its place by then.

The gate looks at a path with all links followed. Between its look and the tool's open somebody may
put a link where a folder or a file was. So the tool follows none: each name is opened in the handle
of the folder before it.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_FOLDER = getattr(os, "O_PATH", 0) | os.O_DIRECTORY | os.O_CLOEXEC


def open_beneath(path: Path, flags: int, mode: int = 0, root: Path = Path("/")) -> int:
    """Open `path`, which lies below `root` and holds no link below it, and return the descriptor.

    Raises OSError: ELOOP where a link stands on the way now, EXDEV for a path that leads out of
    `root`.
    """
    names = _names(path, root)
    held = os.open(root, _FOLDER)
    try:
        for name in names[:-1]:
            below = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=held)
            os.close(held)
            held = below
        last = names[-1] if names else "."
        return os.open(last, flags | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=held)
    except OSError as error:
        is_other = error.errno in (errno.ELOOP, errno.ENOTDIR)
        why = "a link or another file stands here now" if is_other else error.strerror
        raise OSError(error.errno, why, str(path)) from error
    finally:
        os.close(held)


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
