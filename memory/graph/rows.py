"""The graph in the journal's own database, as it is read: snapshots, what is around a name, what
changed.

It is walked with a limit for each node, so a name that everything hangs on costs no more than
another. Every change has a number: `changes` gives what came after one, to screens and to Neo4j. A
store for one session shows nothing of another one. writing.py writes it. Source: seed 003 P5.1,
P5.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from memory.graph.people import meant
from memory.home import MAIN, Session
from memory.journal.store import INDEX, Store, micros, moment_of

LIMIT, NEIGHBOURS = 500, 100
PER_NODE = 12  # edges of a node that is not in the middle
MAX_EVIDENCE = 50  # turns shown behind an edge
EPOCH, SEQ = "graph_epoch", "graph_seq"
_NODE = "id, session, kind, name, turn, first_seen, last_seen, degree"
_EDGES = (
    "SELECT e.id, e.session, e.subject, e.predicate, e.object, e.label, e.strength, e.confidence, e.first_seen, e.last_seen,"
    " e.count, e.mentioned_start, e.mentioned_end, e.emotion, e.by, e.scene, turns.id, turns.source"
    " FROM graph_edges e LEFT JOIN turns ON turns.number = e.turn"
)
_EDGE_KEYS = (
    *("id", "session", "source", "predicate", "target", "label", "strength", "confidence"),
    *(
        "first_seen",
        "last_seen",
        "count",
        "start",
        "end",
        "emotion",
        "by",
        "scene",
        "turn",
        "original",
    ),
)
Json = dict[str, Any]


def opened(home: Path, session: Session = MAIN) -> Graph:
    """Return the graph of a home folder; empty where nothing was said yet. Raises JournalError."""
    only = None if session == MAIN else session.name
    return Graph(Store(home / "journal" / INDEX, readonly=True, only=only))


class Wanted(NamedTuple):
    """Hold which edges are asked for. Times are aware; an edge counts when it was seen from `since`
    to before `until`."""

    session: str | None = None
    predicates: Sequence[str] | None = None
    since: datetime | None = None
    until: datetime | None = None

    def sessions(self, only: str | None) -> list[str]:
        """Return the sessions that an edge must be of, all of them."""
        return [each for each in (only, self.session) if each is not None]

    def condition(self, only: str | None) -> tuple[str, list[Any]]:
        """Return the filter in SQL, over the edges `e`."""
        said, values = ["e.count > 0"], list[Any]()
        for session in self.sessions(only):
            said, values = [*said, "e.session = ?"], [*values, session]
        if self.predicates is not None:
            said.append(f"e.predicate IN ({', '.join('?' * len(self.predicates))})")
            values += self.predicates
        if self.since is not None:
            said, values = [*said, "e.last_seen >= ?"], [*values, micros(self.since)]
        if self.until is not None:
            said, values = [*said, "e.first_seen < ?"], [*values, micros(self.until)]
        return " AND ".join(said), values


class Graph:
    """The graph of one store, as its session may see it. Every question may raise JournalError."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def close(self) -> None:
        """Let go of the journal."""
        self._store.close()

    def __enter__(self) -> Graph:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def version(self) -> str:
        """Return a text that changes whenever the graph does. Of a session it tells nothing of what
        others say."""
        return f"{self._store.setting(EPOCH) or '0'}.{self._last()}"

    def snapshot(self, wanted: Wanted, limit: int = LIMIT) -> Json:
        """Return the strongest edges and their nodes (docs/graph.md)."""
        version = self.version()
        where, values = wanted.condition(self._store.only)
        edges = self._edges(
            f"WHERE {where} ORDER BY e.strength DESC, e.id LIMIT ?", (*values, limit + 1)
        )
        found = self._graph(edges[:limit], version, is_truncated=len(edges) > limit)
        return {**found, "total": self.total(wanted)}

    def total(self, wanted: Wanted) -> int:
        """Return how many edges a snapshot without a limit would have."""
        where, values = wanted.condition(self._store.only)
        counted = self._store.ask(f"SELECT count(*) FROM graph_edges e WHERE {where}", values)
        return int(next(iter(counted))[0])

    def neighbours(
        self, name: str, wanted: Wanted, limit: int = NEIGHBOURS, depth: int = 1
    ) -> Json:
        """Return what is around the nodes of a name, the nearest first, the strongest first
        (docs/graph.md)."""
        version, centre = self.version(), self.named(name, wanted.session)
        found: dict[str, Json] = {}
        frontier, seen = centre, set(centre)
        for level in range(depth):
            most = limit + 1 if level == 0 else PER_NODE
            edges = [each for node in frontier for each in self._strongest(node, wanted, most)]
            found |= _by_id(edges)
            if len(found) > limit:
                break
            frontier = [node for node in dict.fromkeys(_ends(edges)) if node not in seen]
            seen.update(frontier)
        shown = list(found.values())[:limit]
        graph = self._graph(shown, version, is_truncated=len(found) > limit, also=centre)
        return {**graph, "centre": centre}

    def _strongest(self, node: str, wanted: Wanted, most: int) -> list[Json]:
        """Return the strongest edges of a node: each side is read in the order of an index."""
        where, values = wanted.condition(self._store.only)
        edges = [
            edge
            for side in ("subject", "object")
            for edge in self._edges(
                f"WHERE e.{side} = ? AND {where} ORDER BY e.strength DESC, e.id LIMIT ?",
                (node, *values, most),
            )
        ]
        return sorted(edges, key=lambda each: (-each["strength"], each["id"]))[:most]

    def named(self, name: str, session: str | None = None) -> list[str]:
        """Return the nodes of a name: as it stands; whom "me" and "my sister" mean; else what
        begins with it, or holds it."""
        spoken = meant(name)
        if spoken is None:
            return []
        where, values = self._within(session)
        chosen = f"SELECT id, role FROM graph_nodes WHERE {where} AND "
        if spoken.party.kind != "Entity":
            rows = self._store.ask(chosen + "kind = ?", (*values, spoken.party.kind))
        else:
            rows = self._store.ask(chosen + "key = ?", (*values, spoken.party.key))
        ids = dict.fromkeys(self.resolved(id, role) for id, role in rows)
        if visible := self._visible(ids):
            return visible
        if spoken.party.kind != "Entity" or spoken.role:
            return []
        for pattern in (spoken.party.key + "*", f"*{spoken.party.key}*"):
            rows = self._store.ask(
                f"{chosen} key GLOB ? AND kind = 'Entity' AND degree > 0 ORDER BY degree DESC LIMIT 5",
                (*values, pattern.replace("[", "[[]").replace("?", "[?]")),
            )
            if rows:
                return [id for id, _ in rows]
        return []

    def changes(self, after: str, limit: int = 1 << 30) -> Json:
        """Return what changed since a version (docs/graph.md): at most about `limit` things, and
        then `more`."""
        version = self.version()
        epoch, _, number = after.partition(".")
        reset: Json = {"version": version, "reset": True, "patch": [], "more": False}
        if not number.isdigit() or epoch != version.partition(".")[0]:
            return reset
        since, last = int(number), int(version.partition(".")[2])
        where, values = self._within(None)
        asked = " UNION ALL ".join(
            f"SELECT seq, '{table}' AS kind, id FROM graph_{table} WHERE seq > ? AND seq <= ? AND {where}"
            for table in ("nodes", "edges")
        )
        bounds = (since, last, *values)
        rows = self._store.ask(f"{asked} ORDER BY seq LIMIT ?", (*bounds, *bounds, limit + 1))
        more = len(rows) > limit
        rows = rows[:limit]
        if more:
            version = f"{epoch}.{rows[-1][0]}"
        patch = self._patch([(kind, id) for _, kind, id in rows])
        return {"version": version, "reset": False, "patch": patch, "more": more}

    def _patch(self, changed: Sequence[tuple[str, str]]) -> list[Json]:
        """Return the nodes and edges as they are now, and those that are gone."""
        ids: dict[str, list[str]] = {"edges": [], "nodes": []}
        for kind, id in changed:
            ids[kind].append(id)
        edges = _by_id(self._edges_by_id(ids["edges"]))
        node_ids = list(dict.fromkeys([*ids["nodes"], *_ends(edges.values())]))
        nodes = _by_id(self.nodes(node_ids))
        return [
            *({"op": "set", "node": node} for node in nodes.values()),
            *({"op": "set", "edge": edge} for edge in edges.values()),
            *({"op": "drop", "edge": id} for id in ids["edges"] if id not in edges),
            *({"op": "drop", "node": id} for id in node_ids if id not in nodes),
        ]

    def gone(self, ids: Sequence[str]) -> Iterator[tuple[str, str, str, str]]:
        """Return the edges and nodes that are dropped: id, predicate or kind, and the kind and id
        of an edge's subject."""
        yield from self._store.among(
            "SELECT e.id, e.predicate, n.kind, n.id FROM graph_edges e JOIN graph_nodes n ON n.id = e.subject"
            " WHERE e.id IN ({})",
            ids,
        )
        yield from self._store.among(
            "SELECT id, kind, '', '' FROM graph_nodes WHERE id IN ({})", ids
        )

    def evidence(self, id: str) -> Json | None:
        """Return the scene and the turns behind an edge or a scene, by time; None when there is no
        such thing here."""
        where, values = self._within(None)
        is_edge = id.startswith("e-")
        table, column, kind = (
            ("edges", "scene", "count > 0")
            if is_edge
            else ("nodes", "turn", "kind = 'Scene' AND degree > 0")
        )
        asked = f"SELECT {column} FROM graph_{table} WHERE id = ? AND {kind} AND {where}"
        first = [found for (found,) in self._store.ask(asked, (id, *values))]
        asked = (
            "SELECT DISTINCT number FROM graph_evidence WHERE edge = ? ORDER BY number DESC LIMIT ?"
        )
        if is_edge:
            rows = self._store.ask(asked, (id, MAX_EVIDENCE)) if first else []
            numbers = [number for (number,) in rows]
        else:
            members = map(self._store.members, self._store.episode_of(first).values())
            numbers = [number for some in members for number in some]
        scene = next(iter(first), None) if is_edge else id
        turns = sorted(self._store.turns(numbers).values(), key=lambda turn: turn.at)
        return {"episode": scene, "turns": turns} if turns else None

    def damage(self) -> str:
        """Return where the graph does not follow from its evidence; "" where it does."""
        checks = {
            "graph evidence without a turn": "SELECT count(*) FROM graph_evidence WHERE number NOT IN (SELECT number FROM turns)",
            "graph edges without evidence": "SELECT count(*) FROM graph_edges WHERE count > 0 AND id NOT IN (SELECT edge FROM graph_evidence)",
            "graph evidence without an edge": "SELECT count(DISTINCT edge) FROM graph_evidence WHERE edge NOT IN"
            " (SELECT id FROM graph_edges WHERE count > 0)",
            "graph nodes that count their edges wrongly": "SELECT count(*) FROM graph_nodes n WHERE degree !="
            " (SELECT count(*) FROM graph_edges WHERE subject = n.id AND count > 0)"
            " + (SELECT count(*) FROM graph_edges WHERE object = n.id AND count > 0)",
            "graph edges between sessions": "SELECT count(*) FROM graph_edges e JOIN graph_nodes n ON n.id IN (e.subject, e.object)"
            " WHERE e.session != n.session",
        }
        counts = {what: self._store.ask(asked)[0][0] for what, asked in checks.items()}
        return "; ".join(f"{count} {what}" for what, count in counts.items() if count)

    def resolved(self, node: str, role: str) -> str:
        """Return who somebody is that is called by a role, when exactly one is known to have it."""
        if not role:
            return node
        of, _, label = role.partition(" ")
        asked = (
            "SELECT DISTINCT object FROM graph_evidence WHERE subject = ? AND label = ? AND predicate = 'RELATES_TO'"
            " AND object != ? LIMIT 2"
        )
        known = self._store.ask(asked, (of, label, node))
        return known[0][0] if len(known) == 1 else node

    # inside

    def _last(self) -> int:
        only = self._store.only
        if only is None:
            return int(self._store.setting(SEQ) or 0)
        asked = "SELECT max((SELECT coalesce(max(seq), 0) FROM graph_nodes WHERE session = ?), (SELECT coalesce(max(seq), 0) FROM graph_edges WHERE session = ?))"
        return int(self._store.ask(asked, (only, only))[0][0])

    def _within(self, session: str | None) -> tuple[str, list[str]]:
        wanted = [each for each in (self._store.only, session) if each is not None]
        return " AND ".join(["1", *("session = ?" for _ in wanted)]), wanted

    def _visible(self, ids: Iterable[str]) -> list[str]:
        asked = "SELECT id FROM graph_nodes WHERE id IN ({}) AND degree > 0 ORDER BY degree DESC"
        return [id for (id,) in self._store.among(asked, ids)]

    def _graph(
        self, edges: Sequence[Json], version: str, *, is_truncated: bool, also: Sequence[str] = ()
    ) -> Json:
        ids = dict.fromkeys([*also, *_ends(edges)])
        return {
            "nodes": list(self.nodes(list(ids))),
            "edges": edges,
            "version": version,
            "truncated": is_truncated,
        }

    def _edges(self, tail: str, values: Iterable[Any]) -> list[Json]:
        return [_edge(row) for row in self._store.ask(f"{_EDGES} {tail}", values)]

    def _edges_by_id(self, ids: Sequence[str]) -> Iterator[Json]:
        where, values = Wanted().condition(self._store.only)
        asked = f"{_EDGES} WHERE e.id IN ({{}}) AND {where}"
        return map(_edge, self._store.among(asked, ids, values))

    def nodes(self, ids: Sequence[str]) -> Iterator[Json]:
        """Yield nodes by their ids; those that are gone, or another session's, are left out."""
        where, values = self._within(None)
        asked = f"SELECT {_NODE} FROM graph_nodes WHERE id IN ({{}}) AND degree > 0 AND {where}"
        rows = list(self._store.among(asked, ids, values))
        of = self._store.episode_of(row[4] for row in rows if row[4] is not None)
        episodes = {each.number: each for each in self._store.episodes(set(of.values()))}
        for id, session, kind, name, turn, seen, last, degree in rows:
            node = {"id": id, "kind": kind, "name": name, "session": session, "degree": degree}
            node |= {"first_seen": _iso(seen), "last_seen": _iso(last)}
            if kind == "Scene" and (episode := episodes.get(of.get(turn, 0))):
                times = ("start", "end", "scene_start", "scene_end")
                node |= {key: _iso(micros(getattr(episode, key))) for key in times}
                node["summary"] = episode.summary
            yield node


def _by_id(things: Iterable[Json]) -> dict[str, Json]:
    return {each["id"]: each for each in things}


def _ends(edges: Iterable[Json]) -> list[str]:
    """Return the nodes at both ends of some edges."""
    return [edge[side] for edge in edges for side in ("source", "target")]


def _edge(row: Sequence[Any]) -> Json:
    edge = dict(zip(_EDGE_KEYS, row, strict=True))
    turn, start, end = (edge.pop(key) for key in ("turn", "start", "end"))
    turn = turn.decode("utf-8", "replace") if isinstance(turn, bytes) else turn
    evidence = {"episode": edge.pop("scene"), "turn": turn, "source": edge.pop("original")}
    edge |= {key: _iso(edge[key]) for key in ("first_seen", "last_seen")}
    mentioned = None if start is None else [_iso(start), _iso(end)]
    return {**edge, "mentioned": mentioned, "evidence": evidence}


def _iso(micros: int) -> str | None:
    moment = moment_of(micros)
    return moment.isoformat().replace("+00:00", "Z") if moment else None
