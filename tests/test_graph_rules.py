"""What plain words say of people and things, English and Chinese, without a model; and what they do not say."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from memory.graph.people import meant, roles_in, speaker
from memory.graph.rules import mentions, statements
from memory.graph.shapes import OWNER, entity, key_of
from memory.turns import Turn


def said(text: str, who: str = "owner", session: str = "main") -> set[tuple[str, str, str, str]]:
    turn = Turn("t", session, who, text, datetime(2026, 2, 1, tzinfo=UTC))
    return {
        (each.subject.name, each.predicate, each.label or each.emotion, each.object.name)
        for each in statements(1, turn)
    }


CLEAR = (
    ("I love hiking in the mountains.", ("owner", "PREFERS", "", "hiking")),
    ("I really enjoy long train rides, by the way.", ("owner", "PREFERS", "", "long train rides")),
    ("I prefer tea over coffee.", ("owner", "PREFERS", "", "tea")),
    ("I'm a big fan of Nintendo games!", ("owner", "PREFERS", "", "Nintendo games")),
    ("My favourite colour is dark green.", ("owner", "PREFERS", "favourite colour", "dark green")),
    ("I can't stand loud open offices.", ("owner", "DISLIKES", "", "loud open offices")),
    ("I don't like coriander, sorry.", ("owner", "DISLIKES", "", "coriander")),
    ("I am allergic to peanuts.", ("owner", "DISLIKES", "allergic to", "peanuts")),
    ("Anna hates flying.", ("Anna", "DISLIKES", "", "flying")),
    ("My sister doesn't like rain.", ("My sister", "DISLIKES", "", "rain")),
    ("My sister's name is Anna.", ("owner", "RELATES_TO", "sister", "Anna")),
    ("my mom Carol came by", ("owner", "RELATES_TO", "mother", "Carol")),
    ("Bob is my boss.", ("owner", "RELATES_TO", "boss", "Bob")),
    ("Bob's wife is Carol.", ("Bob", "RELATES_TO", "wife", "Carol")),
    ("I have a dog named Rex.", ("owner", "RELATES_TO", "dog", "Rex")),
    ("I work at Siemens.", ("owner", "RELATES_TO", "works at", "Siemens")),
    ("Anna lives in Berlin.", ("Anna", "RELATES_TO", "lives in", "Berlin")),
    ("I joined a choir last week.", ("owner", "RELATES_TO", "joined", "choir")),
    ("My goal is to run a marathon in under four hours.", ("owner", "CARES_ABOUT", "goal", "run a marathon in under four hours")),
    ("I promised Anna to water the plants.", ("owner", "CARES_ABOUT", "promise", "water the plants")),
    ("I care a lot about privacy.", ("owner", "CARES_ABOUT", "", "privacy")),
    ("I love my sister so much.", ("owner", "CARES_ABOUT", "", "my sister")),
    ("Thunderstorms always make me anxious.", ("owner", "DISLIKES", "anxious", "Thunderstorms")),
    ("The outage was caused by a full disk.", ("outage", "CAUSED_BY", "", "full disk")),
    ("我喜欢吃辣。", ("owner", "PREFERS", "", "吃辣")),
    ("我最喜欢的颜色是绿色。", ("owner", "PREFERS", "颜色", "绿色")),
    ("我一直都很喜欢爵士乐", ("owner", "PREFERS", "", "爵士乐")),
    ("我不喜欢香菜，谢谢", ("owner", "DISLIKES", "", "香菜")),
    ("我受不了噪音。", ("owner", "DISLIKES", "", "噪音")),
    ("我对花生过敏。", ("owner", "DISLIKES", "过敏", "花生")),
    ("我妹妹叫小红。", ("owner", "RELATES_TO", "sister", "小红")),
    ("小红是我妹妹。", ("owner", "RELATES_TO", "sister", "小红")),
    ("我妹妹讨厌下雨天。", ("我妹妹", "DISLIKES", "", "下雨天")),
    ("王芳喜欢喝咖啡。", ("王芳", "PREFERS", "", "喝咖啡")),
    ("我养了一只猫叫咪咪。", ("owner", "RELATES_TO", "cat", "咪咪")),
    ("我住在杭州。", ("owner", "RELATES_TO", "lives in", "杭州")),
    ("我在阿里巴巴工作。", ("owner", "RELATES_TO", "works at", "阿里巴巴")),
    ("我的目标是跑完马拉松。", ("owner", "CARES_ABOUT", "goal", "跑完马拉松")),
    ("我答应妈妈每周打电话。", ("owner", "CARES_ABOUT", "promise", "每周打电话")),
    ("打雷总是让我紧张。", ("owner", "DISLIKES", "紧张", "打雷")),
    ("这次故障是由磁盘满引起的。", ("故障", "CAUSED_BY", "", "磁盘满")),
)  # fmt: skip


@pytest.mark.parametrize(("text", "statement"), CLEAR, ids=[text for text, _ in CLEAR])
def test_plain_words_are_understood(text: str, statement: tuple[str, str, str, str]) -> None:
    assert statement in said(text)


SILENT = (
    "Do you like tea?",
    "I hate this today.",
    "I am so tired and I hate meetings right now.",
    "I'd like to know the time.",
    "I like it when you answer briefly.",
    "I love it!",
    "I love you",
    "I like how it looks",
    "If I loved tea, I would say so.",
    "I used to love tea.",
    "The report says `I love tea`.",
    'Write a text that says "I love tea and my sister is Anna".',
    "> I love tea",
    "Sort the files by size, please.",
    "Thanks a lot, that was great.",
    "你喜欢什么？",
    "我今天很讨厌开会。",
    "如果我喜欢茶，我会说的。",
    "请写一句“我喜欢茶”。",
    "我喜欢你。",
    "谢谢，辛苦了",
    "",
)


@pytest.mark.parametrize("text", SILENT)
def test_moods_questions_and_words_of_others_say_nothing(text: str) -> None:
    assert said(text) == set()


def test_what_the_agent_says_is_no_evidence() -> None:
    assert said("I love tea. My sister is Anna.", who="agent") == set()


def test_whoever_speaks_in_a_group_is_not_the_owner() -> None:
    assert said("I love tea.", session="shared:team") == {("shared:team", "PREFERS", "", "tea")}
    assert said("I love tea.", who="Carol", session="shared:team") == {("Carol", "PREFERS", "", "tea")}
    assert speaker(Turn("t", "shared:x", "owner", "", datetime.now(UTC))) != OWNER


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Running", "running"),
        ("the dogs", "dog"),
        ("Müsli", "müsli"),
        ("  green   tea.", "Green Tea"),
        ("my GARDEN", "garden"),
        ("“爵士乐”", "爵士乐"),
        ("ＡＢＣ", "abc"),
    ],
)
def test_spellings_of_one_thing_are_one(one: str, other: str) -> None:
    first, second = entity(one), entity(other)
    assert first and second and first.key == second.key == key_of(one)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  ",
        "…",
        "the",
        "/etc/passwd",
        "~/.ssh/id_rsa",
        "https://x.example/a",
        "bob@x.example",
        "C:\\Users",
        "x" * 90,
    ],
)
def test_paths_addresses_and_nothing_are_no_entities(text: str) -> None:
    assert entity(text) is None


def test_people_are_meant_by_what_they_are_to_somebody() -> None:
    keys = {
        getattr(meant(words), "party", None)
        for words in ("my sister", "My Sis", "我妹妹", "我的姐姐", "my younger sister", "my sisters")
    }
    assert {party and party.key for party in keys} == {"@User:owner:sister"}
    bobs = meant("Bob's sister")
    assert bobs and bobs.of == entity("Bob") and bobs.role == "sister"
    assert meant("I") == meant("我") == meant("owner") and meant("主人")
    assert list(roles_in("What would my sister and Bob's boss say to 我妈妈?")) == ["my sister", "Bob's boss", "我妈妈"]


def test_names_are_mentioned_and_paths_are_not() -> None:
    turns = [
        (1, Turn("a", "main", "owner", "Ask Anna about /etc/hosts and GitHub, and my boss too.", datetime.now(UTC))),
        (2, Turn("b", "main", "agent", "I asked Zoe.", datetime.now(UTC))),
        (3, Turn("c", "main", "Carol", "Then Anna came on Monday.", datetime.now(UTC))),
    ]
    assert {(party.name, number) for party, number in mentions(turns, 20)} == {
        ("Anna", 3), ("GitHub", 1), ("my boss", 1), ("Carol", 3),
    }  # fmt: skip
    assert [party.name for party, _ in mentions(turns, 1)] == ["Anna"]


@pytest.mark.parametrize(
    "text",
    [
        "My sister " * 2000,
        "A" * 6000,
        "a." * 3000,
        "I love " * 900,
        "我喜欢" * 2000,
        "my " * 2000,
        "Bob's " * 1000,
        "makes me " * 700 + "happy",
        "小" * 6000,
    ],
)
def test_no_text_takes_long(text: str) -> None:
    said("I love tea.")  # compiles
    started = time.process_time()
    said(text)
    list(roles_in(text))
    assert time.process_time() - started < 0.25
