"""Hard links across a commit: a copy that overlayfs made of a linked file becomes a link of the
owner's own file again.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator

from sandbox.undo import trees
from sandbox.undo.walk import Delta

_Likeness = tuple[int, int, int]  # size, time, mode


class Links:
    """Which of the owner's files the new files of a commit should be links of."""

    def __init__(self, deltas: Iterable[Delta]) -> None:
        self._copies: dict[
            int, str
        ] = {}  # inode of a copy → the file that it was made of, which stays
        self._gone: dict[
            _Likeness, list[str]
        ] = {}  # files with several links that go, perhaps elsewhere
        for delta in deltas:
            if delta.after and (delta.kind in ("same", "dress") or delta.is_inside):
                if not stat.S_ISDIR(delta.after.st_mode):
                    self._copies[delta.after.st_ino] = delta.path
            elif delta.kind == "gone":
                for path, status in _files(delta.path):
                    if status.st_nlink > 1:
                        self._gone.setdefault(_likeness(status), []).append(path)

    def renew(self, upper: str, put: str) -> None:
        """Put links of the owner's files in the place of copies, in a file or folder that is about
        to be put in place.

        `upper` is where overlayfs made it; `put` is the same, on the file system of the folder.
        """
        for path, status in list(_files(upper)) if self._copies or self._gone else ():
            original = self._copies.get(status.st_ino) or self._moved(path, status)
            if original:
                _link(original, put + path[len(upper) :])
                self._copies[status.st_ino] = original

    def _moved(self, path: str, status: os.stat_result) -> str:
        """Return the file with several links that was moved here, "" for none."""
        rivals = self._gone.get(_likeness(status), [])
        for old in rivals:
            if trees.same_content(path, old, status, os.lstat(old)):
                rivals.remove(old)
                return old
        return ""


def _files(path: str) -> Iterator[tuple[str, os.stat_result]]:
    found = os.lstat(path)
    if not stat.S_ISDIR(found.st_mode):
        yield path, found
        return
    for entry in trees.below(path):
        if not entry.is_dir(follow_symlinks=False):
            yield entry.path, entry.stat(follow_symlinks=False)


def _likeness(status: os.stat_result) -> _Likeness:
    return status.st_size, status.st_mtime_ns, status.st_mode


def _link(original: str, place: str) -> None:
    """Make `place` a link of the original; the time of its folder stays."""
    folder = os.path.dirname(place)
    found = os.lstat(folder)
    draft = f"{folder}/.sopwith-link"
    os.link(original, draft, follow_symlinks=False)
    os.replace(draft, place)
    os.utime(folder, ns=(found.st_atime_ns, found.st_mtime_ns))
