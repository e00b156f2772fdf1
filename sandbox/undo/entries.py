"""The entries of the undo store: one folder for each stage, with its record, its copies and what it
replaced.

    undo/000012/record.json     run, call, state, layers, changes, steps
    undo/000012/0/up, work      copies while the stage is open or waits; kept: what stood there
    before

    undo/000012=1790000000=kept=4096=RUN     an empty file: what of the record is asked of all
                                             entries

An entry is made by whoever opens a stage and locked by who works on it, so that another process can
tell a stage that is in
use from one that a kill left behind.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

from safety.changes import Change
from sandbox.undo import trees
from sandbox.undo.links import Group
from sandbox.undo.places import STORE, Layer, Mounted

FINAL = ("done", "undone", "waiting")
State = Literal["open", "waiting", "direct", "working", "made", "done", "undone"]
RECORD = "record.json"


class Mark(NamedTuple):
    """The name of a file that tells of an entry what is asked of all, so that no record is read."""

    number: str
    made: int  # seconds
    state: Literal["busy", "kept"]
    bytes: int
    run: str

    @property
    def name(self) -> str:
        """Return the name of the file."""
        return "=".join([self.number, str(self.made), self.state, str(self.bytes), self.run])


class Entry:
    """One entry, locked by this process. `number` orders the entries of a home folder."""

    def __init__(self, folder: Path, lock: int) -> None:
        self.folder, self._lock = folder, lock
        self.number = folder.name
        self.record: dict[str, Any] = {}
        self.mounted: list[Layer] = []  # its layers, or parts of them
        self.table: list[Mounted] = []  # of all mounts, when its stage was opened
        self._marked: Mark | None = None

    @property
    def state(self) -> State:
        found: State = self.record["state"]
        return found

    @property
    def layers(self) -> list[Layer]:
        return [Layer(*each) for each in self.record["layers"]]

    @property
    def groups(self) -> list[Group]:
        return [Group(*each) for each in self.record.get("groups", ())]

    def write(self, *, sync: bool = False, **fields: Any) -> None:
        """Change fields of the record, whole or not at all. `sync`: it is on the disk when this
        returns."""
        self.record |= fields
        draft = self.folder / f".{RECORD}"
        with draft.open("w", encoding="ascii") as file:  # names that are no text become escapes
            json.dump(self.record, file)
            file.flush()
            if sync:
                os.fsync(file.fileno())
        draft.replace(self.folder / RECORD)
        if sync:
            trees.sync(str(self.folder))
        self._mark(_mark_of(self.number, self.record))

    def _mark(self, mark: Mark) -> None:
        """Say in a name what holds now. A kill before it leaves the old one: `recover` looks
        again."""
        if mark == self._marked:
            return
        self._unmark()
        (self.folder.parent / mark.name).touch(0o600)
        self._marked = mark

    def _unmark(self) -> None:
        """Remove the names that say what held."""
        for name in os.listdir(self.folder.parent):
            if name.startswith(f"{self.number}="):
                (self.folder.parent / name).unlink(missing_ok=True)

    def renew(self, call: str) -> bool:
        """Make an entry that has kept nothing the entry of another call of its run. False where a
        newer one is there: their numbers are their order."""
        if _last(self.folder.parent.parent) != int(self.number):
            return False
        self.record |= _begun(self.record["run"], call)
        return True

    def is_empty(self) -> bool:
        """Return True where nothing lies in it, and its copies were put beside what they are of."""
        is_plain = not any(map(self.record.get, ("groups", "copied")))
        return is_plain and all(
            each.upper.startswith(f"{each.store}/")
            and all(trees.has_mark(entry.path, trees.UUID) for entry in trees.below(each.upper))
            for each in self.layers
        )

    def prepare(self, layer: Layer, parts: Iterable[Layer], between: Iterable[str]) -> None:
        """Make the folders for the copies of a layer that is covered by parts."""
        for folder in (*between, *(part.lower for part in parts)):
            upper = layer.upper + folder[len(layer.lower.rstrip("/")) :]
            trees.receive(folder, upper)
        for part in parts:
            os.makedirs(part.work, exist_ok=True)

    def drop_copies(self) -> None:
        """Remove the copies of the stage, and what of its folders is empty then."""
        for layer in self.layers:
            beside = os.path.dirname(layer.upper)
            for place in (layer.upper, layer.work, f"{beside}/held", f"{layer.store}/put"):
                trees.remove(place)
            for folder in (beside, f"{layer.store}/kept", layer.store):
                _remove_empty(folder)
            for folder in {os.path.dirname(beside), os.path.dirname(layer.store)}:
                if Path(folder) != self.folder:
                    _remove_empty(folder)
                    store = os.path.dirname(folder)
                    if os.path.basename(store) == STORE:  # of a mount that keeps nothing
                        _remove_empty(store)

    def remove(self) -> None:
        """Remove the entry with all that it keeps; not where steps are half done, which `recover`
        takes on."""
        if self.state == "working":
            self.close()
            return
        for layer in self.layers:
            trees.remove(f"{layer.store}/kept")
        self.drop_copies()
        trees.remove(str(self.folder))
        self._unmark()
        self.close()

    def close(self) -> None:
        """Give the lock away. May be called again."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def make(home: Path, run: str, call: str) -> Entry:
    """Make a new entry."""
    (home / "undo").mkdir(mode=0o700, parents=True, exist_ok=True)
    while True:
        folder = home / "undo" / f"{_last(home) + 1:06}"
        try:
            folder.mkdir(mode=0o700)
            entry = Entry(folder, _locked(folder))
        except (FileExistsError, BlockingIOError):  # another process was faster
            continue
        entry.record = {**_begun(run, call), "state": "open", "layers": []}
        return entry


def _begun(run: str, call: str) -> dict[str, Any]:
    at = datetime.now(UTC).isoformat(timespec="seconds")
    return {"run": run, "call": call, "at": at, "made": time.time()}


def load(folder: Path) -> Entry | None:
    """Return an entry, locked; None while another process works on it, or where there is no
    entry."""
    try:
        lock = _locked(folder)
    except (BlockingIOError, FileNotFoundError):
        return None
    entry = Entry(folder, lock)
    entry.record = peek(folder) or {"run": "", "call": "", "state": "open", "layers": []}
    return entry


def peek(folder: Path) -> dict[str, Any]:
    """Return the record of an entry without locking it, empty where it has none yet."""
    try:
        found: dict[str, Any] = json.loads((folder / RECORD).read_text("ascii"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    return found


def folders(home: Path) -> Iterator[Path]:
    """Yield the folders of all entries, oldest first."""
    try:
        names = sorted(os.listdir(home / "undo"))
    except FileNotFoundError:
        return
    for name in names:
        if name.isdecimal():
            yield home / "undo" / name


def marks(home: Path) -> list[Mark]:
    """Return what holds of all entries, oldest first; costs one look at a folder."""
    try:
        names = os.listdir(home / "undo")
    except FileNotFoundError:
        return []
    found = {mark.number: mark for name in names if (mark := _read_mark(name))}
    for number in names:
        if number.isdecimal() and number not in found:  # killed before it had one
            record = peek(home / "undo" / number)
            found[number] = _mark_of(number, record)
    return [found[number] for number in sorted(found) if number in names]


def _read_mark(name: str) -> Mark | None:
    number, *fields = name.split("=", 4)
    if len(fields) != 4:
        return None
    made, state, size, run = fields
    return Mark(number, int(made), "kept" if state == "kept" else "busy", int(size), run)


def _mark_of(number: str, record: dict[str, Any]) -> Mark:
    state: Literal["busy", "kept"] = "kept" if record.get("state") in FINAL else "busy"
    run = run_in_mark(str(record.get("run", "")))
    return Mark(number, int(record.get("made", 0)), state, int(record.get("bytes", 0)), run)


def run_in_mark(run: str) -> str:
    """Return a run as the name of a file has it."""
    return quote(run, safe="")[:120]


def _last(home: Path) -> int:
    return max((int(folder.name) for folder in folders(home)), default=0)


def _locked(folder: Path) -> int:
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(number)
        raise
    return number


def _remove_empty(folder: str) -> None:
    with suppress(OSError):
        os.rmdir(folder)


def is_undo(record: dict[str, Any]) -> bool:
    """Return True for an undo; one of an undo counts as what it brings back."""
    return "undoes" in record and not record.get("is_redo")


def read_changes(listed: Iterable[list[Any]]) -> Iterator[Change]:
    for fields in listed:
        kind, path, type, before, after, was, *rest = fields
        yield Change(kind, Path(path), type, before, after, Path(was) if was else None, *rest)
