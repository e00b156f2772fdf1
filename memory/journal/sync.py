"""Keeps the journal's index in step with the originals: takes in what it lacks, proves that the two
agree, makes it anew.

A writer that was killed between the line and its row left the line: it is taken in here, once. What
was edited by hand is told, never undone. Source: seed 003 P3.3.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import filterfalse, islice
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from memory.journal.lock import JournalError, WriterLock
from memory.journal.originals import Entry, Journal, zone
from memory.journal.store import INDEX, Store, text_hash
from text.time import TimeRange

VECTORS = "vectors.f32"
_TORN = re.compile(rb"(?:\A|\n)(### [^\n]*(?:\n<a id=[^\n]*)?|<a id=[^\n]*)\Z")
_BATCH = 2_000


class Problem(NamedTuple):
    """Something that `memory check` found: a key of assets/words, and what it is about."""

    key: str
    about: str


def date_turns(store: Store, keys: Sequence[str]) -> None:
    """Do the work of the queue "times": find the times that turns speak of, as they were meant
    there and then."""
    from text.time import find

    found: dict[int, list[TimeRange]] = {}
    for number, turn in store.turns(map(int, keys)).items():
        with contextlib.suppress(OverflowError):  # said on the last day of all
            said = find(turn.text, turn.at.astimezone(zone(turn.timezone)), past=True)
            found[number] = list(filterfalse(attrgetter("is_vague"), said))
    with store.writing():  # for a moment only: who speaks goes first
        for number, ranges in found.items():
            store.set_mentioned(number, ranges)


def catch_up(journal: Journal, store: Store, names: Iterable[str] | None = None) -> int:
    """Take in what stands in the originals and not in the index; return how many turns. `names`:
    only these files."""
    sizes = journal.sizes() if names is None else {name: journal.size(name) for name in names}
    known = store.originals(None if names is None else list(sizes))
    changed = [name for name, size in sizes.items() if size != known.get(name, 0)]
    return sum(_catch_up(journal, store, name) for name in changed)


def _catch_up(journal: Journal, store: Store, name: str) -> int:
    with store.writing():
        if journal.size(name) == 0:
            return 0
        entries = list(journal.entries(name))
        new = [
            entry for entry in entries if store.number(entry.turn.session, entry.turn.id) is None
        ]
        if new and new[-1].is_torn:
            journal.set_aside(name, new.pop().start)
        elif (start := _unfinished(journal.folder / name)) is not None:
            journal.set_aside(name, start)
        store.add(entry.turn for entry in sorted(new, key=lambda entry: entry.turn.at))
        store.set_original(name, journal.size(name))
        return len(new)


def _unfinished(path: Path) -> int | None:
    """Return where a turn begins of which not even the first two lines were written."""
    data = path.read_bytes()
    found = _TORN.search(data, max(0, len(data) - 65_536))
    return found.start(1) if found else None


def rebuild(home: Path, progress: Callable[[int], None] = lambda done: None) -> int:
    """Make the index anew from the originals beside the old one, and put it in its place; return
    the number of turns.

    Vectors, and what a model read for the graph, are kept where the text is the same: they are
    derived from nothing else. Raises JournalError; the old index stays then.
    """
    journal, lock = Journal(home), WriterLock(home / "journal")
    path = home / "journal" / INDEX
    draft = path.with_name(f"{INDEX}.new")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with lock:
        _remove(draft)
        store = Store(draft, lock=lock)
        try:
            for name in journal.sizes():
                entries = journal.entries(name)
                while some := list(islice(entries, _BATCH)):
                    with store.writing():
                        store.add(entry.turn for entry in some if not entry.is_torn)
                    progress(store.count())
                store.set_original(name, journal.size(name))
            _carry_over(path, store)
            _queue_one(store)
            count = store.count()
        finally:
            store.close()
        _remove(path, keep=path)
        draft.replace(path)
        path.with_name(VECTORS).unlink(missing_ok=True)  # of the turns as they were numbered before
        from memory.files import fsync_folder

        fsync_folder(path.parent)
    return count


def _queue_one(store: Store) -> None:
    """Queue a text, so that who works the queue off writes the file of vectors too."""
    some = store.ask("SELECT hash FROM turns ORDER BY number DESC LIMIT 1")
    store.enqueue("embedding", [hash for (hash,) in some])


_CARRIED = {  # what is asked of the old index, and what is done with each row of it
    "SELECT last_accessed, session, id FROM turns WHERE last_accessed IS NOT NULL": (
        "UPDATE turns SET last_accessed = ? WHERE session = ? AND id = ?"
    ),
    "SELECT word, model, vector FROM word_vectors": (
        "INSERT OR REPLACE INTO word_vectors VALUES (?, ?, ?)"
    ),
    "SELECT hash, reply FROM graph_readings": "INSERT OR REPLACE INTO graph_readings VALUES (?, ?)",
}


def _carry_over(path: Path, store: Store) -> None:
    # a damaged one has nothing to give
    with contextlib.suppress(JournalError), closing(Store(path, readonly=True)) as old:
        for model, some in old.all_embeddings():
            store.put_embeddings(model, some)
        # of texts that were edited
        store.run("DELETE FROM embeddings WHERE hash NOT IN (SELECT hash FROM turns)")
        for asked, done in _CARRIED.items():
            if rows := old.ask(asked):
                store.run(done, *rows)


def _remove(path: Path, keep: Path | None = None) -> None:
    for end in ("", "-wal", "-shm"):
        file = path.with_name(path.name + end)
        if file != keep:
            file.unlink(missing_ok=True)


def check(home: Path) -> list[Problem]:
    """Return what is wrong with the journal: every row has its original and the other way round,
    texts as they were written."""
    journal = Journal(home)
    path = home / "journal" / INDEX
    if not path.exists() and not journal.sizes():
        return []
    with (
        WriterLock(journal.folder)
        if path.parent.is_dir() and _may_write(path.parent)
        else contextlib.nullcontext()
    ):
        store = Store(path, readonly=True)
        try:
            return list(_differences(journal, store))
        finally:
            store.close()


def _may_write(folder: Path) -> bool:
    import os

    return os.access(folder, os.W_OK)


def _differences(journal: Journal, store: Store) -> Iterator[Problem]:
    seen: set[tuple[str, str]] = set()
    for name in journal.sizes():
        for entry in journal.entries(name):
            yield from _of_entry(entry, store, seen)
    numbers = iter(store.numbers())
    while some := list(islice(numbers, _BATCH)):
        for turn in store.turns(some).values():
            if (turn.session, turn.id) not in seen:
                yield Problem("journal_no_original", f"{turn.id} ({turn.source})")
    if store.damage():
        yield Problem("journal_damaged", store.damage())
    from memory.graph import Graph

    if found := Graph(store).damage():
        yield Problem("journal_damaged", found)


def _of_entry(entry: Entry, store: Store, seen: set[tuple[str, str]]) -> Iterator[Problem]:
    turn = entry.turn
    place = f"{turn.id} ({turn.source})"
    if entry.is_torn:
        yield Problem("journal_torn", place)
        return
    if (turn.session, turn.id) in seen:
        yield Problem("journal_twice", place)
    seen.add((turn.session, turn.id))
    number = store.number(turn.session, turn.id)
    if not entry.is_sound:
        yield Problem("journal_edited", place)
    if number is None:
        yield Problem("journal_no_row", place)
    elif text_hash(store.turns([number])[number].text) != text_hash(turn.text) and entry.is_sound:
        yield Problem("journal_other_text", place)
