"""Folders that a program renames. Overlayfs refuses that (EXDEV) for a folder that lies below, so a
stage that hears of it begins again with a copy of the folder.
"""

from __future__ import annotations

import os
import re

from sandbox.undo import trees
from sandbox.undo.errors import StageError
from sandbox.undo.links import linked
from sandbox.undo.places import Layer, is_below

MOST_BYTES = 1 << 30
_REFUSED = re.compile(rb"cross-device|EXDEV")
_QUOTED = re.compile(rb"'((?:[^'\\]|\\.)+)'|\"((?:[^\"\\]|\\.)+)\"")


def refused(output: bytes, cwd: str, layers: list[Layer]) -> set[str]:
    """Return the owner's folders that a program names where it says that it cannot rename one."""
    found = set()
    for line in output.splitlines():
        if _REFUSED.search(line):
            for name in _QUOTED.findall(line):
                found |= set(_folders(os.fsdecode(name[0] or name[1]), cwd, layers))
    return found


def _folders(name: str, cwd: str, layers: list[Layer]) -> list[str]:
    """Return what a name means in the folder of the call, or above: Git names from its top."""
    found: list[str] = []
    place = os.path.realpath(cwd)
    for layer in layers:
        while is_below(place, layer.lower):
            path = os.path.normpath(os.path.join(place, name))
            is_inside = is_below(path, layer.lower) and path != layer.lower
            if is_inside and trees.is_folder(trees.look(path)):
                return [path]
            place = os.path.dirname(place)
    return found


def copy(layers: list[Layer], folders: list[str]) -> set[int]:
    """Put copies of folders into the upper ones, so that they can be renamed. Returns the inodes of
    what has several names in them. Raises StageError where that is too much.
    """
    size = sum(trees.measured(folder)[1] for folder in folders)
    if size > MOST_BYTES:
        raise StageError(
            f"{', '.join(folders)}: a stage renames a folder by copying it, and"
            f" {size / 1e9:.1f} GB is too much"
        )
    found = set()
    for folder in folders:
        layer = next(each for each in layers if is_below(folder, each.lower))
        place = layer.upper + folder[len(layer.lower.rstrip("/")) :]
        os.makedirs(os.path.dirname(place), exist_ok=True)
        trees.carry(folder, place)
        os.setxattr(place, trees.OPAQUE, b"y")
        trees.dress_above(layer.lower, layer.upper, folder)
        found |= {status.st_ino for _, status in linked(folder)}
    return found
