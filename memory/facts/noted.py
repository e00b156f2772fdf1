"""Say what of the notes may be kept for long: the same rules as for facts, and the line must say
it, and its run too."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from memory.facts.gate import Redact, check_wording
from memory.facts.lines import Fact
from memory.facts.proof import LEAST_COVERAGE, not_there, record_of
from memory.facts.rules import Refusal, first, quoted
from memory.wording import coverage, stands_in, values


@dataclass(frozen=True, slots=True)
class Line:
    """One thing in the notes. `source` is "RUN:TURN", or the note's name when it was written by
    hand; `kind` is that of the note (memory/notes/remember.py)."""

    text: str
    kind: str
    day: str
    source: str
    run: str = ""

    @property
    def hash(self) -> str:
        """Return a hash: the same line has the same hash."""
        said = f"{self.day}\n{self.run}\n{self.text}"
        return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:16]


def check_line(
    fact: Fact, line: Line, home: Path, *, is_verbatim: bool, redact: Redact | None = None
) -> list[Refusal]:
    """Return why a sentence made of a line may not be kept; nothing when it may. `is_verbatim`: the
    line says it so."""
    found = check_wording(fact, (), redact)
    # nothing more is said: that would repeat it
    if not any(each.rule == "secret" for each in found):
        found += _of_line(fact, line)
        found += [] if is_verbatim else _unproven(fact, line)
        found += _unsaid(line, home)
    return [replace(each, where=f"memory/{line.day}.md") for each in found]


def _of_line(fact: Fact, line: Line) -> Iterator[Refusal]:
    if said := first("addresses", line.text):
        yield Refusal("instruction", "", quoted(said))
    if said := first("defines", fact.text):
        yield Refusal("general", "", quoted(said))


def _unproven(fact: Fact, line: Line) -> Iterator[Refusal]:
    said = f"{line.text} {line.day}"
    missing = [value.text for value in values(fact.text) if not stands_in(value, said)]
    if missing or coverage(fact.text, line.text) < LEAST_COVERAGE:
        yield Refusal("unproven", "", ", ".join(missing) or fact.text)


def _unsaid(line: Line, home: Path) -> Iterator[Refusal]:
    """Refuse a note that names a run and does not hold the owner's words; one without a run was
    written by the owner's hand."""
    if not line.run:
        return
    record = record_of(home, line.run)
    if record is None or record.is_trial:
        yield not_there(line.run)
    elif record.session != "main":
        yield Refusal("shared", "", line.run)
    elif not _is_said(line.text, " ".join(" ".join(record.said).split())):
        yield Refusal("changed", "", line.source)


def _is_said(text: str, said: str) -> bool:
    return text in said or coverage(text, said) >= LEAST_COVERAGE
