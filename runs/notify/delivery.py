"""Keep notices until they are delivered, and which are: `notify/outbox.sqlite3`. A notice has its
row before it is sent.

One process at a time delivers, outside the quiet hours, again after a failure. A delivery is
waiting → trying → sent. One that a kill left at `trying` may have arrived: it is not sent again,
and the inbox says so.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from config import Config, SopwithError
from memory.files.writing import locked
from memory.inbox import Entry, Inbox
from runs.notify.notices import Notice, load, problem, tried, words
from runs.schedule.waiting import Waiter

AGAIN_SECONDS = 30.0  # after a look that failed
LAST_SECONDS = 20.0  # for what is left at the end of a command
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
            database.execute(
                "INSERT OR IGNORE INTO notices VALUES (?, ?, ?, ?)",
                (notice.id, at, notice.title, notice.body),
            )
            rows = [(notice.id, url, "waiting", at) for url in self._urls]
            query = "INSERT OR IGNORE INTO deliveries (id, url, state, due) VALUES (?, ?, ?, ?)"
            database.executemany(query, rows)
            database.execute("""DELETE FROM deliveries WHERE state != 'waiting' AND rowid <
                (SELECT max(rowid) FROM deliveries) - ?""", (KEPT,))  # fmt: skip
            query = "DELETE FROM notices WHERE id NOT IN (SELECT id FROM deliveries)"
            database.execute(query)
        (self.news / "new").touch()

    def waiting(self) -> list[Delivery]:
        """Return what is to be sent to addresses that are configured, oldest first."""
        found = self._deliveries("state = 'waiting' AND due <= ? ORDER BY at, id", now())
        return [each for each in found if each.url in self._urls]

    def next_due(self) -> float | None:
        """Return when the next delivery may be tried, as seconds since 1970; None when none
        waits."""
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
        """Plan the next attempt after a failed one; False once a day has passed. Raises
        OutboxError."""
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
        found = self._deliveries("state = 'trying'")
        for each in found:
            self.set(each, "unsure")
        return found

    def _deliveries(self, where: str, *values: object) -> list[Delivery]:
        query = "SELECT id, url, tries, at, title, body FROM deliveries JOIN notices USING (id)"
        return [Delivery._make(row) for row in self._rows(f"{query} WHERE {where}", values)]

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


def key_of(url: str) -> str:
    """Return what stands for an address in the outbox: it may hold a password."""
    return hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()[:16]


def now() -> float:
    """Return the time as seconds since 1970."""
    return datetime.now(UTC).timestamp()


def deliver(config: Config) -> None:
    """Send what may be sent now. Raises OutboxError; ConfigError where the package is missing."""
    outbox = Outbox(config)
    is_empty = not config.notify.urls or not outbox.folder.is_dir()
    if is_empty or quiet_until(config, datetime.now()):
        return
    with locked(outbox.folder / ".lock"):  # one process delivers at a time
        for cut in outbox.unsure():
            _tell(config, cut, "unsure")
        urls = {key_of(url): url for url in config.notify.urls}
        for delivery in outbox.waiting():
            load()  # before it counts as tried: a kill meanwhile loses nothing
            outbox.set(delivery, "trying")
            if tried(urls[delivery.url], Notice(delivery.id, delivery.title, delivery.body)):
                outbox.set(delivery, "sent")
            elif not outbox.put_off(delivery):
                _tell(config, delivery, "undelivered")


def _tell(config: Config, delivery: Delivery, what: str) -> None:
    """Leave in the inbox what may not have reached the owner."""
    text = f"{words(config.lang, what, title=delivery.title)}\n{delivery.body}"
    id = f"notice-{key_of(delivery.id + delivery.url)}"
    Inbox(config.home).add(Entry(id=id, run="", kind="notice", text=text))


def quiet_until(config: Config, at: datetime) -> datetime | None:
    """Return the end of the quiet hours that hold at a local time; None outside of them."""
    if not config.notify.quiet:
        return None
    start, end = (_minute(part) for part in config.notify.quiet.split("-"))
    here = at.hour * 60 + at.minute
    is_quiet = start <= here < end if start <= end else here >= start or here < end
    if not is_quiet:
        return None
    until = at.replace(hour=end // 60, minute=end % 60, second=0, microsecond=0)
    return until if until > at else until + timedelta(days=1)


def _minute(text: str) -> int:
    hour, minute = text.strip().split(":")
    return int(hour) * 60 + int(minute)


def deliver_until(config: Config, stop: threading.Event) -> None:
    """Deliver beside what makes notices until `stop` is set: woken by each new one, at the end of
    the quiet hours, for the next attempt. Raises ConfigError where nothing can be sent."""
    if not config.notify.urls:
        return
    if found := problem(config):
        raise found
    outbox = Outbox(config)
    outbox.news.mkdir(parents=True, exist_ok=True, mode=0o700)
    with Waiter([outbox.news]) as waiter:
        waiter.wake_at(stop)
        while not stop.is_set():
            waiter.wait(*_next_look(config, outbox))


def _next_look(config: Config, outbox: Outbox) -> tuple[datetime | None, float | None]:
    """Deliver, and return until when to sleep: a local time, or seconds."""
    try:
        deliver(config)
        until, due = quiet_until(config, datetime.now()), outbox.next_due()
    except SopwithError:
        return None, AGAIN_SECONDS
    if until is not None:
        return until.astimezone(), None
    return None, None if due is None else max(0.5, due - now())


@contextmanager
def delivering(config: Config, told: Callable[[SopwithError], None]) -> Iterator[None]:
    """Deliver while the block works, and once at its end; `told` hears why nothing can be sent."""
    stop = threading.Event()

    def work() -> None:
        try:
            deliver_until(config, stop)
            deliver(config)
        except SopwithError as error:
            told(error)

    thread = threading.Thread(target=work, name="notify", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(LAST_SECONDS)
