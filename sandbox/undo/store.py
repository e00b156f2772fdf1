"""Keep what runs have changed and take exactly that back: never what somebody else has changed
since, and all or nothing.

An undo is a commit of the inverse steps: it has an entry of its own, and can be undone like any
other."""

from __future__ import annotations

import errno
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from safety.changes import ChangeSet
from sandbox.undo import entries
from sandbox.undo.commits import Conflicted
from sandbox.undo.conflicts import Conflict
from sandbox.undo.entries import Entry, is_undo, read_changes
from sandbox.undo.places import StageError

if TYPE_CHECKING:
    from config import UndoConfig

DAY_SECONDS = 86_400


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
                changes = ChangeSet(tuple(read_changes(record.get("changes", ()))))
                run, call, at, state = (record[name] for name in ("run", "call", "at", "state"))
                fields = run, call, at, state, changes, record.get("bytes", 0), is_undo(record)
                yield Kept(mark.number, *fields)

    def changes(self, run: str, call: str | None = None) -> list[Kept]:
        """Return what a run, or one call of it, has changed, in its order."""
        name = entries.run_in_mark(run)
        own = self._read(mark for mark in entries.marks(self.home) if mark.run == name)
        return [each for each in own if each.run == run and call in (None, each.call)]

    def last_run(self) -> str:
        """Return the run that has changed something last, "" for none."""
        newest = self._read(reversed(entries.marks(self.home)))
        return next((each.run for each in newest if each.state == "done"), "")

    def undo(self, run: str, call: str | None = None, number: str = "") -> Undone:
        """Take back what a run or a call has changed, or one entry; of a run that is undone, the
        undo. Raises StageError."""
        from sandbox.undo.inverse import Inverse, conflicts_of, entered

        chosen = self._chosen(run, call, number)
        try:
            if not any(entry.record["steps"] for entry in chosen):
                raise StageError("error.undo.nothing", run=run)
            with entered(chosen):
                steps = Inverse(self.home, chosen)
                if found := conflicts_of(steps, chosen):
                    return Undone(conflicts=tuple(found))
                return Undone(tuple(dict.fromkeys(steps.carry_out(run, call or ""))))
        except Conflicted as error:
            return Undone(conflicts=error.conflicts)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise StageError("error.sandbox.nothing-undone-full") from error
            raise StageError("error.undo.failed", error=error) from error
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
            if entry is None:
                continue
            if entry.state == "waiting":
                entry.close()
                continue
            freed += mark.bytes
            entry.remove()
        return freed

    def make_room(self, needed: int) -> None:
        """Drop what is old where the store would grow above its limit. Raises StageError where that
        is not enough."""
        if self.bytes() + needed <= self.max_bytes:
            return
        self.evict()
        if (held := self.bytes()) + needed > self.max_bytes:
            held_mb, more_mb = f"{held / 1e6:,.1f}", f"{needed / 1e6:,.1f}"
            raise StageError("error.sandbox.undo-store-full", held_mb=held_mb, more_mb=more_mb)

    def bytes(self) -> int:
        """Return what the store holds."""
        return sum(mark.bytes for mark in entries.marks(self.home))

    def _chosen(self, run: str, call: str | None, number: str) -> list[Entry]:
        """Return what is to be taken back, newest first, locked: calls that were done, else the
        last undo."""
        wanted = [each for each in self.changes(run, call) if number in ("", each.number)]
        done = [each for each in wanted if each.state == "done"]
        calls = [each for each in done if not each.is_undo] or done[-1:]
        if not calls:
            raise StageError("error.undo.nothing", run=run)
        return self._locked(run, calls[::-1])

    def _locked(self, run: str, calls: list[Kept]) -> list[Entry]:
        loaded = [entries.load(self.home / "undo" / kept.number) for kept in calls]
        found = list(filter(None, loaded))
        if len(found) == len(loaded):
            return found
        for entry in found:
            entry.close()
        raise StageError("error.undo.busy", run=run)
