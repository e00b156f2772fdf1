"""The entries of the undo store: one folder for each stage, with its record, its copies and what it
replaced.

    undo/000012/record.json     run, call, state, layers, changes, steps
    undo/000012/0/up, work      copies while the stage is open or waits; kept: what stood there
    before

An entry is made by whoever opens a stage and locked by who works on it, so that another process can
tell a stage that is in
use from one that a kill left behind.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from sandbox.undo import trees
from sandbox.undo.links import Group
from sandbox.undo.places import Layer

State = Literal["open", "waiting", "direct", "working", "made", "done", "undone"]
RECORD = "record.json"


class Entry:
    """One entry, locked by this process. `number` orders the entries of a home folder."""

    def __init__(self, folder: Path, lock: int) -> None:
        self.folder, self._lock = folder, lock
        self.number = folder.name
        self.record: dict[str, Any] = {}

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
        returns.
        """
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

    def drop_copies(self) -> None:
        """Remove the copies of the stage, and what of its folders is empty then."""
        for layer in self.layers:
            held = f"{os.path.dirname(layer.upper)}/held"
            for place in (layer.upper, layer.work, held, f"{layer.store}/put"):
                trees.remove(place)
            for folder in (os.path.dirname(layer.upper), f"{layer.store}/kept", layer.store):
                _remove_empty(folder)
            for folder in {
                os.path.dirname(os.path.dirname(layer.upper)),
                os.path.dirname(layer.store),
            }:
                if Path(folder) != self.folder:
                    _remove_empty(folder)

    def remove(self) -> None:
        """Remove the entry with all that it keeps; not where steps are half done, which `recover`
        takes on.
        """
        if self.state == "working":
            self.close()
            return
        for layer in self.layers:
            trees.remove(f"{layer.store}/kept")
        self.drop_copies()
        trees.remove(str(self.folder))
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
        entry.record = {
            "run": run,
            "call": call,
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "made": time.time(),
            "state": "open",
            "layers": [],
        }
        return entry


def load(folder: Path) -> Entry | None:
    """Return an entry, locked; None while another process works on it, or where there is no entry."""
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
    try:
        os.rmdir(folder)
    except OSError:
        return
