"""Distils the notes of the last days into MEMORY.md: one commit that `memory undo` takes back.

`memory/.digest.json` says which lines have been looked at, so that nothing is asked or written twice, and nothing comes back
that the owner has removed. One process digests at a time. A kill at any moment leaves the old MEMORY.md or the new; what it
left unfinished (the commit, what was looked at) is finished by the next digest. Source: seed 000 "Background tasks".

    SopwithError
    └── NotDistilled   the owner's: MEMORY.md is too large to be worked on
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from config import SopwithError
from memory.facts.policy import Keeping, Refusal
from memory.home.files import write_atomic
from memory.home.owner_files import MAX_BYTES, Unreadable, read_owner_text
from memory.home.repository import Repository, one_line
from memory.home.templates import make
from memory.notes import daily as notes
from memory.notes.archive import Archived, archive
from memory.notes.distil import (
    BadProposals,
    Choice,
    Line,
    Proposal,
    choose,
    extracted,
    lines_of,
    proposed,
    shown,
)
from memory.notes.memory_file import Entry, changed, parse
from models.errors import ModelError

MEMORY = "MEMORY.md"
STATE = "memory/.digest.json"
PENDING = "memory/.digest-change.json"
LOCK = "memory/.digest.lock"
SUBJECT = "digest:"  # how the messages of our commits begin
DAYS = 7  # whose notes are read
ARCHIVE_AFTER_DAYS = 30
SEEN_DAYS = 60  # as long it is known that a line was looked at

AskModel = Callable[
    [str, str], str
]  # what is known, new lines → the reply's text; raises ModelError


class NotDistilled(SopwithError):
    """MEMORY.md cannot be worked on."""


@dataclass(slots=True)
class Digest:
    """Hold what one digest did. `by`: "model", "rules" (no model chose; lines are kept as they were
    said), or "" when there was nothing to read. `problem`: why a model was of no help, or a note
    was not put away."""

    by: str = ""
    lines: int = 0  # that were new
    added: list[Entry] = field(default_factory=list)
    replaced: dict[str, str] = field(default_factory=dict)  # id → id
    repeated: dict[str, int] = field(default_factory=dict)  # id → how often by now
    refused: list[tuple[Line, Refusal]] = field(default_factory=list)
    archived: list[str] = field(default_factory=list)  # notes
    problem: str = ""
    is_busy: bool = False  # another process is at it, and nothing was done here

    @property
    def has_changed(self) -> bool:
        """True when MEMORY.md says something else now."""
        return bool(self.added or self.replaced or self.repeated)


def due(home: Path, now: datetime) -> bool:
    """Return True if there has been no digest on this day. `now` is aware, in the owner's timezone."""
    return str(_state(home).get("day")) != now.date().isoformat()


def entries(home: Path) -> list[Entry]:
    """Return what was distilled, the superseded ones with it. Raises Unreadable."""
    try:
        return list(parse(read_owner_text(home, MEMORY).text).entries)
    except FileNotFoundError:
        return []


def digest(
    home: Path,
    now: datetime,
    *,
    ask: AskModel | None = None,
    more: Sequence[Line] = (),
    lang: str = "en",
    keeping: Keeping | None = None,
) -> Digest:
    """Reads the last 7 days, adds to MEMORY.md what is worth keeping, and puts away notes older than 30 days.

    `more` are lines from elsewhere (the journal). Costs nothing when there is nothing new: no model is asked, nothing is
    committed. Raises Unreadable, NotDistilled, RepositoryError, OSError; MEMORY.md is then as it was, or the next digest
    finishes this one.
    """
    (home / "memory").mkdir(mode=0o700, parents=True, exist_ok=True)
    with _alone(home) as is_alone:
        if not is_alone:
            return Digest(is_busy=True)
        history, done = Repository(home), Digest()
        with history.locked():
            finish(home, history)
        state, today = _state(home), now.date()
        seen: dict[str, str] = {
            line: day
            for line, day in _seen(state).items()
            if day >= (today - timedelta(days=SEEN_DAYS)).isoformat()
        }
        new = [line for line in _read(home, today, more) if line.hash not in seen]
        seen |= {line.hash: line.day for line in new}
        if new:
            _distil(home, history, new, done, seen, ask, lang, keeping or Keeping())
        put_away = _put_away(home, history, today)
        done.archived = put_away.notes
        done.problem = done.problem or put_away.problem
        state = {"day": today.isoformat(), "at": now.isoformat(), "seen": seen}
        write_atomic(home / STATE, json.dumps(state), mode=0o600)
        return done


@contextlib.contextmanager
def _alone(home: Path) -> Iterator[bool]:
    lock = os.open(home / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    is_alone = True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        is_alone = False
    try:
        yield is_alone
    finally:
        os.close(lock)


def _read(home: Path, today: date, more: Sequence[Line]) -> list[Line]:
    """The lines of the last days, each once. A note that cannot be read is passed over: it is the owner's to mend."""
    found: list[Line] = []
    for day in (today - timedelta(days=ago) for ago in range(DAYS - 1, -1, -1)):
        with contextlib.suppress(Unreadable):
            found += lines_of(home, [day])
    found += [line for line in more if line.text not in {each.text for each in found}]
    return list({line.hash: line for line in found}.values())


def _distil(
    home: Path,
    history: Repository,
    new: Sequence[Line],
    done: Digest,
    seen: dict[str, str],
    ask: AskModel | None,
    lang: str,
    keeping: Keeping,
) -> None:
    text = _text(home, lang)  # before a model is paid for
    proposals = _proposals(text, new, done, ask, keeping)
    with history.locked():
        text = _text(home, lang)  # the owner may have edited it meanwhile
        choice = choose(proposals, parse(text), home, keeping)
        done.lines, done.added = len(new), choice.added
        done.replaced, done.repeated = choice.replaced, choice.repeated
        done.refused = [
            (replace(line, text=keeping.redact(line.text)), why)
            for line, why in (*done.refused, *choice.refused)
        ]
        after = changed(text, choice.added, choice.replaced, choice.repeated, lang)
        if after == text:
            return
        history.commit_hand_edits([MEMORY])
        message = _message(choice, done.by)
        data = after.encode("utf-8", "replace")
        pending = {"message": message, "sha256": hashlib.sha256(data).hexdigest(), "seen": seen}
        write_atomic(home / PENDING, json.dumps(pending), mode=0o600)
        try:
            write_atomic(home / MEMORY, data)
        except OSError:
            (home / PENDING).unlink(missing_ok=True)
            raise
        history.commit([MEMORY], message)
        (home / PENDING).unlink(missing_ok=True)


def _proposals(
    text: str, new: Sequence[Line], done: Digest, ask: AskModel | None, keeping: Keeping
) -> list[Proposal]:
    """A model's, or what rules extract where there is none, or it is of no help."""
    if ask is not None:
        live = "\n".join(entry.line() for entry in parse(text).live)
        hidden = [replace(line, text=keeping.redact(line.text)) for line in new]
        try:
            found, refused = proposed(ask(keeping.redact(live), shown(hidden)), new)
        except (ModelError, BadProposals, SopwithError) as error:
            done.problem = str(error).partition("\n")[0]
        else:
            done.by, done.refused = "model", refused
            return found
    done.by = "rules"
    return extracted(new)


def _text(home: Path, lang: str) -> str:
    """MEMORY.md as it lies there, line ends and all; made from its template when it is missing."""
    make(home, MEMORY, lang)
    if read_owner_text(home, MEMORY).is_cut:
        raise NotDistilled(
            f"MEMORY.md is larger than {MAX_BYTES:,} bytes, so nothing is added to it.\n"
            "Move what is old out of it, and run: sopwith memory digest"
        )
    return (home / MEMORY).read_bytes().decode("utf-8")


def _message(choice: Choice, by: str) -> str:
    counts = f"{len(choice.added)} added, {len(choice.replaced)} superseded, {len(choice.repeated)} said again"
    rows = [
        f"+ #{entry.id} {one_line(entry.text)[:120]} ({entry.source})" for entry in choice.added
    ]
    rows += [f"- #{old} → #{new}" for old, new in choice.replaced.items()]
    return f"{SUBJECT} {counts} (chosen by {by})\n\n" + "\n".join(rows) + "\n"


def _put_away(home: Path, history: Repository, today: date) -> Archived:
    oldest = today - timedelta(days=ARCHIVE_AFTER_DAYS)
    old = [day for day in notes.days(home) if day < oldest]
    if not old:
        return Archived()
    with history.locked():
        return archive(home, old, history)


# Looked at


def _state(home: Path) -> dict[str, Any]:
    return _json(home / STATE)


def _seen(state: dict[str, Any]) -> dict[str, str]:
    seen = state.get("seen")
    return {str(line): str(day) for line, day in seen.items()} if isinstance(seen, dict) else {}


def _json(path: Path) -> dict[str, Any]:
    """{} for what is not there or torn: then lines are looked at once more, and what is known is not added again."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def finish(home: Path, history: Repository) -> None:
    """Finishes what a crash interrupted, or forgets it when it had not reached MEMORY.md. The caller holds the history's
    lock. Raises RepositoryError, OSError."""
    if not (home / PENDING).exists():
        return
    pending = _json(home / PENDING)
    with contextlib.suppress(FileNotFoundError):
        data = (home / MEMORY).read_bytes()
        if hashlib.sha256(data).hexdigest() == pending.get("sha256"):
            history.commit([MEMORY], str(pending.get("message")))
            state = _state(home)
            state["seen"] = _seen(state) | _seen(pending)
            write_atomic(home / STATE, json.dumps(state), mode=0o600)
    (home / PENDING).unlink(missing_ok=True)
