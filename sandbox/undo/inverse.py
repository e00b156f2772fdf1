"""Take entries of the undo store back: the inverse of their steps, and whether others have changed
what they lead to."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import Any

from config import Message
from safety.changes import Change, ChangeKind, ChangeSet
from sandbox.undo import commits, entries, places, trees
from sandbox.undo.conflicts import Conflict, is_in_use
from sandbox.undo.entries import Entry, is_undo, read_changes
from sandbox.undo.places import StageError
from sandbox.undo.steps import Step, Way
from sandbox.undo.walk import LEFT_ALONE

CHANGED = "error.undo.changed"
LATER = "error.undo.later"
_OPPOSITE: dict[ChangeKind, ChangeKind] = {"new": "gone", "gone": "new"}


class Inverse:
    """The steps that take entries back, and whether others have changed what they lead to."""

    def __init__(self, home: Path, chosen: list[Entry]) -> None:
        self.home, self.chosen = home, chosen
        self.found: list[Conflict] = []
        self.steps: list[Step] = []
        self._last: dict[str, int] = {}  # path → the last step on it
        self._before: dict[str, trees.Stamp | None] = {}  # as the newer entries found it
        self._written: set[int] = set()  # inodes that newer entries wrote in place, looked at there
        self._is_left_alone: dict[str, bool] = {}  # by path, as the newest of its steps finds it

    def conflicts(self) -> list[Conflict]:
        """Return what somebody else has changed since."""
        if later := list(self._later()):
            return later
        for entry in self.chosen:
            self._take(entry)
        self.steps.sort(key=lambda step: step.way == "dress")
        return self.found

    def _take(self, entry: Entry) -> None:
        """Add the steps that take one entry back, its last one first."""
        steps = steps_of(entry)[::-1]
        left = {path: _stamp(each) for path, each in entry.record["stamps"].items()}
        self._look(entry, steps, left)
        before = self._chained(entry, left)
        moves = _of_way("move", steps)
        stands = {step.path: self._inode(step.path) for step in moves}
        self._written |= {step.old for step in _of_way("inside", steps)}
        kept = [step for step in moves if step.kept]
        self._forget_dress(kept)
        for step in steps:
            self.steps.append(self._back(step, left, stands))
        self._forget_dress(step for step in kept if not os.path.isdir(step.kept))
        self._before |= before

    def _back(
        self, step: Step, left: dict[str, trees.Stamp | None], stands: dict[str, int]
    ) -> Step:
        inverse = step.inverse(f"{len(self.steps)}")
        if step.way != "move":
            return inverse
        self._last[step.path] = len(self.steps)
        last = left[step.path]
        is_left = last is not None and step.new == last.inode
        # or its copy, which a newer step puts there
        return inverse._replace(old=stands[step.path]) if is_left else inverse

    def _look(self, entry: Entry, steps: list[Step], left: dict[str, trees.Stamp | None]) -> None:
        """Take note of what an entry has left otherwise than it is found."""
        inside = entry.inside()
        for step in steps:
            if step.way != "dress":
                self.found += self._of(step.path, left[step.path], inside)

    def _chained(
        self, entry: Entry, left: dict[str, trees.Stamp | None]
    ) -> dict[str, trees.Stamp | None]:
        """Return how an entry found what it left as it is found now: the older ones are to have
        left that."""
        before = entry.record.get("before", {})
        chained = {
            path: _stamp(before[path])
            for path, stamp in left.items()
            if path in before and self._is_as_left(path, stamp)
        }
        moved = {fields[1] for fields in entry.record["steps"] if fields[0] == "move"}
        for path in list(self._before):
            if any(places.is_inside(path, each) for each in moved):
                del self._before[path]
        return chained

    def _is_as_left(self, path: str, left: trees.Stamp | None) -> bool:
        now = self._now(path)
        if left is None or now is None:
            return left is now
        return now.inode == left.inode or self._origin(now) == self._origin(left)

    def _forget_dress(self, kept: Iterable[Step]) -> None:
        """Leave out changes of rights and times of what is put back whole after them."""
        whole = {step.path for step in kept}
        for count, step in enumerate(self.steps):
            above = (step.path, *map(str, Path(step.path).parents))
            if step.way == "dress" and not whole.isdisjoint(above):
                self.steps[count] = step._replace(before=None, after=None)

    def carry_out(self, run: str, call: str) -> list[str]:
        """Do the steps. Returns the paths. Raises Conflicted and OSError."""
        new = entries.make(self.home, run, call)
        try:
            lowers = {layer.lower: layer for entry in self.chosen for layer in entry.layers}
            layers = [self._layer(each, new.number, n) for n, each in enumerate(lowers.values())]
            for layer in layers:
                os.makedirs(f"{layer.store}/kept", mode=0o700, exist_ok=True)
            new.write(layers=layers)
            steps = [self._step(step, layers) for step in self.steps]
            changes = ChangeSet(tuple(_inverted(self.chosen)))
            commits.carry_out(new, steps, changes, **self._told())
        except (OSError, StageError):
            new.remove()
            raise
        new.close()
        for entry in self.chosen:
            entry.write(state="undone")
        return [step.path for step in steps if not _is_only_time(step)]

    def _told(self) -> dict[str, Any]:
        """Return what the record of an undo says beside its steps."""
        is_redo = all("undoes" in entry.record for entry in self.chosen)
        return {
            "same": {path: left for path, left in self._before.items() if left},
            "undoes": [entry.number for entry in self.chosen],
            "is_redo": is_redo and not self.chosen[0].record.get("is_redo"),
        }

    def _layer(self, layer: places.Layer, number: str, count: int) -> places.Layer:
        base = os.path.dirname(os.path.dirname(layer.store))
        store = f"{places.entry_in(base, self.home, number)}/{count}"
        return places.placed(layer.lower, store, store)

    def _step(self, step: Step, layers: list[places.Layer]) -> Step:
        """Return the step with its place for what it replaces; a file with several links is copied
        there now."""
        if step.way == "dress":
            is_own = step.path in self._last
            is_alone = self._is_left_alone.setdefault(step.path, not is_own and _was_touched(step))
            return _without_time(step) if is_alone else step
        if not step.kept:
            return step
        lowers = [layer for layer in layers if places.is_below(step.path, layer.lower)]
        kept = f"{max(lowers, key=lambda layer: len(layer.lower)).store}/kept/{step.kept}"
        if step.way == "inside":
            trees.carry(self._now_at(step), kept)
            trees.sync(os.path.dirname(kept))
        return step._replace(kept=kept)

    def _now_at(self, step: Step) -> str:
        """Return where the file lies now that a step writes into; another step may put it there."""
        coming = [
            each.put + step.path[len(each.path) :]
            for each in self.steps
            if each.way == "move" and each.put and places.is_below(step.path, each.path)
        ]
        for place in (step.path, *coming):
            found = trees.look(place)
            if found and found.st_ino == step.old:
                return place
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), step.path)

    def _of(
        self, path: str, wanted: trees.Stamp | None, inside: dict[str, trees.Stamp]
    ) -> Iterator[Conflict]:
        """Yield the conflicts of one path that should be as an entry left it."""
        if wanted and wanted.inode in self._written:
            return
        place, now = self._place(path), self._now(path)
        if wanted is None or now is None:
            yield from _come_or_gone(path, wanted, now)
        elif trees.is_folder(trees.look(place)):
            yield from self._of_folder(path, now, wanted)
            yield from self._below(path, place, inside)
        elif not self._is_untouched(path, place, now, wanted) and self._is_other(now, wanted):
            yield Conflict(path, Message("error.undo.changed-since"))
        elif place == path and is_in_use(path):
            yield Conflict(path, Message("error.undo.open"))

    def _of_folder(self, path: str, now: trees.Stamp, wanted: trees.Stamp) -> Iterator[Conflict]:
        if now.inode != wanted.inode and self._is_other(now, wanted):
            yield Conflict(path, Message("error.undo.other-folder"))

    def _is_other(self, now: trees.Stamp, wanted: trees.Stamp) -> bool:
        return self._origin(now) != self._origin(wanted)

    def _is_untouched(self, path: str, place: str, now: trees.Stamp, wanted: trees.Stamp) -> bool:
        if now[:3] != wanted[:3]:
            return False
        # an entry of this store has left it in this state, by this name or another link
        is_own = (now.inode, now.ctime) in self._own
        return place != path or now.ctime == wanted.ctime or is_own

    def _below(self, path: str, place: str, inside: dict[str, trees.Stamp]) -> Iterator[Conflict]:
        """Yield what somebody else has changed or made in a folder that came as a whole."""
        for entry in trees.below(place):
            name = path + entry.path[len(place) :]
            if entry.is_dir(follow_symlinks=False) or self._place(name) != entry.path:
                continue
            now = trees.stamp_of(entry.stat(follow_symlinks=False))
            if self._is_not_ours(name, entry.path, now, inside):
                yield Conflict(name, Message(CHANGED))
        # what is in it once newer entries are taken back
        below = (each for each in self._before.items() if places.is_inside(each[0], path))
        for name, found in below:
            if found and self._is_not_ours(name, "", found, inside):
                yield Conflict(name, Message(CHANGED))

    def _is_not_ours(
        self, name: str, place: str, now: trees.Stamp, inside: dict[str, trees.Stamp]
    ) -> bool:
        """Return True for what an entry has not left in this state."""
        wanted = inside.get(name)
        if now.inode in self._written:
            return False
        if wanted is None or not self._is_untouched(name, place, now, wanted):
            return wanted is None or self._is_other(now, wanted)
        return False

    def _now(self, path: str) -> trees.Stamp | None:
        """Return how a path is once the steps so far are done."""
        if path in self._before:
            return self._before[path]
        place = self._place(path)
        return trees.stamp(place) if place else None

    def _inode(self, path: str) -> int:
        found = trees.stamp(place) if (place := self._place(path)) else None
        return found.inode if found else 0

    def _later(self) -> Iterator[Conflict]:
        """Yield the conflicts with calls of the same run that came later and are not taken back."""
        theirs = list(self._steps_after(self.chosen[0]))
        ours = [step for entry in self.chosen if theirs for step in steps_of(entry)]
        for path in dict.fromkeys(step.path for step in ours if not _is_only_time(step)):
            if any(_meets(step, path) for step in theirs):
                yield Conflict(path, Message(LATER))

    def _steps_after(self, newest: Entry) -> Iterator[Step]:
        """Yield the steps of the later calls of a run whose changes hold."""
        run = entries.run_in_mark(newest.record["run"])
        for mark in entries.marks(self.home):
            is_later = mark.run == run and mark.number > newest.number
            record = entries.peek(self.home / "undo" / mark.number) if is_later else {}
            if record.get("state") == "done" and not is_undo(record):
                yield from map(Step.read, record["steps"])

    def _place(self, path: str) -> str:
        """Return where what will stand at a path once the steps so far are done lies now; "" for
        nothing."""
        candidates = [path, *(str(each) for each in Path(path).parents)]
        touched = [self._last[each] for each in candidates if each in self._last]
        if not touched:
            return path
        step = self.steps[max(touched)]
        return step.put + path[len(step.path) :] if step.put else ""

    @cached_property
    def _records(self) -> dict[str, dict[str, Any]]:
        return {folder.name: entries.peek(folder) for folder in entries.folders(self.home)}

    @cached_property
    def _own(self) -> set[tuple[int, int]]:
        stamps = [record.get("stamps", {}) for record in self._records.values()]
        return {(stamp[0], stamp[3]) for each in stamps for stamp in each.values() if stamp}

    def _origin(self, left: trees.Stamp) -> trees.Stamp:
        """Return the first state that held the same: an undo, and a call that writes the same once
        more, leave other files with it."""
        return self._origins.get(left, left)

    @cached_property
    def _origins(self) -> dict[trees.Stamp, trees.Stamp]:
        found: dict[trees.Stamp, trees.Stamp] = {}
        for record in self._records.values():
            for path, fields in record.get("same", {}).items():
                first, left = trees.Stamp(*fields), _stamp(record.get("stamps", {}).get(path))
                if left:
                    found[left] = found.get(first, first)
        return found


def conflicts_of(steps: Inverse, chosen: list[Entry]) -> list[Conflict]:
    """Return what others have changed, also in folders that came with no right to enter them."""
    came = [step for entry in chosen for step in steps_of(entry)]
    with trees.all_open(step.path for step in came if step.way == "move" and step.new):
        return steps.conflicts()


def entered(chosen: list[Entry]) -> AbstractContextManager[None]:
    """Let us into the folders that are touched, also where a script has taken their rights away."""
    steps = [step for entry in chosen for step in steps_of(entry)]
    dressed = {step.path for step in steps if step.way == "dress"}
    return trees.entered([step.path for step in steps], dressed)


def steps_of(entry: Entry) -> list[Step]:
    """Return the steps of an entry, in their order."""
    return list(map(Step.read, entry.record["steps"]))


def _of_way(way: Way, steps: Iterable[Step]) -> list[Step]:
    return [step for step in steps if step.way == way]


def _come_or_gone(
    path: str, wanted: trees.Stamp | None, now: trees.Stamp | None
) -> Iterator[Conflict]:
    """Yield the conflict of a path that stands where nothing should, or is missing."""
    if wanted:
        yield Conflict(path, Message("error.undo.removed"))
    elif now:
        yield Conflict(path, Message("error.undo.made"))


def _meets(step: Step, path: str) -> bool:
    """Return True where a step is about a path, what lies in it, or the folder that it lies in."""
    if step.way == "dress":
        return places.is_below(step.path, path)
    return places.is_below(path, step.path) or places.is_below(step.path, path)


def _stamp(fields: list[int] | None) -> trees.Stamp | None:
    return trees.Stamp(*fields) if fields else None


def _was_touched(step: Step) -> bool:
    """Return True where others have worked in a folder since, which has set its time."""
    found = trees.look(step.path)
    return bool(step.before and found and found.st_mtime_ns != step.before.mtime)


def _without_time(step: Step) -> Step:
    before, after = (each and each._replace(mtime=LEFT_ALONE) for each in (step.before, step.after))
    return step._replace(before=before, after=after)


def _is_only_time(step: Step) -> bool:
    """Return True for a step that sets the times of a path, and nothing else."""
    if step.way != "dress" or not step.before or not step.after:
        return False
    return step.before.is_but_for_time(step.after)


def _inverted(chosen: list[Entry]) -> Iterator[Change]:
    """Yield the changes of an undo."""
    for entry in chosen:
        for change in read_changes(entry.record["changes"]):
            if change.kind == "moved" and change.was:
                yield change._replace(path=change.was, was=change.path)
            elif change.kind in _OPPOSITE:
                kind = _OPPOSITE[change.kind]
                yield change._replace(kind=kind, before=change.after, after=change.before)
            else:
                yield change._replace(before=change.after, after=change.before)
