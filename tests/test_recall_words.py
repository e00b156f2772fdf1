"""Words that mean much the same: made behind, once each, carried over, and of use to a question that has other words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from memory.journal.api import Memory
from memory.journal.store import Store
from memory.journal.sync import rebuild
from memory.journal.turns import Turn
from memory.recall import ranking as recall
from memory.recall.question import understood
from memory.recall.words import Words, asked_words, learn
from models.embeddings import EmbeddedModel
from text.words import words_of

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SAID = (
    "We saw three turtles at the pond",
    "The invoice is on my desk",
    "My violin lesson was cancelled",
)


@pytest.fixture(scope="module")
def model() -> EmbeddedModel:
    """The installed one."""
    return EmbeddedModel()


@pytest.fixture
def home(tmp_path: Path, model: EmbeddedModel) -> Path:
    """A home with a few turns, everything done that was put off."""
    turns = [
        Turn(f"t{at}", "main", "owner", text, NOW - timedelta(days=9 - at))
        for at, text in enumerate(SAID)
    ]
    with Memory(tmp_path, embedder=model) as memory:
        memory.write(turns)
        assert memory.flush(60)
    return tmp_path


def index(home: Path) -> Store:
    """Its index."""
    return Store(home / "journal" / "memory.sqlite3")


def kept(store: Store) -> set[str]:
    """The words that have a vector."""
    return {word for (word,) in store.ask("SELECT word FROM word_vectors")}


@pytest.mark.parametrize(("asked", "nearest"), [("animal", 0), ("instrument", 2), ("bill", 1)])
def test_a_word_is_like_those_that_mean_much_the_same(
    home: Path, model: EmbeddedModel, asked: str, nearest: int
) -> None:
    store, words = index(home), Words(model.name)
    assert words.unknown(store, [asked]) == [asked]
    words.add([asked], model.embed([asked]))
    found = words.alike(store, [asked, "turtles"], SAID)
    assert int(found[0].argmax()) == nearest
    assert found[1][0] == pytest.approx(1.0, abs=0.01)  # the word itself
    assert found.min() >= 0
    store.close()


def test_each_word_is_made_once(home: Path, model: EmbeddedModel) -> None:
    store = index(home)
    made: list[str] = []

    class Counting(EmbeddedModel):
        def embed(
            self, texts: Sequence[str], *, is_awaited: bool = False
        ) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
            made.extend(texts)
            return model.embed(texts)

    assert kept(store) == {word for text in SAID for word in words_of(text)}
    learn(store, Counting(), [*SAID, "turtles and tortoises"])
    assert made == ["tortoises"]
    store.close()


def test_rebuilding_keeps_them_and_an_older_index_gets_them(
    home: Path, model: EmbeddedModel
) -> None:
    store = index(home)
    before = kept(store)
    store.close()
    rebuild(home)
    store = index(home)
    assert kept(store) == before
    store.run("DELETE FROM word_vectors")
    store.enqueue(
        "embedding", [key for (key,) in store.ask("SELECT hash FROM turns")]
    )  # as the step of the tables does
    store.close()
    with Memory(home, embedder=model) as memory:
        assert memory.flush(60)
    store = index(home)
    assert kept(store) == before
    store.close()


def test_a_question_in_other_words_finds_the_turn_and_speakers_are_no_words(
    home: Path, model: EmbeddedModel
) -> None:
    store = index(home)
    (found,) = recall.search(store, "Which animals were there?", NOW, 1, embedder=model).results
    assert (found.turn.id, found.why) == ("t0", "words that mean much the same")
    assert asked_words(understood("Which animals did Ann see?", {"Ann"})) == ("animals", "see")
    store.close()
