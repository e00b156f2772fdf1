"""Read what a session may read: the split between the owner and a group lies here and in the notes'
marks.

`reader_for` is the only way to a reader. What a shared session asks for beyond its own is refused:
OWNER.md, MEMORY.md, the facts, what was learned, runs and notes of others. Source: seed 000 stage
1, seed 004 §2, §4.

    SopwithError
    └── NotForThisSession   2  what was asked for is not this session's to read
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from config import SopwithError
from memory import notes
from memory.files import OwnerText, read_owner_text
from memory.home import Session
from memory.logs import RunSummary, find_run, read_events, run_ids, summarise
from memory.logs.reading import starting

if TYPE_CHECKING:
    from memory.facts import Fact
    from memory.sops import SopStore
    from models.base import Event

SHARED_FILES = ("AGENTS.md", "SPIRIT.md", "TOOLS.md")
MAIN_FILES = ("AGENTS.md", "SPIRIT.md", "OWNER.md", "TOOLS.md", "MEMORY.md", "BOOTSTRAP.md")
INDEX = "memory/global_mem_insight.txt"


class NotForThisSession(SopwithError):
    """Refuse what is not this session's to read."""

    exit_code = 2


def _refused(what: str) -> NotForThisSession:
    return NotForThisSession("error.reader.session-read", name=what)


class Reader:
    """Read for one session. Each method may raise NotForThisSession; texts raise OSError and
    Unreadable too."""

    def __init__(self, home: Path, session: Session, today: date) -> None:
        self._home, self.session, self._today = home, session, today

    def text(self, name: str) -> OwnerText:
        """Return a workspace file by its name (AGENTS.md). Raises FileNotFoundError."""
        if name not in (MAIN_FILES if self.session.is_main else SHARED_FILES):
            raise _refused(name)
        # a link could lead a group to what is not its own
        return read_owner_text(self._home, name, follows_links=self.session.is_main)

    def note(self, day: date) -> str:
        """Return what may be read of a day's note; "" when there is nothing. A group reads what it
        said today."""
        if day != self._today and not self.session.is_main:
            raise _refused(f"memory/{day.isoformat()}.md")
        return notes.read(self._home, day, self.session)

    def note_days(self) -> list[date]:
        """Return the days of which a note may be asked for, oldest first."""
        return notes.days(self._home) if self.session.is_main else [self._today]

    def facts_index(self) -> str:
        """Return the index of the facts (L2); "" when there are none."""
        self._owners(INDEX)
        try:
            return read_owner_text(self._home, INDEX).text
        except FileNotFoundError:
            return ""

    def facts(self) -> list[Fact]:
        """Return the facts that hold. Raises FactLineError."""
        self._owners("memory/global_mem.txt")
        from memory.facts import FactStore

        return FactStore(self._home).all()

    def runs(self, limit: int | None = None) -> list[RunSummary]:
        """Return the runs of this very session, newest first, without trials."""
        found: list[RunSummary] = []
        for run in run_ids(self._home):
            if limit is not None and len(found) >= limit:
                break
            summary = summarise(self._home, run) if self._is_own(run) else None
            if summary is not None and not summary.trial:
                found.append(summary)
        return found

    def find(self, name: str) -> str:
        """Return the id of the run that `name` means: an id, the start of exactly one, or "last".
        Raises NoSuchRun.

        The owner may name any run; "last" is the last of the session's own. For a group, what is
        the start of others' runs, or of none, is refused alike.
        """
        if self.session.is_main and name != "last":
            return find_run(self._home, name)
        is_last = name == "last"
        own = [each.run for each in self.runs(1 if is_last else None)]
        found = own if is_last else starting(own, name)
        if len(found) == 1:
            return found[0]
        if self.session.is_main:
            return find_run(self._home, name)
        raise _refused(f"run {name}")

    def events(self, run: str) -> Iterator[Event]:
        """Return the log of one run (its whole id). The owner may look at what was said in every
        session; for a group, a run that is not there is refused like those of others, so that none
        can be told from none."""
        if not self.session.is_main and not (run in run_ids(self._home) and self._is_own(run)):
            raise _refused(f"run {run}")
        return read_events(self._home, run)

    def sop_headers(self, store: SopStore, lang: str, *, seeds: bool) -> list[str]:
        """Return a line for each SOP, "name: description": the seeds, or what was learned here."""
        if not seeds:
            self._owners("sops")  # what was learned tells of the owner
        return store.header_lines(lang, seeds=seeds)

    def _owners(self, what: str) -> None:
        if not self.session.is_main:
            raise _refused(what)

    def _is_own(self, run: str) -> bool:
        """Return True if the first event of a run says this session; a log that is damaged there is
        nobody's."""
        try:
            first = next(read_events(self._home, run), None)
        except SopwithError:
            return False
        if not isinstance(first, dict) or first.get("type") != "run_started":
            return False
        return Session.parse(first.get("session")) == self.session


def reader_for(home: Path, session: Session, today: date | None = None) -> Reader:
    """Return the reader of one session. `today` is the day whose note a shared session may read
    (default: here, now)."""
    return Reader(home, session, today or date.today())
