"""A stage: the owner's own folders, copy-on-write. What is done in it is seen, then committed or
thrown away."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from config import Message
from safety.changes import ChangeSet
from sandbox.stage import summary
from sandbox.stage.holding import STILL_USED_SECONDS, Holder, HolderError, Idle, Mounting
from sandbox.undo import commits, conflicts, entries, links, places, trees
from sandbox.undo.commits import Committed, Conflicted
from sandbox.undo.conflicts import Clock, Conflict
from sandbox.undo.entries import Entry
from sandbox.undo.places import Layer, StageError
from sandbox.undo.walk import Delta

if TYPE_CHECKING:
    from sandbox.undo.store import UndoStore


TRIES = 5
MOST_PARTS = 1000
RESERVE_BYTES = 512 << 20  # of a disk that a script may not fill; of a small one a twentieth
# By file system: which of the places for copies overlayfs took there (places.others).
_taken: dict[int, int] = {}


class Seen(NamedTuple):
    """A look at a stage that stays open: all that was done so far."""

    deltas: list[Delta]
    changes: ChangeSet


class Stage:
    """The changes of one call, from its start to their commit. Open one with `Stage.open`, or
    `Stage.waiting`."""

    roots: Sequence[str] = ()  # of which there are images: nothing else may be written to
    fixed: Collection[str] = ()  # but for these
    shows: Sequence[str] = ()  # of the agent's home, which is hidden

    def __init__(
        self, entry: Entry, clocks: list[Clock], holder: Holder | None, cell: Idle | None
    ) -> None:
        self._entry, self._clocks, self._holder, self.cell = entry, clocks, holder, cell
        self._keeper = None if cell else holder
        self.number = entry.number
        entry.record["clocks"] = clocks
        self._mounting: Mounting | None = None
        self._runs = 0
        self.opened: list[str] = []  # of what is hidden, once it has ended
        self._written: list[str] | None = None  # layers in others, once it has ended
        self.is_ours: Callable[[str], bool] = lambda _: False
        self.decides: Callable[[str, str], bool] = lambda *_: False

    @classmethod
    def open(
        cls,
        roots: Iterable[str | Path],
        home: Path,
        run: str,
        call: str,
        *,
        holder: Holder | None = None,
        masks: Iterable[str] = (),
        shows: Iterable[str] = (),
        veils: Iterable[str] = (),
        with_home: bool = False,
    ) -> Stage:
        """Cover the roots. Without a `holder`, one is started for `run`. The agent's home is
        hidden, or covered `with_home`, and so are `masks`; of what is hidden `shows` can be read,
        but for the files `veils` in it.
        Raises StageError."""
        home = home.resolve()
        names = places.outermost([*map(str, roots), *([str(home)] if with_home else [])])
        entry = _entry(holder, names, home, run, call)
        cell = None if holder else Idle()
        held = cell.holder if cell else holder
        assert held is not None
        own = str(home / "undo" if with_home else home)
        wanted = Mounting([own, *masks], [*shows], [*veils])
        try:
            clocks, mounting = _begun(held, entry, names, home, wanted)
        except (StageError, OSError) as error:
            if cell:
                cell.close()
            entry.remove()
            if isinstance(error, StageError):
                raise
            raise StageError("error.stage.not-made", error=error) from error
        stage = cls(entry, clocks, held, cell)
        stage._mounting = mounting
        return stage

    @classmethod
    def waiting(cls, home: Path, number: str) -> Stage | None:
        """Return a stage that was put aside by `wait`; None where there is none, or somebody works
        on it."""
        entry = entries.load(home.resolve() / "undo" / number)
        if entry is None or entry.state != "waiting":
            if entry:
                entry.close()
            return None
        clocks = [Clock(*each) for each in entry.record.get("clocks", ())]
        return cls(entry, clocks, None, None)

    def run(
        self,
        argv: Sequence[str],
        cwd: str | Path,
        env: Mapping[str, str] | None = None,
        seconds: float = 60.0,
    ) -> tuple[int, bytes]:
        """Run a command in the stage, without network, to the end of all its processes. Returns
        exit code and output."""
        if self.cell is None:
            raise StageError("error.stage.of-cell")
        words = list(argv), str(cwd), dict(os.environ if env is None else env), seconds
        answer = self.cell.run(*words)
        self._runs += 1
        while self._runs == 1 and self.begin_again(answer[1], words[1]):
            answer = self.cell.run(*words)
        return answer

    def begin_again(self, output: bytes, cwd: str) -> bool:
        """Return True where the one command that ran has touched files with several names, which in
        a stage fall apart, or could not rename a folder, or write in one that is not covered. The
        stage is as new then, and the command is to be run again. All its processes have ended.
        Raises StageError."""
        entry, holder = self._entry, self._holder
        assert holder is not None
        assert self._mounting is not None
        groups = entry.groups
        found = links.with_groups(entry.layers, groups)
        doubt = links.in_doubt(found, groups)
        known: set[str] = set(entry.record.get("copied", ()))
        folders = known | links.refused_folders(output, cwd, entry.layers)
        folders |= links.moved_with_links(found, doubt)
        if not (doubt or folders != known):
            return False
        holder.umount()
        entry.drop_copies()
        wanted = doubt | {group.inode for group in groups}
        try:
            self._clocks[:] = _made(entry, entry.layers, wanted, places.outermost(folders))
            _mount(holder, entry, entry.layers, self._mounting, self._clocks)
        except OSError as error:
            raise StageError("error.stage.not-again", error=error) from error
        return True

    def close(self, patience_seconds: float = STILL_USED_SECONDS) -> None:
        """End it: from now on nothing changes in it. Raises StageError while a process is left in
        it, or where its holder has died; once more, it does nothing."""
        holder, self._holder = self._holder, None
        if holder is None:
            return
        try:
            self.opened, self._written = holder.umount(patience_seconds)
        except HolderError as error:
            raise StageError("error.stage.still-busy", error=error) from error
        finally:
            if self.cell:
                self.cell.close()

    def is_left(self, patience_seconds: float) -> bool:
        """Return True once nobody is at work in it: it has ended then. Raises StageError."""
        holder = self._holder
        try:
            self.close(patience_seconds)
        except StageError as error:
            if not isinstance(error.__cause__, HolderError):
                raise
            self._holder = holder
            return False
        return True

    def is_full(self) -> str:
        """Return where the copies lie, if there is hardly any space left for them; else ""."""
        for folder in {os.path.dirname(layer.upper) for layer in self._entry.layers}:
            found = os.statvfs(folder)
            left, whole = found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize
            if left < min(RESERVE_BYTES, whole // 20):
                return folder
        return ""

    def look(self) -> Seen:
        """Return what was done so far. Nothing may be at work in the stage; it stays open."""
        found = self._found()
        return Seen(found, summary.change_set(found, self.is_ours, self.decides))

    @cached_property
    def deltas(self) -> list[Delta]:
        """Return what was done, path by path; ends the stage."""
        self.close()
        return self._found()

    def _found(self) -> list[Delta]:
        """Return what was done but for modes and times of folders that nobody has touched in the
        stage: ours are those of the moment when it was opened, and somebody else has changed the
        folder since."""
        found = []
        for each in links.with_groups(self._entry.layers, self._entry.groups):
            opened = self._clocks[each.layer].since()
            if each.kind != "dress" or each.after is None or each.after.st_ctime_ns >= opened:
                found.append(each)
        return found

    @cached_property
    def changes(self) -> ChangeSet:
        """Return what was done, in the words of the gate; ends the stage."""
        return summary.change_set(self.deltas, self.is_ours, self.decides)

    def _lost(self, moved: Set[str]) -> Set[str]:
        """Return the folders whose changes went with a mount."""
        lost = {each.lower for each in self._entry.layers if not os.path.isdir(each.upper)} & moved
        return lost if self._written is None else lost.intersection(self._written)

    def conflicts(self) -> list[Conflict]:
        """Return what somebody else has changed too since the stage was opened, or has open for
        writing, and where a mount has come or gone."""
        before: dict[str, str] = self._entry.record.get("mounts", {})
        now = places.devices(self._entry.layers, places.mounted())
        moved = {point for point, _ in before.items() ^ now.items()}  # mounts that came or went
        touched = [*self._lost(moved), *(each.path for each in self.deltas)]
        told = [
            Conflict(path, Message("error.undo.mounted", point=point))
            for path in touched
            for point in moved
            if places.is_below(path, point)
        ]
        return told or conflicts.found_in(self.deltas, self._clocks, self._entry.layers)

    def commit(self, store: UndoStore | None = None) -> Committed:
        """Make the changes real. `store` has limits that hold for what is kept. Raises Conflicted,
        with nothing done, and StageError where the disk or the store cannot take them."""
        if not self.deltas:
            self._put_by()
            return Committed("", ChangeSet())
        if found := self.conflicts():
            raise Conflicted(found)
        changes = self.changes
        if store:
            replaced = [each.path for each in self.deltas if each.kind in ("gone", "changed")]
            store.make_room(sum(trees.measured(path)[1] for path in replaced))
        try:
            steps = commits.prepare(self._entry, self.deltas, self._clocks)
            commits.carry_out(self._entry, steps, changes, self.deltas, self._clocks)
        except OSError as why:
            raise StageError("error.sandbox.nothing-changed", why=why) from why
        self._entry.close()
        return Committed(self.number, changes)

    def _put_by(self) -> None:
        """Leave the folders of a stage that has changed nothing to the next one of its cell: to
        make them anew takes longer than a call."""
        keeper, entry = self._keeper, self._entry
        if keeper is None or not entry.is_empty():
            self.discard()
            return
        for layer in entry.mounted:  # overlayfs notes there that it may not be mounted again
            trees.remove(f"{layer.work}/work")
        if not keeper.keep(entry):
            self.discard()

    def wait(self) -> str:
        """Put it aside for another process: the changes stay as they are on the disk. Returns its
        number."""
        changes = self.changes
        self._entry.write(sync=True, state="waiting", changes=commits.listed(changes))
        self._entry.close()
        return self.number

    def discard(self) -> None:
        """Throw the changes away, also those of a stage whose holder has died."""
        try:
            self.close()
        finally:
            self._entry.remove()


def _entry(holder: Holder | None, names: list[str], home: Path, run: str, call: str) -> Entry:
    """Return the entry that the last stage of the cell has left empty, if it covers the same
    folders; else a new one."""
    entry, table = holder.lend() if holder else None, places.mounted()
    if entry:
        covered = [layer.lower for layer in entry.layers]
        is_same = covered == places.covered(names, table) and entry.record["run"] == run
        if not (is_same and entry.renew(call)):
            entry.remove()
            entry = None
    entry = entry or entries.make(home, run, call)
    entry.table = table
    return entry


def _begun(
    holder: Holder, entry: Entry, names: list[str], home: Path, wanted: Mounting
) -> tuple[list[Clock], Mounting]:
    """Mount a stage, once more where a mount has come or gone meanwhile. Raises StageError and
    OSError."""
    for _ in range(TRIES):
        try:
            layers = entry.layers or places.layers(names, home, entry.number, entry.table)
            mounting = _mounting(names, layers, wanted)
            return _mounted(holder, layers, entry, home, mounting), mounting
        except (FileNotFoundError, HolderError) as error:
            last = error
            entry.drop_copies()
            entry.record["layers"], entry.table = [], places.mounted()
    raise last


def _mounting(names: list[str], layers: list[Layer], wanted: Mounting) -> Mounting:
    """Return what is hidden in a stage, with the stores of its copies, and what is handed
    through."""
    stores = (os.path.dirname(os.path.dirname(each.store)) for each in layers)
    lowers = [each.lower for each in layers]
    home, masks = wanted.masks[0], places.outermost([*wanted.masks, *stores])
    # a cell hides the others itself, in its own mounts, which only a layer would cover
    hidden = [each for each in masks if each == home or places.is_in(each, lowers)]
    sockets = places.sockets(lowers)
    binds = [path for path in sockets if not places.is_in(path, hidden)]
    walls = [root for root in names if root not in lowers]
    return wanted._replace(masks=hidden, binds=binds, walls=walls)


def _made(
    entry: Entry, layers: list[Layer], inodes: Iterable[int] = (), copied: Iterable[str] = ()
) -> list[Clock]:
    """Make the folders of a stage, one copy for each of these files with several names, and copies
    of the folders `copied`. Returns the moment, by layer."""
    mounts = places.devices(layers, entry.table)
    if (entry.record["layers"], entry.record.get("mounts")) != (layers, mounts):
        entry.write(layers=layers, mounts=mounts)
    for layer in layers:
        os.lstat(layer.lower)  # a mount that has gone is not made anew as a folder
        private = os.path.dirname(layer.upper)  # the copies have the modes of their originals
        for folder in () if os.path.isdir(layer.work) else (private, layer.work, layer.store):
            os.makedirs(folder, mode=0o700, exist_ok=True)
        trees.receive(layer.lower, layer.upper)
    clocks = [Clock.now(layer.store) for layer in layers]
    folders = list(copied)
    inodes = {*inodes, *links.copy_folders(layers, folders)}
    if inodes or folders:
        entry.write(groups=links.share(layers, inodes) if inodes else [], copied=folders)
    return clocks


def _mounted(
    holder: Holder, wanted: list[Layer], entry: Entry, home: Path, mounting: Mounting
) -> list[Clock]:
    """Mount the layers, each with its copies in the first place that overlayfs takes. Returns the
    moment, by layer."""
    can = {each.lower: [each, *places.others(each, home, entry.number)] for each in wanted}
    systems = {each.lower: os.stat(each.lower).st_dev for each in wanted}
    while True:
        chosen = [can[lower][_taken.get(device, 0)] for lower, device in systems.items()]
        clocks = _made(entry, chosen)
        try:
            _mount(holder, entry, chosen, mounting, clocks)
            return clocks
        except HolderError as error:
            if error.path not in [each.lower for each in entry.mounted]:
                raise
            lower = places.layer_of(error.path, chosen).lower
            tried = _taken.get(systems[lower], 0)
            if tried + 1 >= len(can[lower]):
                raise
            for layer in chosen:
                trees.remove(os.path.dirname(layer.upper))
            _taken[systems[lower]] = tried + 1


def _mount(
    holder: Holder,
    entry: Entry,
    layers: list[Layer],
    mounting: Mounting,
    clocks: list[Clock],
) -> None:
    """Mount the layers whole, or by parts where mounts below them are locked to their places;
    `clocks` have the moment. Raises StageError."""
    entry.mounted = layers
    if _is_mounted_whole(holder, layers, mounting):
        return
    between = _in_parts(holder, entry)
    clocks[:] = [Clock.now(layer.store) for layer in layers]
    holder.mount(entry.mounted, mounting._replace(walls=[*mounting.walls, *between]))


def _is_mounted_whole(holder: Holder, layers: list[Layer], mounting: Mounting) -> bool:
    """Mount the layers whole; False where a mount below one is locked to its place. Raises
    HolderError."""
    if holder.is_locked or any(layer.lower == "/" for layer in layers):
        return False
    try:
        holder.mount(layers, mounting)
    except HolderError as error:
        points = [each.point for each in places.mounted(holder.pid)]
        has_mounts = any(places.is_inside(point, error.path) for point in points)
        holder.is_locked = error.number == errno.EINVAL and has_mounts
        if not holder.is_locked:
            raise
    return not holder.is_locked


def _in_parts(holder: Holder, entry: Entry) -> list[str]:
    """Divide the layers of an entry, which has the parts then. Returns the folders between, which
    stay read-only. Raises StageError where there are too many."""
    points = {each.point for process in ("self", holder.pid) for each in places.mounted(process)}
    entry.mounted, walls = [], []
    for layer in entry.layers:
        parts, between = places.parts(layer, points)
        if len(parts) > MOST_PARTS:
            raise StageError("error.stage.many-folders", folder=layer.lower, n=f"{len(parts):,}")
        trees.remove(f"{layer.work}/work")  # of an overlay that was refused later
        entry.prepare(layer, parts, between)
        entry.mounted += parts
        walls += between
    return walls


def why_none(home: Path, roots: Iterable[str | Path]) -> str:
    """Return why these roots cannot be staged, "" where they can. It mounts for real: what is
    installed need not be allowed, and on some systems a namespace can be made and nothing mounted
    in it."""
    if sys.platform != "linux":
        return f"there is no overlayfs on {sys.platform}"
    try:
        stage = Stage.open(roots, home, "probe", "probe")
        try:
            code, output = stage.run(["true"], "/")
        finally:
            stage.discard()
    except StageError as error:
        return str(error)
    return output.decode(errors="replace").strip() if code else ""
