"""Keep what came in and what goes out: `channels/NAME.sqlite3`, each step one transaction that
survives a power cut.

messages  new → taken (into a talk)                         a message that is known already is not
          taken in again
talks     open → beginning → begun → done                   what was said together, and the run that
          answers it ↘ said (to a run at work)    waiting ⇄ resume (its run waits for the owner)
outgoing  waiting → trying → sent | refused | unsure (a kill came while it was sent)
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ui.channels.channel import Button, Incoming

KEPT_SECONDS = 30 * 86_400.0
_TABLES = """
CREATE TABLE IF NOT EXISTS places (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS messages (id TEXT PRIMARY KEY, at REAL, chat TEXT, state TEXT, body TEXT);
CREATE TABLE IF NOT EXISTS talks (id INTEGER PRIMARY KEY, at REAL, chat TEXT, message TEXT, is_private INTEGER,
 text TEXT, files TEXT, run TEXT DEFAULT '', state TEXT);
CREATE TABLE IF NOT EXISTS outgoing (seq INTEGER PRIMARY KEY, key TEXT UNIQUE, at REAL, chat TEXT, text TEXT, buttons TEXT,
 reply_to TEXT, state TEXT);
"""
_TALK = "chat, message, is_private, text, files, run, state"


@dataclass(slots=True)
class Talk:
    """Hold what was said together in one chat."""

    id: int
    chat: str
    message: str
    is_private: bool
    text: str
    files: str  # JSON: of each what `fetch` takes, and its name
    run: str
    state: str


class Letter(NamedTuple):
    """A message that is to be sent."""

    seq: int
    key: str
    chat: str
    text: str
    buttons: str  # JSON: label and press of each
    reply_to: str


class Store:
    """The store of one channel. Any thread may call."""

    def __init__(self, folder: Path, name: str) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = threading.RLock()
        self._database = sqlite3.connect(
            folder / f"{name}.sqlite3", timeout=20.0, check_same_thread=False
        )
        (folder / f"{name}.sqlite3").chmod(0o600)
        self._database.execute("PRAGMA synchronous = FULL")
        self._database.executescript(_TABLES)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._database.close()

    @contextmanager
    def step(self) -> Iterator[sqlite3.Connection]:
        """Do several things as one: all of them are kept, or none. Steps may lie in steps."""
        with self._lock:
            if self._database.in_transaction:
                yield self._database
                return
            with self._database:
                self._database.execute("BEGIN IMMEDIATE")
                yield self._database

    def place(self, name: str) -> str:
        """Return a noted value; ""."""
        rows = self._rows("SELECT value FROM places WHERE name = ?", name)
        return str(rows[0][0]) if rows else ""

    def note(self, name: str, value: str) -> None:
        """Note a value."""
        with self.step() as database:
            database.execute("INSERT OR REPLACE INTO places VALUES (?, ?)", (name, value))

    # In

    def take_in(self, messages: Sequence[Incoming], position: str) -> None:
        """Keep new messages, and from where to go on listening."""
        now = time.time()
        with self.step() as database:
            database.executemany(
                "INSERT OR IGNORE INTO messages VALUES (?, ?, ?, 'new', ?)",
                [(each.id, now, each.chat, json.dumps(asdict(each))) for each in messages],
            )
            self.note("position", position)
            database.execute(
                "DELETE FROM messages WHERE state = 'taken' AND at < ?", (now - KEPT_SECONDS,)
            )

    def new(self) -> dict[str, list[tuple[float, Incoming]]]:
        """Return the messages that nobody has taken yet, oldest first, by chat."""
        found: dict[str, list[tuple[float, Incoming]]] = {}
        query = "SELECT at, body FROM messages WHERE state = 'new' ORDER BY rowid"
        for at, body in self._rows(query):
            message = Incoming(**json.loads(body))
            found.setdefault(message.chat, []).append((at, message))
        return found

    def taken(self, ids: Sequence[str]) -> None:
        """Mark messages as done with."""
        with self.step() as database:
            database.executemany(
                "UPDATE messages SET state = 'taken', body = '{}' WHERE id = ?",
                [(id,) for id in ids],
            )

    # Talks

    def open_talk(
        self, messages: Sequence[Incoming], text: str, run: str = "", state: str = "open"
    ) -> None:
        """Make one talk of messages."""
        first, last = messages[0], messages[-1]
        files = json.dumps([list(file) for each in messages for file in each.files])
        values = (first.chat, last.message, first.is_private, text, files, run, state)
        with self.step() as database:
            query = f"INSERT INTO talks (at, {_TALK}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
            database.execute(query, (time.time(), *values))
            self.taken([each.id for each in messages])

    def talks(self, *states: str, chat: str | None = None) -> list[Talk]:
        """Return the talks in these states, oldest first."""
        marks = ", ".join("?" * len(states))
        query = f"SELECT id, {_TALK} FROM talks WHERE state IN ({marks}) ORDER BY id"
        found = [Talk(*row) for row in self._rows(query, *states)]
        return [each for each in found if chat is None or each.chat == chat]

    def talks_of(self, run: str) -> list[Talk]:
        """Return the talks that a run answers, or was told."""
        states = ("beginning", "begun", "said", "waiting", "resume")
        return [each for each in self.talks(*states) if each.run == run]

    def set(self, talk: Talk, state: str, run: str | None = None) -> None:
        """Write down how a talk stands."""
        talk.state, talk.run = state, talk.run if run is None else run
        with self.step() as database:
            database.execute(
                "UPDATE talks SET state = ?, run = ? WHERE id = ?", (state, talk.run, talk.id)
            )

    # Out

    def put(
        self, key: str, chat: str, text: str, buttons: Sequence[Button] = (), reply_to: str = ""
    ) -> None:
        """Have a message sent; one whose key is known already is not sent again."""
        row = (key, time.time(), chat, text, json.dumps(buttons), reply_to)
        with self.step() as database:
            database.execute(
                "INSERT OR IGNORE INTO outgoing (key, at, chat, text, buttons, reply_to, state) VALUES (?, ?, ?, ?, ?, ?, 'waiting')",
                row,
            )

    def next(self) -> Letter | None:
        """Return the oldest message that is to be sent."""
        rows = self._rows(
            "SELECT seq, key, chat, text, buttons, reply_to FROM outgoing WHERE state = 'waiting' ORDER BY seq LIMIT 1"
        )
        return Letter(*rows[0]) if rows else None

    def sent(self, letter: Letter, state: str) -> None:
        """Write down how a message stands."""
        with self.step() as database:
            database.execute("UPDATE outgoing SET state = ? WHERE seq = ?", (state, letter.seq))

    def unsure(self) -> list[tuple[str, str]]:
        """Return keys and texts of messages that a kill cut off; they count as settled from now
        on."""
        with self.step() as database:
            found = self._rows("SELECT key, text FROM outgoing WHERE state = 'trying'")
            database.execute("UPDATE outgoing SET state = 'unsure' WHERE state = 'trying'")
        return [(str(key), str(text)) for key, text in found]

    def knows(self, key: str) -> bool:
        """Return True for a message that was put, its first piece at least."""
        return bool(self._rows("SELECT 1 FROM outgoing WHERE key = ?", f"{key}:1"))

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._database.execute(query, values).fetchall()
