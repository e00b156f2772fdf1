"""One writer at a time in a journal: a lock that threads and processes wait for, and the errors of
the journal.

    SopwithError
    └── JournalError        1  the journal cannot be read or written
        ├── JournalBusy     1  another process has been writing for long
        └── JournalTooNew   2  a newer Sopwith has made it

SQLite's own locks are not enough here: Python's is 3.40, in which two writers of a WAL may lose a
commit; and a line of Markdown and its row must not be torn apart. Source: figures "Staying alive".
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from pathlib import Path

from config import SopwithError

WAIT_SECONDS = 20.0


class JournalError(SopwithError):
    """The journal cannot be read or written."""


class JournalBusy(JournalError):
    """Another process has been writing for long."""


class JournalTooNew(JournalError):
    """A newer Sopwith has made it."""

    exit_code = 2


class WriterLock:
    """Held while the journal is written. A thread that holds it may take it again. Raises
    JournalBusy."""

    def __init__(self, folder: Path, wait_seconds: float = WAIT_SECONDS) -> None:
        self._path = folder / "lock"
        self._wait_seconds = wait_seconds
        self._thread = threading.RLock()
        self._depth = 0
        self._file = -1

    def __enter__(self) -> None:
        if not self._thread.acquire(timeout=self._wait_seconds):
            raise self._busy()
        try:
            if self._depth == 0:
                self._take()
            self._depth += 1
        except BaseException:
            self._thread.release()
            raise

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            os.close(self._file)
        self._thread.release()

    def _take(self) -> None:
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise JournalError(
                "error.journal.journal-cannot-written",
                path=self._path,
                error=error,
            ) from error
        until, pause = time.monotonic() + self._wait_seconds, 0.0005
        while True:
            try:
                return fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    os.close(self._file)
                    raise self._busy() from None
                # a writer needs some milliseconds; flock itself cannot wait for a while only
                time.sleep(pause)
                pause = min(pause * 1.5, 0.02)

    def _busy(self) -> JournalBusy:
        return JournalBusy(
            "error.journal.journal-being-written-another",
            path=self._path,
            seconds=f"{self._wait_seconds:g}",
        )
