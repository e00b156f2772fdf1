"""Keep what the owner corrects in the graph: a name that is another one's, is written otherwise, or
is none.

`journal/graph_names.json` is an original, which a rebuild reads again: what a name is filed under →
the name that is meant, "" for none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from memory.files import write_atomic
from memory.graph.shapes import Party, Statement, both, entity, key_of
from memory.journal.store import INDEX, Store

FILE = "graph_names.json"
MOST_STEPS = 10  # from a name to the one that is meant in the end
Names = dict[str, str]


def correct(home: Path, name: str, meant: str) -> None:
    """File a name under another one, or under none for "", and have its episodes read again. Raises
    JournalError, OSError."""
    names, key = _names(home / "journal"), key_of(name)
    names.pop(key_of(meant), None)
    names[key] = meant.strip()
    write_atomic(home / "journal" / FILE, json.dumps(names, ensure_ascii=False, indent=1))
    store = Store(home / "journal" / INDEX)
    try:
        with store.writing():
            if key_of(meant) == key:
                asked = "UPDATE graph_nodes SET name = ? WHERE kind = 'Entity' AND key = ?"
                store.run(asked, (names[key], key))
            store.enqueue("graph", map(str, _episodes(store, key)))
    finally:
        store.close()


def _episodes(store: Store, key: str) -> set[int]:
    """Return the episodes that speak of a name."""
    asked = (
        "SELECT DISTINCT number FROM graph_evidence JOIN graph_nodes ON id IN (subject, object)"
        " WHERE kind = 'Entity' AND key = ?"
    )
    return set(store.episode_of(number for (number,) in store.ask(asked, (key,))).values())


def corrected(store: Store, statements: Iterable[Statement]) -> Iterator[Statement]:
    """Yield statements with the names that are meant; what speaks of a name that is none is left
    out."""
    names = _names(store.path.parent)
    for each in statements:
        sides = both(_meant(each.subject, names), _meant(each.object, names))
        if sides:
            yield each._replace(subject=sides[0], object=sides[1])


def _meant(party: Party, names: Names) -> Party | None:
    found: Party | None = party
    for _ in range(MOST_STEPS):
        is_corrected = found is not None and found.kind == "Entity" and found.key in names
        if found is None or not is_corrected or names[found.key] == found.name:
            break
        found = entity(names[found.key])
    return found


def _names(folder: Path) -> Names:
    try:
        found = json.loads((folder / FILE).read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return {str(key): str(name) for key, name in found.items()} if isinstance(found, dict) else {}
