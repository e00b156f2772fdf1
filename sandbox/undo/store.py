"""Keep what runs have changed and take exactly that back: never what somebody else has changed
since, and all or nothing.

An undo is a commit of the inverse steps: it has an entry of its own, and can be undone like any
other.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from safety.changes import Change, ChangeKind, ChangeSet
from sandbox.undo import commits, direct, entries, places, trees
from sandbox.undo.commits import Conflicted
from sandbox.undo.conflicts import Conflict, is_in_use
from sandbox.undo.entries import Entry
from sandbox.undo.errors import StageError
from sandbox.undo.steps import Interfered, Step, Stuck, do_all
from sandbox.undo.walk import LEFT_ALONE

if TYPE_CHECKING:
    from config import UndoConfig

DAY_SECONDS = 86_400
_OPPOSITE: dict[ChangeKind, ChangeKind] = {"new": "gone", "gone": "new"}


class Kept(NamedTuple):
    """One entry of the store: a commit, or an undo of others."""

    number: str
    run: str
    call: str
    at: str
    state: str
    changes: ChangeSet
    bytes: int
    is_undo: bool


class Undone(NamedTuple):
    """Hold what an undo did. With conflicts nothing was done."""

    paths: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


class UndoStore:
    """The undo store of one home folder."""

    def __init__(self, home: Path, keep_days: float = 30, max_bytes: int = 5 << 30) -> None:
        self.home = home.resolve()
        self.keep_days, self.max_bytes = keep_days, max_bytes

    @classmethod
    def limited(cls, home: Path, limits: UndoConfig) -> UndoStore:
        """Return the store with the limits of config.yaml (`config.undo`)."""
        return cls(home, limits.keep_days, int(limits.max_gb * 1e9))

    def all(self) -> list[Kept]:
        """Return the entries, oldest first."""
        return list(self._read(entries.marks(self.home)))

    def _read(self, marks: Iterable[entries.Mark]) -> Iterator[Kept]:
        for mark in marks:
            record = entries.peek(self.home / "undo" / mark.number)
            if record.get("state") in entries.FINAL:
                yield _kept(mark.number, record)

    def changes(self, run: str, call: str | None = None) -> list[Kept]:
        """Return what a run, or one call of it, has changed, in its order."""
        name = entries.run_in_mark(run)
        own = self._read(mark for mark in entries.marks(self.home) if mark.run == name)
        return [each for each in own if each.run == run and call in (None, each.call)]

    def last_run(self) -> str:
        """Return the run that has changed something last, "" for none."""
        newest = self._read(reversed(entries.marks(self.home)))
        return next((each.run for each in newest if each.state == "done"), "")

    def undo(self, run: str, call: str | None = None) -> Undone:
        """Take back what a run or a call has changed; of a run that is undone, the undo. Raises
        StageError.
        """
        chosen = self._chosen(run, call)
        try:
            with _entered(chosen):
                steps = _Inverse(self.home, chosen)
                if found := _conflicts(steps, chosen):
                    return Undone(conflicts=tuple(found))
                return Undone(tuple(dict.fromkeys(steps.carry_out(run, call or ""))))
        except Conflicted as error:
            return Undone(conflicts=error.conflicts)
        except OSError as error:
            raise StageError(f"nothing was undone: {error}") from error
        finally:
            for entry in chosen:
                entry.close()

    def forget(self, run: str) -> int:
        """Drop what is kept of a run, for its space or its secrets. Returns the bytes."""
        freed = 0
        for kept in self.changes(run):
            entry = entries.load(self.home / "undo" / kept.number)
            if entry:
                freed += kept.bytes
                entry.remove()
        return freed

    def evict(self) -> int:
        """Drop what is older than `keep_days`. Returns the bytes."""
        limit = time.time() - self.keep_days * DAY_SECONDS
        old = [
            each for each in entries.marks(self.home) if each.state == "kept" and each.made < limit
        ]
        freed = 0
        for mark in old:
            entry = entries.load(self.home / "undo" / mark.number)
            if entry and entry.state != "waiting":
                freed += mark.bytes
                entry.remove()
            elif entry:
                entry.close()
        return freed

    def make_room(self, needed: int) -> None:
        """Drop what is old where the store would grow above its limit. Raises StageError where that
        is not enough.
        """
        if self.bytes() + needed <= self.max_bytes:
            return
        self.evict()
        if (held := self.bytes()) + needed > self.max_bytes:
            raise StageError(
                f"the undo store holds {held / 1e9:.1f} GB and would take {needed / 1e9:.1f} GB more, above undo.max_gb in"
                " config.yaml; `sopwith undo forget RUN` frees what is kept of a run"
            )

    def bytes(self) -> int:
        """Return what the store holds."""
        return sum(mark.bytes for mark in entries.marks(self.home))

    def _chosen(self, run: str, call: str | None) -> list[Entry]:
        """Return what is to be taken back, newest first, locked: calls that were done, else the
        last undo.
        """
        done = [each for each in self.changes(run, call) if each.state == "done"]
        calls = [each for each in done if not each.is_undo] or done[-1:]
        if not calls:
            raise StageError(f"there is nothing to undo of {run}")
        found: list[Entry] = []
        for kept in reversed(calls):
            entry = entries.load(self.home / "undo" / kept.number)
            if entry is None:
                for other in found:
                    other.close()
                raise StageError(f"{run} is being changed by another process; try again")
            found.append(entry)
        return found


def _entered(chosen: list[Entry]) -> AbstractContextManager[None]:
    """Let us into the folders that are touched, also where a script has taken their rights away."""
    steps = [Step.read(fields) for entry in chosen for fields in entry.record["steps"]]
    dressed = {step.path for step in steps if step.way == "dress"}
    return trees.entered([step.path for step in steps], dressed)


def _conflicts(steps: _Inverse, chosen: list[Entry]) -> list[Conflict]:
    """Return what others have changed, also in folders that came with no right to enter them."""
    came = [Step.read(fields) for entry in chosen for fields in entry.record["steps"]]
    with trees.all_open(step.path for step in came if step.way == "move" and step.new):
        return steps.conflicts()


class _Inverse:
    """The steps that take entries back, and whether others have changed what they lead to."""

    def __init__(self, home: Path, chosen: list[Entry]) -> None:
        self.home, self.chosen = home, chosen
        self.found: list[Conflict] = []
        self.steps: list[Step] = []
        self._last: dict[str, int] = {}  # path → the last step on it
        self._own: set[tuple[int, int]] | None = None
        self._written: set[int] = set()  # inodes that newer entries wrote in place, looked at there
        self._is_left_alone: dict[str, bool] = {}  # by path, as the newest of its steps finds it

    def conflicts(self) -> list[Conflict]:
        """Return what somebody else has changed since."""
        for entry in self.chosen:
            began = dict(
                zip([layer.lower for layer in entry.layers], entry.record["began"], strict=True)
            )
            steps = [Step.read(fields) for fields in entry.record["steps"]]
            for step in reversed(steps):
                if step.way != "dress":
                    stamp = entry.record["stamps"][step.path]
                    limit = next(
                        since for lower, since in began.items() if places.is_below(step.path, lower)
                    )
                    self.found += self._of(step.path, trees.Stamp(*stamp) if stamp else None, limit)
            self._written |= {step.old for step in steps if step.way == "inside"}
            for step in reversed(steps):
                if step.way == "move":
                    self._last[step.path] = len(self.steps)
                self.steps.append(step.inverse(f"{len(self.steps)}"))
        self.steps.sort(key=lambda step: step.way == "dress")
        return self.found

    def carry_out(self, run: str, call: str) -> list[str]:
        """Do the steps. Returns the paths. Raises Conflicted and OSError."""
        new = entries.make(self.home, run, call)
        try:
            lowers = {layer.lower: layer for entry in self.chosen for layer in entry.layers}
            layers = [
                self._layer(layer, new.number, count) for count, layer in enumerate(lowers.values())
            ]
            for layer in layers:
                os.makedirs(f"{layer.store}/kept", mode=0o700, exist_ok=True)
            new.write(layers=layers)
            steps = [self._step(step, layers) for step in self.steps]
            changes = ChangeSet(tuple(_inverted(self.chosen)))
            numbers = [entry.number for entry in self.chosen]
            commits.carry_out(new, steps, changes, undoes=numbers)
        except (OSError, StageError):
            new.remove()
            raise
        new.close()
        for entry in self.chosen:
            entry.write(state="undone")
        return [step.path for step in steps if step.way != "dress" or not _is_only_time(step)]

    def _layer(self, layer: places.Layer, number: str, count: int) -> places.Layer:
        base = os.path.dirname(os.path.dirname(layer.store))
        store = f"{places.entry_in(base, self.home, number)}/{count}"
        return places.placed(layer.lower, store, store)

    def _step(self, step: Step, layers: list[places.Layer]) -> Step:
        """Return the step with its place for what it replaces; a file with several links is copied
        there now.
        """
        if step.way == "dress":
            is_alone = self._is_left_alone.setdefault(step.path, _was_touched(step))
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

    def _of(self, path: str, wanted: trees.Stamp | None, limit: int) -> Iterator[Conflict]:
        """Yield the conflicts of one path that should be as an entry left it."""
        if wanted and wanted.inode in self._written:
            return
        place = self._place(path)
        now = trees.stamp(place) if place else None
        if wanted is None or now is None:
            if wanted or now:
                yield Conflict(
                    path, "somebody else has removed it" if wanted else "somebody else has made it"
                )
            return
        if os.path.isdir(place) and not os.path.islink(place):
            if now.inode != wanted.inode:
                yield Conflict(path, "it is another folder now")
            yield from self._below(path, place, limit)
            return
        is_same = now[:3] == wanted[:3]
        is_untouched = place != path or now.ctime == wanted.ctime or self._is_own(now)
        if not (is_same and is_untouched):
            yield Conflict(path, "somebody else has changed it since")
        elif place == path and is_in_use(path):
            yield Conflict(path, "another program has it open")

    def _below(self, path: str, place: str, limit: int) -> Iterator[Conflict]:
        """Yield what somebody else has changed or made in a folder that came as a whole."""
        for entry in trees.below(place):
            name = path + entry.path[len(place) :]
            if entry.is_dir(follow_symlinks=False) or self._place(name) != entry.path:
                continue
            now = trees.stamp(entry.path)
            # our own steps on another name of a file change the ctime that all its names share
            has_links = entry.stat(follow_symlinks=False).st_nlink > 1
            newest = (now.mtime if has_links else now.ctime) if now else 0
            if now and newest > limit and not self._is_own(now):
                yield Conflict(name, "somebody else has made or changed it since")

    def _place(self, path: str) -> str:
        """Return where what will stand at a path once the steps so far are done lies now; "" for
        nothing.
        """
        candidates = [path, *(str(each) for each in Path(path).parents)]
        touched = [self._last[each] for each in candidates if each in self._last]
        if not touched:
            return path
        step = self.steps[max(touched)]
        return step.put + path[len(step.path) :] if step.put else ""

    def _is_own(self, now: trees.Stamp) -> bool:
        """True if an entry of this store has left a file in this state, by this name or another
        link.
        """
        if self._own is None:
            self._own = set()
            for folder in entries.folders(self.home):
                stamps = entries.peek(folder).get("stamps", {})
                self._own |= {(each[0], each[3]) for each in stamps.values() if each}
        return (now.inode, now.ctime) in self._own


def _was_touched(step: Step) -> bool:
    """True where others have worked in a folder since, which has set its time."""
    found = trees.look(step.path)
    return bool(step.before and found and found.st_mtime_ns != step.before.mtime)


def _without_time(step: Step) -> Step:
    before, after = (each and each._replace(mtime=LEFT_ALONE) for each in (step.before, step.after))
    return step._replace(before=before, after=after)


def _is_only_time(step: Step) -> bool:
    return bool(step.before and step.after and step.before.is_but_for_time(step.after))


def _kept(number: str, record: dict[str, Any]) -> Kept:
    changes = ChangeSet(tuple(read_changes(record.get("changes", ()))))
    return Kept(
        number,
        record["run"],
        record["call"],
        record["at"],
        record["state"],
        changes,
        record.get("bytes", 0),
        "undoes" in record,
    )


def read_changes(listed: Iterable[list[Any]]) -> Iterator[Change]:
    for fields in listed:
        kind, path, type, before, after, was, *rest = fields
        yield Change(kind, Path(path), type, before, after, Path(was) if was else None, *rest)


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


def recover(home: Path) -> list[str]:
    """Bring to an end what a kill has left: returns a line on each. Entries that somebody works on
    are left alone.
    """
    said = []
    for mark in entries.marks(home):
        entry = entries.load(home / "undo" / mark.number) if mark.state == "busy" else None
        if entry and entry.state in entries.FINAL:
            entry.write()  # it was killed before its mark
        elif entry:
            said.append(_recovered(entry))
        if entry:
            entry.close()
    return said


def _recovered(entry: Entry) -> str:
    call = f"run {entry.record['run']}, call {entry.record['call']}"
    if entry.state == "direct":
        direct.finish(entry)
        return f"{call}: what it wrote was recorded"
    if entry.state == "open":
        entry.remove()
        return f"{call}: was stopped before its changes were made; nothing was changed"
    steps = [Step.read(fields) for fields in entry.record["steps"]]
    try:
        if entry.state == "working":
            do_all(steps)
    except Stuck as error:
        return f"{call}: {error}; what stood there before lies in {entry.folder}"
    except (Interfered, OSError) as error:
        entry.write(state="waiting")
        entry.remove()
        return f"{call}: its changes were taken back, since {error}"
    commits.finish(entry, steps)
    for number in entry.record.get("undoes", ()):
        if undone := entries.load(entry.folder.parent / number):
            undone.write(state="undone")
            undone.close()
    return f"{call}: its changes were made whole"
