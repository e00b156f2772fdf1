"""Note in its folder that a run is the page's, and how it was begun: a server that finds it cut off
goes on with it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from memory.files import write_atomic
from memory.logs import run_ids, summarise

MARK = "page.json"
KEPT = ("group", "tries", "options", "alone")
TRIES = 3  # how often an interrupted run is gone on with by itself
LOOKED_AT = 200  # runs
Mark = dict[str, Any]


def write(home: Path, run: str, order: Mark) -> None:
    """Note a run; on a full disk its own log says so."""
    with suppress(OSError):
        write_atomic(home / "runs" / run / MARK, json.dumps({key: order.get(key) for key in KEPT}))


def read(home: Path, run: str) -> Mark:
    """Return the mark of a run without what is empty; {} where it has none."""
    with suppress(OSError, ValueError, AttributeError):
        mark = json.loads((home / "runs" / run / MARK).read_text("utf-8"))
        return {key: value for key, value in mark.items() if value}
    return {}


def begun_for(home: Path, message: str) -> str:
    """Return the run that was begun for a message of a channel; "" where there is none."""
    marks = ((run, mark.get("options", {})) for run, mark in _newest(home))
    return next((run for run, options in marks if options.get("message") == message), "")


def cut_off(home: Path) -> Iterator[tuple[str, Mark]]:
    """Yield the page's runs that somebody killed, each with its mark."""
    for run, mark in _newest(home):
        summary = summarise(home, run) if mark.get("tries", 0) < TRIES else None
        if summary is not None and summary.status == "interrupted":
            yield run, mark


def _newest(home: Path) -> Iterator[tuple[str, Mark]]:
    for run in run_ids(home)[:LOOKED_AT]:
        if (home / "runs" / run / MARK).is_file():
            yield run, read(home, run)
