"""Hold what a staged script changed and printed against what its SOP expects, before anything is
committed.

`expect` of sop.yaml: `changes` lists kinds of paths under `new`, `changed`, `gone` and `mode`;
`output` says what is printed. A kind of path is a template such as `{{folder}}/{{month}}`; `*`
stands for any part of a name, `**` for anything. An entry is a text (it must occur) or `{path: …,
min: 0}` (it may). What no entry names may not be touched.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from replay import template
from replay.staged.output_kinds import complaint, difference, is_none_found, problem
from safety.changes import ChangeSet

KINDS = ("new", "changed", "gone", "mode")
WRITTEN = ("new", "changed")  # a file that is there already is written over
SAME = "same"  # touched and as it was: enough for a state, not for what is to change
GROUPS = (WRITTEN, ("gone",), ("mode",))
KEYS = ("changes", "output")
REPOSITORIES = (".git", ".hg", ".svn")  # their own files are named by content or time


class Touched(NamedTuple):
    """One path that was touched, as it is held against an expectation."""

    kind: str
    path: str


class Entry(NamedTuple):
    """A kind of path. `least` is how many there must be, `most` how many there may be; None: any
    number. `is_emptied`: they are left empty, so that one that was empty is as it should be."""

    path: str
    least: int
    most: int | None
    is_emptied: bool = False


def touched(changes: ChangeSet) -> list[Touched]:
    """Return what was touched, moves as gone and new; a repository's own files count as one."""
    return list(dict.fromkeys(_inside_repository(each) for each in _pairs(changes)))


def _pairs(changes: ChangeSet) -> Iterator[Touched]:
    for change in changes.changes:
        if change.kind == "changed" and not change.files:
            yield Touched(SAME, str(change.path))
        elif change.kind == "moved":
            yield Touched("gone", str(change.was))
            yield Touched("new", str(change.path))
        else:
            yield Touched(change.kind, str(change.path))


def _inside_repository(each: Touched) -> Touched:
    parts = each.path.split("/")
    for name in REPOSITORIES:
        if name in parts[:-1] and each.kind != SAME:
            return Touched("changed", "/".join([*parts[: parts.index(name) + 1], "**"]))
    return each


def unmet(
    expect: Mapping[str, Any], found: Sequence[Touched], output: str, values: Mapping[str, Any]
) -> tuple[str, list[Any]] | None:
    """Return what differs, as a key of assets/replay/said.json with its values; None when all is as
    expected.

    Raises template.TemplateError.
    """
    wanted, due = expect.get("changes"), expect.get("output") or {}
    has_answer = any((wanted or {}).values()) or not is_none_found(due, output)
    says_why = due.get("instead") and output.strip() and not complaint(output)
    if not found and (says_why or not has_answer):
        return None  # another branch of the script, or a question without an answer today
    wrong = None if wanted is None else _changes_differ(wanted, found, values)
    return wrong or difference(due, output, values)


def _changes_differ(
    wanted: Mapping[str, Any], found: Sequence[Touched], values: Mapping[str, Any]
) -> tuple[str, list[Any]] | None:
    same = [each.path for each in found if each.kind == SAME]
    for kinds in GROUPS:
        there = [each for each in found if each.kind in kinds]
        entries = [(kind, entry_of(raw, values)) for kind in kinds for raw in wanted.get(kind, ())]
        wrong = _numbers_differ(entries, [each.path for each in there], same)
        if wrong := wrong or _unexpected(entries, there):
            return wrong
    return None


def _numbers_differ(
    entries: Sequence[tuple[str, Entry]], there: Sequence[str], same: Sequence[str]
) -> tuple[str, list[Any]] | None:
    exact = {entry.path for _, entry in entries}
    for kind, entry in entries:
        again = [path for path in same if kind == "new" or _is_emptied(entry, path)]
        met = [path for path in (*there, *again) if matches(entry.path, path)]
        own = [path for path in met if path == entry.path or path not in exact]
        if wrong := _number_differs(kind, entry, len(own)):
            return wrong
    return None


def _is_emptied(entry: Entry, path: str) -> bool:
    return entry.is_emptied and Path(path).stat().st_size == 0


def _unexpected(
    entries: Sequence[tuple[str, Entry]], there: Sequence[Touched]
) -> tuple[str, list[Any]] | None:
    for each in there:
        is_known = any(matches(entry.path, each.path) for _, entry in entries)
        if not is_known and str(Path(each.path).parent) != tempfile.gettempdir():
            return f"unexpected_{each.kind}", [each.path]
    return None


def _number_differs(kind: str, entry: Entry, count: int) -> tuple[str, list[Any]] | None:
    """Return how the number of paths of a kind differs from what an entry expects: nothing may be
    left to take away, a mode may be so already, a folder may be there."""
    is_left = kind == "gone" and "*" in entry.path
    is_folder = kind in WRITTEN and Path(entry.path).is_dir()
    may_be_none = is_left or is_folder or kind == "mode"
    if count < entry.least and not may_be_none:
        return f"too_few_{kind}", [entry.path, entry.least, count]
    if entry.most is not None and count > entry.most:
        return f"too_many_{kind}", [entry.path, entry.most, count]
    return None


def entry_of(raw: Any, values: Mapping[str, Any]) -> Entry:
    """Return an entry with the values filled in. Raises TemplateError."""
    said = raw if isinstance(raw, Mapping) else {}
    most = None if "*" in _path_said(raw) else 1
    least, is_emptied = int(said.get("min", 1)), bool(said.get("empty"))
    return Entry(filled(_path_said(raw), values), least, said.get("max", most), is_emptied)


def _path_said(raw: Any) -> str:
    return str(raw["path"] if isinstance(raw, Mapping) else raw)


def filled(text: str, values: Mapping[str, Any]) -> str:
    """Return a kind of path with the values in it; a star in a value is only a star."""
    quoted = {name: _quoted(value) for name, value in values.items()}
    path = str(template.fill(text, quoted))
    return re.sub(r"(?<=.)/+(?=/|$)", "", path)


def _quoted(value: Any) -> Any:
    return value.replace("*", "\0") if isinstance(value, str) else value


def matches(pattern: str, path: str) -> bool:
    """Return True if the path is of this kind."""
    pieces = re.split(r"(\*\*|\*)", pattern)
    signs = {"*": "[^/]*", "**": ".*"}
    expression = "".join(
        signs.get(piece) or re.escape(piece.replace("\0", "*")) for piece in pieces
    )
    return re.fullmatch(expression, path, re.DOTALL) is not None


def wrong_in(raw: Any) -> tuple[tuple[str | int, ...], str] | None:
    """Return the key and what is wrong with an `expect` of a `run`; None when it can be held."""
    if not _is_mapping(raw, KEYS):
        return (), f"must be a mapping of {', '.join(KEYS)}"
    if found := problem(raw.get("output") or {}):
        return ("output",), found
    changes = raw.get("changes") or {}
    if not _is_mapping(changes, KINDS):
        return ("changes",), f"must be a mapping of {', '.join(KINDS)}"
    for kind, entries in changes.items():
        if not isinstance(entries, list) or not all(map(_is_entry, entries)):
            return ("changes", kind), "must list paths, or {path: …, min: 0, max: 5}"
    return None


def _is_mapping(raw: Any, keys: Sequence[str]) -> bool:
    return isinstance(raw, dict) and not set(raw) - set(keys)


def _is_entry(raw: Any) -> bool:
    if isinstance(raw, str):
        return True
    is_mapping = isinstance(raw, dict) and isinstance(raw.get("path"), str)
    return is_mapping and all(isinstance(raw.get(key, 0), int) for key in ("min", "max"))
