"""Distil the notes of the last days into MEMORY.md: one commit that `memory undo` takes back.

`memory/.digest.json` says which lines have been looked at, so that nothing is asked or written
twice, and nothing comes back that the owner has removed; it changes with MEMORY.md
(memory/change/). One process digests at a time. A kill at any moment leaves the old
MEMORY.md or the new. Source: seed 000 "Background tasks".

    SopwithError
    └── NotDistilled   the owner's: MEMORY.md is too large to be worked on
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from config import SopwithError
from memory import notes
from memory.change import changing, store
from memory.digest.archive import archive
from memory.digest.choice import (
    BadProposals,
    Proposal,
    Refused,
    choose,
    extracted,
    lines_of,
    proposed,
    shown,
)
from memory.digest.memory_file import Changes, Entry, MemoryFile, changed, parse
from memory.facts import Line
from memory.files import Unreadable, read_owner_text, whole_text, write_atomic
from memory.files.owner_files import MAX_BYTES
from memory.files.writing import locked
from memory.history import one_line
from memory.workspace import make
from models.errors import ModelError
from safety.secrets import Redactor

MEMORY = "MEMORY.md"
STATE = "memory/.digest.json"
LOCK = "memory/.digest.lock"
DAYS = 7  # whose notes are read
ARCHIVE_AFTER_DAYS = 30
STALE_AFTER_DAYS = 30  # a superseded line leaves MEMORY.md so long after what took its place
SEEN_DAYS = 60  # as long it is known that a line was looked at

Redact = Callable[[str], str]
AskModel = Callable[[str, str], str]  # what is known, new lines → the reply; raises ModelError


class NotDistilled(SopwithError):
    """MEMORY.md cannot be worked on."""


@dataclass(slots=True)
class Digest:
    """Hold what one digest did.

    `by`: "model", "rules" (no model chose; lines are kept as they were said), or "" when there was
    nothing to read. `problem`: why a model was of no help, or a note was not put away.
    """

    by: str = ""
    lines: int = 0  # that were new
    changes: Changes = field(default_factory=lambda: Changes([], {}, {}, []))
    refused: Refused = field(default_factory=list)
    archived: list[str] = field(default_factory=list)  # notes
    problem: str = ""
    is_busy: bool = False  # another process is at it, and nothing was done here

    @property
    def has_changed(self) -> bool:
        """Return True when MEMORY.md says something else now."""
        made = self.changes
        return any((made.added, made.replaced, made.repeated, made.stale))


@dataclass(frozen=True, slots=True)
class _Asked:
    """Hold what a digest is asked to do."""

    home: Path
    today: date
    ask: AskModel | None
    lang: str
    redact: Redact


def due(home: Path, now: datetime) -> bool:
    """Return True if there has been no digest on this day. `now` is aware, in the owner's
    timezone."""
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
    lang: str = "en",
    redact: Redact | None = None,
) -> Digest:
    """Read the last 7 days, add to MEMORY.md what is worth keeping, and put away notes older than
    30 days.

    Costs nothing when there is nothing new: no model is asked, nothing is committed. Raises
    Unreadable, NotDistilled, RepositoryError, OSError; MEMORY.md is then as it was, or the next
    digest finishes this one.
    """
    (home / "memory").mkdir(mode=0o700, parents=True, exist_ok=True)
    with locked(home / LOCK, waits=False) as lock:
        if lock < 0:
            return Digest(is_busy=True)
        with changing(home):
            pass  # what a crash left is finished before it is known what was seen
        asked = _Asked(home, now.date(), ask, lang, redact or Redactor({}))
        seen = _seen(home, now.date())
        new = [line for line in _read(home, now.date()) if line.hash not in seen]
        seen |= {line.hash: line.day for line in new}
        done = _distilled(asked, new, seen)
        done.archived, problem = _put_away(home, now.date())
        done.problem = done.problem or problem
        state = {"day": now.date().isoformat(), "at": now.isoformat(), "seen": seen}
        write_atomic(home / STATE, json.dumps(state), mode=0o600)
        return done


def _read(home: Path, today: date) -> list[Line]:
    """Return the lines of the last days, each once. A note that cannot be read is passed over: it
    is the owner's to mend."""
    found: list[Line] = []
    for ago in range(DAYS - 1, -1, -1):
        with suppress(Unreadable):
            found += lines_of(home, [today - timedelta(days=ago)])
    return list({line.hash: line for line in found}.values())


def _distilled(asked: _Asked, new: Sequence[Line], seen: dict[str, str]) -> Digest:
    if not new and not (asked.home / MEMORY).is_file():
        return Digest()
    known = parse(_text(asked.home, asked.lang))  # before a model is paid for
    done, proposals = _proposals(asked, known, new)
    with changing(asked.home) as history:
        text = _text(asked.home, asked.lang)  # the owner may have edited it meanwhile
        known = parse(text)
        done.changes, refused = choose(proposals, known, asked.home, asked.redact)
        done.changes.stale.extend(_stale(known, asked.today))
        done.refused = [
            (replace(line, text=asked.redact(line.text)), why)
            for line, why in (*done.refused, *refused)
        ]
        after = changed(text, done.changes, asked.lang)
        if after != text:
            state = json.dumps(_state(asked.home) | {"seen": seen})
            store(history, {MEMORY: after, STATE: state}, _message(done.changes, done.by))
    return done


def _proposals(
    asked: _Asked, known: MemoryFile, new: Sequence[Line]
) -> tuple[Digest, list[Proposal]]:
    """Return a model's, or what rules extract where there is none, or it is of no help."""
    if not new:
        return Digest(), []
    done = Digest(by="rules", lines=len(new))
    if asked.ask is None:
        return done, extracted(new)
    live = asked.redact("\n".join(entry.line() for entry in known.live))
    hidden = [replace(line, text=asked.redact(line.text)) for line in new]
    try:
        found, done.refused = proposed(asked.ask(live, shown(hidden)), new)
    except (ModelError, BadProposals, SopwithError) as error:
        done.problem = str(error)
        return done, extracted(new)
    done.by = "model"
    return done, found


def _stale(known: MemoryFile, today: date) -> list[str]:
    """Return the ids of what was superseded so long ago that only the history needs it."""
    oldest = (today - timedelta(days=STALE_AFTER_DAYS)).isoformat()
    days = {entry.id: entry.day for entry in known.entries}
    gone = [entry for entry in known.entries if entry.by]
    return [entry.id for entry in gone if days.get(entry.by, entry.day) < oldest]


def _text(home: Path, lang: str) -> str:
    """Return MEMORY.md as it lies there, line ends and all; made from its template when it is
    missing."""
    make(home, MEMORY, lang)
    text = whole_text(home, MEMORY)
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise NotDistilled("error.digest.memory-md-larger-than", n=f"{MAX_BYTES:,}")
    return text


def _message(made: Changes, by: str) -> str:
    counts = (
        f"{len(made.added)} added, {len(made.replaced)} superseded, {len(made.repeated)} said again"
    )
    rows = [f"+ #{each.id} {one_line(each.text)[:120]} ({each.source})" for each in made.added]
    rows += [f"- #{old} → #{new}" for old, new in made.replaced.items()]
    rows += [f"- #{old}" for old in made.stale]
    chosen = f" (chosen by {by})" if by else ""
    return f"digest: {counts}{chosen}\n\n" + "\n".join(rows) + "\n"


def _put_away(home: Path, today: date) -> tuple[list[str], str]:
    oldest = today - timedelta(days=ARCHIVE_AFTER_DAYS)
    old = [day for day in notes.days(home) if day < oldest]
    if not old:
        return [], ""
    with changing(home) as history:
        return archive(home, old, history)


def _seen(home: Path, today: date) -> dict[str, str]:
    """Return the lines that were looked at in the last days, with the day of each."""
    found = _state(home).get("seen")
    oldest = (today - timedelta(days=SEEN_DAYS)).isoformat()
    pairs = found.items() if isinstance(found, dict) else ()
    return {str(line): str(day) for line, day in pairs if str(day) >= oldest}


def _state(home: Path) -> dict[str, Any]:
    """Return {} for what is not there or torn: then lines are looked at once more, and what is
    known is not added again."""
    try:
        found = json.loads((home / STATE).read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
