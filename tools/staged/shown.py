"""Put changes of files into lines that a person reads: a list with sizes, and the lines that differ
in text files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safety.changes import Change, ChangeKind, ChangeSet

if TYPE_CHECKING:
    from sandbox.undo.walk import Delta

MOST_LISTED, MOST_DIFFED = 30, 3
DIFFED_BYTES, DIFF_LINES = 200_000, 40
_MARKS: dict[ChangeKind, str] = {"new": "+", "changed": "~", "moved": ">", "gone": "-", "mode": "m"}


def counted(changes: ChangeSet) -> dict[str, int]:
    """Return how many files are new, changed, moved and gone, and the bytes written."""
    found: dict[str, int] = {}
    for kind, kinds in _COUNTED.items():
        found[kind] = sum(change.files for change in changes.of(*kinds))
    return found | {"bytes": changes.bytes}


_COUNTED: dict[str, tuple[ChangeKind, ...]] = {
    "new": ("new",),
    "changed": ("changed", "mode"),
    "moved": ("moved",),
    "gone": ("gone",),
}


def listed(changes: Iterable[Change]) -> list[dict[str, Any]]:
    """Return changes as JSON has them: path, kind, and the sizes before and after."""
    found = []
    for change in changes:
        row: dict[str, Any] = {"path": str(change.path), "kind": change.kind}
        row |= {"before": change.before, "after": change.after, "type": change.type}
        row |= {"files": change.files} if change.files != 1 else {}
        found.append(row | ({"was": str(change.was)} if change.was else {}))
    return found


def lines(changes: Sequence[Change], most: int = MOST_LISTED) -> Iterator[str]:
    """Yield a line for each change, and one for those that are too many."""
    for change in changes[:most]:
        yield _line(change)
    if (more := len(changes) - most) > 0:
        yield f"… {more} more"


def _line(change: Change) -> str:
    """Return one change: its mark, its path, its files where it is a folder, and its size."""
    was = f"{change.was} → " if change.was else ""
    end = "/" if change.type == "folder" else ""
    files = f" ({change.files:,} files)" if change.type == "folder" and change.files else ""
    size = change.after if change.after is not None else change.before
    shown = "" if size is None else f"  {size:,} bytes"
    return f"{_MARKS[change.kind]} {was}{change.path}{end}{files}{shown}"


def differences(deltas: Iterable[Delta]) -> str:
    """Return the lines that differ in the first few text files that are changed or new."""
    found: list[str] = []
    for delta in deltas:
        if delta.kind in ("changed", "new") and len(found) < MOST_DIFFED:
            before = delta.lower if delta.before else ""
            found += [shown] if (shown := difference(before, delta.upper, delta.path)) else []
    return "\n".join(found)


def difference(before: str, after: str, name: str) -> str:
    """Return what differs between two files, as a diff; "" for files that are no text, or too long.
    "" names no file."""
    old, new = _text(before), _text(after)
    if old is None or new is None or old == new:
        return ""
    from difflib import unified_diff  # a run that asks nothing needs none

    found = list(unified_diff(old, new, name, name, n=2, lineterm=""))
    more = [f"… {len(found) - DIFF_LINES} more lines"] if len(found) > DIFF_LINES else []
    return "\n".join(found[:DIFF_LINES] + more)


def _text(path: str) -> list[str] | None:
    if not path:
        return []
    place = Path(path)
    try:
        if place.is_symlink() or not place.is_file() or place.stat().st_size > DIFFED_BYTES:
            return None
        return place.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
