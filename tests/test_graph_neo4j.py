"""The graph in Neo4j: away, refusing, killed while it is written to, emptied, shared by two homes.
Nothing lost or twice."""

import json
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from config import Config, GraphConfig
from memory.graph import Graph, Wanted, opened
from memory.graph.neo4j_graph import GraphDown, Neo4jGraph
from memory.journal.api import Memory
from memory.journal.store import Store
from memory.journal.sync import rebuild
from runs.doctor.stores import check_graph
from tests.graphs import START, BoltServer, bolt_server, edges, say
from tests.machine import free_port

COUNTS = (
    "MATCH (n) WHERE n.graph IS NOT NULL RETURN count(n), count(DISTINCT n.uid)",
    "MATCH ()-[e]->() RETURN count(e), count(DISTINCT e.uid)",
)
TALK = ("My favourite drink is tea.", "My sister is Anna.", "Anna's boss is Bob.")


@pytest.fixture(scope="module")
def one_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoltServer]:
    with bolt_server(tmp_path_factory.mktemp("bolt")) as server:
        yield server


@pytest.fixture
def server(one_server: BoltServer) -> BoltServer:
    """Up, and empty."""
    if not one_server.is_up:
        one_server.start()
    one_server.ask("MATCH (n) DETACH DELETE n")
    return one_server


def counted(server: BoltServer) -> list[list[Any]]:
    return [server.ask(statement)[0] for statement in COUNTS]


def rows_of(home: Path) -> Store:
    return Store(home / "journal" / "memory.sqlite3")


def is_in_step(home: Path, server: BoltServer) -> bool:
    """Return True if Neo4j has what the rows have, each thing once."""
    with opened(home) as rows:
        found = rows.snapshot(Wanted(), 10_000)
    wanted = {(each["predicate"], each["strength"], each["label"]) for each in found["edges"]}
    query = "MATCH ()-[e]->() WHERE e.graph IS NOT NULL RETURN type(e), e.strength, e.label"
    there = {(kind, strength, label or "") for kind, strength, label in server.ask(query)}
    once = all(total == distinct for total, distinct in counted(server))
    names = {name for (name,) in server.ask("MATCH (n) WHERE n.name IS NOT NULL RETURN n.name")}
    return once and wanted == there and names == {each["name"] for each in found["nodes"]}


def test_away_it_is_done_without_and_back_it_gets_all_in_order(
    home: Path, server: BoltServer
) -> None:
    server.kill()
    started = time.monotonic()
    say(home, *TALK, graph=server.config)
    assert time.monotonic() - started < 30
    store = rows_of(home)
    assert store.waiting("neo4j") >= 1 and store.waiting("graph") == 0
    server.start()
    store.run("UPDATE queue SET not_before = 0")
    with Memory(home, graph=server.config) as memory:
        assert memory.flush(60)
    assert store.waiting("neo4j") == 0 and is_in_step(home, server)
    store.close()


class DyingGraph(Neo4jGraph):
    """Its server is killed before it gets so many statements that write."""

    def __init__(self, server: BoltServer, home: Path, after: int) -> None:
        super().__init__(server.config, home)
        self._server, self._left = server, after

    def _ask(self, *args: Any, **values: Any) -> list[Any]:
        self._left -= "rows" in values
        if self._left == 0 and self._server.is_up:
            self._server.kill()
        return super()._ask(*args, **values)


def test_killed_while_it_is_written_to_nothing_is_lost_and_nothing_twice(
    home: Path, server: BoltServer
) -> None:
    say(home, *(f"My goal is number{n}. Anna{n}'s boss is Bob{n}." for n in range(40)))
    store = rows_of(home)
    with pytest.raises(GraphDown):
        DyingGraph(server, home, after=2).flush(Graph(store))
    server.start()
    assert counted(server)[0][0] > 0 and not is_in_step(home, server)  # some of it is there
    Neo4jGraph(server.config, home).flush(Graph(store))
    assert is_in_step(home, server)
    before = counted(server)
    assert Neo4jGraph(server.config, home).flush(Graph(store)) == 0 and counted(server) == before
    store.close()


def test_emptied_by_its_owner_or_after_a_rebuild_it_is_filled_anew(
    home: Path, server: BoltServer
) -> None:
    say(home, *TALK, graph=server.config)
    before = counted(server)
    server.ask("MATCH (n) DETACH DELETE n")
    say(home, "My wife is Eve.", start=START + timedelta(days=40), graph=server.config)
    assert is_in_step(home, server) and counted(server) > before
    rebuild(home)
    with Memory(home, graph=server.config) as memory:
        assert memory.flush(60)
    assert is_in_step(home, server)


def test_nothing_that_was_said_stands_in_it(home: Path, server: BoltServer) -> None:
    say(
        home,
        "My goal is tea. As I told nobody but Zebediah yesterday evening.",
        graph=server.config,
    )
    kept = json.dumps(
        server.ask("MATCH (n) RETURN properties(n)")
        + server.ask("MATCH ()-[e]->() RETURN properties(e)")
    )
    assert "told nobody" not in kept and "tea" in kept


def test_a_wrong_password_is_told_and_harms_nothing(home: Path, server: BoltServer) -> None:
    wrong = server.config.but(password="not-the-password-at-all")
    say(home, "My goal is tea.", graph=wrong)
    with opened(home) as graph:
        assert edges(graph.snapshot(Wanted())) == {("owner", "CARES_ABOUT", "goal", "tea")}
    with pytest.raises(GraphDown) as failed:
        Neo4jGraph(wrong, home).version()
    assert "not-the-password" not in str(failed.value)


@pytest.mark.parametrize(
    "uri", ["bolt://127.0.0.1:{port}", "nonsense", "ftp://127.0.0.1", "bolt://"]
)
def test_a_wrong_address_takes_no_time_and_is_told(home: Path, uri: str) -> None:
    pytest.importorskip("neo4j", reason="scripts/setup --extra neo4j")
    config = GraphConfig(uri=uri.format(port=free_port()), password="p" * 9)
    started = time.monotonic()
    (check,) = check_graph(Config(home=home, lang="en", graph=config))
    assert check.ok is None and check.detail and time.monotonic() - started < 20


def test_doctor_says_that_it_answers(home: Path, server: BoltServer) -> None:
    (check,) = check_graph(Config(home=home, lang="en", graph=server.config))
    assert check.ok is True
    assert check_graph(Config(home=home, lang="en")) == []
