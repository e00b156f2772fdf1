"""Keep what autonomous mode has begun and how it ended: `auto/ledger.jsonl` in the home folder, one JSON object a line, appended.

A line is on the disk before what it tells of happens, so a session that was killed is gone on from here.

    {"what": "begun", "at", "number", "item", "title", "task", "request", "todo", "session"}
    {"what": "run", "at", "number", "run"}
    {"what": "ended", "at", "number", "run", "status", "cost", "seconds", "report"}    again when a run that waited has ended
    {"what": "planned", "at", "session", "cost"}

Errors:

    SopwithError
    └── AutoBusy   another process is at it
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from config import SopwithError
from memory.runlog import cannot_write

FILE = "ledger.jsonl"
WAITS = "waiting"


class AutoBusy(SopwithError):
    """Another process is in autonomous mode here."""


@dataclass(slots=True)
class Attempt:
    """One item that was taken up. `run` is "" until it has one; `status` until it has ended, or waits for the owner."""

    number: int
    item: str
    title: str
    task: str
    request: str
    todo: int
    session: str
    at: str
    run: str = ""
    status: str = ""
    cost: float = 0.0  # USD
    seconds: float = 0.0
    report: str = ""

    @property
    def name(self) -> str:
        """Return how its report is called: R07."""
        return f"R{self.number:02}"


_NAMES = [each.name for each in fields(Attempt)]


class Ledger:
    """The ledger of one home folder."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "auto"

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """While this process is the only one in autonomous mode here. Raises AutoBusy."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                pid = os.pread(lock, 32, 0).decode("ascii", "replace").strip() or "unknown"
                raise AutoBusy("error.auto.autonomous-mode-work-already", pid=pid) from None
            os.ftruncate(lock, 0)
            os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
            yield
        finally:
            os.close(lock)

    def write(self, what: str, **more: Any) -> None:
        """Appends a line; it survives a power cut when this returns. Raises RunLogError."""
        at = datetime.now().astimezone().isoformat(timespec="seconds")
        line = json.dumps({"what": what, "at": at, **more}, ensure_ascii=False)
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with (self.folder / FILE).open("a+b") as file:
                file.seek(max(0, file.tell() - 1))
                if file.read() not in (b"", b"\n"):
                    file.write(b"\n")  # a crash left half a line
                file.write(f"{line}\n".encode("utf-8", "replace"))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise cannot_write(self.folder, error) from error

    def attempts(self) -> list[Attempt]:
        """All attempts, oldest first."""
        found: dict[int, dict[str, Any]] = {}
        for line in self._lines():
            number = line.get("number", 0)
            if line["what"] == "begun":
                found[number] = {"at": line["at"]}
            if number in found:  # what it said last holds, but for when it began
                found[number] |= {**line, "at": found[number]["at"]}
        return [
            Attempt(**{name: each[name] for name in _NAMES if name in each})
            for each in found.values()
        ]

    def _lines(self) -> Iterator[dict[str, Any]]:
        try:
            lines = (self.folder / FILE).read_text("utf-8", "replace").splitlines()
        except FileNotFoundError:
            return
        for line in lines:
            with contextlib.suppress(ValueError):  # half a line, of a crash
                yield json.loads(line)
