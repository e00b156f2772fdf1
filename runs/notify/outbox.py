"""Keep notices until they are delivered, and which are: `notify/outbox.sqlite3`. A notice has its row before it is sent.

A delivery is waiting → trying → sent. One that a kill left at `trying` may have arrived: it is not sent again, and the
inbox says so.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import Any, NamedTuple

from config import Config, SopwithError
from runs.notify.notices import Notice

KEPT = 5000  # deliveries that are remembered
GIVEN_UP_SECONDS = 86_400.0
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 30.0, 3_600.0
_TABLES = """
CREATE TABLE IF NOT EXISTS notices (id TEXT PRIMARY KEY, at REAL NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS deliveries (id TEXT, url TEXT, state TEXT NOT NULL, tries INTEGER NOT NULL DEFAULT 0,
 due REAL NOT NULL, PRIMARY KEY (id, url));
"""


class OutboxError(SopwithError):
    """The outbox cannot be read or written."""


class Delivery(NamedTuple):
    """One notice to one address."""

    id: str
    url: str
    tries: int
    at: float
    title: str
    body: str


class Outbox:
    """The outbox of one home folder."""

    def __init__(self, config: Config) -> None:
        self.folder = config.home / "notify"
        self.news = self.folder / "news"  # who delivers watches it
        self._urls = [key_of(url) for url in config.notify.urls]

    def put(self, notice: Notice | None) -> None:
        """Take a notice in; one that is known already changes nothing. Raises OutboxError."""
        if notice is None or not self._urls:
            return
        at = now()
        with self._opened() as database:
            database.execute("INSERT OR IGNORE INTO notices VALUES (?, ?, ?, ?)", (notice.id, at, notice.title, notice.body))  # fmt: skip
            rows = [(notice.id, url, "waiting", at) for url in self._urls]
            query = "INSERT OR IGNORE INTO deliveries (id, url, state, due) VALUES (?, ?, ?, ?)"
            database.executemany(query, rows)
            _forget(database)
        (self.news / "new").touch()

    def waiting(self) -> list[Delivery]:
        """Return what is to be sent to addresses that are configured, oldest first."""
        query = """SELECT id, url, tries, at, title, body FROM deliveries JOIN notices USING (id)
            WHERE state = 'waiting' AND due <= ? ORDER BY at, id"""
        found = self._rows(query, (now(),))
        return [each for each in map(Delivery._make, found) if each.url in self._urls]

    def next_due(self) -> float | None:
        """Return when the next delivery may be tried, as seconds since 1970; None when none waits."""
        query = "SELECT min(due) FROM deliveries WHERE state = 'waiting' AND url IN (%s)"
        marks = ", ".join("?" * len(self._urls))
        rows = self._rows(query % marks, self._urls)
        return None if not rows else rows[0][0]

    def set(self, delivery: Delivery, state: str) -> None:
        """Write down how a delivery stands, before and after each attempt. Raises OutboxError."""
        with self._opened() as database:
            query = "UPDATE deliveries SET state = ? WHERE id = ? AND url = ?"
            database.execute(query, (state, delivery.id, delivery.url))

    def put_off(self, delivery: Delivery) -> bool:
        """Plan the next attempt after a failed one; False once a day has passed. Raises OutboxError."""
        if now() - delivery.at > GIVEN_UP_SECONDS:
            self.set(delivery, "failed")
            return False
        pause = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2.0 ** min(delivery.tries, 10))
        with self._opened() as database:
            query = "UPDATE deliveries SET state = 'waiting', tries = tries + 1, due = ? WHERE id = ? AND url = ?"
            database.execute(query, (now() + pause, delivery.id, delivery.url))
        return True

    def unsure(self) -> list[Delivery]:
        """Return what a kill cut off while it was sent; it counts as settled from now on."""
        query = """SELECT id, url, tries, at, title, body FROM deliveries JOIN notices USING (id)
            WHERE state = 'trying'"""
        found = [Delivery._make(row) for row in self._rows(query)]
        for each in found:
            self.set(each, "unsure")
        return found

    def _rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        if not (self.folder / "outbox.sqlite3").exists():
            return []
        with self._opened() as database:
            return database.execute(query, values).fetchall()

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        """Open the database for one transaction that survives a power cut."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.news.mkdir(exist_ok=True)
            path = self.folder / "outbox.sqlite3"
            is_new = not path.exists()
            with closing(sqlite3.connect(path, timeout=20.0)) as database, database:
                database.execute("PRAGMA synchronous = FULL")
                if is_new:
                    database.executescript(_TABLES)
                yield database
        except (OSError, sqlite3.Error) as error:
            raise OutboxError("error.notify.outbox", folder=self.folder, error=error) from error


def _forget(database: sqlite3.Connection) -> None:
    database.execute("""DELETE FROM deliveries WHERE state != 'waiting' AND rowid <
        (SELECT max(rowid) FROM deliveries) - ?""", (KEPT,))  # fmt: skip
    database.execute("DELETE FROM notices WHERE id NOT IN (SELECT id FROM deliveries)")


def key_of(url: str) -> str:
    """Return what stands for an address in the outbox: it may hold a password."""
    return hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()[:16]


def now() -> float:
    """Return the time as seconds since 1970."""
    return datetime.now(UTC).timestamp()
