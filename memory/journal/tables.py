"""The tables of `journal/memory.sqlite3`: one step for each version; a file of an older version
takes the steps it lacks.

Times are microseconds since 1970, UTC. `near` is the turn before, with the speaker: a keyword there
counts too, less. Everything here is made anew from the originals by `memory rebuild`; when
something was read last is carried over. Source: seed 003 P3.2.
"""

from __future__ import annotations

import sqlite3
from functools import cache
from pathlib import Path

from memory.journal.lock import JournalTooNew

VERSION = 5
_FILE = Path(__file__).parents[2] / "assets" / "memory" / "journal.sql"


def bring_up_to_date(database: sqlite3.Connection) -> None:
    """Take the steps that the file lacks, each whole or not at all. Raises JournalTooNew,
    sqlite3.Error."""
    for number in range(version(database) + 1, VERSION + 1):
        database.executescript(
            f"BEGIN IMMEDIATE; {_steps()[number]} PRAGMA user_version = {number}; COMMIT;"
        )


@cache
def _steps() -> list[str]:
    return _FILE.read_text("utf-8").split("\n-- step\n")


def version(database: sqlite3.Connection) -> int:
    """Return the version of a file. Raises JournalTooNew for one that is not known here."""
    found = int(database.execute("PRAGMA user_version").fetchone()[0])
    if found > VERSION:
        raise JournalTooNew("error.journal.journal-made-newer-sopwith", found=found, known=VERSION)
    return found
