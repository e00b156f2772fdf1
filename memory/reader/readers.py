"""Read what a session may read: the split between the owner and a group lies here and in the notes' marks.

`reader_for` is the only way to a reader. The one of a shared session is given no path to OWNER.md, MEMORY.md, the facts,
or to runs and notes of others; what it is asked for beyond its own it refuses. Source: seed 000 stage 1, seed 004 §2, §4.

    SopwithError
    └── NotForThisSession   2  what was asked for is not this session's to read
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from config import SopwithError
from memory import notes
from memory.files import read_owner_text
from memory.files.owner_files import OwnerText
from memory.home import MAIN, Session
from memory.logs import RunSummary, find_run, read_events, run_ids, summarise

if TYPE_CHECKING:
    from memory.facts import Fact
    from memory.sops import SopStore
    from models.base import Event

SHARED_FILES = ("AGENTS.md", "SPIRIT.md", "TOOLS.md")
MAIN_FILES = ("AGENTS.md", "SPIRIT.md", "OWNER.md", "TOOLS.md", "MEMORY.md", "BOOTSTRAP.md")


class NotForThisSession(SopwithError):
    """Refuse what is not this session's to read."""

    exit_code = 2


class Reader(Protocol):
    """Read what every session may ask. Each may raise NotForThisSession; texts raise OSError and Unreadable too."""

    session: Session

    def text(self, name: str) -> OwnerText:
        """A workspace file by its name (AGENTS.md). Raises FileNotFoundError."""
        ...

    def note(self, day: date) -> str:
        """Return what may be read of a day's note; "" when there is nothing."""
        ...

    def note_days(self) -> list[date]:
        """The days of which a note may be asked for, oldest first."""
        ...

    def facts_index(self) -> str:
        """The index of the facts (L2); "" when there are none."""
        ...

    def facts(self) -> list[Fact]:
        """The facts that hold. Raises FactLineError."""
        ...

    def runs(self, limit: int | None = None) -> list[RunSummary]:
        """The runs of this very session, newest first, without trials."""
        ...

    def find(self, name: str) -> str:
        """The id of the run that `name` means: an id, the start of exactly one, or "last". Raises NoSuchRun."""
        ...

    def events(self, run: str) -> Iterator[Event]:
        """The log of one run (its whole id)."""
        ...

    def sop_headers(self, store: SopStore, lang: str, *, seeds: bool) -> list[str]:
        """A line for each SOP, "name: description": the seeds, or what was learned here."""
        ...


def reader_for(home: Path, session: Session, today: date | None = None) -> Reader:
    """The reader of one session. `today` is the day whose note a shared session may read (default: the day here, now)."""
    if session == MAIN:
        return OwnerReader(home)
    return SharedReader(home, session, today or date.today())


class OwnerReader:
    """Reads for the owner: everything."""

    session = MAIN

    def __init__(self, home: Path) -> None:
        self._home = home

    def text(self, name: str) -> OwnerText:
        """A workspace file by its name."""
        if name not in MAIN_FILES:
            raise NotForThisSession(f"{name} is not for this session to read")
        return read_owner_text(self._home, name)

    def note(self, day: date) -> str:
        """A day's note."""
        return notes.read(self._home, day, MAIN)

    def note_days(self) -> list[date]:
        """All days that have one."""
        return notes.days(self._home)

    def facts_index(self) -> str:
        """The index as it lies on the disk."""
        try:
            return read_owner_text(self._home, "memory/global_mem_insight.txt").text
        except FileNotFoundError:
            return ""

    def facts(self) -> list[Fact]:
        """The facts that hold."""
        from memory.facts import FactStore

        return FactStore(self._home).all()

    def runs(self, limit: int | None = None) -> list[RunSummary]:
        """The owner's own runs; those of shared sessions are other conversations."""
        return _runs(self._home, MAIN, limit)

    def find(self, name: str) -> str:
        """Any run by its name; the last one is the last of the owner's own."""
        own = self.runs(1) if name == "last" else []
        return own[0].run if own else find_run(self._home, name)

    def events(self, run: str) -> Iterator[Event]:
        """Any run: the owner may look at what was said in every session."""
        return read_events(self._home, run)

    def sop_headers(self, store: SopStore, lang: str, *, seeds: bool) -> list[str]:
        """Seeds, or what was learned."""
        return store.header_lines(lang, seeds=seeds)


class SharedReader:
    """Reads for a group: the three files that are meant for everybody, and what this very session said and did."""

    def __init__(self, home: Path, session: Session, today: date) -> None:
        if session.is_main:
            raise ValueError("the main session is the owner's")
        self.session = session
        self._today = today
        self._places = dict.fromkeys(SHARED_FILES, home)
        self._read_note = partial(notes.read, home, today, session)
        self._list_runs = partial(_runs, home, session)
        self._read_run = partial(_own_events, home, session)

    def text(self, name: str) -> OwnerText:
        """One of SHARED_FILES, and the file itself: a link could lead to what is not for this session."""
        if name not in self._places:
            raise NotForThisSession(f"{name} is not for this session to read")
        return read_owner_text(self._places[name], name, follows_links=False)

    def note(self, day: date) -> str:
        """Return what this session said today; older notes are the owner's."""
        if day != self._today:
            raise NotForThisSession(f"memory/{day.isoformat()}.md is not for this session to read")
        return self._read_note()

    def note_days(self) -> list[date]:
        """Today."""
        return [self._today]

    def facts_index(self) -> str:
        """Refused."""
        raise NotForThisSession("memory/global_mem_insight.txt is not for this session to read")

    def facts(self) -> list[Fact]:
        """Refused."""
        raise NotForThisSession("memory/global_mem.txt is not for this session to read")

    def runs(self, limit: int | None = None) -> list[RunSummary]:
        """The runs of this session."""
        return self._list_runs(limit)

    def find(self, name: str) -> str:
        """A run of this session; what is the start of others' runs, or of none, is refused alike."""
        own = [each.run for each in self.runs(1 if name == "last" else None)]
        found = own if name == "last" else [run for run in own if name and run.startswith(name)]
        if len(found) != 1 and name not in own:
            raise NotForThisSession(f"run {name} is not for this session to read")
        return name if name in own else found[0]

    def events(self, run: str) -> Iterator[Event]:
        """The log of a run of this session; one that is not there is refused like those of others, so that none can be
        told from none."""
        return self._read_run(run)

    def sop_headers(self, store: SopStore, lang: str, *, seeds: bool) -> list[str]:
        """The seeds; what was learned tells of the owner."""
        if not seeds:
            raise NotForThisSession("sops is not for this session to read")
        return store.header_lines(lang, seeds=True)


def _runs(home: Path, session: Session, limit: int | None) -> list[RunSummary]:
    found: list[RunSummary] = []
    for run in run_ids(home):
        if limit is not None and len(found) >= limit:
            break
        if (
            _session_of(home, run) == session
            and (summary := summarise(home, run))
            and not summary.trial
        ):
            found.append(summary)
    return found


def _own_events(home: Path, session: Session, run: str) -> Iterator[Event]:
    if run not in run_ids(home) or _session_of(home, run) != session:
        raise NotForThisSession(f"run {run} is not for this session to read")
    return read_events(home, run)


def _session_of(home: Path, run: str) -> Session | None:
    """The session of a run, from its first event; None when the log says none."""
    for event in _opening(home, run):
        return Session.parse(event.get("session"))
    return None


def _opening(home: Path, run: str) -> Sequence[Event]:
    try:
        first = next(read_events(home, run), None)
    except SopwithError:  # damaged from its first line: nobody's
        return ()
    return (first,) if isinstance(first, dict) and first.get("type") == "run_started" else ()
