"""Images of the owner's folders, for machines that mount nothing: a script works on the files
themselves, and what stood there before lies out of its reach.

What a call has changed is told by ctimes, which the kernel alone sets. It is recorded like the
change of a file tool; where somebody must be asked first it is undone at once, and a yes undoes
that.

    undo/images/0123456789abcdef/tree, known      a copy of a folder, and the state in which each
                                                  file was copied
"""

from __future__ import annotations

import fcntl
import hashlib
import marshal
import os
import stat
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from safety.changes import ChangeSet
from sandbox.stage import direct, summary
from sandbox.stage.direct import Image
from sandbox.stage.stage import Stage
from sandbox.undo import UndoStore, commits, entries, places, trees
from sandbox.undo.commits import Committed, Conflicted
from sandbox.undo.conflicts import is_in_use
from sandbox.undo.entries import Entry, read_changes
from sandbox.undo.places import StageError
from sandbox.undo.steps import Step
from sandbox.undo.walk import Delta, kind_of

MOST_FILES, MOST_BYTES = 20_000, 1 << 30


class Known(NamedTuple):
    """Hold the state of a file or folder; with another one it is looked at again."""

    inode: int
    mtime: int
    size: int
    ctime: int
    mode: int
    links: int

    @classmethod
    def of(cls, found: os.stat_result) -> Known:
        return cls(*trees.stamp_of(found), found.st_mode, found.st_nlink)

    @property
    def stamp(self) -> trees.Stamp:
        return trees.Stamp(*self[:4])

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.mode)


States = dict[str, Known]


class Images:
    """The images of some folders, held by one call at a time."""

    def __init__(
        self, roots: Iterable[str | Path], home: Path, fixed: Collection[str] = ()
    ) -> None:
        """Leave out folders that are `fixed`: a call cannot write there. Raise StageError where
        images cannot be renamed into the folders."""
        self.home, self.fixed = home.resolve(), fixed
        self.roots = places.outermost(map(str, roots))
        table = places.mounted()
        if places.covered(self.roots, table) != self.roots:
            raise StageError("error.stage.closed-part")
        points = [each.point for each in table]
        if not all(places.is_one_mount(str(self.home), root, points) for root in self.roots):
            raise StageError("error.stage.other-disk")
        self._held = ExitStack()

    def begin(self, run: str, call: str) -> Snapshot:
        """Bring the images up to date and begin a call. Raises StageError and OSError."""
        self.refresh()
        try:
            return Snapshot.of(self._entry(run, call), self)
        except OSError:
            self.close()
            raise

    def _entry(self, run: str, call: str) -> Entry:
        entry = entries.make(self.home, run, call)
        stores = [f"{entry.folder}/{count}" for count in range(len(self.roots))]
        named = zip(self.roots, stores, strict=True)
        layers = [places.placed(root, store, store) for root, store in named]
        for store in stores:
            os.makedirs(f"{store}/kept", mode=0o700)
        entry.write(
            sync=True, state="direct", layers=layers, imaged=self.roots, fixed=[*self.fixed]
        )
        return entry

    def refresh(self) -> None:
        """Copy what has changed since the last time, and hold the images until `close`. Raises
        StageError where that is too much, and OSError."""
        self.hold()
        try:
            found = {root: self._seen(root) for root in self.roots}
            files = sum(map(len, found.values()))
            size = sum(each.size for now in found.values() for each in now.values())
            if files > MOST_FILES or size > MOST_BYTES:
                raise StageError(
                    "error.stage.too-many", files=f"{files:,}", mb=f"{size / 1000000.0:,.0f}"
                )
            for root, now in found.items():
                self._update(root, self._known(root), now)
        except (StageError, OSError):
            self.close()
            raise

    @staticmethod
    def waiting(home: Path, number: str) -> Stage | None:
        """Return the changes of a call that were put aside, of a stage or under images; None as
        `Stage.waiting`."""
        is_imaged = "shown" in entries.peek(home / "undo" / number)
        return (Snapshot if is_imaged else Stage).waiting(home, number)

    @staticmethod
    def large(roots: Iterable[Path], home: Path) -> list[str]:
        """Return the folders at the top of the roots that take more than a fair part of what
        fits."""
        tops = [each for root in roots for each in root.iterdir() if not each.is_symlink()]
        return [str(each) for each in tops if each != home and _is_large(each)]

    def hold(self) -> None:
        """Wait until no other call uses the images."""
        for root in self.roots:
            os.makedirs(self._folder(root), mode=0o700, exist_ok=True)
            number = os.open(self._folder(root), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            self._held.callback(os.close, number)
            fcntl.flock(number, fcntl.LOCK_EX)

    def close(self) -> None:
        """Let others use the images."""
        self._held.close()

    def collect(self, entry: Entry) -> None:
        """Note in the entry of a call what it has changed, and where the images of that lie."""
        images: list[Image] = []
        before: dict[str, trees.Stamp] = {}
        inside: dict[str, trees.Stamp] = {}  # of folders that went whole
        for layer in entry.layers:
            known, now = self._known(layer.lower), self._seen(layer.lower)
            inside |= {path: old.stamp for path, old in known.items() if path not in now}
            names = Counter(state.inode for state in now.values())
            for path in _touched(known, now):
                image = Image(path, "")
                if old := known.get(path):
                    place = f"{layer.store}/kept/{len(images)}"
                    is_shared = path in now and now[path].links > names[now[path].inode]
                    source = self._copy_of(layer.lower, path)
                    image = Image(path, place, source, old.inode, is_shared)
                    before[path] = old.stamp
                images.append(image)
        # another program may have changed by itself what it has open
        mine = [each for each in images if not is_in_use(each.path)]
        entry.write(sync=True, images=mine, before=before, inside=inside)

    def _folder(self, root: str) -> str:
        name = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
        return f"{self.home}/undo/images/{name}"

    def _copy_of(self, root: str, path: str) -> str:
        return f"{self._folder(root)}/tree{path[len(root.rstrip('/')) :]}"

    def _known(self, root: str) -> States:
        """Return the state in which each file was copied. With another state it is copied anew, so
        a kill does no harm."""
        try:
            noted = Path(f"{self._folder(root)}/known").read_bytes()
        except FileNotFoundError:
            return {}
        return {path: Known(*fields) for path, fields in marshal.loads(noted).items()}

    def _seen(self, root: str) -> States:
        """Return the state of all that stands in a root but the agent's home."""
        found, folders = {root: Known.of(os.lstat(root))}, [root]
        left_out = {str(self.home), *self.fixed}
        while folders and len(found) <= MOST_FILES:
            folder = folders.pop()
            if not os.access(folder, os.R_OK | os.X_OK):  # a script has closed it
                self._held.enter_context(trees.writable(folder))
            with os.scandir(folder) as inside:
                for entry in inside:
                    if entry.path not in left_out:
                        state = found[entry.path] = Known.of(entry.stat(follow_symlinks=False))
                        folders += [entry.path] if state.is_folder else []
        return found

    def _update(self, root: str, known: States, now: States) -> None:
        if known == now:
            return
        for path in known.keys() - now.keys():
            trees.remove(self._copy_of(root, path))
        changed = sorted(path for path, state in now.items() if known.get(path) != state)
        seen: dict[int, str] = {}  # of files with several names the first copy
        for path in changed:
            _copy(path, self._copy_of(root, path), seen, is_folder=now[path].is_folder)
        above = {*map(os.path.dirname, changed), *changed} & now.keys()
        for path in sorted(above, reverse=True):
            if now[path].is_folder:  # its time has changed while it was filled
                trees.clothe(path, self._copy_of(root, path))
        draft = Path(f"{self._folder(root)}/noted")
        draft.write_bytes(marshal.dumps({path: tuple(state) for path, state in now.items()}))
        draft.replace(draft.with_name("known"))


def _is_large(folder: Path) -> bool:
    size = 0
    with suppress(PermissionError):  # what is closed to us is no image of anybody
        for count, each in enumerate(trees.below(str(folder))):
            size += each.stat(follow_symlinks=False).st_size
            if count > MOST_FILES // 4 or size > MOST_BYTES // 4:
                return True
    return False


def _copy(path: str, image: str, seen: dict[int, str], *, is_folder: bool) -> None:
    """Put a copy of a file, or an empty folder, where none is; a folder stays."""
    if is_folder and trees.is_folder(trees.look(image)):
        return
    with trees.writable(os.path.dirname(image)):
        trees.remove(image)
        os.mkdir(image) if is_folder else trees.carry(path, image, seen)


class Snapshot(Stage):
    """The changes of one call that works on the owner's files themselves."""

    _images: Images | None = None  # without, it waits: what it did is undone, by the entry

    @classmethod
    def of(cls, entry: Entry, images: Images) -> Snapshot:
        """Return the changes of a call that begins."""
        found = cls(entry, [], None, None)
        found._images, found.roots, found.fixed = images, images.roots, images.fixed
        return found

    @cached_property
    def changes(self) -> ChangeSet:
        """Return what was done, in the words of the gate. All its processes have ended."""
        return self._done[1]

    @cached_property
    def deltas(self) -> list[Delta]:
        """Return what was done, path by path."""
        return self._done[0]

    @cached_property
    def _done(self) -> tuple[list[Delta], ChangeSet]:
        if self._images is None:
            steps = map(Step.read, self._entry.record["steps"])
            shown = tuple(read_changes(self._entry.record["shown"]))
            done = []  # of each step that is undone, what it had done
            for path, kept in [(each.path, each.kept) for each in steps if each.way != "dress"]:
                before, after = trees.look(path), trees.look(kept) if kept else None
                kind = kind_of(before, after)
                done.append(Delta(kind, path, kept, 0, before, after))
            return done, ChangeSet(shown)
        try:
            self._images.collect(self._entry)
            return direct.finish(
                self._entry, lambda found: summary.change_set(found, self.is_ours, self.decides)
            )
        finally:
            self._entry.close()
            self._images.close()

    def begin_again(self, output: bytes, cwd: str) -> bool:
        """Return False: nothing falls apart here."""
        return False

    def commit(self, store: UndoStore | None = None) -> Committed:
        """Leave the changes as they are, or make those real that wait. Raises Conflicted and
        StageError."""
        if self._images is None:
            self._take_back()
        elif store and self.deltas:
            try:
                store.make_room(0)
            except StageError:
                self.discard()
                raise
        return Committed(self.number, self.changes)

    def wait(self) -> str:
        """Take the changes back until somebody has answered. Returns the number to answer by.
        Raises StageError."""
        if self._images is None:
            self._entry.close()
            return self.number
        listed = commits.listed(self.changes)
        return self._take_back(state="waiting", shown=listed)

    def discard(self) -> None:
        """Take the changes back for good; they lie in the undo store until they are too old. Raises
        StageError."""
        if self._images is None:
            self._entry.write(state="undone")
            self._entry.close()
        elif self.deltas:
            self._take_back(state="undone")

    def _take_back(self, **fields: Any) -> str:
        """Undo the entry. Returns the number of the undo, which gets the fields. Raises
        StageError."""
        self._entry.write(state="done")
        self._entry.close()
        home, record = self._entry.folder.parent.parent, self._entry.record
        store, call = UndoStore(home), (record["run"], record["call"])
        if conflicts := store.undo(*call, self.number).conflicts:
            raise Conflicted(conflicts)
        number = store.changes(*call)[-1].number
        undo = entries.load(home / "undo" / number)
        assert undo
        # what stood in a folder that went whole is back as a copy
        same = {
            path: old for path, old in record.get("inside", {}).items() if os.path.lexists(path)
        }
        stamps = {path: trees.stamp(path) for path in same}
        known = undo.record
        undo.write(same=known["same"] | same, stamps=known["stamps"] | stamps, **fields)
        undo.close()
        return number


def collect(entry: Entry) -> None:
    """Note what a call had changed when it was killed. Raises StageError and OSError."""
    if "imaged" in entry.record and "images" not in entry.record:
        fixed = entry.record.get("fixed", ())
        images = Images(entry.record["imaged"], entry.folder.parent.parent, fixed)
        images.hold()
        images.collect(entry)
        images.close()


def _touched(known: States, now: States) -> Iterator[str]:
    """Yield what is not as it was, and the folder of each; of a folder that came or went whole that
    alone."""
    paths = {path for path in known.keys() | now.keys() if known.get(path) != now.get(path)}
    paths |= {os.path.dirname(path) for path in paths} & known.keys() & now.keys()
    whole: set[str] = set()
    for path in sorted(paths):
        if os.path.dirname(path) in whole:
            whole.add(path)
            continue
        old, new = known.get(path), now.get(path)
        if old is None or new is None or old.is_folder != new.is_folder:
            whole.add(path)
        yield path
