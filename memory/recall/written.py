"""Keep the lines that were written down in the index, as turns of the session WRITTEN, with numbers
below 0.

One search then finds them next to what was said, by words and by meaning. They are derived: a file
that changed is read again, and only what is new or gone in it changes here. A shared session's
store never sees them. Source: seed 000 stage 2.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from itertools import filterfalse
from pathlib import Path

from memory.journal.store import INDEX, Store, text_hash
from memory.journal.turns import WRITTEN, Turn
from memory.wording import supersedes
from memory.written import Written, forgets, says, written_files, written_lines

SETTING = "written"  # of the index: file → when it was changed, and its size
IMPORTANCE = 8
SUPERSEDED = "superseded:"  # a tag, with the id of the newer line behind it
BELOW = "below:"  # a tag, with the heading above a line


def refresh(home: Path, store: Store | None = None) -> None:
    """Take in the files that changed. Without a `store` the index of the home folder is opened, to
    write only where something changed. Raises JournalError."""
    if store is None:
        _refresh_alone(home)
    else:
        _refresh(home, store)


def _refresh_alone(home: Path) -> None:
    path = home / "journal" / INDEX
    with closing(Store(path, readonly=True)) as store:
        known = store.setting(SETTING)
    if known != _stamps(home):
        with closing(Store(path)) as store:
            _refresh(home, store)


def _refresh(home: Path, store: Store) -> None:
    known, now = store.setting(SETTING), _stamps(home)
    if known == now:
        return
    before: dict[str, list[int]] = json.loads(known or "{}")
    there: dict[str, list[int]] = json.loads(now or "{}")
    with store.writing():
        for name in {**before, **there}:
            if before.get(name) != there.get(name):
                _replace(store, name, written_lines(home, name) if name in there else [])
        store.set_setting(SETTING, now)


def _stamps(home: Path) -> str:
    """Return when each file that holds lines was changed; "" where there is none."""
    found = written_files(home)
    return json.dumps(found) if found else ""


def line_vectors(store: Store, model: str) -> dict[int, bytes]:
    """Return the vectors of the lines that have one (float32, little-endian)."""
    if store.only is not None:
        return {}
    asked = (
        "SELECT number, vector FROM turns CROSS JOIN embeddings USING (hash)"
        " WHERE number < 0 AND model = ? ORDER BY number"
    )
    return dict(store.ask(asked, (model,)))


def best_lines(store: Store, terms: Sequence[str], limit: int) -> list[tuple[int, float]]:
    """Return the lines with the highest BM25, best first: (number, score). None in a store for one
    session."""
    if not terms or store.only is not None:
        return []
    match = " OR ".join(f'"{term}"' for term in terms)
    asked = (
        "SELECT rowid, bm25(words, 1.0, 0.6) AS score FROM words WHERE words MATCH ? AND rowid < 0"
        " ORDER BY score, rowid DESC LIMIT ?"
    )
    return [(number, -score) for number, score in store.ask(asked, (match, limit))]


def superseded_by(turn: Turn) -> str:
    """Return the id of the line that took a line's place; "" while it holds."""
    if not turn.tags:
        return ""
    marks = (tag for tag in turn.tags if tag.startswith(SUPERSEDED))
    return next(marks, "").removeprefix(SUPERSEDED)


def outdated(turns: Sequence[Turn]) -> dict[str, str]:
    """Return older id → newer id where one of some turns takes the place of another: of what was
    written down, or said by the owner. Two of one time that exclude each other settle nothing.
    """
    ours = [turn for turn in turns if turn.session == WRITTEN or turn.who == "owner"]
    found: dict[str, str] = {}
    for old in filterfalse(superseded_by, ours):
        newer = next((new for new in ours if _takes_the_place(new, old)), None)
        found |= {old.id: newer.id} if newer else {}
    return found


def _takes_the_place(new: Turn, old: Turn) -> bool:
    is_earlier = new.at.date() < old.at.date() or _is_before(new, old)
    if is_earlier or superseded_by(new) or new.text == old.text:
        return False
    if not supersedes(new.text, old.text):
        return False
    return _is_before(old, new) or not supersedes(old.text, new.text)


def _is_before(one: Turn, other: Turn) -> bool:
    """Tell whether one was said before another. Of a line without a run only the day is sure."""
    are_timed = all(turn.session != WRITTEN or turn.run for turn in (one, other))
    return one.at < other.at if are_timed else one.at.date() < other.at.date()


def forgotten(turns: Sequence[Turn]) -> frozenset[int]:
    """Return the places of requests to forget something, and of what was said of it to the agent
    before."""
    requests = (each for each in turns if each.who == "owner" and each.run)
    gone: set[int] = set()
    for request in requests:
        if wanted := forgets(request.text):
            gone |= _said_before(turns, request.at, wanted)
    return frozenset(gone)


def _said_before(turns: Sequence[Turn], at: datetime, wanted: frozenset[str]) -> set[int]:
    """Return the places of what was said to the agent of something to forget; none where a line
    still says it: it was not taken out, or was brought back."""
    saying = [
        place for place, turn in enumerate(turns) if turn.at <= at and says(turn.text, wanted)
    ]
    if any(turns[place].session == WRITTEN for place in saying):
        return set()
    return {place for place in saying if turns[place].run}


def marked(turn: Turn, by: str) -> Turn:
    """Return a line with the id of the one that took its place."""
    return turn._replace(tags=(*turn.tags, SUPERSEDED + by))


def heading_of(turn: Turn) -> str:
    """Return the heading above a line."""
    marks = (tag for tag in turn.tags if tag.startswith(BELOW))
    return next(marks, "").removeprefix(BELOW)


def _replace(store: Store, name: str, lines: Sequence[Written]) -> None:
    """Put the lines of a file in the place of those that the index has of it."""
    rows = store.ask(
        "SELECT number FROM turns WHERE session = ? AND source BETWEEN ? AND ?",
        (WRITTEN, f"{name}:", f"{name};"),
    )
    turns = store.turns([number for (number,) in rows])
    known = {_key(turn): number for number, turn in turns.items()}
    wanted = {_key(turn): turn for turn in map(_as_turn, lines)}
    for key in known.keys() - wanted.keys():
        _remove(store, known[key], turns[known[key]])
    for key in known.keys() & wanted.keys():
        moved = (wanted[key].source, known[key])
        store.run("UPDATE turns SET source = ? WHERE number = ?", moved)
    lowest = min(0, store.ask("SELECT min(number) FROM turns")[0][0] or 0)
    new = [turn for key, turn in wanted.items() if key not in known]
    for number, turn in enumerate(new, 1):
        store.put(lowest - number, turn)
        # the heading above it stands where a turn has the one before it
        store.index(lowest - number, turn.text, heading_of(turn))


def _as_turn(line: Written) -> Turn:
    """Return a line as recall weighs it."""
    tags = [BELOW + line.heading] if line.heading else []
    tags += [SUPERSEDED + line.by] if line.by else []
    offset = line.at.strftime("%z")
    return Turn(
        line.id,
        WRITTEN,
        line.who,
        line.text,
        line.at.astimezone(UTC).replace(microsecond=0),
        f"{offset[:3]}:{offset[3:5]}",
        line.run,
        IMPORTANCE,
        tuple(tags),
        source=line.source,
    )


def _key(turn: Turn) -> tuple[str, str, frozenset[str]]:
    return turn.id, turn.text, frozenset(turn.tags)


def _remove(store: Store, number: int, turn: Turn) -> None:
    store.index(number, turn.text, heading_of(turn), add=False)
    for table in ("turns", "mentioned", "tags"):
        store.run(f"DELETE FROM {table} WHERE number = ?", (number,))
    store.finish("times", [str(number)])
    if text_hash(turn.text) not in store.texts([text_hash(turn.text)]):
        store.run("DELETE FROM embeddings WHERE hash = ?", (text_hash(turn.text),))
        store.finish("embedding", [text_hash(turn.text)])
