"""The index is a pure function of the originals: made anew, it gives the same answers, whatever
came in when."""

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from bench.recall import OWN, Conversation, conversations
from memory.journal.api import Memory
from memory.journal.store import INDEX, Store
from memory.journal.sync import VECTORS, rebuild
from memory.journal.turns import Turn
from memory.recall.ranking import search
from memory.recall.vectors import saved
from models.embeddings import EmbeddedModel

MODEL = EmbeddedModel()
NOW = datetime(2026, 1, 1, tzinfo=UTC)
THANKS = ("Thanks!", "Good morning!", "谢谢！", "Sounds good.")


def talks() -> list[Conversation]:
    """All our conversations, each in the same weeks."""
    return [talk for name in ("en", "zh") for talk in conversations(OWN / f"{name}.json")]


def turns() -> list[Turn]:
    """Their turns, and many with the same words at the same time."""
    said = [
        turn._replace(id=f"{at}/{turn.id}", session="main")
        for at, talk in enumerate(talks())
        for turn in talk.turns
    ]
    first = min(turn.at for turn in said)
    same = [
        Turn(
            f"s{at}", "main", ("Ann", "Bo")[at % 2], THANKS[at % 4], first + timedelta(days=at // 4)
        )
        for at in range(400)
    ]
    return said + same


def answers(home: Path, questions: Sequence[str]) -> list[list[tuple[str, float]]]:
    with closing(Store(home / "journal" / INDEX, readonly=True)) as store:
        found = [search(store, each, NOW, 10, embedder=MODEL).results for each in questions]
    return [[(each.turn.id, each.score) for each in results] for results in found]


def test_a_rebuild_gives_equal_answers_after_interleaved_imports(tmp_path: Path) -> None:
    questions = [question.text for talk in talks() for question in talk.questions][:120]
    assert len(questions) == 120
    in_order = turns()
    said = [in_order[at] for at in np.random.default_rng(3).permutation(len(in_order)).tolist()]
    with Memory(tmp_path, embedder=MODEL) as memory:
        for at in range(0, len(said), 40):
            memory.write(said[at : at + 40])
            if at == 400:
                assert memory.flush(60)
                answers(tmp_path, questions[:5])
        assert memory.flush(60)
    before = answers(tmp_path, questions)
    rebuild(tmp_path)
    with Memory(tmp_path, embedder=MODEL) as memory:
        assert memory.flush(60)
    after = answers(tmp_path, questions)
    assert sum(one == other for one, other in zip(before, after, strict=True)) == 120


def test_the_file_of_vectors_is_written_behind_the_writer(tmp_path: Path) -> None:
    file = tmp_path / "journal" / VECTORS
    with Memory(tmp_path, embedder=MODEL) as memory:
        memory.write(turns()[:20])
        assert memory.flush(60) and not file.exists()
        memory.write(turns())
        assert memory.flush(60)
    assert saved(file) == len(turns())
    rebuild(tmp_path)
    assert not file.exists()
    with Memory(tmp_path, embedder=MODEL) as memory:
        assert memory.flush(60)
    assert saved(file) == len(turns())
