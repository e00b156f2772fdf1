"""Put together what a run has left changed, from its entries in the undo store, and what stood
there before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from models.base import Event
from safety.changes import Change
from sandbox.undo import entries

if TYPE_CHECKING:
    from sandbox.undo import UndoStore
    from sandbox.undo.store import Kept


def standing(store: UndoStore, run: str, call: str | None = None) -> list[Kept]:
    """Return the entries of a run that hold now, in their order: those that an undo would take
    back."""
    found = store.changes(run, call)
    return [each for each in found if each.state == "done" and not each.is_undo]


def net(kept: Iterable[Kept]) -> list[Change]:
    """Return what several entries have changed together, by path."""
    found: dict[Path, Change] = {}
    for each in kept:
        for change in each.changes.changes:
            before = found.pop(change.was or change.path, None)
            merged = _merged(before, change) if before else change
            if merged and not _is_within_new(merged, found):
                found[change.path] = merged
    return sorted(found.values(), key=lambda change: str(change.path))


def _is_within_new(change: Change, found: Mapping[Path, Change]) -> bool:
    """Return True for a change below a folder that is new itself; what came there from outside is
    one more."""
    above = (found[path] for path in change.path.parents if path in found)
    return change.was is None and any(each.kind == "new" for each in above)


def _merged(first: Change, then: Change) -> Change | None:
    """Return what two changes of one path are together; None where the second takes back the
    first."""
    match first.kind, then.kind:
        case "new", "gone":
            return None
        case "new", "moved":
            return then._replace(kind="new", before=None, was=None)
        case "moved", "moved":
            return then._replace(was=first.was) if first.was != then.path else None
        case "gone", "new":
            return then._replace(kind="changed", before=first.before)
        case "new" | "moved", "changed" | "mode":
            after = first.after if then.after is None else then.after
            return first._replace(after=after, mode=then.mode)
        case _:
            return then._replace(before=first.before)


def images(home: Path, kept: Iterable[Kept]) -> dict[str, str]:
    """Return for each path that was replaced where the first image of it lies."""
    found: dict[str, str] = {}
    for each in kept:
        for fields in entries.peek(home / "undo" / each.number).get("steps", ()):
            path, image = fields[1], fields[2]
            if image:
                found.setdefault(path, image)
    return found


def undone_in(home: Path, number: str) -> Event | None:
    """Return the event `undone` of an entry of the undo store; None where it is no finished
    undo."""
    record = entries.peek(home / "undo" / number)
    if "undoes" not in record or record["state"] != "done":
        return None
    paths = list(dict.fromkeys(fields[1] for fields in record["steps"] if fields[0] != "dress"))
    told = {"type": "undone", "run": record["run"], "at": record["at"]}
    return told | {"call": record["call"] or None, "paths": paths}
