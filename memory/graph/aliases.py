"""Find what recall may look up beside the words of a question: "my sister" is Anna, and Anna is
somebody's sister.

Source: seed 003 P5 and P2.5 (alias hints).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from memory.graph.people import FORMS, ROLES, meant, roles_in
from memory.graph.rows import Graph
from memory.journal.store import Store
from text.words import asked

MOST = 200  # people whose role is known that are looked at
_MARKS = ", ".join("?" * len(ROLES))
_KNOWN = (
    f"SELECT n.name, e.label FROM graph_edges e JOIN graph_nodes n ON n.id = e.object WHERE e.label IN ({_MARKS})"
    " AND e.predicate = 'RELATES_TO' AND e.count > 0 AND n.key NOT LIKE '@%'"
)


def synonyms(store: Store, query: str, session: str | None = None) -> dict[str, tuple[str, ...]]:
    """Return each term of a question → terms that stand for the same person or thing in what was
    said."""
    graph = Graph(store)
    found: dict[str, dict[str, None]] = {}
    for one, others in (*_of_roles(graph, query, session), *_of_names(store, query, session)):
        for term in asked(one):
            found.setdefault(term, {}).update(dict.fromkeys(asked(others)))
    return {term: tuple(also) for term, also in found.items()}


def _of_roles(graph: Graph, query: str, session: str | None) -> Iterator[tuple[str, str]]:
    for words in roles_in(query):
        spoken = meant(words)
        if spoken is None or not spoken.role:
            continue
        forms = FORMS[spoken.role]
        said = next((form for form in forms if words.casefold().endswith(form)), spoken.role)
        nodes = graph.nodes(graph.named(words, session))
        names = [node["name"] for node in nodes if not _is_role(node)]
        yield said, " ".join([*names, *_others(forms, said)])


def _others(forms: Iterable[str], said: str) -> Iterator[str]:
    return (form for form in forms if len(form) > 1 and form not in said)


def _is_role(node: Mapping[str, str]) -> bool:
    spoken = meant(node["name"])
    return spoken is None or bool(spoken.role)


def _of_names(store: Store, query: str, session: str | None) -> Iterator[tuple[str, str]]:
    """Yield names in a question, with what those people are called instead."""
    wanted = [each for each in (store.only, session) if each is not None]
    where = "".join(" AND e.session = ?" for _ in wanted)
    folded = query.casefold()
    for name, label in store.ask(f"{_KNOWN}{where} LIMIT ?", (*sorted(ROLES), *wanted, MOST)):
        if name.casefold() in folded:
            yield name, label
