"""Put what a stage has changed into the words of the gate: a ChangeSet, with what was only moved
told as that."""

from __future__ import annotations

import hashlib
import os
import stat
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import NamedTuple

from safety.changes import Change, ChangeKind, ChangeSet, FileType
from sandbox.undo import trees
from sandbox.undo.walk import Delta, dress_of, is_same, staged_dress

_PIECE = 1 << 20


class _Leaf(NamedTuple):
    """One file that is gone or new: where it is called so, where its bytes lie, and the top of what
    came or went with it."""

    path: str
    content: str
    size: int
    mtime: int
    top: str
    mode: int


def change_set(
    deltas: Iterable[Delta],
    is_ours: Callable[[str], bool] = lambda _: False,
    decides: Callable[[str, str], bool] = lambda *_: False,
) -> ChangeSet:
    """Return the changes, sorted by path. A new folder is one change, but for the files in it that
    `decides` names (path, where the bytes lie) and those that run with other rights."""
    deltas = list(deltas)
    gone = _all_leaves((each.lower, each.path) for each in filter(_goes, deltas))
    new = _all_leaves((each.upper, each.path) for each in filter(_comes, deltas))
    moved = _moved(gone, new)
    told = [leaf for leaf in new if leaf not in moved and _is_told(leaf, decides)]
    left, come = _by_top(gone, moved.values()), _by_top(new, [*moved, *told])
    changes = [*(_moved_change(old, to) for to, old in moved.items()), *map(_told, told)]
    for each in deltas:
        changes += _changes(each, left[each.path], come[each.path])
    ours = (change._replace(is_ours=is_ours(str(change.was or change.path))) for change in changes)
    return ChangeSet(tuple(sorted(ours, key=lambda each: (os.fsencode(each.path), each.kind))))


def _is_told(leaf: _Leaf, decides: Callable[[str, str], bool]) -> bool:
    if leaf.path == leaf.top:
        return False
    is_raised = stat.S_ISREG(leaf.mode) and leaf.mode & (stat.S_ISUID | stat.S_ISGID)
    return bool(is_raised) or decides(leaf.path, leaf.content)


def _told(leaf: _Leaf) -> Change:
    found = os.lstat(leaf.content)
    mode = stat.S_IMODE(found.st_mode)
    return Change("new", Path(leaf.path), _type(found), None, leaf.size, mode=mode)


def _by_top(leaves: Iterable[_Leaf], moved: Collection[_Leaf]) -> defaultdict[str, list[_Leaf]]:
    """Return the files that were not only moved, by the top of what came or went with them."""
    found: defaultdict[str, list[_Leaf]] = defaultdict(list)
    others = set(moved)
    for leaf in leaves:
        if leaf not in others:
            found[leaf.top].append(leaf)
    return found


def _goes(each: Delta) -> bool:
    return each.kind == "gone" or _is_other_type(each)


def _comes(each: Delta) -> bool:
    return each.kind == "new" or _is_other_type(each)


def _is_other_type(each: Delta) -> bool:
    """Return True where a file stands in the place of a folder, or the other way round."""
    if each.before is None or each.after is None or each.kind != "changed":
        return False
    return stat.S_IFMT(each.before.st_mode) != stat.S_IFMT(each.after.st_mode)


def _is_alike(each: Delta) -> bool:
    """Return True where another file has come that is like the old one, such as a new link of
    it."""
    assert each.before and each.after
    if not is_same(each.upper, each.lower, each.after, each.before):
        return False
    return staged_dress(each.upper, each.lower) == dress_of(each.lower)


def _changes(each: Delta, left: list[_Leaf], come: list[_Leaf]) -> list[Change]:
    """Return what is to be said of one delta beside what was moved."""
    if each.kind == "dress":
        return _dressed(each)
    if each.kind == "changed" and not _is_other_type(each):
        change = _of_file("changed", each)
        names = [change, *(change._replace(path=Path(name)) for name in each.others)]
        return [] if _is_alike(each) else names
    found = []
    if each.before and _goes(each):
        found += _whole("gone", each.path, each.before, left)
    if each.after and _comes(each):
        found += _whole("new", each.path, each.after, come)
    return found


def _whole(kind: ChangeKind, path: str, found: os.stat_result, leaves: list[_Leaf]) -> list[Change]:
    """Return the change of what came or went whole; nothing for a file that was only moved."""
    if not leaves and not trees.is_folder(found):
        return []
    size = sum(leaf.size for leaf in leaves)
    before, after = (size, None) if kind == "gone" else (None, size)
    mode = None if kind == "gone" else stat.S_IMODE(found.st_mode)
    return [Change(kind, Path(path), _type(found), before, after, files=len(leaves), mode=mode)]


def _of_file(kind: ChangeKind, each: Delta) -> Change:
    assert each.before and each.after
    sizes = each.before.st_size, each.after.st_size
    return Change(
        kind, Path(each.path), _type(each.after), *sizes, mode=stat.S_IMODE(each.after.st_mode)
    )


def _dressed(each: Delta) -> list[Change]:
    """Return a change of rights, owner or attributes; times alone are not worth a word."""
    if staged_dress(each.upper, each.lower).is_but_for_time(dress_of(each.lower)):
        return []
    assert each.after
    return [
        Change(
            "mode", Path(each.path), _type(each.after), mode=trees.mode_of(each.upper, each.after)
        )
    ]


def _type(found: os.stat_result) -> FileType:
    kinds: dict[int, FileType] = {
        stat.S_IFREG: "file",
        stat.S_IFDIR: "folder",
        stat.S_IFLNK: "link",
    }
    return kinds.get(stat.S_IFMT(found.st_mode), "other")


def _all_leaves(places: Iterable[tuple[str, str]]) -> list[_Leaf]:
    return [leaf for content, path in places for leaf in _leaves(content, path)]


def _leaves(content: str, path: str) -> list[_Leaf]:
    found = os.lstat(content)
    if not trees.is_folder(found):
        return [_leaf(path, content, found, path)]
    leaves = []
    for entry in trees.below(content):
        status = entry.stat(follow_symlinks=False)
        if not stat.S_ISDIR(status.st_mode):
            name = path + entry.path[len(content) :]
            leaves.append(_leaf(name, entry.path, status, path))
    return leaves


def _leaf(path: str, content: str, found: os.stat_result, top: str) -> _Leaf:
    return _Leaf(path, content, found.st_size, found.st_mtime_ns, top, found.st_mode)


def _moved(gone: list[_Leaf], new: list[_Leaf]) -> dict[_Leaf, _Leaf]:
    """Return which new file is which gone one: equal bytes, and the same time or name before
    others."""
    by_size: dict[int, list[_Leaf]] = defaultdict(list)
    for leaf in gone:
        by_size[leaf.size].append(leaf)
    found = {}
    for leaf in new:
        rivals = by_size[leaf.size]
        rivals.sort(key=lambda old: (old.mtime != leaf.mtime, _name(old) != _name(leaf)))
        for old in rivals[:3]:
            if _is_move(old, leaf):
                found[leaf] = old
                rivals.remove(old)
                break
    return found


def _is_move(old: _Leaf, leaf: _Leaf) -> bool:
    if leaf.size == 0 and (old.mtime != leaf.mtime or _name(old) != _name(leaf)):
        return False  # all empty files are alike
    try:
        return _digest(old.content) == _digest(leaf.content)
    except OSError:
        return False


def _name(leaf: _Leaf) -> str:
    return leaf.path.rpartition("/")[2]


def _digest(path: str) -> bytes:
    if os.path.islink(path):
        return os.fsencode(os.readlink(path))
    if not os.path.isfile(path):
        return os.urandom(8)  # a pipe or device is like no other
    found = hashlib.blake2b()
    with trees.quietly(path) as file:
        while piece := file.read(_PIECE):
            found.update(piece)
    return found.digest()


def _moved_change(old: _Leaf, to: _Leaf) -> Change:
    found = os.lstat(to.content)
    mode = stat.S_IMODE(found.st_mode)
    return Change(
        "moved", Path(to.path), _type(found), old.size, to.size, Path(old.path), mode=mode
    )
