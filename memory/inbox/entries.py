"""The inbox: what waits for the owner, one file each: questions and confirmations (answered exactly
once), proposals, notices.

`inbox/<id>.json` is the entry; `inbox/<id>.answer.json` appears whole or not at all (a hard link of
a finished file), so two processes cannot both answer. Both go away when the run has taken the
answer into its log.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from config import Message, SopwithError
from memory.files import write_atomic, write_new


class InboxError(SopwithError):
    """It has been answered."""


class OtherKind(InboxError):
    """A question is not approved, a confirmation not answered, and a proposal or a notice is
    neither."""

    exit_code = 2


class NoSuchEntry(InboxError):
    """Refuse a name that is no entry's, or several entries'."""

    exit_code = 2


@dataclass(slots=True)
class Entry:
    """Hold what a run waits for. `call` is the hash of the very call that an approval holds for.

    A proposal is what an SOP needs of its owner; no run waits for it, and `command` is how it is
    done. A notice only says something (a job was paused); `command` is what goes on from there, or
    "".
    """

    id: str
    run: str
    kind: Literal["question", "confirmation", "proposal", "notice"]
    text: str
    candidates: list[str] = field(default_factory=list)
    tool: str = ""
    args: dict[str, Any] = field(default_factory=dict)
    risk: str = ""
    call: str = ""
    session: str = "main"
    at: str = ""
    command: str = ""
    hours: float = 0.0  # how long the question stands; 0: for ever
    changes: list[dict[str, Any]] = field(default_factory=list)  # that an approval would make real
    shown: str = ""  # those changes as a person reads them
    said: list[Any] = field(default_factory=list)  # of a confirmation: why, by keys of assets/words

    @property
    def is_expired(self) -> bool:
        """Return True if nobody has answered in time: that is a no."""
        return self.hours > 0 and datetime.now(UTC) - datetime.fromisoformat(self.at) > timedelta(
            hours=self.hours
        )


@dataclass(slots=True)
class Answer:
    """Hold what the owner said: free text for a question, a decision for a confirmation. `call` is
    what it was said to."""

    decision: Literal["answer", "approve", "deny"]
    text: str = ""
    call: str = field(default="", compare=False)


def call_hash(tool: str, args: dict[str, Any] | None) -> str:
    """Name exactly one call: the tool and all of its arguments."""
    text = json.dumps([tool, args], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


class Inbox:
    """The entries of one home folder."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "inbox"

    def add(self, entry: Entry) -> None:
        """Add an entry; the same id again (a run resumed without an answer) replaces it."""
        entry.at = entry.at or datetime.now(UTC).isoformat(timespec="seconds")
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._path(entry.id + ".answer").unlink(missing_ok=True)  # it was given to another call
        write_atomic(self._path(entry.id), json.dumps(asdict(entry), ensure_ascii=False, indent=1))

    def list(self) -> list[Entry]:
        """Return what is open, oldest first."""
        names = {path.name for path in self.folder.glob("*.json")}
        ids = {name.removesuffix(".json") for name in names if not name.endswith(".answer.json")}
        answered = {name.removesuffix(".answer.json") for name in names}
        entries = [entry for id in ids - answered if (entry := self._read(id))]
        found = [entry for entry in entries if not self._is_settled(entry)]
        return sorted(found, key=lambda entry: (entry.at, entry.id))

    def get(self, id: str) -> Entry:
        """Return the entry that `id`, or the start of exactly one id, means. Raises InboxError."""
        entries = {entry.id: entry for entry in self.list()}
        named = [id] if id in entries else [each for each in entries if id and each.startswith(id)]
        if len(named) == 1:
            return entries[named[0]]
        if (self.folder / f"{id}.answer.json").exists():
            raise InboxError("error.inbox.been-answered-already", id=id)
        known = ", ".join(list(entries)[:5]) or Message("error.none")
        raise NoSuchEntry("error.inbox.none-open", id=id, known=known)

    def answer(self, entry: Entry, answer: Answer) -> None:
        """Record the owner's word. Raises InboxError when it is the wrong kind, or somebody was
        quicker."""
        if entry.kind == "proposal":
            raise OtherKind("error.inbox.proposal", id=entry.id, command=entry.command)
        if entry.kind == "notice":
            raise OtherKind("error.inbox.notice-nobody-waits-answer", id=entry.id)  # fmt: skip
        if (entry.kind == "question") != (answer.decision == "answer"):
            words = (
                "answer ID TEXT"
                if entry.kind == "question"
                else "approve ID, or: sopwith inbox deny ID"
            )
            raise OtherKind("error.inbox.is-a", id=entry.id, kind=entry.kind, words=words)
        if answer.decision == "approve" and entry.is_expired:
            raise InboxError(
                "error.inbox.older-than-hours-which",
                id=entry.id,
                hours=f"{entry.hours:g}",
                run=entry.run,
            )
        answer.call = entry.call
        path = self._path(entry.id + ".answer")
        if not write_new(path, json.dumps(asdict(answer), ensure_ascii=False)):
            raise InboxError("error.inbox.been-answered-already", id=entry.id)

    def answer_for(self, run: str, call: str) -> tuple[str, Answer] | None:
        """Return the answer that this run waits for with exactly this call, with the entry's id."""
        if not self.folder.is_dir():
            return None
        for path in self.folder.glob("*.answer.json"):
            entry = self._read(path.name.removesuffix(".answer.json"))
            if entry and entry.run == run and entry.call == call:
                answer = Answer(**json.loads(path.read_text("utf-8")))
                return (entry.id, answer) if answer.call == call else None
        return None

    def expired(self, run: str, call: str) -> str | None:
        """Return the id of the entry that this run waited for with exactly this call, once its time
        is over."""
        return next(
            (e.id for e in self.list() if e.run == run and e.call == call and e.is_expired), None
        )

    def remove(self, id: str) -> None:
        """Take an entry and its answer away."""
        self._path(id).unlink(missing_ok=True)
        self._path(id + ".answer").unlink(missing_ok=True)

    def remove_run(self, run: str) -> None:
        """Take away what a cancelled run waited for."""
        for entry in self.list():
            if entry.run == run:
                self.remove(entry.id)

    def propose(self, entry: Entry, sop: str) -> None:
        """Add a proposal about an SOP; it ends by itself when the version or status of the SOP has
        changed."""
        entry.call = f"{sop} {self._state(sop)}"
        self.add(entry)

    def _is_settled(self, entry: Entry) -> bool:
        sop, _, state = entry.call.partition(" ")
        if entry.kind != "proposal" or self._state(sop) == state:
            return False
        self.remove(entry.id)
        return True

    def _state(self, sop: str) -> str:
        """Return the version and status of an SOP of this home; "" for one that came with the
        program, or is gone."""
        try:
            text = (self.folder.parent / "sops" / sop / "SKILL.md").read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            return ""
        return " ".join(
            re.findall(r"^\s+sopwith-(?:version|status):\s*[\"']?(\w+)", text, re.MULTILINE)[:2]
        )

    def _path(self, id: str) -> Path:
        return self.folder / f"{id}.json"

    def _read(self, id: str) -> Entry | None:
        try:
            return Entry(**json.loads(self._path(id).read_text("utf-8")))
        except (FileNotFoundError, ValueError, TypeError):
            return None
