"""A large journal: the best turns are found where words stand in very many, counts hold, and work behind lets writers by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event

import pytest

from memory.journal import store as journal_store
from memory.journal.store import Store
from memory.journal.turns import Turn
from memory.journal.work import BATCH, BESIDE, Worker
from tests.machine import PATIENCE_SECONDS

AT = datetime(2026, 2, 4, 9, 0, tzinfo=UTC)
TEXTS = [
    "the boat is red",
    "the car is green",
    "a long story of the boat and what came of it in the end",
]


def said(texts: Sequence[str], session: str = "main", first: int = 0) -> list[Turn]:
    turns = enumerate(texts, first)
    return [
        Turn(f"{session}-{at}", session, "owner", text, AT + timedelta(hours=5 * at))
        for at, text in turns
    ]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "index.sqlite3")
    yield store
    store.close()


@pytest.fixture
def crowded(store: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    """300 turns, in which a few are many."""
    monkeypatch.setattr(journal_store, "RARE", 3)
    monkeypatch.setattr(journal_store, "MOST_RANKED", 20)
    texts = [TEXTS[at % 3] for at in range(300)]
    texts[7], texts[8], texts[9] = "an owl", "a green boat", "the boat, green as can be"
    store.add(said(texts))
    return store


def test_rare_words_and_words_together_are_found_among_very_many(crowded: Store) -> None:
    found = [number for number, _ in crowded.keyword_ranks(["owl", "boat", "green"], 3)]
    assert found[:2] == [8, 9]


def test_one_session_is_found_among_many_turns_of_others(crowded: Store, tmp_path: Path) -> None:
    crowded.add(said(["our boat"], "shared:g", first=-9))
    crowded.add(said(["their boat"] * 50, first=1000))
    shared = Store(tmp_path / "index.sqlite3", only="shared:g")
    number = crowded.number("shared:g", "shared:g--9")
    assert [found for found, _ in shared.keyword_ranks(["boat"], 5)] == [number]
    assert [found for found, _ in crowded.keyword_ranks(["boat"], 5, "shared:g")] == [number]
    shared.close()


def test_counts_hold_while_turns_are_added(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_store, "RARE", 3)
    store.add(said(["boat"] * 2) + said(["boat"] * 8, "shared:g"))
    assert store.documents(["boat", "owl"]) == {"boat": 10}
    assert (store.total(), store.total("main"), store.total("shared:g"), store.total("none")) == (
        10,
        2,
        8,
        0,
    )
    store.add(said(["owl boat"], first=10))
    assert store.documents(["owl", "boat"]) == {"owl": 1, "boat": 11}
    assert (store.total(), store.total("main"), store.total("shared:g")) == (11, 3, 8)


def test_work_behind_takes_little_at_once_until_somebody_waits_for_it(tmp_path: Path) -> None:
    path, sizes, begun = tmp_path / "index.sqlite3", list[int](), Event()
    store = Store(path)
    store.enqueue("times", [str(number) for number in range(3 * BATCH)])

    def work(_: Store, keys: Sequence[str]) -> None:
        sizes.append(len(keys))
        begun.set()

    worker = Worker(lambda: Store(path), {"times": work})
    worker.wake()
    assert begun.wait(PATIENCE_SECONDS) and worker.flush(PATIENCE_SECONDS)
    worker.stop()
    assert sizes[0] == BESIDE and max(sizes) == BATCH and sum(sizes) == 3 * BATCH
    store.close()
