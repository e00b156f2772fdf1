"""Writes down what went where on the network: a line when a way is opened or refused, a second one
when it closes."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandbox.network.heads import Wanted

FILE = "network.jsonl"
MOST_LINES = 20_000  # of one run: a script that asks in a circle does not fill the disk


class Journal:
    """The file of one run. Threads share it."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / FILE
        self._lock = threading.Lock()
        self._lines = 0
        self._ids = 0

    def closed(self, id: int, up: int, down: int) -> None:
        """Note the end of an open way, and how many bytes went each way."""
        self._write({"id": id, "state": "closed", "end": _now(), "up": up, "down": down})

    def begun(self, state: str, wanted: Wanted, **more: str) -> int:
        """Note a way that is `open` from now on (`address`), that was `refused`, or `failed` as its
        host does not answer (`why`); return its number."""
        with self._lock:
            self._ids += 1
            id = self._ids
        asked = {"host": wanted.host, "port": wanted.port, "kind": wanted.kind}
        self._write({"id": id, "pid": os.getpid(), "at": _now(), **asked, "state": state, **more})
        return id

    def _write(self, row: dict[str, Any]) -> None:
        line = json.dumps(row) + "\n"
        with self._lock:
            self._lines += 1
            if self._lines > MOST_LINES:
                return
            with self.file.open("a", encoding="utf-8") as file:
                file.write(line)


def read(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield one row for each way of a run, in the order of their starts: open ones that never
    closed stay "open"."""
    rows: list[dict[str, Any]] = []
    by_id: dict[int, dict[str, Any]] = {}
    for row in _lines(folder / FILE):
        if row["state"] == "closed":
            by_id.get(row["id"], {}).update(row)
        else:  # a resumed run counts from 1 again
            by_id[row["id"]] = row
            rows.append(row)
    yield from rows


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    try:
        text = file.read_text("utf-8", "replace")
    except FileNotFoundError:
        return
    for line in text.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue  # the last line of a process that was killed
        if isinstance(row, dict) and {"id", "state"} <= row.keys():
            yield row


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
