"""Check what a plain sentence says of people and things, English and Chinese, without a model; and
what says nothing."""

from datetime import UTC, datetime

import pytest

from memory.graph.people import speaker
from memory.graph.plain import mentions, statements
from memory.graph.shapes import OWNER, entity, key_of
from memory.journal.turns import Turn
from tests.rows import rows


def said(text: str, who: str = "owner", session: str = "main") -> set[tuple[str, str, str, str]]:
    turn = Turn("t", session, who, text, datetime(2026, 2, 1, tzinfo=UTC))
    return {
        (each.subject.name, each.predicate, each.label, each.object.name)
        for each in statements(1, turn)
    }


CLEAR = (
    ("My sister's name is Anna.", ("owner", "RELATES_TO", "sister", "Anna")),
    ("Well, Bob is my boss.", ("owner", "RELATES_TO", "boss", "Bob")),
    ("Bob's wife is Carol.", ("Bob", "RELATES_TO", "wife", "Carol")),
    ("I have a dog named Rex.", ("owner", "RELATES_TO", "dog", "Rex")),
    ("My dentist is Dr. Weber.", ("owner", "RELATES_TO", "doctor", "Dr Weber")),
    ("My birthday is on 12 May.", ("owner", "RELATES_TO", "birthday", "12 May")),
    ("My phone number is 0171 555.", ("owner", "RELATES_TO", "phone number", "0171 555")),
    ("My favourite colour is dark green.", ("owner", "PREFERS", "favourite colour", "dark green")),
    ("My goal is to run a marathon.", ("owner", "CARES_ABOUT", "goal", "run a marathon")),
    ("我妹妹叫小红。", ("owner", "RELATES_TO", "sister", "小红")),
    ("小红是我妹妹。", ("owner", "RELATES_TO", "sister", "小红")),
    ("我养了一只猫叫咪咪。", ("owner", "RELATES_TO", "cat", "咪咪")),
    ("我的生日是五月十二日。", ("owner", "RELATES_TO", "生日", "五月十二日")),
    ("我最喜欢的颜色是绿色。", ("owner", "PREFERS", "颜色", "绿色")),
)


@pytest.mark.parametrize(("text", "statement"), CLEAR, ids=[text for text, _ in CLEAR])
def test_a_plain_sentence_says_one_thing(text: str, statement: tuple[str, str, str, str]) -> None:
    assert said(text) == {statement}


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


@pytest.mark.parametrize(("one", "other"), rows(__name__, "spellings_of_one_thing_are_one"))
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
