"""The mind graph: who and what the talk is about, an index over the episodes of the journal (docs/graph.md)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from config import GraphConfig
from memory.home.sessions import MAIN, Session

if TYPE_CHECKING:
    from memory.graph.neo4j_graph import Neo4jGraph
    from memory.graph.rows import RowGraph
    from memory.journal.store import Store

LIMIT, NEIGHBOURS = 500, 100
Json = dict[str, Any]


class Graph:
    """The graph as one session may see it. Of one thread. Every question may raise JournalError.

    Where Neo4j is configured, answers, and has come as far as the rows, the answers come from there; else from the rows.
    """

    def __init__(self, store: Store, rows: RowGraph, copy: Neo4jGraph | None) -> None:
        self._store, self._rows, self._copy = store, rows, copy

    @property
    def version(self) -> str:
        """Changes whenever the graph does."""
        return self._rows.version()

    def snapshot(
        self,
        session: str | None = None,
        predicates: Sequence[str] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = LIMIT,
    ) -> Json:
        """The strongest edges of that time, and their nodes."""
        from memory.graph.rows import Wanted

        wanted = Wanted(session, predicates, since, until)
        if copy := self._current():
            from memory.graph.neo4j_graph import GraphDown

            try:
                found = copy.snapshot(wanted, limit, self._store.only, self.version)
                return {**self._rows.summarised(found), "total": self._rows.total(wanted)}
            except GraphDown:
                pass
        return self._rows.snapshot(wanted, limit)

    def neighbours(
        self,
        name: str,
        limit: int = NEIGHBOURS,
        depth: int = 1,
        session: str | None = None,
        predicates: Sequence[str] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> Json:
        """Return what is around the nodes of a name."""
        from memory.graph.rows import Wanted

        wanted = Wanted(session, predicates, since, until)
        if copy := self._current():
            from memory.graph.neo4j_graph import GraphDown

            centre = list(self._rows.nodes(self._rows.named(name, session)))
            try:
                found = copy.neighbours(
                    centre, wanted, limit, depth, self._store.only, self.version
                )
                return self._rows.summarised(found)
            except GraphDown:
                pass
        return self._rows.neighbours(name, wanted, limit, depth)

    def changes(self, after: str) -> Json:
        """Return what changed since a version."""
        found = self._rows.changes(after)
        del found["more"]
        return found

    def evidence(self, id: str) -> Json | None:
        """The turns behind an edge or a scene; None when there is no such thing."""
        found = self._rows.evidence(id)
        return None if found is None else {"episode": found[0], "turns": found[1]}

    def close(self) -> None:
        """Lets go of the journal."""
        self._store.close()

    def __enter__(self) -> Graph:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _current(self) -> Neo4jGraph | None:
        """The copy, when it answers and lacks nothing."""
        if self._copy is None or self._copy.is_resting:
            return None
        from memory.graph.neo4j_graph import GraphDown

        try:
            return self._copy if self._copy.version() == self._rows.full_version() else None
        except GraphDown:
            return None


def opened(home: Path, session: Session = MAIN, config: GraphConfig | None = None) -> Graph:
    """The graph of a home folder; empty where nothing was said yet. Raises JournalError."""
    from memory.graph.rows import RowGraph
    from memory.journal.store import Store
    from memory.journal.sync import INDEX

    store = Store(
        home / "journal" / INDEX, readonly=True, only=None if session == MAIN else session.name
    )
    copy = None
    if config is not None:
        from memory.graph.neo4j_graph import Neo4jGraph

        copy = Neo4jGraph(config, home)
    return Graph(store, RowGraph(store), copy)
