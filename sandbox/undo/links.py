"""Hard links and renamed folders in a stage. Overlayfs gives each name of a file its own copy, so
what is written by one name is not seen by another, and it refuses to rename a folder that lies
below (EXDEV). A stage that meets either begins again: with one copy for all names, or one of the
folder."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sandbox.undo import trees
from sandbox.undo.places import Layer, StageError, is_below, is_inside, layer_of
from sandbox.undo.walk import Delta, deltas, dress_of
from text import pattern

MOST_BYTES = 1 << 30
MOST_FILES = 5000
_REFUSED = pattern(rb"cross-device|EXDEV")
_UNLIKE = pattern(rb"hardlink different from source at '.+(/objects/.+)'")
_QUOTED = pattern(rb"'((?:[^'\\]|\\.)+)'|\"((?:[^\"\\]|\\.)+)\"")


class Group(NamedTuple):
    """One of the owner's files with several names. `held` is a name of its copy in the store, of
    inode `copy`; `names` are those of the original, of inode `inode`."""

    inode: int
    copy: int
    held: str
    layer: int
    names: list[str]


def in_doubt(found: list[Delta], groups: Iterable[Group]) -> set[int]:
    """Return the inodes of files with several names that were touched by some of them."""
    known = {group.inode for group in groups}
    has_come = any(delta.kind in ("new", "changed") for delta in found)  # perhaps what went
    seen: dict[int, tuple[int, int]] = {}  # inode → its links, and how many of them are only gone
    for delta in found:
        for status in _touched(delta):
            links, gone = seen.get(status.st_ino, (status.st_nlink, 0))
            seen[status.st_ino] = links, gone + (delta.kind == "gone")
    return {inode for inode, (links, gone) in seen.items() if has_come or gone < links} - known


def moved_with_links(found: list[Delta], doubt: set[int]) -> set[str]:
    """Return folders that went with names of files in doubt: `mv` has perhaps moved them by
    copying, where a rename would have kept the links."""
    has_come = any(delta.kind == "new" for delta in found)
    gone = [each for each in found if each.kind == "gone" and trees.is_folder(each.before)]
    return {
        each.path
        for each in gone
        if has_come and any(status.st_ino in doubt for _, status in linked(each.path))
    }


def _touched(delta: Delta) -> Iterator[os.stat_result]:
    """Yield the state before of the files with several names that a delta is about."""
    if delta.before is None:
        return
    if not trees.is_folder(delta.before):
        if delta.before.st_nlink > 1:
            yield delta.before
    elif delta.kind in ("gone", "changed"):
        yield from (status for _, status in linked(delta.path))


def linked(path: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield what has several names at and below a path."""
    found = os.lstat(path)
    if not trees.is_folder(found):
        yield path, found
        return
    for entry in trees.below(path):
        if not entry.is_dir(follow_symlinks=False):
            status = entry.stat(follow_symlinks=False)
            if status.st_nlink > 1:
                yield entry.path, status


def share(layers: list[Layer], wanted: set[int]) -> list[Group]:
    """Put one copy of each file into the upper folders, by all its names. Raises StageError where
    that is too much."""
    names = _names_of(layers, wanted)
    sizes = [os.lstat(places[0][1]).st_size for places in names.values()]
    if len(sizes) > MOST_FILES or sum(sizes) > MOST_BYTES:
        raise StageError("error.stage.hard-links", n=len(sizes), mb=f"{sum(sizes) / 1000000.0:.0f}")
    found = [_shared(layers, inode, places) for inode, places in sorted(names.items())]
    for number, name in sorted({each for places in names.values() for each in places}):
        trees.dress_above(layers[number].lower, layers[number].upper, name)
    return [group for group in found if group]


def _names_of(layers: list[Layer], wanted: set[int]) -> dict[int, list[tuple[int, str]]]:
    """Return all names of files by their inodes, with the layer of each."""
    names: dict[int, list[tuple[int, str]]] = {}
    for number, layer in enumerate(layers):
        for entry in trees.below(layer.lower):
            if entry.inode() in wanted and not entry.is_dir(follow_symlinks=False):
                names.setdefault(entry.inode(), []).append((number, entry.path))
    return names


def _shared(layers: list[Layer], inode: int, places: list[tuple[int, str]]) -> Group | None:
    layer = layers[places[0][0]]
    folder = f"{os.path.dirname(layer.upper)}/held"
    held = f"{folder}/{inode}"
    os.makedirs(folder, mode=0o700, exist_ok=True)
    try:
        trees.carry(places[0][1], held)
    except PermissionError:  # a file of others, which no copy can be made of in the stage either
        trees.remove(held)
        return None
    for number, name in places:
        place = layers[number].upper + name[len(layers[number].lower.rstrip("/")) :]
        os.makedirs(os.path.dirname(place), exist_ok=True)
        trees.remove(place)
        os.link(held, place, follow_symlinks=False)
    names = [name for _, name in places]
    return Group(inode, os.lstat(held).st_ino, held, places[0][0], names)


class Links:
    """Hold which of the owner's files the copies of a stage are made of."""

    def __init__(self, groups: Iterable[Group]) -> None:
        self._groups = {group.copy: group for group in groups}
        self._carried: dict[int, str] = {}

    def carry(self, source: str, target: str) -> None:
        """Copy a file or folder to the file system of the owner's, with the links of all so far."""
        trees.carry(source, target, self._carried)

    def renew(self, upper: str, put: str) -> None:
        """Put links of the owner's files in the place of copies, in a file or folder that is about
        to be put in place.

        `upper` is where overlayfs made it; `put` is the same, on the file system of the folder."""
        if not self._groups:
            return
        for path, status in list(linked(upper)):
            group = self._groups.get(status.st_ino)
            if group:
                _link(group.names[0], put + path[len(upper) :])


def with_groups(layers: list[Layer], groups: list[Group]) -> list[Delta]:
    """Return what was done in all layers, files with several names told as one each."""
    for layer in layers:
        trees.open_up(layer.upper)
    found = deltas(layers, {(group.inode, group.copy) for group in groups})
    elsewhere = dict(_new_names(found)) if groups else {}
    for group in groups:
        path = _name_of(group, layers) or elsewhere.get(group.copy)
        if path and not _is_as_before(group):
            before, after = os.lstat(group.names[0]), os.lstat(group.held)
            first, others = group.names[0], tuple(name for name in group.names if name != path)
            places = path, group.held, group.layer
            found.append(Delta("changed", *places, before, after, first, others))
    return found


def _new_names(found: list[Delta]) -> Iterator[tuple[int, str]]:
    """Yield the inodes of what has come, and of what lies in it, with a name of each."""
    for delta in found:
        if delta.after and delta.kind in ("new", "changed"):
            for name, status in linked(delta.upper):
                yield status.st_ino, delta.path + name[len(delta.upper) :]


def _name_of(group: Group, layers: list[Layer]) -> str:
    """Return a name that the file had before and still has, "" for none."""
    for layer in layers:
        for name in group.names:
            place = layer.upper + name[len(layer.lower.rstrip("/")) :]
            found = trees.look(place) if is_below(name, layer.lower) else None
            if found and found.st_ino == group.copy:
                return name
    return ""


def _is_as_before(group: Group) -> bool:
    before, after = trees.look(group.names[0]), os.lstat(group.held)
    if before is None:
        return True
    is_same = trees.same_content(group.held, group.names[0], after, before)
    return is_same and dress_of(group.held) == dress_of(group.names[0])


def _link(original: str, place: str) -> None:
    """Make `place` a link of the original; the time of its folder stays."""
    folder = os.path.dirname(place)
    found = os.lstat(folder)
    draft = f"{folder}/.sopwith-link"
    with trees.writable(folder):
        os.link(original, draft, follow_symlinks=False)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(place)
        os.rename(draft, place)
    os.utime(folder, ns=(found.st_atime_ns, found.st_mtime_ns))


def refused_folders(output: bytes, cwd: str, layers: list[Layer]) -> set[str]:
    """Return the owner's folders that a program names where it says that it cannot rename one."""
    found: set[str] = set()
    for line in output.splitlines():
        if _REFUSED.search(line):
            for name in _QUOTED.findall(line):
                found |= set(_folders(os.fsdecode(name[0] or name[1]), cwd, layers))
        if match := _UNLIKE.search(line):
            found |= _cloned(os.fsdecode(match[1]), layers)
    return found


def _cloned(object: str, layers: list[Layer]) -> set[str]:
    """Return the folder of objects from which `git clone` has made a link that is another file in a
    stage."""
    found = set()
    for layer in layers:
        for entry in trees.below(layer.upper):
            if entry.path.endswith(object):
                top = entry.path.removesuffix(object).removeprefix(layer.upper)
                found.add(f"{layer.lower.rstrip('/')}{top}/objects")
    return {folder for folder in found if trees.is_folder(trees.look(folder))}


def _folders(name: str, cwd: str, layers: list[Layer]) -> list[str]:
    """Return what a name means in the folder of the call, or above: Git names from its top."""
    place = os.path.realpath(cwd)
    for layer in layers:
        while is_below(place, layer.lower):
            path = os.path.normpath(os.path.join(place, name))
            if is_inside(path, layer.lower) and trees.is_folder(trees.look(path)):
                return [path]
            place = os.path.dirname(place)
    return []


def copy_folders(layers: list[Layer], folders: list[str]) -> set[int]:
    """Put copies of folders into the upper ones, so that they can be renamed. Returns the inodes of
    what has several names in them. Raises StageError where that is too much."""
    size = sum(trees.measured(folder)[1] for folder in folders)
    if size > MOST_BYTES:
        raise StageError(
            "error.stage.big-rename", folders=", ".join(folders), gb=f"{size / 1000000000.0:.1f}"
        )
    found: set[int] = set()
    for folder in folders:
        layer = layer_of(folder, layers)
        place = layer.upper + folder[len(layer.lower.rstrip("/")) :]
        os.makedirs(os.path.dirname(place), exist_ok=True)
        trees.carry(folder, place)
        os.setxattr(place, trees.OPAQUE, b"y")
        trees.dress_above(layer.lower, layer.upper, folder)
        found |= {status.st_ino for _, status in linked(folder)}
    return found
