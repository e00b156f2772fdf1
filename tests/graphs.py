"""Serve the tests of the graph: a journal with things said in it, and a real server that speaks
Bolt."""

import importlib.util
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from config import GraphConfig
from memory.home import MAIN, Session
from memory.journal.api import Memory
from tests.bolt_server import PASSWORD
from tests.machine import PATIENCE_SECONDS, free_port

START = datetime(2026, 2, 1, 12, tzinfo=UTC)
DAYS = timedelta(days=3)  # between two things that are said: each is an episode of its own


def say(
    home: Path,
    *said: str,
    session: Session = MAIN,
    who: str = "owner",
    start: datetime = START,
    graph: GraphConfig | None = None,
) -> None:
    """Says these, three days apart, and waits until they are in the graph (and in Neo4j)."""
    with Memory(home, session, graph=graph) as memory:
        for at, text in enumerate(said):
            memory.write_turn(
                text, who=who, at=start + at * DAYS, id=f"{session.name}-{start:%m%d}-{at}"
            )
        assert memory.flush(60)


def edges(
    graph: dict[str, Any], *, without: Sequence[str] = ("MENTIONED",)
) -> set[tuple[str, str, str, str]]:
    """Return the edges of a snapshot as (from, predicate, label, to), by names."""
    names = {node["id"]: node["name"] for node in graph["nodes"]}
    return {
        (names[edge["source"]], edge["predicate"], edge["label"], names[edge["target"]])
        for edge in graph["edges"]
        if edge["predicate"] not in without
    }


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return True if two graphs hold the same, in whatever order."""
    return _sorted(one) == _sorted(other)


def _sorted(graph: dict[str, Any]) -> list[list[str]]:
    return [
        sorted(json.dumps(each, sort_keys=True) for each in graph[key])
        for key in ("nodes", "edges")
    ]


class BoltServer:
    """ArcadeDB in a process of its own, that can be killed and started again on what it had."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port, self.http = folder, free_port(), free_port()
        self.config = GraphConfig(
            uri=f"bolt://127.0.0.1:{self.port}", user="root", password=PASSWORD
        )
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_up(self) -> bool:
        """False after `kill`."""
        return self._process is not None

    def start(self) -> None:
        """Return when it answers."""
        command = [sys.executable, str(Path(__file__).parent / "bolt_server.py"), str(self.folder)]
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "output.txt").open("wb") as log:
            self._process = subprocess.Popen(
                [*command, str(self.port), str(self.http)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                cwd=self.folder,
            )
        until = time.monotonic() + 2 * PATIENCE_SECONDS
        while not self._answers():
            assert time.monotonic() < until and self._process.poll() is None, (
                self.folder / "output.txt"
            ).read_text()[-2000:]
            time.sleep(0.05)

    def kill(self) -> None:
        """SIGKILL: as when the power fails."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            assert self._process.stdin is not None
            with suppress(OSError):
                self._process.stdin.close()
            self._process = None

    def ask(self, statement: str, **values: Any) -> list[list[Any]]:
        """Return the rows that a Cypher statement gives."""
        neo4j = importlib.import_module("neo4j")
        with neo4j.GraphDatabase.driver(self.config.uri, auth=("root", PASSWORD)) as driver:
            return [
                list(record.values()) for record in driver.execute_query(statement, values).records
            ]

    def _answers(self) -> bool:
        """Return True if the log says that the database is there; a port is open sooner."""
        return "\nready\n" in (self.folder / "output.txt").read_text("utf-8", "replace")


@contextmanager
def bolt_server(folder: Path) -> Iterator[BoltServer]:
    """Yield a server that is up; skipped where it is not installed."""
    for module, extra in (("neo4j", "neo4j"), ("arcadedb_embedded", "bolt")):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed: scripts/setup --extra {extra}")
    server = BoltServer(folder)
    try:
        server.start()
        yield server
    finally:
        server.kill()
