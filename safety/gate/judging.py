"""Decide on what a staged call changed, by the table in assets/safety/changes.yaml: what happened
counts, not the words."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast, get_args

from config import SafetyConfig
from safety.changes import Change, ChangeSet
from safety.findings import Decision, Risk, foreign
from safety.paths import Places
from text.sentences import Said

TABLE = Path(__file__).resolve().parents[2] / "assets" / "safety" / "changes.yaml"
# The most guarded place first.
Place = Literal["machine", "agent", "startup", "secret", "others", "outside", "raised", "roots"]
_ORDER: tuple[Place, ...] = get_args(Place)
_SHOWN = 3  # names in a reason
_PLACES = frozenset(_ORDER) - {"roots"}  # have their own sentence


class Question(NamedTuple):
    """Tell what a tool yields for the owner to decide: the changes that a call has made in a stage.
    It is sent None for a yes, or the refusal."""

    changes: ChangeSet
    decision: Decision
    number: str  # of the stage that waits
    differences: str  # of its text files


class Row(NamedTuple):
    """One row of the table."""

    kind: str
    place: str
    by: str
    then: str
    risk: Risk
    when: str = ""


class _Table(NamedTuple):
    files: int
    bytes: int
    rows: tuple[Row, ...]


def judge_changes(
    changes: ChangeSet,
    places: Places,
    settings: SafetyConfig,
    *,
    origin: Sequence[str] = (),
    owner: int | None = None,
) -> Decision:
    """Return what the owner is to be asked about a change set before it is committed.

    `origin`: whose words the run has read; once they are not the owner's, deletions ask whatever
    the config says. `owner`: the uid whose files are the owner's own (default: this one's).
    """
    table, uid = _table(), os.getuid() if owner is None else owner
    is_tainted = bool(foreign(origin))
    grouped: dict[Row, list[Change]] = {}
    for change in changes.changes:
        if _is_emptied(change):  # what it held was moved, and is judged there
            continue
        place = place_of(change, places, uid)
        row = next(row for row in table.rows if _fits(row, change, place))
        grouped.setdefault(row._replace(place=place), []).append(change)
    asked = [
        (row, found)
        for row, found in grouped.items()
        if _holds(row, found, settings, table, is_tainted=is_tainted)
    ]
    return _decided(asked, settings)


def _decided(asked: list[tuple[Row, list[Change]]], settings: SafetyConfig) -> Decision:
    """Return the strongest decision; its reasons say what would change."""
    refused = [
        each for each in asked if each[0].then == "refuse" or each[0].risk in settings.forbid
    ]
    chosen = refused or asked
    if not chosen:
        return Decision("allow", "none")
    said = tuple(_said(row, found) for row, found in chosen)
    risks = tuple(dict.fromkeys(row.risk for row, _ in asked))
    decision: Literal["refuse", "confirm"] = "refuse" if refused else "confirm"
    return Decision(decision, chosen[0][0].risk, said, risks)


def place_of(change: Change, places: Places, owner: int) -> Place:
    """Return the kind of place that a change touches; of a move the more guarded of its two
    ends."""
    ends = [path for path in (change.path, change.was) if path is not None]
    found = [_place(path, change, places, owner) for path in ends]
    if change.was and places.is_moved_repository(change.path, change.was):
        return "roots"
    return min(found, key=_ORDER.index)


def _place(path: Path, change: Change, places: Places, owner: int) -> Place:
    guard = places.guard(path, is_taken=change.kind in ("gone", "moved"))
    if guard == "inside":
        return _place_inside(path, change, owner)
    return cast("Place", "machine" if guard in ("vital", "device") else guard)


def _place_inside(path: Path, change: Change, owner: int) -> Place:
    """Return the place of a change in the roots."""
    if change.type != "folder" and path.name == ".git":  # leads to a repository elsewhere
        return "startup"
    if change.type == "file" and change.raises:
        return "raised"
    return "roots" if _is_own(path, owner) else "others"


def _is_emptied(change: Change) -> bool:
    """Return True for a folder that is gone without a file in it."""
    return change.kind == "gone" and change.type == "folder" and change.files == 0


def _is_own(path: Path, owner: int) -> bool:
    """Return True if what stands there now is the owner's, or nothing stands there."""
    try:
        return owner == 0 or path.lstat().st_uid == owner
    except OSError:
        return True


def _fits(row: Row, change: Change, place: Place) -> bool:
    by = "run" if change.is_ours else "others"
    pairs = zip((row.kind, row.place, row.by), (change.kind, place, by), strict=True)
    return all(wanted in ("any", given) for wanted, given in pairs)


def _holds(
    row: Row, found: list[Change], settings: SafetyConfig, table: _Table, *, is_tainted: bool
) -> bool:
    """Return True if the condition of a row is met by all the changes that fit it."""
    if row.when == "confirm":
        return is_tainted or "delete" in settings.confirm
    if row.when == "above":
        return _files(found) > table.files or _bytes(found) > table.bytes
    return row.then != "pass"


def _said(row: Row, found: list[Change]) -> Said:
    key = row.place if row.place in _PLACES else row.kind
    key = key if key in (*_PLACES, "gone", "mode") else "changed"
    paths = [str(change.path) for change in found]
    more = len(paths) - _SHOWN
    names = ", ".join(paths[:_SHOWN]) + (f" … +{more}" if more > 0 else "")
    count = _files(found)
    values = {"names": names, "n": str(count), "files": f"{count:,}", "size": _size(_bytes(found))}
    return Said(f"gate.changes_{key}", values)


def _files(found: list[Change]) -> int:
    return sum(change.files for change in found)


def _bytes(found: list[Change]) -> int:
    return sum(max(change.before or 0, change.after or 0) for change in found)


def _size(count: int) -> str:
    size = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"


@functools.cache
def _table() -> _Table:
    import yaml

    given: dict[str, Any] = yaml.safe_load(TABLE.read_text("utf-8"))
    rows = tuple(Row(**row) for row in given["rows"])
    last = Row("any", "any", "any", "ask", "unknown")  # what no row fits is asked about
    return _Table(given["limits"]["files"], given["limits"]["bytes"], (*rows, last))
