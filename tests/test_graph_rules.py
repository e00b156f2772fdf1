"""Check what plain words say of people and things, English and Chinese, without a model; and what
they do not say."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memory.graph.people import meant, roles_in, speaker
from memory.graph.rules import statements
from memory.graph.shapes import LESS, OWNER, entity
from memory.journal.turns import Turn


def said(text: str, who: str = "owner", session: str = "main") -> set[tuple[str, str, str, str]]:
    turn = Turn("t", session, who, text, datetime(2026, 2, 1, tzinfo=UTC))
    return {
        (each.subject.name, each.predicate, each.label or each.emotion, each.object.name)
        for each in statements(1, turn)
    }


CLEAR = (
    ("I love hiking in the mountains.", ("owner", "PREFERS", "", "hiking")),
    ("I'm a big fan of Nintendo games!", ("owner", "PREFERS", "", "Nintendo games")),
    ("I don't like coriander, sorry.", ("owner", "DISLIKES", "", "coriander")),
    ("My sister doesn't like rain.", ("My sister", "DISLIKES", "", "rain")),
    ("Bob is my boss.", ("owner", "RELATES_TO", "boss", "Bob")),
    ("I work at Siemens.", ("owner", "RELATES_TO", "works at", "Siemens")),
    ("My goal is to run a marathon in under four hours.", ("owner", "CARES_ABOUT", "goal", "run a marathon in under four hours")),
    ("I love my sister so much.", ("owner", "CARES_ABOUT", "", "my sister")),
    ("我喜欢吃辣。", ("owner", "PREFERS", "", "吃辣")),
    ("我不喜欢香菜，谢谢", ("owner", "DISLIKES", "", "香菜")),
    ("我妹妹叫小红。", ("owner", "RELATES_TO", "sister", "小红")),
    ("王芳喜欢喝咖啡。", ("王芳", "PREFERS", "", "喝咖啡")),
    ("我在阿里巴巴工作。", ("owner", "RELATES_TO", "works at", "阿里巴巴")),
    ("打雷总是让我紧张。", ("owner", "DISLIKES", "紧张", "打雷")),
)  # fmt: skip


@pytest.mark.parametrize(("text", "statement"), CLEAR, ids=[text for text, _ in CLEAR])
def test_plain_words_are_understood(text: str, statement: tuple[str, str, str, str]) -> None:
    assert statement in said(text)


LIFE: tuple[tuple[str, tuple[str, str, str, str]], ...] = (
    ("I'd rather take the train than drive.", ("owner", "PREFERS", "less", "drive")),
    ("I've got a soft spot for old radios.", ("owner", "PREFERS", "", "old radios")),
    ("I try to stay away from sugar.", ("owner", "DISLIKES", "avoids", "sugar")),
    ("Heights scare me.", ("owner", "DISLIKES", "", "Heights")),
    ("Loud chewing drives me crazy.", ("owner", "DISLIKES", "", "Loud chewing")),
    ("I was diagnosed with celiac disease last year.", ("owner", "RELATES_TO", "has", "celiac disease")),
    ("I play the cello.", ("owner", "RELATES_TO", "plays", "cello")),
    ("My husband is a nurse.", ("My husband", "RELATES_TO", "works as", "nurse")),
    ("I've always wanted to see the northern lights.", ("owner", "CARES_ABOUT", "goal", "see the northern lights")),
    ("我恐高。", ("owner", "DISLIKES", "afraid of", "高")),
    ("我从来不吃猪肉。", ("owner", "DISLIKES", "does not eat", "猪肉")),
    ("我爸爸有高血压。", ("我爸爸", "RELATES_TO", "has", "高血压")),
    ("我宁愿坐火车也不坐飞机。", ("owner", "PREFERS", "less", "坐飞机")),
    ("我受够了加班。", ("owner", "DISLIKES", "", "加班")),
    ("我开一辆特斯拉。", ("owner", "RELATES_TO", "drives", "特斯拉")),
    ("我父母住在苏州。", ("我父母", "RELATES_TO", "lives in", "苏州")),
    ("我最好的朋友是王强。", ("owner", "RELATES_TO", "friend", "王强")),
)  # fmt: skip
NOT_OF_LIFE = (
    "I have a meeting at three.",
    "I have a car to wash.",
    "I avoid answering that for now.",
    "I'd rather you came later.",
    "I drive a hard bargain.",
    "I'm learning a lot.",
    "Nothing beats it.",
    "我怕麻烦你。",
    "我有一台旧打印机坏了。",
    "我不吃亏。",
    "我是来问路的。",
    "我搬到楼上了。",
    "我海鲜过敏吗？",
)


@pytest.mark.parametrize(("text", "statement"), LIFE, ids=[text for text, _ in LIFE])
def test_what_people_avoid_fear_have_and_do_is_understood(
    text: str, statement: tuple[str, str, str, str]
) -> None:
    assert statement in said(text)


@pytest.mark.parametrize("text", NOT_OF_LIFE)
def test_words_that_only_sound_like_it_say_nothing_of_a_life(text: str) -> None:
    assert said(text) == set()


LIKED = (
    ('I prefer tea to coffee.', {('owner', 'PREFERS', 'tea')}),
    ('I much prefer dark chocolate to milk chocolate.', {('owner', 'PREFERS', 'dark chocolate')}),
    ('I like apples, pears and plums.', {('owner', 'PREFERS', 'apples'), ('owner', 'PREFERS', 'pears'), ('owner', 'PREFERS', 'plums')}),
    ('I neither like football nor tennis.', {('owner', 'DISLIKES', 'football'), ('owner', 'DISLIKES', 'tennis')}),
    ('My favorite season is autumn.', {('owner', 'PREFERS', 'autumn')}),
    ('My wife Clara loves opera.', {('Clara', 'PREFERS', 'opera'), ('owner', 'RELATES_TO', 'Clara')}),
    ('I work for Bosch.', {('owner', 'RELATES_TO', 'Bosch')}),
    ('I want to learn Italian this year.', {('owner', 'CARES_ABOUT', 'learn Italian this year')}),
    ("I worry about my father's health.", {('owner', 'CARES_ABOUT', "father's health")}),
    ('相比咖啡，我更爱喝茶。', {('owner', 'PREFERS', '喝茶')}),
    ('和咖啡相比，我更喜欢茶。', {('owner', 'PREFERS', '茶')}),
    ('我喜欢苹果、梨和李子。', {('owner', 'PREFERS', '李子'), ('owner', 'PREFERS', '梨'), ('owner', 'PREFERS', '苹果')}),
    ('我受不了被打断。', {('owner', 'DISLIKES', '被打断')}),
    ('我对猫和花粉过敏。', {('owner', 'DISLIKES', '猫'), ('owner', 'DISLIKES', '花粉')}),
    ('我女儿叫小梅，她拉大提琴。', {('owner', 'RELATES_TO', '小梅')}),
    ('我是四川人。', {('owner', 'RELATES_TO', '四川')}),
    ('我答应妈妈每个星期天打电话。', {('owner', 'CARES_ABOUT', '每个星期天打电话')}),
    ('我从小就爱看科幻小说。', {('owner', 'PREFERS', '看科幻小说')}),
    ('My sister likes rabbits better than cats.', {('My sister', 'PREFERS', 'rabbits')}),
    ('I enjoy cooking but I hate cleaning.', {('owner', 'DISLIKES', 'cleaning'), ('owner', 'PREFERS', 'cooking')}),
    ('Saffron is my favourite spice.', {('owner', 'PREFERS', 'Saffron')}),
    ("I'm terrified of spiders.", {('owner', 'DISLIKES', 'spiders')}),
    ('比起飞机，我更喜欢火车。', {('owner', 'PREFERS', '火车')}),
    ('王芳比起打电话更喜欢写信。', {('王芳', 'PREFERS', '写信')}),
    ('我不太喜欢恐怖片和惊悚片。', {('owner', 'DISLIKES', '恐怖片'), ('owner', 'DISLIKES', '惊悚片')}),
    ('我热爱园艺。', {('owner', 'PREFERS', '园艺')}),
    ('我的梦想是开一家小书店。', {('owner', 'CARES_ABOUT', '开一家小书店')}),
)  # fmt: skip


@pytest.mark.parametrize(("text", "meant"), LIKED, ids=[text for text, _ in LIKED])
def test_everyday_sentences_say_this_and_no_more(
    text: str, meant: set[tuple[str, str, str]]
) -> None:
    """Say by its label what is liked less than something else, and look at it below."""
    assert {
        (subject, predicate, object)
        for subject, predicate, label, object in said(text)
        if label != LESS
    } == meant


@pytest.mark.parametrize(
    ("text", "who", "better", "less"),
    [
        ("I prefer tea to coffee.", "owner", "tea", "coffee"),
        ("I like swimming more than running.", "owner", "swimming", "running"),
        ("Anna prefers written notes to phone calls.", "Anna", "written notes", "phone calls"),
        ("比起咖啡我更喜欢茶。", "owner", "茶", "咖啡"),
        ("我喜欢茶胜过咖啡。", "owner", "茶", "咖啡"),
        ("我弟弟比起狗更喜欢猫。", "我弟弟", "猫", "狗"),
    ],
)
def test_what_is_liked_better_and_what_less_are_two_edges(
    text: str, who: str, better: str, less: str
) -> None:
    assert said(text) == {(who, "PREFERS", "", better), (who, "PREFERS", LESS, less)}


SILENT = (
    "I work at a bakery.",
    "I feel like pizza tonight.",
    "Would you like some tea",
    "I don't dislike jazz.",
    "I never said I like sushi.",
    "Suppose I hated tea.",
    "I'd love a summary of this file.",
    "I like your answer.",
    "Anna said that she hates tea.",
    "He likes tea.",
    "Please prefer short answers to long ones.",
    "我今天讨厌排队。",
    "你更喜欢茶还是咖啡？",
    "我不讨厌星期一。",
    "我不再喜欢寿司了。",
    "要是我喜欢跑步，我就买鞋了。",
    "我想我会喜欢帆船。",
    "我喜欢这个方案。",
    "文章说德国人喜欢面包。",
    "听说老王喜欢高尔夫。",
    "用户更喜欢深色模式。",
    "I like that colour.",
    "He prefers tea to coffee.",
    "Anna thinks Bob hates golf.",
    "I hope you like it.",
    "I would prefer trains to planes if they were cheaper.",
    "我喜欢这种颜色。",
    "我妹妹觉得我喜欢歌剧。",
    "电影里小红喜欢小明。",
    "你要是更喜欢PDF就告诉我。",
    "我更喜欢茶还是咖啡呢？",
    "Do you like tea?",
    "I'd like to know the time.",
    "I love you",
    "I used to love tea.",
    "> I love tea",
    "你喜欢什么？",
    "请写一句“我喜欢茶”。",
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
