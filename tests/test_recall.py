"""Recall: the turn that answers is found, in both languages, by words, meaning and time; what is
missing is said."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bench.recall import CUTS, OWN, Table, conversations, written
from memory import notes
from memory.home import MAIN, Session
from memory.journal.api import Memory
from memory.journal.store import Store
from memory.journal.turns import Recalled, Turn
from memory.recall import ranking as recall
from models.embeddings import EmbeddedModel, Embedder, EmbeddingError
from models.unpacked import cache_folder
from runs.start.recalling import Recalling
from tests.machine import ran
from tests.rows import rows

if TYPE_CHECKING:
    from models.embeddings import Vectors

ROOT = Path(__file__).parent.parent
NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
LEAST: dict[str, list[float]] = {
    "en": [85, 90, 95, 99],
    "zh": [86, 92, 98, 99],
    "memos": [86, 88, 88, 88],
    "chats": [74, 80, 90, 90],
}  # recall@5, 10, 25, 50 in percent, on our own questions


@pytest.fixture(scope="module")
def model() -> EmbeddedModel:
    """Return the installed model, loaded once."""
    return EmbeddedModel(cache_folder())


def kept(home: Path, *said: tuple[str, str, datetime], session: Session = MAIN) -> Store:
    """Return a journal that holds what was said: who, text, when; its index, open."""
    with Memory(home, session, works_behind=False) as memory:
        for at, (who, text, when) in enumerate(said):
            memory.write_turn(text, who=who, at=when, timezone="UTC", id=f"t{at}")
    return Store(
        home / "journal" / "memory.sqlite3", only=None if session == MAIN else session.name
    )


def ids(found: object) -> list[str]:
    """Return the ids of what was recalled, best first."""
    assert isinstance(found, Recalled)
    return [each.turn.id for each in found.results]


@pytest.mark.parametrize("language", LEAST)
def test_answers_are_found_in_our_own_questions(
    tmp_path: Path, model: EmbeddedModel, language: str
) -> None:
    table = Table()
    for at, talk in enumerate(conversations(OWN / f"{language}.json")):
        store = written(tmp_path / str(at), talk, model)
        for question in talk.questions:
            found = recall.search(store, question.text, talk.now, max(CUTS), embedder=model)
            assert found.degraded == []
            table.add("recall", question, False, ids(found))
        store.close()
    assert all(
        got >= least for got, least in zip(table.mean("recall"), LEAST[language], strict=True)
    ), table.mean("recall")


def test_time_in_the_question_is_a_reason_and_no_filter(tmp_path: Path) -> None:
    then = datetime(2026, 2, 25, 9, tzinfo=UTC)  # the Wednesday before
    texts = [f"The printer on floor {at} is fine again" for at in range(30)]
    said = [("owner", text, then - timedelta(days=40 - at)) for at, text in enumerate(texts)]
    store = kept(tmp_path, *said, ("owner", "The printer jams on every second page", then))
    assert (
        ids(recall.search(store, "what did we say about the printer last Wednesday?", NOW, 5))[0]
        == "t30"
    )
    elsewhere = recall.search(
        store, "what did we say last year about the printer that jams?", NOW, 5
    )
    assert "t30" in ids(elsewhere)
    store.close()


def test_who_is_named_leads_to_the_talk_that_they_take_part_in(tmp_path: Path) -> None:
    said = [(who, f"My boat is blue, says {who}", NOW) for who in ("Eve", "Max")]
    talk = [("Ann", "What shall we row in?"), ("Dan", "I would take the green boat on the lake")]
    later = [(who, text, NOW - timedelta(days=9)) for who, text in talk]
    store = kept(tmp_path, *said, *later)
    found = ids(recall.search(store, "which boat was it with Ann?", NOW))
    assert found.index("t3") < min(found.index("t0"), found.index("t1"))
    store.close()


def test_the_last_sentence_of_a_talk_counts_most(tmp_path: Path) -> None:
    said = ("The cat saw fish.", "The dog hid meat.", "爷爷送了风筝。", "学校发了奖状。")
    days = [NOW - timedelta(days=90 + at) for at in range(len(said))]
    store = kept(tmp_path, *(("owner", text, day) for text, day in zip(said, days, strict=True)))
    for one, other in ((0, 1), (1, 0), (2, 3), (3, 2)):
        for between in (" ", "\n"):
            talk = f"Yesterday.{between}{said[one]}{between}{said[other]}"
            assert ids(recall.search(store, talk, NOW, 5))[:2] == [f"t{other}", f"t{one}"]
    store.close()


def test_run_begins_with_what_was_said_of_its_request_and_else_with_nothing(home: Path) -> None:
    recalling = Recalling(home, MAIN, None)
    assert recalling.at_start("convert the holiday videos for grandmother") == ()
    request = "convert the holiday videos for grandmother"
    kept(
        home,
        (
            "owner",
            "Grandmother can only play the holiday videos when we convert them to MPEG-2",
            NOW - timedelta(days=9),
        ),
        ("owner", "We are out of milk", NOW - timedelta(days=8)),
        ("owner", request, NOW),
    ).close()
    lines = recalling.at_start(request)
    assert len(lines) == 1
    assert "MPEG-2" in lines[0]
    assert recalling.at_start("list the largest files in Downloads") == []


def test_start_of_a_run_loads_no_numpy(home: Path) -> None:
    kept(
        home,
        ("owner", "Grandmother plays the holiday videos as MPEG-2", NOW - timedelta(days=9)),
        ("owner", "The largest plant is in the bathroom", NOW - timedelta(days=8)),
        ("owner", "List of the month: milk, bread", NOW - timedelta(days=7)),
        ("owner", "A holiday in May, then", NOW - timedelta(days=6)),
    ).close()
    script = (
        "import sys; from pathlib import Path; from memory.home.sessions import MAIN; from runs.start.recalling import Recalling\n"
        "found = Recalling(Path(sys.argv[1]), MAIN, None).at_start(sys.argv[2]); print(len(found), 'numpy' in sys.modules)"
    )
    for request, said in (
        ("list the largest files in Downloads", "0 False"),
        ("holiday videos of grandmother", "1 False"),
    ):
        done = ran(sys.executable, "-c", script, home, request, cwd=ROOT)
        assert done.stdout.strip() == said, done.stderr


def test_what_was_read_lately_is_nearer(tmp_path: Path) -> None:
    """Prefer the turn that was read where two answer alike; a little, and less as time goes by."""
    store = Store(tmp_path / "m.sqlite3")
    at = datetime(2026, 1, 1, tzinfo=UTC)
    texts = (
        "the blue kettle stands on the shelf",
        "the blue kettle stands in the hall",
        "rain again",
    )
    numbers = store.add(
        Turn(f"t{n}", "main", "owner", text, at + n * timedelta(hours=9))
        for n, text in enumerate(texts)
    )

    def first(now: datetime) -> str:
        return recall.search(store, "where is the blue kettle", now, 1).results[0].turn.id

    now = at + timedelta(days=90)
    before = first(now)
    other = "t1" if before == "t0" else "t0"
    store.touch([numbers[int(other[1])]], now - timedelta(days=1))
    assert first(now) == other
    store.close()


def test_a_search_finds_what_was_said_and_shows_nothing_else(
    home: Path, model: EmbeddedModel
) -> None:
    now = datetime(2026, 5, 20, 12, tzinfo=UTC)
    for text in rows(__name__, "searched_notes"):
        notes.add(home, text, kind="instruction", session=MAIN, run="", turn=0, at=now)
    said = rows(__name__, "searched_turns")
    with Memory(home, embedder=model) as memory:
        memory.write(
            [
                Turn(f"t{number}", "main", who, text, datetime.fromisoformat(at))
                for number, (at, who, text) in enumerate(said)
            ]
        )
        assert memory.flush(60)

        def first(query: str) -> list[str]:
            return [each.turn.text for each in memory.retrieve(query, now, 3).results]

        missed = [
            query
            for query, wanted in rows(__name__, "answered_searches")
            if not any(wanted in text for text in first(query))
        ]
        noisy = [query for query in rows(__name__, "unanswered_searches") if first(query)]
    assert missed == []
    assert len(noisy) <= 4, noisy


class Down:
    """An embedder whose endpoint is down."""

    name = "use-multilingual-3"

    def embed(self, texts: Sequence[str], *, is_awaited: bool = False) -> Vectors:
        raise EmbeddingError("it is down")


def test_what_cannot_be_used_is_named_and_done_without(tmp_path: Path) -> None:
    store = kept(
        tmp_path, ("owner", "My sister wants the scans of the letters", NOW - timedelta(days=60))
    )
    ways: tuple[Embedder | None, ...] = (
        None,
        Down(),
        EmbeddedModel(cache_folder()),
    )  # none, down, nothing embedded yet
    for embedder in ways:
        found = recall.search(store, "what did my sister want?", NOW, embedder=embedder)
        assert ids(found) == ["t0"]
        assert found.degraded == ["embeddings"]
    store.close()
