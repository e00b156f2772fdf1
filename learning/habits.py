"""What held for the values that an SOP was taught and proven with: how they look, and where they stood.

The cases hold them with a small copy of the inputs (learning/cases.py), so a column can be told from any other word: each
column of the cases stood in the first line of the file that its case names. It decides nothing alone: it says which of
several ways to read a request is like what was done (learning/filling.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from learning.cases import Case, read_cases
from learning.placing import kind_of
from memory.sops.store import Sop, SopError

HEAD_BYTES = 4096  # of a file, where the names of its columns or fields stand
TEXT_BYTES = 256_000
MAX_ENTRIES = 2000  # of a folder
LOOKS = (  # what a text looks like; the first that fits
    ("email", re.compile(r"[^\s@]+@[\w-]+(\.[\w-]+)+")),
    ("url", re.compile(r"https?://\S+")),
    ("date", re.compile(r"\d{4}-\d{2}-\d{2}")),
    ("ending", re.compile(r"(\.[A-Za-z]\w{0,9}){1,2}")),
    ("number", re.compile(r"[\d.,]+")),
)
FIELD = re.compile(r'"([^"\\\n]{1,60})"\s*:')


@dataclass(frozen=True, slots=True)
class Habits:
    """By parameter: the looks of its values, and of paths the endings that their names had; pairs of parameters of which
    the first one's value was the name of a column or field in the second one's file, stood in its text, or was the ending
    of a file in the second one's folder."""

    looks: Mapping[str, frozenset[str]] = field(default_factory=dict)
    endings: Mapping[str, frozenset[str]] = field(default_factory=dict)
    names: frozenset[tuple[str, str]] = frozenset()
    texts: frozenset[tuple[str, str]] = frozenset()
    entries: frozenset[tuple[str, str]] = frozenset()

    def looks_so(self, name: str, value: Any) -> bool:
        """Whether a value looks like those that were taught; True for one of which nothing is known."""
        return (
            name not in self.looks or not isinstance(value, str) or look(value) in self.looks[name]
        )

    def looks_right(self, values: Mapping[str, Any]) -> bool:
        """Whether all values look so, and none that always was the name of a column is a word that the file does not have."""
        named = all(
            str(values[one]) in names_in(values[two])
            for one, two in self.names
            if {one, two} <= values.keys()
        )
        return named and all(self.looks_so(name, value) for name, value in values.items())

    def agreeing(self, values: Mapping[str, Any]) -> int:
        """How much of what held for the values of the cases holds for these ones too, on the disk of now."""
        alike = sum(_ending(values.get(name)) in several for name, several in self.endings.items())
        named = sum(str(values.get(one)) in names_in(values.get(two)) for one, two in self.names)
        held = sum(str(values.get(one)) in _text_of(values.get(two)) for one, two in self.texts)
        there = sum(
            _ends_one(str(values.get(one)), _entries_of(values.get(two)))
            for one, two in self.entries
        )
        return alike + named + held + there


def look(text: str) -> str:
    """What a text looks like; "words" for plain words."""
    return next((name for name, form in LOOKS if form.fullmatch(text)), "words")


def habits(sop: Sop) -> Habits:
    """What the cases of an SOP say; nothing where there are none, or they cannot be read."""
    try:
        changed = (sop.folder / "cases").stat().st_mtime_ns
    except OSError:
        return Habits()
    kinds = {
        name: kind_of(schema)
        for name, schema in (sop.procedure.parameters if sop.procedure else {}).items()
    }
    return _habits(sop.folder, changed, tuple(kinds.items()))


@lru_cache(maxsize=64)
def _habits(folder: Path, _changed: int, kinds: tuple[tuple[str, str], ...]) -> Habits:
    try:
        cases = read_cases(folder)
    except SopError:
        return Habits()
    texts = [name for name, kind in kinds if kind == "text"]
    paths = [name for name, kind in kinds if kind == "path"]
    looks = {
        name: frozenset(
            look(str(case.parameters[name])) for case in cases if name in case.parameters
        )
        for name in texts
    }
    endings = {
        name: found
        for name in paths
        if len(found := frozenset(_ending(case.parameters.get(name)) for case in cases)) == 1
        and found != {""}
    }
    kept = [case for case in cases if case.fixture is not None]
    pairs = [(one, two) for one in texts for two in paths]
    return Habits(
        {name: found for name, found in looks.items() if found},
        endings,
        _in_all(kept, pairs, lambda value, entries, path: value in _names(_text(entries, path)[:HEAD_BYTES], path)),
        _in_all(kept, pairs, lambda value, entries, path: value in _text(entries, path)),
        _in_all(kept, pairs, lambda value, entries, path: _ends_one(value, [e for e in entries if e.startswith(f"{path}/")])),
    )  # fmt: skip


def _in_all(
    cases: Sequence[Case], pairs: Sequence[tuple[str, str]], holds: Any
) -> frozenset[tuple[str, str]]:
    """The pairs for which something holds in each of the cases; none where there are no cases."""
    return frozenset(
        (one, two)
        for one, two in pairs
        if cases
        and all(holds(str(case.parameters.get(one, "\0")), case.fixture, str(case.parameters.get(two, "\0"))) for case in cases)
    )  # fmt: skip


def _text(entries: Mapping[str, Mapping[str, Any]], path: str) -> str:
    return str(entries.get(path, {}).get("text", ""))


def _ending(path: Any) -> str:
    return Path(str(path or "")).suffix.lower()


def _ends_one(value: str, entries: Sequence[str]) -> bool:
    """Whether a text is the ending of one of these names."""
    return look(f".{value.lstrip('.')}") == "ending" and any(
        entry.endswith(f".{value.lstrip('.')}") for entry in entries
    )


def names_in(path: Any) -> frozenset[str]:
    """The names of the columns of a table or of the fields of a JSON file that is there."""
    return _names(_read(path, HEAD_BYTES), str(path))


def _names(head: str, path: str) -> frozenset[str]:
    suffix = _ending(path)
    if suffix in (".csv", ".tsv"):
        return frozenset(cell.strip(' "') for cell in re.split(r"[,;\t]", head.partition("\n")[0]))
    return frozenset(FIELD.findall(head)) if suffix in (".json", ".jsonl") else frozenset()


def _text_of(path: Any) -> str:
    return _read(path, TEXT_BYTES)


def _read(path: Any, most: int) -> str:
    if not isinstance(path, str) or not path:
        return ""
    try:
        if not Path(path).is_file():  # a pipe would be waited for
            return ""
        with Path(path).open("rb") as file:
            return file.read(most).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""


def _entries_of(path: Any) -> list[str]:
    def below() -> Iterator[str]:
        for number, entry in enumerate(Path(path).iterdir()):
            if number >= MAX_ENTRIES:
                return
            yield entry.name

    try:
        return list(below()) if isinstance(path, str) else []
    except OSError:
        return []
