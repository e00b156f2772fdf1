"""L2, the global facts: `memory/global_mem.txt`, changed by small patches only, each through the evidence gate.

A patch adds a fact, amends one, or retires one, and must match what lies on the disk exactly. The index
`memory/global_mem_insight.txt` is made anew with each change; each change is one commit whose message names the run.
Any number of processes may change facts at once. A kill at any moment leaves the old facts or the new, and what it left
unfinished (the index, the commit) is finished by the next change. Source: seed 002 §2, §3.

    SopwithError
    ├── FactRefused     the gate refused it; `refusals` say why
    └── FactConflict    the patch does not match what is there; or there is nothing to undo
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from config import SopwithError
from memory.facts.lines import NEGATIVE, Fact, FactLineError, index, parse, render, sections
from memory.facts.policy import Keeping, Refusal, check_fact, check_wording
from memory.home.files import write_atomic
from memory.home.repository import BY_HAND, Commit, Content, Repository, RepositoryError, one_line
from memory.runlog.evidence import Pointer, read_record
from memory.runlog.log import RunLogError

FACTS = "memory/global_mem.txt"
INDEX = "memory/global_mem_insight.txt"
REPROBE_DAYS = 30  # after which what is missing is looked for again
UNDOES = "Sopwith-Undoes"


class FactRefused(SopwithError):
    """The gate refused a fact. One line for each reason."""

    def __init__(self, refusals: Sequence[Refusal]) -> None:
        super().__init__("\n".join(each.text for each in refusals))
        self.refusals = list(refusals)


class FactConflict(SopwithError):
    """A patch does not match what is there."""


@dataclass(frozen=True, slots=True)
class Add:
    """A new fact."""

    section: str
    text: str
    evidence: tuple[Pointer, ...] = ()
    reprobe: str = ""


@dataclass(frozen=True, slots=True)
class Amend:
    """Another text for a fact; `old` is the text that it has now. The new one points to the old one."""

    id: str
    old: str
    text: str
    evidence: tuple[Pointer, ...] = ()
    reprobe: str = ""


@dataclass(frozen=True, slots=True)
class Retire:
    """A fact that is no longer true; `old` is the text that it has now."""

    id: str
    old: str


Patch = Add | Amend | Retire


class FactStore:
    """The facts of one home folder. `today` is the day in its patches (2026-11-21); None takes the day here and now."""

    def __init__(
        self, home: Path, keeping: Keeping | None = None, today: str | None = None
    ) -> None:
        self.home = home
        self._keeping = keeping or Keeping()
        self._today = today
        self._history = Repository(home)
        self._pending = home / "memory" / ".facts-change.json"

    def all(self) -> list[Fact]:
        """The facts that hold, in the order of the file. Raises FactLineError."""
        return [fact for fact in self._read() if not fact.retired]

    def retired(self) -> list[Fact]:
        """Return what no longer holds. Raises FactLineError."""
        return [fact for fact in self._read() if fact.retired]

    def apply(self, patch: Patch, *, run: str | None = None, by_owner: bool = False) -> Fact:
        """Makes one change and returns the fact that it is about, once all is on the disk.

        `by_owner`: the owner says so, and no run needs to prove it. Raises FactRefused, FactConflict, FactLineError,
        RepositoryError, OSError; the facts are then as they were, or the next change finishes this one.
        """
        with self._changing() as facts:
            known = [fact for fact in facts if not fact.retired]
            if isinstance(patch, Retire):
                gone = replace(self._target(patch, known), retired=self._day())
                self._write(
                    [gone if fact.id == gone.id else fact for fact in facts], "retire", gone, run
                )
                return gone
            old = self._target(patch, known) if isinstance(patch, Amend) else None
            fact = self._new(patch, old, facts)
            others = [each for each in known if each != old]
            self._admit(fact, patch, others, by_owner)
            kept = [replace(each, retired=self._day()) if each == old else each for each in facts]
            self._write([*kept, fact], "amend" if old else "add", fact, run)
            return fact

    def undo(self) -> str:
        """Takes back the last change that the agent made to the facts, as a new change; gives its first line.

        What was changed since stays: facts are taken out and put back one by one. Raises FactConflict when there is
        nothing to take back, RepositoryError without a history.
        """
        if self._history.problem:
            raise RepositoryError(self._history.problem)
        with self._changing() as facts:
            commit, before, after = self._last_change()
            gone = {fact.line() for fact in after} - {fact.line() for fact in before}
            back = [fact for fact in before if fact.line() not in {each.line() for each in after}]
            here = [fact for fact in facts if fact.line() not in gone]
            ids = {fact.id for fact in here}
            kept = [*here, *(fact for fact in back if fact.id not in ids)]
            self._store(kept, f"facts: undo: {commit.subject}\n\n{UNDOES}: {commit.id}\n")
            return commit.subject

    def check(self, lang: str = "en") -> list[str]:
        """Return what is wrong with the facts, one line each; nothing when all is as it must be. Changes nothing."""
        try:
            facts = self._read()
        except FactLineError as error:
            return [str(error).partition("\n")[0]]
        return [*_unproven(self.home, facts, lang), *_inconsistent(self.home, facts, lang)]

    # one change

    @contextlib.contextmanager
    def _changing(self) -> Iterator[list[Fact]]:
        """Takes the turn, finishes what a crash left, records what the owner edited by hand; hands over the facts."""
        (self.home / "memory").mkdir(mode=0o700, exist_ok=True)
        with self._history.locked():
            self._finish()
            facts = self._read()
            self._history.commit_hand_edits([FACTS, INDEX])
            yield [fact if fact.id else self._adopted(fact, facts) for fact in facts]

    def _read(self) -> list[Fact]:
        try:
            text = (self.home / FACTS).read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError) as error:
            raise FactLineError(f"{self.home / FACTS} cannot be read: {error}") from error
        return parse(text)

    def _adopted(self, fact: Fact, facts: Sequence[Fact]) -> Fact:
        """A line that the owner wrote by hand, with an id and the day on which it was first seen."""
        return replace(fact, id=_id_of(fact, facts), day=self._day())

    def _target(self, patch: Amend | Retire, known: Sequence[Fact]) -> Fact:
        found = next((fact for fact in known if fact.id == patch.id), None)
        if found is None:
            raise FactConflict(
                f"there is no fact #{patch.id}.\nSee them with: sopwith memory facts"
            )
        if found.text != patch.old:
            raise FactConflict(
                f"fact #{patch.id} says {found.text!r}, not {patch.old!r}; nothing was changed."
            )
        return found

    def _new(self, patch: Add | Amend, old: Fact | None, facts: Sequence[Fact]) -> Fact:
        section = old.section if old else patch.section if isinstance(patch, Add) else ""
        reprobe = patch.reprobe
        if section == NEGATIVE and not reprobe:
            reprobe = (date.fromisoformat(self._day()) + timedelta(days=REPROBE_DAYS)).isoformat()
        text = " ".join(patch.text.split(" ")).strip()
        fact = Fact(section, text, patch.evidence, "", self._day(), old.id if old else "", reprobe)
        return replace(fact, id=_id_of(fact, facts))

    def _admit(self, fact: Fact, patch: Add | Amend, known: Sequence[Fact], by_owner: bool) -> None:
        if by_owner and not patch.evidence:
            refusals = check_wording(fact, known, self._keeping)
        else:
            refusals = check_fact(fact, patch.evidence, self.home, known, self._keeping)
        if refusals:
            raise FactRefused(refusals)

    def _write(self, facts: Sequence[Fact], verb: str, fact: Fact, run: str | None) -> None:
        trailer = f"\n\nSopwith-Run: {one_line(run)}\n" if run else "\n"
        self._store(
            facts, f"facts: {verb} #{fact.id} [{fact.section}] {one_line(fact.text)[:120]}{trailer}"
        )

    def _store(self, facts: Sequence[Fact], message: str) -> None:
        """Facts, index, commit, in this order; a note of what is under way lets the next change finish it."""
        text = render(facts)
        note = {"message": message, "facts": hashlib.sha256(text.encode()).hexdigest()}
        write_atomic(self._pending, json.dumps(note), mode=0o600)
        try:
            write_atomic(self.home / FACTS, text, mode=0o600)
        except OSError:
            self._pending.unlink(missing_ok=True)
            raise
        write_atomic(self.home / INDEX, index(facts), mode=0o600)
        self._history.commit([FACTS, INDEX], message)
        self._pending.unlink(missing_ok=True)

    def _finish(self) -> None:
        """Finishes the change that a crash interrupted, or forgets it when it had not reached the facts."""
        try:
            note = json.loads(self._pending.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return
        with contextlib.suppress(FileNotFoundError):
            text = (self.home / FACTS).read_bytes()
            if hashlib.sha256(text).hexdigest() == note["facts"]:
                write_atomic(self.home / INDEX, index(parse(text.decode())), mode=0o600)
                self._history.commit([FACTS, INDEX], note["message"])
        self._pending.unlink(missing_ok=True)

    def _last_change(self) -> tuple[Commit, list[Fact], list[Fact]]:
        """The last change of the agent that still stands, with the facts before and after it."""
        commits = self._history.log(FACTS)
        undone = {
            line.partition(": ")[2]
            for each in commits
            for line in each.message.splitlines()
            if line.startswith(UNDOES)
        }
        for at, commit in enumerate(commits):
            if (
                commit.subject != BY_HAND
                and UNDOES not in commit.message
                and commit.id not in undone
            ):
                before = commits[at + 1].id if at + 1 < len(commits) else None
                return commit, self._facts_at(before), self._facts_at(commit.id)
        raise FactConflict(
            "there is no change of the agent's to take back.\nSee the facts with: sopwith memory facts"
        )

    def _facts_at(self, commit: str | None) -> list[Fact]:
        content = self._history.files(commit, "memory").get("global_mem.txt") if commit else None
        return (
            parse(content.data.decode("utf-8", "replace")) if isinstance(content, Content) else []
        )

    def _day(self) -> str:
        return self._today or datetime.now().astimezone().date().isoformat()


def _id_of(fact: Fact, facts: Sequence[Fact]) -> str:
    taken = {each.id for each in facts}
    for attempt in range(1 << 20):
        found = hashlib.sha256(
            f"{fact.section}\n{fact.text}\n{fact.day}\n{attempt}".encode()
        ).hexdigest()[:6]
        if found not in taken:
            return found
    raise FactConflict("there is no free id for a fact.")


# Proof that all is as it must be

_SAID = {
    "run": ("#{id}: run {what} is not there any more", "#{id}：运行 {what} 已经不在"),
    "changed": ("#{id}: the run log does not say what it points to at {what}", "#{id}：{what} 处的运行日志与它所指的内容不符"),
    "shared": ("#{id}: run {what} was a shared session", "#{id}：运行 {what} 是共享会话"),
    "unreadable": ("#{id}: the log of run {what} cannot be read", "#{id}：运行 {what} 的日志读不了"),
    "twice": ("#{id}: the id stands twice", "#{id}：编号重复"),
    "dangling": ("#{id}: it replaces #{what}, which is not there", "#{id}：它取代的 #{what} 不存在"),
    "replaced": ("#{id}: it was replaced by #{what}, and still stands", "#{id}：已被 #{what} 取代，却还在"),
    "circle": ("#{id}: it replaces itself, over #{what}", "#{id}：经由 #{what} 取代了自己"),
    "section": ("#{id}: there is no section [{what}]", "#{id}：没有 [{what}] 这个分区"),
    "reprobe": ("#{id}: what is missing needs a day to look again (reprobe:{what})", "#{id}：“没有”要有复查日期（reprobe:{what}）"),
    "index": ("{what} is not in step with the facts; the next change mends it", "{what} 与事实不一致；下一次改动会修好它"),
    "pending": ("a change was interrupted; the next change finishes it", "有一次改动被中断；下一次改动会把它做完"),
}  # fmt: skip


def _say(lang: str, key: str, fact: Fact | None = None, what: str = "") -> str:
    return _SAID[key][lang == "zh"].format(id=fact.id or fact.text[:40] if fact else "", what=what)


def _unproven(home: Path, facts: Sequence[Fact], lang: str) -> Iterator[str]:
    """Facts whose evidence is gone or has changed."""
    for fact in facts:
        for pointer in fact.evidence:
            try:
                record = read_record(home, pointer.run)
            except (RunLogError, KeyError, TypeError):
                yield _say(lang, "unreadable", fact, pointer.run)
                continue
            if record is None:
                yield _say(lang, "run", fact, pointer.run)
            elif record.session != "main":
                yield _say(lang, "shared", fact, pointer.run)
            elif record.find(pointer) is None:
                yield _say(lang, "changed", fact, f"{pointer.run}:{pointer.turn}")


def _inconsistent(home: Path, facts: Sequence[Fact], lang: str) -> Iterator[str]:
    """Ids, pointers and sections that do not hold together; an index that is not that of the facts."""
    seen: set[str] = set()
    for fact in facts:
        if fact.id and fact.id in seen:
            yield _say(lang, "twice", fact)
        seen.add(fact.id)
        if fact.section not in sections():
            yield _say(lang, "section", fact, fact.section)
        if fact.section == NEGATIVE and not fact.retired and fact.id and not fact.reprobe:
            yield _say(lang, "reprobe", fact, "YYYY-MM-DD")
    yield from _dangling(facts, lang)
    if _stored_index(home) != index(facts):
        yield _say(lang, "index", what=INDEX)
    if (home / "memory" / ".facts-change.json").exists():
        yield _say(lang, "pending")


def _dangling(facts: Sequence[Fact], lang: str) -> Iterator[str]:
    """Pointers to what was replaced must lead to a fact that was."""
    by_id = {fact.id: fact for fact in facts}
    for fact in facts:
        old = by_id.get(fact.supersedes)
        if not fact.supersedes:
            continue
        if old is None:
            yield _say(lang, "dangling", fact, fact.supersedes)
        elif not old.retired:
            yield _say(lang, "replaced", old, fact.id)
        elif old.supersedes == fact.id:
            yield _say(lang, "circle", fact, old.id)


def _stored_index(home: Path) -> str:
    try:
        return (home / INDEX).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def due(facts: Sequence[Fact], today: str | None = None) -> list[Fact]:
    """Return what is missing here and should be looked for again by now."""
    day = today or datetime.now(UTC).date().isoformat()
    return [fact for fact in facts if fact.reprobe and not fact.retired and fact.reprobe <= day]


def check(home: Path, lang: str = "en") -> list[str]:
    """Return what is wrong with the facts in a home folder, one line each."""
    return FactStore(home).check(lang)
