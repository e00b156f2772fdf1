"""Make the changes of a stage real: what is replaced goes to the undo store, then what is new takes
its place, all or nothing.

The list of steps is on the disk before the first is done. Killed on the way, the next start
finishes or takes back (`recover`)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from config import Message, lines
from safety.changes import ChangeSet
from sandbox.undo import trees
from sandbox.undo.conflicts import Clock, Conflict, is_in_use, is_touched_below
from sandbox.undo.entries import Entry
from sandbox.undo.links import Links
from sandbox.undo.places import Layer, StageError
from sandbox.undo.steps import Interfered, Step, do_all
from sandbox.undo.walk import LEFT_ALONE, Delta, Dress, dress_of, staged_dress

# a file with several links is written to when its other names have gone where they should
_ORDER = ("move", "inside", "dress")


class Conflicted(StageError):
    """Somebody else has changed the same files; nothing was done."""

    def __init__(self, conflicts: Sequence[Conflict]) -> None:
        first = conflicts[:5]
        why = lines(
            (Message("error.undo.at", place=each.path, error=each.why) for each in first),
            "error.also",
        )
        if len(conflicts) > 5:
            why = Message("error.and-more", one=why, n=len(conflicts) - 5)
        super().__init__("error.staged.nothing-changed", why=why)
        self.conflicts = tuple(conflicts)


class Committed(NamedTuple):
    """Hold what was made real: the number of its entry in the undo store, and the changes."""

    number: str
    changes: ChangeSet


def prepare(entry: Entry, found: Sequence[Delta], clocks: Sequence[Clock]) -> list[Step]:
    """Return the steps that make deltas real. Nothing of the owner's is touched yet. Raises
    OSError."""
    for layer in entry.layers:
        os.makedirs(f"{layer.store}/kept", mode=0o700, exist_ok=True)
    links = Links(entry.groups)
    steps = []
    for count, delta in enumerate(found):
        layer = entry.layers[delta.layer]
        steps.append(_step(delta, layer, count, clocks[delta.layer].since(), links))
    return sorted(steps, key=lambda step: _ORDER.index(step.way))


def _step(delta: Delta, layer: Layer, count: int, since: int, links: Links) -> Step:
    kept = f"{layer.store}/kept/{count}" if delta.before else ""
    old = delta.before.st_ino if delta.before else 0
    if delta.kind == "gone":
        return Step("move", delta.path, kept, "", old)
    if delta.kind == "dress":
        now = os.lstat(delta.path)
        is_busy = trees.is_folder(now) and now.st_ctime_ns >= since  # others work in it too
        after = staged_dress(delta.upper, delta.path)
        return dress_step(delta.path, dress_of(delta.path), after, is_busy=is_busy)
    put = _put(delta.upper, layer, count, links)
    if delta.inside:
        trees.carry(delta.inside, kept)
        trees.sync(f"{layer.store}/kept")
        return Step("inside", delta.path, kept, put, old)
    with trees.all_open({delta.upper, put}):
        links.renew(delta.upper, put)
    return Step("move", delta.path, kept, put, old, os.lstat(put).st_ino)


def dress_step(path: str, before: Dress, after: Dress, *, is_busy: bool) -> Step:
    """Return the step that dresses a path; its time is left to others who work in it, and to its
    owner."""
    if is_busy or os.geteuid() not in (0, os.lstat(path).st_uid):
        before, after = before._replace(mtime=LEFT_ALONE), after._replace(mtime=LEFT_ALONE)
    return Step("dress", path, before=before, after=after)


def _put(upper: str, layer: Layer, count: int, links: Links) -> str:
    """Return where the new lies, without overlayfs's marks and on the file system of the folder."""
    _clean(upper)
    if upper.startswith(f"{layer.store}/"):
        return upper
    os.makedirs(f"{layer.store}/put", mode=0o700, exist_ok=True)
    put = f"{layer.store}/put/{count}"
    links.carry(upper, put)
    return put


def _clean(upper: str) -> None:
    """Remove overlayfs's marks from a file or a new folder; their times stay."""
    inside = list(trees.below(upper)) if trees.is_folder(os.lstat(upper)) else []
    for entry in reversed(inside):  # a folder that is closed again lets nobody in
        if trees.is_whiteout(entry.stat(follow_symlinks=False)):
            folder = os.path.dirname(entry.path)
            found = os.lstat(folder)
            os.unlink(entry.path)
            os.utime(folder, ns=(found.st_atime_ns, found.st_mtime_ns))
        else:
            trees.unmark(entry.path)
    trees.unmark(upper)


def carry_out(
    entry: Entry,
    steps: list[Step],
    changes: ChangeSet,
    found: Sequence[Delta] = (),
    clocks: Sequence[Clock] = (),
    **fields: object,
) -> None:
    """Do the steps, all or none, and close the entry as done. `found` are
    the deltas as they were looked at: what was written since is a conflict. Raises Conflicted and
    OSError."""
    watch = _Watch(entry.layers, steps, found, clocks)
    before = {step.path: trees.stamp(step.path) for step in steps}
    done = {"steps": steps, "before": before, "changes": listed(changes)}
    entry.write(sync=True, state="working", **done, **fields)

    try:
        do_all(steps, watch.check)
    except (Interfered, OSError) as error:
        entry.write(state="waiting")
        if isinstance(error, OSError):
            raise
        raise Conflicted([Conflict(error.path, error.why)]) from error
    entry.write(state="made")
    finish(entry, steps)


class _Watch:
    """Look at what was moved away: what others have written to it since it was looked at is a
    conflict."""

    def __init__(
        self,
        layers: list[Layer],
        steps: list[Step],
        found: Sequence[Delta],
        clocks: Sequence[Clock],
    ) -> None:
        self.layers, self.clocks = layers, clocks
        self.states = dict(_states(steps, found))
        self.folders = {each.path: each for each in found if trees.is_folder(each.before)}
        self.written = {_file_of(step.path) for step in steps if step.way == "inside"}
        self.above = {str(folder) for step in steps for folder in Path(step.path).parents}

    def check(self, step: Step) -> None:
        """Raise Interfered where somebody has written to what a step has moved."""
        file = _file_of(step.kept) if step.kept and step.way == "move" else None
        # ours has set the time of a folder above
        if file is None or file in self.written or step.path in self.above:
            return
        now, folder = _state_of(step.kept), self.folders.get(step.path)
        # what came in a folder a step before is not known by its name
        is_written = self.states.get(file, now) != now or is_in_use(step.kept)
        if not is_written and folder:
            store = self.layers[folder.layer].store
            is_since = partial(self.clocks[folder.layer].is_since, folder=store)
            is_written = is_touched_below(step.kept, is_since)
        if is_written:
            raise Interfered(step.path, Message("error.undo.written"))


def _states(
    steps: list[Step], found: Sequence[Delta]
) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield the state of each file that a step is about, as it was looked at where it was."""
    for path in [path for step in steps for path in (step.path, step.put)]:
        if path and (file := _file_of(path)):
            yield file, _state_of(path)
    for each in found:
        if each.before:
            stamp = trees.stamp_of(each.before)
            yield (each.before.st_dev, each.before.st_ino), (stamp.mtime, stamp.size)


def _file_of(path: str) -> tuple[int, int] | None:
    """Return which file stands there: several file systems use the same inodes."""
    found = trees.look(path)
    return (found.st_dev, found.st_ino) if found else None


def _state_of(path: str) -> tuple[int, int]:
    """Return the time and size of what stands there."""
    found = trees.stamp_of(os.lstat(path))
    return found.mtime, found.size


def record_done(entry: Entry, steps: list[Step], changes: ChangeSet) -> None:
    """Close an entry whose steps something else has done."""
    steps = sorted(steps, key=lambda step: _ORDER.index(step.way))
    entry.write(steps=steps, changes=listed(changes))
    finish(entry, steps)


def finish(entry: Entry, steps: list[Step]) -> None:
    entry.drop_copies()  # before the look: a copy may be a link of what was put in place
    paths = {step.path for step in steps} | entry.record.get("same", {}).keys()
    with trees.entered(paths):
        stamps = {path: trees.stamp(path) for path in paths}
    came = [step.path for step in steps if step.way == "move" and step.new]
    with trees.all_open(came):
        entry.keep_inside(each for path in came for each in trees.below(path))
    kept = sum(trees.measured(step.kept)[1] for step in steps if step.kept)
    entry.write(state="done", stamps=stamps, bytes=kept)


def listed(changes: ChangeSet) -> list[list[object]]:
    """Return a change set as JSON has it."""
    return [
        [str(field) if isinstance(field, Path) else field for field in change]
        for change in changes.changes
    ]
