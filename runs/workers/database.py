"""The PostgreSQL that machines share: connecting, the tables, and waiting while it is away.

Tasks lie in the tables of Procrastinate, which locks, retries and notifies; ours hold the run logs,
each with the number of the claim that may write to it (docs/scaling.md).

    SopwithError
    └── QueueError      2  the address is none, the extra is missing
        └── Unreachable 1  it does not answer
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from config import Config, SopwithError

if TYPE_CHECKING:
    import psycopg

PATIENCE_SECONDS = 600.0  # how long a run that is at work waits for the database
CONNECT_SECONDS = 5
_ALIVE = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
NEWEST = "sopwith_events"  # of the tables: with it all others are there
_ONE_AT_A_TIME = 0x50F7  # of the advisory lock under which the tables are made
_TABLES = """
CREATE TABLE IF NOT EXISTS sopwith_runs (
  run text PRIMARY KEY, job bigint, session text NOT NULL, task text NOT NULL, status text NOT NULL DEFAULT 'queued',
  token bigint NOT NULL DEFAULT 0, events bigint NOT NULL DEFAULT 0, worker text NOT NULL DEFAULT '',
  result text NOT NULL DEFAULT '', queued timestamptz NOT NULL DEFAULT now(), written timestamptz NOT NULL DEFAULT now());
CREATE INDEX IF NOT EXISTS sopwith_runs_queued ON sopwith_runs (queued DESC);
CREATE INDEX IF NOT EXISTS sopwith_runs_written ON sopwith_runs (written);
CREATE TABLE IF NOT EXISTS sopwith_events (
  run text NOT NULL REFERENCES sopwith_runs ON DELETE CASCADE, number bigint NOT NULL, event text NOT NULL,
  PRIMARY KEY (run, number));
"""

_Answer = TypeVar("_Answer")


class QueueError(SopwithError):
    """The address of the shared database is none, or what speaks to it is not installed."""

    exit_code = 2


class Unreachable(QueueError):
    """The shared database does not answer."""

    exit_code = 1


class Database:
    """One connection, made when it is first needed and again when it was lost. For one thread at a
    time."""

    def __init__(self, url: str, patience_seconds: float = 0.0) -> None:
        """`patience_seconds`: how long `ask` waits for a database that is away before it raises
        Unreachable."""
        self._url, self._patience_seconds = url, patience_seconds
        self._connection: psycopg.Connection[Any] | None = None

    def ask(self, question: Callable[[psycopg.Connection[Any]], _Answer]) -> _Answer:
        """Return the answer to a question, which is put again when the connection is lost
        meanwhile: it must do no harm twice."""
        _check_installed()
        import psycopg

        end, pause = time.monotonic() + self._patience_seconds, 0.1
        while True:
            try:
                self._connection = self._connection or connect(self._url)
                return question(self._connection)
            except (psycopg.OperationalError, psycopg.InterfaceError) as error:
                self.close()
                if time.monotonic() > end:
                    raise unreachable(error) from error
            except Unreachable:
                if time.monotonic() > end:
                    raise
            time.sleep(pause)
            pause = min(2 * pause, 2.0)

    def close(self) -> None:
        """Let go of the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def opened(config: Config, patience_seconds: float = 0.0) -> Database:
    """Return the database that config.yaml names, with its tables. Raises QueueError."""
    if config.queue is None:
        raise QueueError("error.queue.none")
    database = Database(config.queue.url, patience_seconds)
    try:
        database.ask(_make_tables)
    except BaseException:
        database.close()
        raise
    return database


def _check_installed() -> None:
    from importlib.util import find_spec

    for library in ("psycopg", "procrastinate"):
        try:
            is_there = find_spec(library) is not None
        except ValueError:  # hidden
            is_there = False
        if not is_there:
            raise QueueError("error.queue.missing")


def settings(url: str) -> dict[str, Any]:
    """Return what a connection is opened with."""
    return {
        "conninfo": url,
        "connect_timeout": CONNECT_SECONDS,
        "application_name": "sopwith",
        **_ALIVE,
    }


def connect(url: str) -> psycopg.Connection[Any]:
    """Return a connection; each statement is a transaction of its own. Raises QueueError."""
    _check_installed()
    import psycopg

    try:
        return psycopg.connect(**settings(url), autocommit=True)
    except psycopg.OperationalError as error:
        raise unreachable(error) from error
    except (
        psycopg.ProgrammingError,
        UnicodeError,
    ):  # its text may hold the address, and that a password
        raise QueueError("error.queue.no-address") from None


def unreachable(error: Exception) -> Unreachable:
    """Return what the owner reads when the database does not answer."""
    said = next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(".")
    return Unreachable("error.workers.shared-database-does-answer", said=said)


def _make_tables(connection: psycopg.Connection[Any]) -> None:
    """Make the tables that are not there: the engine's and ours."""
    if _has(connection, NEWEST):
        return
    from procrastinate.schema import SchemaManager

    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_ONE_AT_A_TIME,))
        if not _has(connection, "procrastinate_jobs"):
            connection.execute(SchemaManager.get_schema())
        if not _has(connection, NEWEST):
            connection.execute(_TABLES)


def _has(connection: psycopg.Connection[Any], table: str) -> bool:
    row = connection.execute("SELECT to_regclass(%s) IS NOT NULL", (table,)).fetchone()
    return bool(row and row[0])
