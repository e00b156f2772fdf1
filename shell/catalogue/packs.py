"""Reads the rows of assets/commands/*.yaml, once, when the first command is judged."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from text.sections import sections

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "commands"
EFFECTS = (
    *("read", "catastrophic", "secret", "system", "delete", "send", "spend"),
    *("install", "change", "rights", "unknown"),
)
_VERSIONED = re.compile(r"(.*?)(-?\d[\d.]*)$")


Block = tuple[list[str], Mapping[str, Any]]  # names of programs, and what is known of them


class Row(NamedTuple):
    """One use of a program: its first words in order, and options that must be there."""

    effect: str
    words: tuple[str, ...]
    options: tuple[str, ...]

    @property
    def size(self) -> int:
        """Return how much of the command line the row names."""
        return len([word for word in self.words if word != "*"]) + len(self.options)


@dataclass(frozen=True, slots=True)
class Entry:
    """All that is known of one program. `more` has the keys that need no reading."""

    name: str
    takes: frozenset[str] = frozenset()
    rows: tuple[Row, ...] = ()
    dry: frozenset[str] = frozenset()
    code: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)

    def listed(self, key: str) -> list[str]:
        """Return the words of a key."""
        return str(self.more.get(key, "")).split()


@functools.lru_cache(4096)
def entry(name: str) -> Entry | None:
    """Return what is known of a program, also by a name with a version (`python3.11`); None for a
    stranger."""
    known = blocks()
    if name in known:
        return _entry(name)
    for block in known:
        if block.endswith("*") and name.startswith(block[:-1]):
            return _entry(block)
    versioned = _VERSIONED.fullmatch(name)
    return _entry(versioned[1]) if versioned and versioned[1] in known else None


@functools.cache
def words(kind: str) -> frozenset[str]:
    """Return a list of words of verbs.txt."""
    return frozenset(sections("commands/verbs.txt").get(kind, "").split())


@functools.cache
def python_names() -> dict[str, frozenset[str]]:
    """Return the lists of python.txt."""
    found = sections("commands/python.txt")
    return {kind: frozenset(text.split()) for kind, text in found.items()}


def load(name: str) -> dict[str, Any]:
    """Return one file of rows."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with (FOLDER / name).open("rb") as file:
        return dict(yaml.load(file, loader))


@functools.cache
def blocks() -> dict[str, Block]:
    """Return the blocks of all files by the names of their programs."""
    known: dict[str, Block] = {}
    for file in sorted(FOLDER.glob("*.yaml")):
        for key, given in load(file.name).items():
            names = [name.strip() for name in str(key).split(",")]
            known |= dict.fromkeys(names, (names, given or {}))
    return known


@functools.cache
def _entry(name: str) -> Entry:
    names, given = blocks()[name]
    rows = [row for effect in EFFECTS for row in _rows(effect, given.get(effect), name, names)]
    takes = frozenset(str(given.get("takes", "")).split())
    dry = frozenset(str(given.get("dry", "")).split())
    code = {str(option): str(language) for option, language in (given.get("code") or {}).items()}
    return Entry(name, takes, tuple(rows), dry, code, given)


def _rows(effect: str, text: str | None, name: str, names: list[str]) -> Iterator[Row]:
    for pattern in str(text or "").split(";"):
        parts = _of_program(pattern.replace('"', " ").split(), name, names)
        options = [part for part in parts if part.startswith("-") and part != "--"]
        plain = [part for part in parts if part not in options]
        if parts:
            yield Row(effect, tuple(plain), tuple(options))


def _of_program(parts: list[str], name: str, names: list[str]) -> list[str]:
    """Return the words of a row; none of one that is for another program of the block."""
    if len(names) == 1 or not parts or parts[0] not in names:
        return parts
    return (parts[1:] or ["*"]) if parts[0] == name else []


@functools.cache
def shells() -> frozenset[str]:
    """Return the programs that read bash from their input."""
    codes = {name: given.get("code") or {} for name, (_, given) in blocks().items()}
    found = {name for name, code in codes.items() if code.get("input") == "bash"}
    return frozenset(found - {"source", "."})


@functools.cache
def wrappers() -> frozenset[str]:
    """Return the programs that run the rest of their line."""
    return frozenset(name for name, (_, given) in blocks().items() if "runs" in given)


@functools.cache
def remote_libraries() -> frozenset[str]:
    """Return Python's libraries that talk to others, or serve them."""
    return python_names()["servers"] | python_names()["remote"]
