"""Prove that the facts are as they must be: evidence that is there, pointers that lead somewhere,
an index in step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from memory.change import is_unfinished
from memory.facts.lines import INDEX, NEGATIVE, Fact, FactLineError, index, read, sections
from memory.facts.proof import record_of
from memory.facts.rules import table


def check(home: Path, lang: str = "en") -> list[str]:
    """Return what is wrong with the facts of a home folder, one line each. Changes nothing."""
    try:
        facts = read(home)
    except FactLineError as error:
        return [str(error).partition("\n")[0]]
    found = [
        *_unproven(home, facts),
        *_inconsistent(facts),
        *_pointers(facts),
        *_files(home, facts),
    ]
    number = 1 if lang == "zh" else 0
    return [table()["check"][key][number].format(id=id, what=what) for key, id, what in found]


_Fault = tuple[str, str, str]  # a key of `check` in rules.toml, the fact, what is wrong


def _unproven(home: Path, facts: Sequence[Fact]) -> Iterator[_Fault]:
    for fact in facts:
        for pointer in fact.evidence:
            record = record_of(home, pointer.run)
            if record is None:
                yield "run", fact.id, pointer.run
            elif record.session != "main":
                yield "shared", fact.id, pointer.run
            elif record.find(pointer) is None:
                yield "changed", fact.id, f"{pointer.run}:{pointer.turn}"


def _inconsistent(facts: Sequence[Fact]) -> Iterator[_Fault]:
    seen: set[str] = set()
    for fact in facts:
        if fact.id and fact.id in seen:
            yield "twice", fact.id, ""
        seen.add(fact.id)
        if fact.section not in sections():
            yield "section", fact.id or fact.text[:40], fact.section
        needs_day = fact.section == NEGATIVE and fact.id and not fact.retired
        if needs_day and not fact.reprobe:
            yield "reprobe", fact.id, "YYYY-MM-DD"


def _pointers(facts: Sequence[Fact]) -> Iterator[_Fault]:
    by_id = {fact.id: fact for fact in facts}
    for fact in facts:
        old = by_id.get(fact.supersedes)
        if fact.supersedes and old is None:
            yield "dangling", fact.id, fact.supersedes
        elif fact.supersedes and old and not old.retired:
            yield "replaced", old.id, fact.id


def _files(home: Path, facts: Sequence[Fact]) -> Iterator[_Fault]:
    try:
        stored = (home / INDEX).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        stored = ""
    if stored != index(facts):
        yield "index", "", INDEX
    if is_unfinished(home):
        yield "pending", "", ""
