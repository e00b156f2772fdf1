"""Keep what is said to a run that works on another machine: a row for each, numbered, in the shared database."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from config import Config
from runs.workers.database import Database, opened

_LEAVE = """
WITH told AS (
  UPDATE sopwith_runs SET letters = letters + 1 WHERE run = %(run)s AND status IN ('queued', 'working') RETURNING run, letters)
INSERT INTO sopwith_letters (run, number, text) SELECT run, letters, %(text)s FROM told RETURNING number
"""


def leave(config: Config, run: str, text: str) -> bool:
    """Leaves a letter for a run that waits for a worker or has one. False: it does neither. Raises QueueError."""
    values: dict[str, Any] = {"run": run, "text": text.replace("\0", "")}
    with closing(opened(config)) as database:
        return database.ask(lambda it: it.execute(_LEAVE, values).fetchone()) is not None


def after(database: Database, run: str, heard: int) -> list[tuple[int, str]]:
    """The letters of a run behind number `heard`."""
    query = (
        "SELECT number, text FROM sopwith_letters WHERE run = %s AND number > %s ORDER BY number"
    )
    rows: list[tuple[int, str]] = database.ask(
        lambda it: it.execute(query, (run, heard)).fetchall()
    )
    return rows
