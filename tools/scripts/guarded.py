"""Bring back what a script may not change, where no mount holds it: what decides, and keys.

Landlock knows no exceptions, so a folder above such a file can be written to whole or not at all
(sandbox/cells/confine.py).
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from sandbox.cells import mounts

MOST_BYTES, MOST_FILES = 1 << 20, 2000
MOST_FOLDERS = 50_000  # that are looked at for what a call has made
CLOCK_NS = 20_000_000  # the file system's clock may be that late
RAISING = stat.S_ISUID | stat.S_ISGID


class _Before(NamedTuple):
    """One file before a call."""

    stamp: tuple[int, int, int]
    content: bytes
    mode: int


class Guarded:
    """The guard of some files around one call."""

    def __init__(
        self,
        planner: mounts.Planner,
        hidden: Iterable[str],
        roots: Iterable[Path],
        *,
        allows_git: bool,
    ) -> None:
        """`roots`: where nobody looks at the changes. `allows_git`: the owner has let the call
        change settings of Git."""
        self._places = places = planner.profile.places
        self._since = time.time_ns() - CLOCK_NS
        self._roots = [str(root) for root in roots if root != places.temporary]
        self._there = set(self._folders())
        gits = (folder for folder in self._there if folder.endswith("/.git"))
        of_git = (path for git in gits for path in _deciding(git, config=not allows_git))
        guarded = map(str, (*places.startup, *hidden, *of_git))
        self._before: dict[Path, _Before] = {}
        for path in islice(_files(filter(planner.is_writable, guarded)), MOST_FILES):
            stamp = _stamp(path)
            if stamp and stamp[1] <= MOST_BYTES:
                mode = stat.S_IMODE(path.stat().st_mode)
                self._before[path] = _Before(stamp, path.read_bytes(), mode)
        self._allows_git = allows_git

    def taken(self, folder: Path) -> list[str]:
        """Bring back what was changed and take away what is new; what the script made of it goes to
        `folder`."""
        taken = []
        for path, before in self._before.items():
            if _stamp(path) != before.stamp:
                # a link that the script has put on the way would lead us elsewhere
                links = [str(each) for each in path.parents if each.is_symlink()]
                mounts.take_away([*reversed(links), str(path)], folder)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(before.content)
                path.chmod(before.mode)
                taken.append(str(path))
        made = filter(self._decides, self._made())
        return taken + mounts.take_away(
            [path for path in made if Path(path) not in self._before], folder
        )

    def _decides(self, path: str) -> bool:
        """Return True for what is run without anyone asking, or with its owner's rights."""
        found = os.lstat(path)
        if stat.S_ISREG(found.st_mode) and found.st_mode & RAISING:
            return True
        is_git = self._allows_git and "/.git/" in path and "/hooks/" not in path
        return not is_git and self._places.decides(path, path)

    def _made(self) -> Iterator[str]:
        """Yield files that have come since the call began, by themselves or with their folder."""
        for folder in self._folders():
            if folder not in self._there:
                yield from _in(folder, is_folder=False)
            elif _is_since(folder, self._since):
                files = _in(folder, is_folder=False)
                yield from (path for path in files if _is_since(path, self._since))

    def _folders(self) -> Iterator[str]:
        """Yield the folders in the roots, but those of the agent; of many, as many as are looked at
        quickly."""
        left, folders = MOST_FOLDERS, [*self._roots]
        while folders and left:
            left -= 1
            folder = folders.pop()
            if folder == str(self._places.agent):
                continue
            yield folder
            folders += _in(folder, is_folder=True)


def _deciding(git: str, *, config: bool) -> Iterator[str]:
    """Yield what names programs in a .git folder, and in those of its submodules; with `config` its
    settings too."""
    names = ["hooks", "config", "config.worktree"] if config else ["hooks"]
    for folder in (git, *_in(f"{git}/modules", is_folder=True)):
        yield from (f"{folder}/{name}" for name in names)


def _in(folder: str, *, is_folder: bool) -> list[str]:
    """Return the folders in a folder, or all else."""
    try:
        with os.scandir(folder) as entries:
            return [
                each.path for each in entries if each.is_dir(follow_symlinks=False) == is_folder
            ]
    except OSError:
        return []


def _is_since(path: str, since: int) -> bool:
    """Return True for what was made or changed since a moment."""
    try:
        return os.lstat(path).st_ctime_ns >= since
    except OSError:
        return False


def _files(places: Iterable[str]) -> Iterator[Path]:
    for place in places:
        if os.path.isdir(place):  # noqa: PTH112 - may be closed to us
            yield from (Path(f, name) for f, _, names in os.walk(place) for name in names)
        else:
            yield Path(place)


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """Return which state a file is in; None for what is no file, or not ours to read."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    is_ours = stat.S_ISREG(found.st_mode) and os.access(path, os.R_OK)
    return (found.st_ino, found.st_size, found.st_mtime_ns) if is_ours else None
