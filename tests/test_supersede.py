"""Check which sentence takes the place of which older one: how people say that something is given
up, and what is no such thing."""

from __future__ import annotations

import time
from itertools import permutations

import pytest

from memory.wording import supersedes

GIVEN_UP = [
    ("Decision: we use SQLite for the bookings", "Decision: we use PostgreSQL for the bookings"),
    (
        "Decision: we use SQLite for the bookings, no longer PostgreSQL",
        "Decision: we use PostgreSQL for the bookings",
    ),
    ("We dropped PostgreSQL and went with SQLite", "Decision: we use PostgreSQL for the bookings"),
    ("We no longer use PostgreSQL", "Decision: we use PostgreSQL for the bookings"),
    ("We stopped using PostgreSQL", "Decision: we use PostgreSQL for the bookings"),
    ("We moved away from PostgreSQL", "Decision: we use PostgreSQL for the bookings"),
    ("From now on SQLite, not PostgreSQL", "Decision: we use PostgreSQL for the bookings"),
    ("We chose SQLite over PostgreSQL", "Decision: we use PostgreSQL for the bookings"),
    ("PostgreSQL is no longer used", "Decision: we use PostgreSQL for the bookings"),
    ("We gave up on PostgreSQL", "Decision: we use PostgreSQL for the bookings"),
    ("I quit Netflix", "I watch everything on Netflix"),
    ("I don't drink coffee any more", "I prefer coffee in the morning"),
    ("I don't drink coffee any more, only tea", "The owner prefers coffee"),
    ("I prefer tea, no longer coffee.", "I prefer coffee"),
    ("I prefer tea, no longer coffee.", "Always drinks coffee"),
    ("我不再喝咖啡了，只喝茶", "我喜欢喝咖啡"),
    ("我们不再用 PostgreSQL 了", "预订系统用 PostgreSQL"),
    ("预订系统改用 SQLite", "预订系统用 PostgreSQL"),
    ("预订系统不用PostgreSQL了,用SQLite", "预订系统用 PostgreSQL"),
    ("我不喝咖啡了", "我早上喜欢喝咖啡"),
    ("停用 PostgreSQL", "预订系统用 PostgreSQL"),
    ("The weekly meeting moved from Wednesday to Thursday", "The weekly meeting is on Wednesday"),
    ("My phone number is 555-1", "My phone number is 555-2"),
    ("My sister lives in Bonn", "My sister lives in Köln"),
    ("I moved to Berlin", "I live in Hamburg"),
]
SIDE_BY_SIDE = [
    "I prefer tea over coffee",
    "We use Python for the scripts",
    "I like long walks",
    "Never push to main on Friday",
    "The car is in the garage on Monday",
    "I use vim for notes",
    "My sister likes red wine",
    "Remember: the backup disk is in the red drawer",
    "Remember: the router password is on the fridge",
    "Decision: meetings are in English",
    "I don't like meetings before ten",
    "I live in Hamburg",
    "My brother lives in Bonn",
    "My sister lives in Köln",
    "We do not deploy on Fridays",
    "The dentist is on Wednesday",
    "The gym is on Wednesday",
    "I moved my desk to the window",
    "I moved to the second floor desk",
    "我喜欢简短的回答",
    "我不喜欢吃香菜",
    "预订系统用 PostgreSQL",
    "缓存用 Redis",
    "例会在周三",
    "我妹妹住在成都",
    "我姐姐住在北京",
    "不要在周五发布",
    "备份盘在红色抽屉里",
    "I drink coffee in the morning",
    "I do not drink coffee in the evening",
    "not every bug is PostgreSQL's fault",
    "We use PostgreSQL for the bookings",
    "We use Redis for the cache",
    "I rather like PostgreSQL",
]


@pytest.mark.parametrize(("new", "old"), GIVEN_UP)
def test_what_is_given_up_or_has_another_value_is_superseded(new: str, old: str) -> None:
    assert supersedes(new, old)


def test_sentences_that_may_all_be_true_supersede_none_of_each_other() -> None:
    assert [pair for pair in permutations(SIDE_BY_SIDE, 2) if supersedes(*pair)] == []


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("我现在更喜欢茶", "我最喜欢的饮料是咖啡"),
        ("We use Redis for the cache", "Decision: we use PostgreSQL for the bookings"),
        ("I prefer tea in the evening", "I prefer coffee in the morning"),
        ("The PostgreSQL backup runs at 3", "Decision: we use PostgreSQL for the bookings"),
        ("I also like coffee", "I like tea"),
        ("Room 12 is larger", "I like room 14"),
        ("PostgreSQL 17 came out", "Decision: we use PostgreSQL for the bookings"),
        ("Do not restart PostgreSQL at night", "Decision: we use PostgreSQL for the bookings"),
        ("Never delete the PostgreSQL volume", "Decision: we use PostgreSQL for the bookings"),
    ],
)
def test_that_something_is_named_again_gives_nothing_up(new: str, old: str) -> None:
    assert not supersedes(new, old)


def test_a_long_text_is_judged_at_once() -> None:
    """A turn of a megabyte, found beside a note, once kept the page's server busy for an hour."""
    began = time.process_time()
    assert not supersedes("I like tea now, not " + "x" * 1_000_000, "I like coffee")
    assert not supersedes("I like tea now", "I like " + "x" * 1_000_000)
    assert time.process_time() - began < 1
