"""Writes the graph: what each turn says is kept as evidence, and an edge is what its evidence comes
to.

An edge is made again whenever its evidence changes, so the same turns give the same graph in
whatever order and however often they are looked at, and "my sister" becomes Anna in what was said
before her name was. Every change gets a number (`Graph.changes`). Source: seed 003 P5.1, P5.3.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from memory.graph.people import ROLES
from memory.graph.rows import EPOCH, SEQ, Graph
from memory.graph.shapes import LESS, OPPOSITE, Party, Statement, edge_id, node_id
from memory.journal.store import BEGINNING, END, Store, micros
from memory.journal.turns import Turn

HALF = 0.5  # of its confidence is what one turn adds to the strength of an edge
OUTDATED = 0.3  # what is left of it once the contrary was said later
LATEST = 30  # turns that count for the strength of an edge
Row = tuple[Any, ...]  # of graph_edges; the places of some of its columns:
SUBJECT, OBJECT, FIRST_SEEN, LAST_SEEN = 2, 4, 8, 9


class _Said(NamedTuple):
    """Hold what one turn says for an edge."""

    subject: str
    predicate: str
    object: str
    label: str
    confidence: float
    emotion: str
    by: str
    scene: str
    number: int
    session: str


class Writer:
    """Writes into the graph of one store."""

    def __init__(self, store: Store) -> None:
        self._store, self._rows = store, Graph(store)
        self._seq = 0

    def write(self, turns: dict[int, Turn], statements: Iterable[Statement]) -> None:
        """Write into the graph what `statements` read in these turns, an episode in the order of
        time, and nothing else."""
        first = next(iter(turns.values()))
        scene = Party(
            "Scene", f"{first.at:%Y-%m-%d %H:%M}", first.id.encode("utf-8", "replace").decode()
        )
        with self._store.writing():
            self._begin()
            touched, roles = self._forget(turns)
            here = self._node(scene, first.session, first.at, turn=next(iter(turns)))
            rows = []
            for statement in statements:
                turn = turns[statement.number]
                subject = (
                    here
                    if statement.subject.kind == "Scene"
                    else self._node(statement.subject, turn.session, turn.at)
                )
                object = self._node(statement.object, turn.session, turn.at)
                roles |= self._roles_of(turn.session, statement, subject, object)
                said = (subject, statement.predicate, object, statement.label)
                edge, *contrary = self._edges_of(*said)
                touched |= {edge, *contrary}
                rows.append(
                    (
                        statement.number,
                        edge,
                        *said,
                        statement.confidence,
                        statement.emotion,
                        statement.by,
                        here,
                    )
                )
            self._store.run(
                "INSERT INTO graph_evidence VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", *rows
            ) if rows else None
            for role in roles:
                touched |= self._repoint(role)
            for edge in sorted(touched):
                self._refresh(edge)
            self._store.run(
                "UPDATE graph_nodes SET seq = ? WHERE id = ? AND degree > 0", (self._next(), here)
            )
            self._end()

    def _forget(self, turns: Iterable[int]) -> tuple[set[str], set[str]]:
        """Take back what turns said; return the edges, and the nodes called by a role, that this
        may change."""
        touched: set[str] = set()
        roles: set[str] = set()
        asked = "SELECT edge, subject, predicate, object, label FROM graph_evidence WHERE number IN ({})"
        for edge, subject, predicate, object, label in self._store.among(asked, turns):
            touched |= {edge, *self._edges_of(subject, predicate, object, label)}
            roles |= self._role_nodes((subject, object)) | self._called(subject, label)
        numbers = ((number,) for number in turns)
        self._store.run("DELETE FROM graph_evidence WHERE number = ?", *numbers)
        return touched, roles

    def _roles_of(self, session: str, statement: Statement, subject: str, object: str) -> set[str]:
        called = (
            self._called(subject, statement.label) if statement.predicate == "RELATES_TO" else set()
        )
        return {
            id
            for id, party in ((subject, statement.subject), (object, statement.object))
            if party.key.startswith("@")
        } | called

    def _role_nodes(self, ids: Sequence[str]) -> set[str]:
        asked = "SELECT id FROM graph_nodes WHERE id IN (?, ?) AND role != ''"
        return {id for (id,) in self._store.ask(asked, ids)}

    def _called(self, subject: str, label: str) -> set[str]:
        """Return the node of "my sister", where `subject` is who says it."""
        if label not in ROLES:
            return set()
        return {
            id
            for (id,) in self._store.ask(
                "SELECT id FROM graph_nodes WHERE role = ?", (f"{subject} {label}",)
            )
        }

    def _repoint(self, node: str) -> set[str]:
        """Files what was said of "my sister" under who that is by now; gives the edges that this
        changes."""
        asked = "SELECT rowid, edge, subject, predicate, object, label FROM graph_evidence WHERE subject = ? OR object = ?"
        changed: set[str] = set()
        for row, edge, *said in self._store.ask(asked, (node, node)):
            now, *contrary = self._edges_of(*said)
            if now != edge:
                self._store.run("UPDATE graph_evidence SET edge = ? WHERE rowid = ?", (now, row))
                was = self._store.ask(
                    "SELECT subject, predicate, object FROM graph_edges WHERE id = ?", (edge,)
                )
                changed |= {
                    edge,
                    now,
                    *contrary,
                    *(edge_id(s, OPPOSITE[p], o, "") for s, p, o in was if p in OPPOSITE),
                }
        return changed

    def _edges_of(self, subject: str, predicate: str, object: str, label: str) -> list[str]:
        """Return the edge of a statement, and the one that says the contrary."""
        subject, object = self._resolve(subject), self._resolve(object)
        edge = edge_id(subject, predicate, object, label)
        return (
            [edge, edge_id(subject, OPPOSITE[predicate], object, "")]
            if predicate in OPPOSITE
            else [edge]
        )

    def _resolve(self, node: str) -> str:
        found = self._store.ask("SELECT role FROM graph_nodes WHERE id = ?", (node,))
        return self._rows.resolved(node, found[0][0] if found else "")

    def _node(self, party: Party, session: str, at: datetime, turn: int | None = None) -> str:
        id, seen = node_id(session, party.kind, party.key), micros(at)
        role = ""
        if party.key.startswith("@") and party.key.count(":") >= 2:
            of, _, name = party.key[1:].rpartition(":")
            kind, _, key = of.partition(":")
            role = f"{node_id(session, kind, key)} {name}"
        row = (id, session, party.kind, party.key, party.name, role, turn, seen, seen)
        columns = "id, session, kind, key, name, role, turn, first_seen, last_seen"
        self._store.run(
            f"INSERT OR IGNORE INTO graph_nodes ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row
        )
        if turn is not None:
            self._store.run("UPDATE graph_nodes SET turn = ? WHERE id = ?", (turn, id))
        return id

    def _refresh(self, edge: str) -> None:
        """Make an edge what its evidence says."""
        asked = "SELECT * FROM graph_edges WHERE id = ? AND count > 0"
        was = next(iter(self._store.ask(asked, (edge,))), None)
        row = self._row_of(edge)
        if row:
            self._put(row, was)
        elif was:
            asked = "UPDATE graph_edges SET count = 0, strength = 0, seq = ? WHERE id = ?"
            self._store.run(asked, (self._next(), edge))
            self._see(_ends(was), -1)

    def _put(self, row: Row, was: Row | None) -> None:
        if was and was[:-1] == row:
            return
        self._see(_ends(row), 0 if was else 1, *row[FIRST_SEEN : LAST_SEEN + 1])
        marks = ", ".join("?" * (len(row) + 1))
        self._store.run(
            f"INSERT OR REPLACE INTO graph_edges VALUES ({marks})", (*row, self._next())
        )

    def _row_of(self, edge: str) -> Row | None:
        """Return an edge as its evidence has it, without the number of the change."""
        asked = (
            "SELECT subject, predicate, object, g.label, confidence, g.emotion, by, scene, number, session"
            " FROM graph_evidence g JOIN turns USING (number) WHERE edge = ? ORDER BY at DESC, number DESC LIMIT ?"
        )
        said = [_Said(*row) for row in self._store.ask(asked, (edge, LATEST))]
        if not said:
            return None
        asked = "SELECT count(DISTINCT number), min(at), max(at) FROM graph_evidence JOIN turns USING (number) WHERE edge = ?"
        count, first, last = self._store.ask(asked, (edge,))[0]
        newest = said[0]
        subject, object = self._resolve(newest.subject), self._resolve(newest.object)
        sure = _surest(said)
        strength = _strength(sure)
        if self._is_outdated(subject, newest.predicate, object, last):
            strength *= OUTDATED
        asked = "SELECT start, end FROM mentioned WHERE number = ? LIMIT 1"
        spoken = next(iter(self._store.ask(asked, (newest.number,))), (None, None))
        older = [each.label for each in said if each.label != LESS]
        told: Row = (edge, newest.session, subject, newest.predicate, object)
        told += (newest.label or _first(older), round(strength, 4), max(sure), first, last, count)
        by = "model" if "model" in {each.by for each in said} else "rules"
        emotion = _first(each.emotion for each in said)
        return (*told, *spoken, emotion, by, newest.number, newest.scene)

    def _is_outdated(self, subject: str, predicate: str, object: str, last: int) -> bool:
        """Return True where the contrary was said later."""
        if predicate not in OPPOSITE:
            return False
        contrary = edge_id(subject, OPPOSITE[predicate], object, "")
        asked = "SELECT max(at) FROM graph_evidence JOIN turns USING (number) WHERE edge = ?"
        return (self._store.ask(asked, (contrary,))[0][0] or 0) > last

    def _see(
        self, nodes: Sequence[str], edges: int, first: int = END, last: int = BEGINNING
    ) -> None:
        """Count so many edges more for the nodes, and that they were spoken of then."""
        self._store.run(
            "UPDATE graph_nodes SET degree = degree + ?, first_seen = min(first_seen, ?), last_seen = max(last_seen, ?),"
            " seq = ? WHERE id = ?",
            *((edges, first, last, self._next(), node) for node in nodes),
        )

    def _begin(self) -> None:
        self._seq = int(self._store.setting(SEQ) or 0)
        if not self._store.setting(EPOCH):
            self._store.set_setting(EPOCH, os.urandom(4).hex())

    def _next(self) -> int:
        self._seq += 1
        return self._seq

    def _end(self) -> None:
        self._store.set_setting(SEQ, str(self._seq))


def _surest(said: Iterable[_Said]) -> list[float]:
    """Return how sure each turn is at most."""
    found: dict[int, float] = {}
    for each in said:
        found[each.number] = max(each.confidence, found.get(each.number, 0.0))
    return list(found.values())


def _strength(sure: Iterable[float]) -> float:
    return 1 - math.prod(1 - HALF * confidence for confidence in sure)


def _first(texts: Iterable[str]) -> str:
    """Return the first that is not empty."""
    return next(filter(None, texts), "")


def _ends(row: Row) -> tuple[str, str]:
    return row[SUBJECT], row[OBJECT]
