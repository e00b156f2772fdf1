"""The graph in Neo4j, by its official driver: a copy (without what was said) that follows the rows
of the journal's database, change by change.

The rows are what is sent from, so nothing is lost while Neo4j is away, and each thing is sent as it
is, under its own id, so that it is never there twice however often it is sent. Neo4j itself keeps
up to which change it has come. One driver a process; each question has a session of its own.
Source: seed 003 P5.2, P5.4; figures "Staying alive".
"""

from __future__ import annotations

import atexit
import hashlib
import logging
import socket
import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from config import GraphConfig, SopwithError
from memory.graph.rows import Graph, Json
from memory.graph.shapes import KINDS

BATCH = 500  # things in one statement
DELETED_AT_ONCE = 2000
QUERY_SECONDS = 20.0
MISSING = "error.graph.no-driver"
_log = logging.getLogger("sopwith.graph")
_constrained: set[str] = set()
_flushing, _connecting = threading.Lock(), threading.Lock()
_drivers: dict[tuple[str, str, str], Any] = {}


class GraphDown(SopwithError):
    """Neo4j does not answer, refuses, or its driver is not installed."""


def _driver(config: GraphConfig) -> Any:
    """Return the driver of this process for a server. Raises GraphDown."""
    key = (config.uri, config.user, config.password)
    with _connecting:
        if key not in _drivers:
            _drivers[key] = _connected(config)
        return _drivers[key]


def _connected(config: GraphConfig) -> Any:
    try:
        neo4j = import_module("neo4j")
    except ImportError as error:
        raise GraphDown(MISSING) from error
    # what it says of each try; we say it once, in a line
    logging.getLogger("neo4j").addHandler(logging.NullHandler())
    limits: dict[str, Any] = {"connection_timeout": 1.0, "max_transaction_retry_time": 1.0}
    limits["connection_acquisition_timeout"] = 3.0
    try:
        return neo4j.GraphDatabase.driver(config.uri, auth=(config.user, config.password), **limits)
    except (ValueError, neo4j.exceptions.DriverError) as error:
        raise GraphDown("error.graph.neo-cannot-reached-graph", error=error) from error


@atexit.register
def hang_up() -> None:
    """Close the connections of this process."""
    with _connecting:
        while _drivers:
            _drivers.popitem()[1].close()


class Neo4jGraph:
    """The copy of one home folder's graph, for its owner's own questions; ours are asked of the
    rows. Raises GraphDown."""

    def __init__(self, config: GraphConfig, home: Path) -> None:
        self._config = config
        self._graph = hashlib.sha256(
            f"{socket.gethostname()}\0{home.resolve()}".encode("utf-8", "replace")
        ).hexdigest()[:12]

    # writing

    def flush(self, rows: Graph) -> int:
        """Send what changed since the last time; return how many things were sent."""
        with _flushing:
            sent, at = 0, self.version()
            self._constrain()
            while at != rows.version():
                changes = rows.changes(at, BATCH)
                if changes["reset"]:
                    self._clear()
                    changes = rows.changes(f"{rows.version().partition('.')[0]}.0", BATCH)
                self._apply(rows, changes["patch"])
                sent, at = sent + len(changes["patch"]), changes["version"]
                self._ask(
                    "MERGE (m:SopwithGraph {uid: $graph}) SET m.version = $version", version=at
                )
                if not changes["more"] and not changes["patch"]:
                    break
            return sent

    def sent(self, version: str) -> str:
        """Return what is written down when this server has got that version."""
        return hashlib.sha256(f"{self._config.uri}\0{self._graph}\0{version}".encode()).hexdigest()[
            :16
        ]

    def _apply(self, rows: Graph, patch: Sequence[Json]) -> None:
        nodes = {node["id"]: node for node in _of_patch(patch, "set", "node")}
        for kind in KINDS:
            some = [self._flat(node) for node in nodes.values() if node["kind"] == kind]
            self._each(f"UNWIND $rows AS row MERGE (n:{kind} {{uid: row.uid}}) SET n = row", some)
        self._merge(_of_patch(patch, "set", "edge"), nodes)
        dropped = [*_of_patch(patch, "drop", "edge"), *_of_patch(patch, "drop", "node")]
        for id, what, of, subject in rows.gone(dropped):
            start = f"MATCH (n:{of} {{uid: $subject}})-[e:{what} {{uid: $uid}}]->() DELETE e"
            statement = start if of else f"MATCH (n:{what} {{uid: $uid}}) DETACH DELETE n"
            self._ask(statement, uid=self._uid(id), subject=self._uid(subject))

    def _merge(self, edges: Sequence[Json], nodes: Mapping[str, Json]) -> None:
        groups: dict[tuple[str, str, str], list[Json]] = defaultdict(list)
        for edge in edges:
            of, to = (nodes[edge[side]]["kind"] for side in ("source", "target"))
            sides = {"from": self._uid(edge["source"]), "to": self._uid(edge["target"])}
            row = {**sides, "uid": self._uid(edge["id"]), "all": self._flat(edge)}
            groups[of, edge["predicate"], to].append(row)
        for (of, predicate, to), some in groups.items():
            self._each(
                f"UNWIND $rows AS row MATCH (a:{of} {{uid: row.from}}) MATCH (b:{to} {{uid: row.to}})"
                f" MERGE (a)-[e:{predicate} {{uid: row.uid}}]->(b) SET e = row.all",
                some,
            )

    def _each(self, statement: str, rows: Sequence[Json]) -> None:
        for at in range(0, len(rows), BATCH):
            self._ask(statement, rows=rows[at : at + BATCH])

    def _clear(self) -> None:
        for kind in KINDS:
            statement = f"MATCH (n:{kind}) WHERE n.graph = $graph WITH n LIMIT {DELETED_AT_ONCE} DETACH DELETE n RETURN count(*)"
            while self._ask(statement)[0][0]:
                pass

    def _constrain(self) -> None:
        """Make ids unique; a server that knows no such constraint does without."""
        if self._config.uri in _constrained:
            return
        for kind in (*KINDS, "SopwithGraph"):
            try:
                self._ask(
                    f"CREATE CONSTRAINT sopwith_{kind.lower()} IF NOT EXISTS FOR (n:{kind}) REQUIRE n.uid IS UNIQUE",
                    is_optional=True,
                )
            except _Refused as error:
                _log.debug("no constraint on %s: %s", kind, error)
        _constrained.add(self._config.uri)

    def version(self) -> str:
        """Return the change of the rows that it has come up to."""
        found = self._ask("MATCH (m:SopwithGraph {uid: $graph}) RETURN m.version")
        return str(found[0][0]) if found else ""

    # inside

    def _uid(self, id: str) -> str:
        return f"{self._graph}:{id}"

    def _flat(self, thing: Json) -> Json:
        """Return a node or an edge as properties: what is nested has names of its own, times stand
        as numbers too."""
        flat = {
            key: value
            for key, value in thing.items()
            if key not in ("mentioned", "evidence", "summary")
        }
        flat |= {"uid": self._uid(thing["id"]), "graph": self._graph}
        for key in ("first_seen", "last_seen"):
            flat[f"{key}_unix"] = datetime.fromisoformat(thing[key]).timestamp()
        if "evidence" in thing:
            start, end = thing["mentioned"] or (None, None)
            flat |= {
                "is_dated": thing["mentioned"] is not None,
                "mentioned_start": start,
                "mentioned_end": end,
            }
            flat |= {f"evidence_{key}": value for key, value in thing["evidence"].items()}
        return {key: value for key, value in flat.items() if value is not None}

    def _ask(
        self, statement: str, *, is_optional: bool = False, **values: Any
    ) -> list[Sequence[Any]]:
        config = self._config
        driver = _driver(config)
        errors = import_module("neo4j.exceptions")
        query = import_module("neo4j").Query(statement, timeout=QUERY_SECONDS)
        try:
            found = driver.execute_query(query, parameters_={"graph": self._graph, **values})
        except (errors.Neo4jError, errors.DriverError, OSError, ValueError) as error:
            if is_optional and isinstance(error, errors.Neo4jError):
                raise _Refused(str(error)) from error
            why = " ".join(str(error).replace(config.password or "\0", "***").split())[:200]
            raise GraphDown(
                "error.graph.neo-does-answer", kind=type(error).__name__, why=why
            ) from error
        return [list(record.values()) for record in found.records]


def _of_patch(patch: Sequence[Json], op: str, what: str) -> list[Any]:
    """Return the nodes or edges that are set, or the ids of those that are dropped."""
    return [each[what] for each in patch if each["op"] == op and what in each]


class _Refused(Exception):
    """The server answers, and will not."""
