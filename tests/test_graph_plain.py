"""Check what a plain sentence says of people and things, English and Chinese, without a model; and
what says nothing."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from memory.graph.people import meant, roles_in, speaker
from memory.graph.plain import mentions, statements
from memory.graph.shapes import OWNER, entity, key_of
from memory.journal.turns import Turn


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
    ("I work at Siemens.", ("owner", "RELATES_TO", "works at", "Siemens")),
    ("Anna lives in Berlin.", ("Anna", "RELATES_TO", "lives in", "Berlin")),
    ("I am allergic to peanuts.", ("owner", "DISLIKES", "allergic to", "peanuts")),
    ("My sister doesn't like rain.", ("My sister", "DISLIKES", "", "rain")),
    ("I love my sister.", ("owner", "CARES_ABOUT", "", "my sister")),
    ("I really enjoy long train rides, by the way.", ("owner", "PREFERS", "", "long train rides")),
    ("我妹妹叫小红。", ("owner", "RELATES_TO", "sister", "小红")),
    ("小红是我妹妹。", ("owner", "RELATES_TO", "sister", "小红")),
    ("我养了一只猫叫咪咪。", ("owner", "RELATES_TO", "cat", "咪咪")),
    ("我的生日是五月十二日。", ("owner", "RELATES_TO", "生日", "五月十二日")),
    ("我最喜欢的颜色是绿色。", ("owner", "PREFERS", "颜色", "绿色")),
    ("我住在杭州。", ("owner", "RELATES_TO", "lives in", "杭州")),
    ("我在阿里巴巴工作。", ("owner", "RELATES_TO", "works at", "阿里巴巴")),
    ("我对花生过敏。", ("owner", "DISLIKES", "allergic to", "花生")),
    ("我妹妹讨厌下雨天。", ("我妹妹", "DISLIKES", "", "下雨天")),
)


@pytest.mark.parametrize(("text", "statement"), CLEAR, ids=[text for text, _ in CLEAR])
def test_a_plain_sentence_says_one_thing(text: str, statement: tuple[str, str, str, str]) -> None:
    assert said(text) == {statement}


SILENT = (
    "我妹妹是医生。",
    "他是我哥哥。",
    "My boss is Italian.",
    "My car is broken.",
    "My sister is Anna, I think, or was it Hannah?",
    "My brother is always late.",
    "I love hiking, when it is dry.",
    "I work at a bakery.",
    "I'm so annoyed right now.",
    "I hate this queue today.",
    "I feel like pizza tonight.",
    "I'm in a bad mood and hate everybody.",
    "Do you prefer tea or coffee?",
    "Would you like some tea",
    "What does my sister like?",
    "I don't hate Mondays.",
    "I don't dislike jazz.",
    "It's not that I love rain.",
    "I no longer like sushi.",
    "I never said I like sushi.",
    "I wouldn't say I love opera.",
    "If I liked running, I would buy shoes.",
    "Suppose I hated tea.",
    "I might like climbing.",
    "I think I would enjoy sailing.",
    "I'd love a summary of this file.",
    "I would like you to sort these.",
    "I'd prefer the second option.",
    "I like your answer.",
    "I love that you are so quick.",
    'She said "I love tea".',
    "Anna said that she hates tea.",
    "According to the article, Germans love bread.",
    "People love free things.",
    "He likes tea.",
    "They say Bob loves golf.",
    "Translate: I love my dog.",
    "Please prefer short answers to long ones.",
    "The users prefer dark mode.",
    "我现在好烦。",
    "我今天讨厌排队。",
    "今晚想吃披萨。",
    "我心情不好，谁都讨厌。",
    "你更喜欢茶还是咖啡？",
    "你喜欢茶还是咖啡",
    "我妹妹喜欢什么？",
    "我不讨厌星期一。",
    "我并不讨厌爵士乐。",
    "不是我喜欢下雨。",
    "我不再喜欢寿司了。",
    "我没说过我喜欢寿司。",
    "我不敢说我喜欢歌剧。",
    "要是我喜欢跑步，我就买鞋了。",
    "假设我讨厌茶。",
    "我可能会喜欢攀岩。",
    "我想我会喜欢帆船。",
    "我希望你总结一下这个文件。",
    "我喜欢你的回答。",
    "我喜欢这个方案。",
    "她说：“我喜欢茶。”",
    "小红说她讨厌茶。",
    "文章说德国人喜欢面包。",
    "大家都喜欢免费的东西。",
    "他喜欢茶。",
    "听说老王喜欢高尔夫。",
    "翻译：我爱我的狗。",
    "请用短句，不要长句。",
    "用户更喜欢深色模式。",
    "我爱你。",
    "We love our garden and we hate snails.",
    "I like that colour.",
    "I like it better than before.",
    "I'd like tea better than coffee right now.",
    "He prefers tea to coffee.",
    "My sister thinks I love opera.",
    "I can't say I like opera.",
    "Anna thinks Bob hates golf.",
    "In the film Anna loves Bob.",
    "Write an email saying I love the plan.",
    "I hope you like it.",
    "Let me know if you prefer PDF to Word.",
    "I do not hate mornings.",
    "I would prefer trains to planes if they were cheaper.",
    "Which do I prefer, tea or coffee?",
    "I loved that restaurant yesterday.",
    "我喜欢这种颜色。",
    "我现在更喜欢茶，不想喝咖啡。",
    "他比起咖啡更喜欢茶。",
    "我妹妹觉得我喜欢歌剧。",
    "我谈不上喜欢歌剧。",
    "安娜觉得老王讨厌高尔夫。",
    "电影里小红喜欢小明。",
    "帮我写一封邮件说我喜欢这个计划。",
    "希望你喜欢。",
    "你要是更喜欢PDF就告诉我。",
    "我并不讨厌早上。",
    "如果便宜的话，比起飞机我更喜欢火车。",
    "我更喜欢茶还是咖啡呢？",
    "我昨天很喜欢那家餐厅。",
    "老师说小明不喜欢数学。",
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
    assert said("I love tea.", who="Carol", session="shared:team") == {
        ("Carol", "PREFERS", "", "tea")
    }
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
        for words in (
            "my sister",
            "My Sis",
            "我妹妹",
            "我的姐姐",
            "my younger sister",
            "my sisters",
        )
    }
    assert {party and party.key for party in keys} == {"@User:owner:sister"}
    bobs = meant("Bob's sister")
    assert bobs and bobs.of == entity("Bob") and bobs.role == "sister"
    assert meant("I") == meant("我") == meant("owner") and meant("主人")
    assert list(roles_in("What would my sister and Bob's boss say to 我妈妈?")) == [
        "my sister",
        "Bob's boss",
        "我妈妈",
    ]


def test_names_are_mentioned_and_paths_are_not() -> None:
    turns = [
        (
            1,
            Turn(
                "a",
                "main",
                "owner",
                "Ask Anna about /etc/hosts and GitHub, and my boss too.",
                datetime.now(UTC),
            ),
        ),
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
    seconds = []
    for _ in range(3):
        started = time.process_time()
        said(text)
        list(roles_in(text))
        seconds.append(time.process_time() - started)
    assert min(seconds) < 0.25
