"""The run log: what happened in a run, one JSON event a line, append-only. It is the evidence
everything else points to.

`runs/<run>/log.jsonl` holds the events (docs/events.md), each written in one piece before the run
takes its next step; `sync` makes them survive a power cut and is called before every effect.
`runs/<run>/lock` is held by the process that works on the run. Long tool outputs lie beside them.
Old runs are put away (memory/logs/archive.py) and read all the same.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from memory.logs import RunLogError, find_run, worker
from memory.logs.reading import UNDONE
from memory.working import Letters
from models.base import Event

# a file in the folder of a run whose log is in a database (runs/workers/log.py); here lies a copy
SHARED = "shared"


# a file in the folder of a run that was stopped because whoever it worked for was
# (runs/control/subprocess_run.py)
LEFT = "left"


NOT_LOGGED = {
    "text",
    "text_reset",
    "tool_output",
}  # they only feed screens: what they add up to is logged whole


def new_run_id() -> str:
    """Return an id that sorts by time, to the millisecond, and reads well:
    20261121-222220-3079f."""
    at = datetime.now(UTC)
    return f"{at:%Y%m%d-%H%M%S}-{at.microsecond // 1000:03d}{os.urandom(1).hex()}"


class RunLog:
    """The log of one run, open for writing by this process alone."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run = folder.name
        self.letters = Letters(folder).after  # what others have left for the run, behind a number
        self._lock = -1
        self._file = -1

    @classmethod
    def create(cls, home: Path) -> RunLog:
        """Make the folder of a new run. Raises RunLogError when the home folder cannot be
        written."""
        for _ in range(20):
            folder = home / "runs" / new_run_id()
            try:
                folder.mkdir(parents=True, mode=0o700)
            except FileExistsError:
                continue
            except OSError as error:
                raise cannot_write(folder, error) from error
            return cls(folder)._open()
        raise RunLogError("error.runlog.cannot-find-free-name", folder=home / "runs")

    @classmethod
    def apart(cls, home: Path, task: str) -> RunLog:
        """Return that of a new run which a process of its own makes go; `task` is what others read
        of it meanwhile."""
        return cls.create(home)

    @classmethod
    def fetch(cls, home: Path, run: str) -> None:
        """Bring the log of such a run here from another machine: this one lies here."""

    @classmethod
    def reopen(cls, home: Path, run: str) -> RunLog:
        """Open the log of a run that is to go on; a line that a crash left unfinished is cut
        off."""
        run = find_run(home, run)
        from memory.logs.archive import restore

        try:
            restore(home, run)
        except OSError as error:
            raise cannot_write(home / "runs", error) from error
        if (home / "runs" / run / SHARED).exists():
            raise RunLogError("error.runlog.run-belongs-tasks-machines", run=run)
        log = cls(home / "runs" / run)._open()
        _cut_torn_line(log.folder / "log.jsonl")
        return log

    def _open(self) -> RunLog:
        try:
            self._lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                owner = worker(self.folder)
                os.close(self._lock)
                raise RunLogError(
                    "error.runlog.run-being-worked-process", run=self.run, pid=owner or "unknown"
                ) from None
            os.ftruncate(self._lock, 0)
            os.pwrite(self._lock, f"{os.getpid()}\n".encode(), 0)
            self._file = os.open(
                self.folder / "log.jsonl",
                os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC,
                0o600,
            )
        except OSError as error:
            raise cannot_write(self.folder, error) from error
        return self

    def append(self, event: Event) -> None:
        """Write one event. After it returns, the event survives the end of this process."""
        self._write(line_of(event))

    def _write(self, line: bytes) -> None:
        try:
            written = os.write(self._file, line)
            if written != len(line):  # a full disk takes a part of it
                os.ftruncate(self._file, os.fstat(self._file).st_size - written)
                raise OSError(28, os.strerror(28))
        except OSError as error:
            raise cannot_write(self.folder, error) from error

    def sync(self) -> None:
        """Return when all appended events survive a power cut."""
        try:
            os.fdatasync(self._file)
        except OSError as error:
            raise cannot_write(self.folder, error) from error

    def close(self) -> None:
        """Let go of the run; others may work on it."""
        for descriptor in (self._file, self._lock):
            if descriptor >= 0:
                os.close(descriptor)
        self._file = self._lock = -1


def line_of(event: Event) -> bytes:
    """Return an event as it stands in the log."""
    return (json.dumps(event, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def cannot_write(folder: Path, error: OSError) -> RunLogError:
    """Return what the owner reads when a run's folder cannot be written."""
    return RunLogError(
        "error.runlog.cannot-write-run-log", folder=folder, error=error.strerror or error
    )


def _cut_torn_line(path: Path) -> None:
    with path.open("rb+") as file:
        data_end = file.seek(0, os.SEEK_END)
        position, chunk = data_end, b""
        while position > 0 and b"\n" not in chunk:
            position = max(0, position - 65536)
            file.seek(position)
            chunk = file.read(65536 if data_end - position > 65536 else data_end - position)
        keep = position + chunk.rfind(b"\n") + 1
        if keep != data_end:
            file.truncate(keep)


def append_undone(home: Path, run: str, call: str, paths: Sequence[str]) -> None:
    """Write behind the end of a run that its changes were taken back; not where it is at work, or
    not kept here."""
    stamp = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    event = {"type": UNDONE, "run": run, "at": stamp, "call": call or None, "paths": list(paths)}
    with suppress(RunLogError):
        log = RunLog.reopen(home, run)
        try:
            log.append(event)
            log.sync()
        finally:
            log.close()
