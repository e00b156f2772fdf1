"""Check what a plain sentence says of people and things, English and Chinese, without a model; and
what says nothing."""

from datetime import UTC, datetime

import pytest

from memory.graph.people import speaker
from memory.graph.plain import mentions, statements
from memory.graph.shapes import OWNER, entity, key_of
from memory.journal.turns import Turn
from tests.rows import cases, rows


def said(text: str, who: str = "owner", session: str = "main") -> set[tuple[str, str, str, str]]:
    turn = Turn("t", session, who, text, datetime(2026, 2, 1, tzinfo=UTC))
    return {
        (each.subject.name, each.predicate, each.label, each.object.name)
        for each in statements(1, turn)
    }


@cases
def test_a_plain_sentence_says_one_thing(text: str, statement: list[str]) -> None:
    assert [[*each] for each in said(text)] == [statement]


SILENT = tuple(rows(__name__, "silent"))


@pytest.mark.parametrize("text", SILENT)
def test_moods_questions_and_words_of_others_say_nothing(text: str) -> None:
    assert said(text) == set()


def test_the_agent_says_nothing_and_whoever_speaks_in_a_group_is_not_the_owner() -> None:
    assert said("My sister is Anna.", who="agent") == set()
    assert said("My boss is Bob.", session="shared:team") == {
        ("shared:team", "RELATES_TO", "boss", "Bob")
    }
    assert speaker(Turn("t", "shared:x", "owner", "", datetime.now(UTC))) != OWNER


@cases
def test_spellings_of_one_thing_are_one(one: str, other: str) -> None:
    first, second = entity(one), entity(other)
    assert first and second and first.key == second.key == key_of(one)


def test_names_are_mentioned_and_paths_are_not() -> None:
    said = (
        ("owner", "Ask Anna about /etc/hosts and GitHub, and my boss too."),
        ("agent", "I asked Zoe."),
        ("Carol", "Then Anna and Amélie came on Monday the 3rd."),
    )
    now = datetime.now(UTC)
    turns = [(at, Turn(str(at), "main", *each, now)) for at, each in enumerate(said, 1)]
    assert {(party.name, number) for party, number in mentions(turns, 20)} == {
        ("Anna", 3), ("Amélie", 3), ("GitHub", 1), ("my boss", 1), ("Carol", 3),
    }  # fmt: skip
    assert [party.name for party, _ in mentions(turns, 1)] == ["Anna"]


@cases
def test_a_full_name_is_one_name(text: str, names: list[str]) -> None:
    turn = Turn("t", "main", "owner", text, datetime.now(UTC))
    assert sorted(party.name for party, _ in mentions([(1, turn)], 20)) == names
