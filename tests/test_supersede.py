"""Check which sentence takes the place of which older one: how people say that something is given
up, and what is no such thing."""

import time
from itertools import permutations

import pytest

from memory.wording import supersedes
from tests.rows import cases, rows

GIVEN_UP = [(*row,) for row in rows(__name__, "given_up")]
SIDE_BY_SIDE = rows(__name__, "side_by_side")


@pytest.mark.parametrize(("new", "old"), GIVEN_UP)
def test_what_is_given_up_or_has_another_value_is_superseded(new: str, old: str) -> None:
    assert supersedes(new, old)


def test_sentences_that_may_all_be_true_supersede_none_of_each_other() -> None:
    assert [pair for pair in permutations(SIDE_BY_SIDE, 2) if supersedes(*pair)] == []


@cases
def test_that_something_is_named_again_gives_nothing_up(new: str, old: str) -> None:
    assert not supersedes(new, old)


def test_a_long_text_is_judged_at_once() -> None:
    """A turn of a megabyte, found beside a note, once kept the page's server busy for an hour."""
    began = time.process_time()
    assert not supersedes("I like tea now, not " + "x" * 1_000_000, "I like coffee")
    assert not supersedes("I like tea now", "I like " + "x" * 1_000_000)
    assert time.process_time() - began < 1
