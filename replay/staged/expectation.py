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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from replay import template
from replay.staged.output_kinds import Difference, complaint, difference, is_none_found, problem
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

    kind: str
    path: str
    least: int
    most: int | None
    is_emptied: bool = False

    @property
    def may_be_none(self) -> bool:
        """Return True where nothing may be left to take away, a folder may be there, a mode may be
        so already."""
        if self.kind in WRITTEN:
            return Path(self.path).is_dir()
        return self.kind == "mode" or "*" in self.path

    def met_by(self, there: Iterable[str], same: Iterable[str]) -> list[str]:
        """Return the paths of this kind; also of those that were touched and are as they were,
        where that is enough."""
        again = [path for path in same if self.kind == "new"]
        if self.is_emptied and self.kind != "new":
            again = [path for path in same if Path(path).stat().st_size == 0]
        return [path for path in (*there, *again) if matches(self.path, path)]

    def differs(self, count: int) -> Difference | None:
        """Return how the number of paths differs from what is expected."""
        if count < self.least and not self.may_be_none:
            return f"too_few_{self.kind}", [self.path, self.least, count]
        if self.most is not None and count > self.most:
            return f"too_many_{self.kind}", [self.path, self.most, count]
        return None


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
) -> Difference | None:
    """Return what differs, as a key of assets/replay/said.json with its values; None when all is as
    expected.

    Raises template.TemplateError.
    """
    wanted, due = expect.get("changes"), expect.get("output") or {}
    if not found and _may_do_nothing(wanted or {}, due, output):
        return None
    wrong = iter(()) if wanted is None else _changes_differ(wanted, found, values)
    return next(wrong, None) or difference(due, output, values)


def _may_do_nothing(wanted: Mapping[str, Any], due: Mapping[str, Any], output: str) -> bool:
    """Return True for another branch of the script, and for a question without an answer today."""
    if due.get("instead") and output.strip():
        return not complaint(output)
    return is_none_found(due, output) and not any(wanted.values())


def _changes_differ(
    wanted: Mapping[str, Any], found: Sequence[Touched], values: Mapping[str, Any]
) -> Iterator[Difference]:
    same = [each.path for each in found if each.kind == SAME]
    for kinds in GROUPS:
        there = [each for each in found if each.kind in kinds]
        entries = [entry_of(kind, raw, values) for kind in kinds for raw in wanted.get(kind, ())]
        yield from _numbers_differ(entries, [each.path for each in there], same)
        yield from _unexpected(entries, there)


def _numbers_differ(
    entries: Sequence[Entry], there: Sequence[str], same: Sequence[str]
) -> Iterator[Difference]:
    exact = {entry.path for entry in entries}
    for entry in entries:
        elsewhere = exact - {entry.path}
        own = [path for path in entry.met_by(there, same) if path not in elsewhere]
        if wrong := entry.differs(len(own)):
            yield wrong


def _unexpected(entries: Sequence[Entry], there: Sequence[Touched]) -> Iterator[Difference]:
    for each in there:
        is_known = any(matches(entry.path, each.path) for entry in entries)
        if not is_known and str(Path(each.path).parent) != tempfile.gettempdir():
            yield f"unexpected_{each.kind}", [each.path]


def entry_of(kind: str, raw: Any, values: Mapping[str, Any]) -> Entry:
    """Return an entry with the values filled in. Raises TemplateError."""
    said = raw if isinstance(raw, Mapping) else {"path": raw}
    path, least = str(said["path"]), int(said.get("min", 1))
    most = said.get("max", None if "*" in path else 1)
    return Entry(kind, filled(path, values), least, most, bool(said.get("empty")))


def filled(text: str, values: Mapping[str, Any]) -> str:
    """Return a kind of path with the values in it; a star in a value is only a star."""
    texts = {name: value for name, value in values.items() if isinstance(value, str)}
    quoted = {name: value.replace("*", "\0") for name, value in texts.items()}
    path = str(template.fill(text, {**values, **quoted}))
    return re.sub(r"(?<=.)/+(?=/|$)", "", path)


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
