"""L2, the global facts: `memory/global_mem.txt`, one fact at a time, each through the evidence
gate.

The index `memory/global_mem_insight.txt` is made anew with each change; each change is one commit
whose message names the run (memory/change/). Any number of processes may change facts at
once. Source: seed 002 §2, §3.

    SopwithError
    ├── FactRefused     the gate refused it; `refusals` say why
    └── FactConflict    there is nothing to undo, or it cannot be told apart any more
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path

from config import SopwithError
from memory.change import changing, is_unfinished, store
from memory.evidence import Pointer
from memory.facts.gate import Redact, check_fact, check_wording
from memory.facts.lines import (
    FACTS,
    INDEX,
    NEGATIVE,
    Fact,
    FactLineError,
    index,
    read,
    render,
    sections,
)
from memory.facts.proof import record_of
from memory.facts.rules import Refusal, table
from memory.history import Repository, one_line
from memory.wording import supersedes

SUBJECT = "facts:"  # how the messages of our commits begin
REPROBE_DAYS = 30  # after which what is missing is looked for again


class FactRefused(SopwithError):
    """The gate refused a fact. One line for each reason."""

    def __init__(self, refusals: Sequence[Refusal]) -> None:
        super().__init__("\n".join(each.text for each in refusals))
        self.refusals = list(refusals)


class FactConflict(SopwithError):
    """There is nothing to take back, or it cannot be told apart from what came later."""


class FactStore:
    """The facts of one home folder. `today` is the day of its changes (2026-11-21); None takes the
    day here and now."""

    def __init__(self, home: Path, redact: Redact | None = None, today: str | None = None) -> None:
        self.home = home
        self._redact = redact
        self._today = today

    def all(self) -> list[Fact]:
        """Return the facts that hold, in the order of the file. Raises FactLineError."""
        return [fact for fact in read(self.home) if not fact.retired]

    def retired(self) -> list[Fact]:
        """Return what no longer holds. Raises FactLineError."""
        return [fact for fact in read(self.home) if fact.retired]

    def add(
        self,
        section: str,
        text: str,
        evidence: Sequence[Pointer] = (),
        *,
        run: str = "",
        by_owner: bool = False,
    ) -> Fact:
        """Store a fact and return it, once all is on the disk; an older one that it supersedes is
        retired.

        `by_owner`: the owner says so, and no run needs to prove it. Raises FactRefused,
        FactLineError, RepositoryError, OSError; the facts are then as they were, or the next change
        finishes this one.
        """
        with self._changing() as (history, facts):
            fact = self._made(section, text, tuple(evidence), facts)
            older = [each for each in facts if _is_older(each, fact)]
            others = [each for each in facts if each not in older]
            self._admit(fact, others, by_owner)
            if older:
                fact = replace(fact, supersedes=older[0].id)
            gone = [replace(each, retired=self._day()) for each in older]
            store(history, texts_of([*others, *gone, fact]), _message(fact, run))
            return fact

    def check(self, lang: str = "en") -> list[str]:
        """Return what is wrong with the facts, one line each: evidence that is gone, pointers that
        lead nowhere, an index out of step. Changes nothing."""
        try:
            facts = read(self.home)
        except FactLineError as error:
            return [str(error).partition("\n")[0]]
        found = [
            *_unproven(self.home, facts),
            *_inconsistent(facts),
            *_pointers(facts),
            *_files(self.home, facts),
        ]
        number = 1 if lang == "zh" else 0
        return [table()["check"][key][number].format(id=id, what=what) for key, id, what in found]

    @contextmanager
    def _changing(self) -> Iterator[tuple[Repository, list[Fact]]]:
        """Hand over the facts; lines that the owner wrote by hand get an id and the day on which
        they were first seen."""
        with changing(self.home) as history:
            facts = read(self.home)
            day = self._day()
            yield (
                history,
                [
                    fact if fact.id else replace(fact, id=_id_of(fact, facts), day=day)
                    for fact in facts
                ],
            )

    def _made(
        self, section: str, text: str, evidence: tuple[Pointer, ...], facts: Sequence[Fact]
    ) -> Fact:
        day, reprobe = self._day(), ""
        if section == NEGATIVE:
            reprobe = (date.fromisoformat(day) + timedelta(days=REPROBE_DAYS)).isoformat()
        said = " ".join(text.split(" ")).strip()
        fact = Fact(section, said, evidence, day=day, reprobe=reprobe)
        return replace(fact, id=_id_of(fact, facts))

    def _admit(self, fact: Fact, known: Sequence[Fact], by_owner: bool) -> None:
        if by_owner and not fact.evidence:
            refusals = check_wording(fact, known, self._redact)
        else:
            refusals = check_fact(fact, fact.evidence, self.home, known, self._redact)
        if refusals:
            raise FactRefused(refusals)

    def _day(self) -> str:
        return self._today or datetime.now().astimezone().date().isoformat()


def texts_of(facts: Sequence[Fact]) -> dict[str, str | None]:
    """Return the files of these facts; the first one decides."""
    return {FACTS: render(facts), INDEX: index(facts)}


def _message(fact: Fact, run: str) -> str:
    verb = "amend" if fact.supersedes else "add"
    trailer = f"\n\nSopwith-Run: {one_line(run)}\n" if run else "\n"
    return f"{SUBJECT} {verb} #{fact.id} [{fact.section}] {one_line(fact.text)[:120]}{trailer}"


def _is_older(old: Fact, new: Fact) -> bool:
    is_beside = not old.retired and old.section == new.section
    return is_beside and supersedes(new.text, old.text)


def _id_of(fact: Fact, facts: Sequence[Fact]) -> str:
    taken = {each.id for each in facts}
    for attempt in range(1 << 20):
        said = f"{fact.section}\n{fact.text}\n{fact.day}\n{attempt}"
        found = hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:6]
        if found not in taken:
            return found
    raise FactConflict("error.facts.free-id-fact")


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
