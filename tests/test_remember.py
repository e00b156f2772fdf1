"""Check what the owner says that is written down at once, and what only looks like it: English and
Chinese."""

import pytest

from memory.notes import find
from memory.wording import told
from tests.rows import cases, rows

NOT_KEPT = tuple(rows(__name__, "not_kept"))


@cases
def test_what_should_be_kept_is_found_whole_and_as_it_was_said(kind: str, text: str) -> None:
    assert [(one.kind, one.text, one.is_whole) for one in find(text)] == [(kind, told(text), True)]


@cases
def test_the_words_that_ask_to_keep_are_left_out(text: str, kept: str) -> None:
    assert told(text) == kept


@pytest.mark.parametrize("text", NOT_KEPT)
def test_questions_tasks_quotes_and_trivial_talk_are_not_kept(text: str) -> None:
    assert find(text) == []


def found(text: str) -> list[tuple[str, str, bool]]:
    return [(one.kind, one.text, one.is_whole) for one in find(text)]


def test_beside_a_task_only_the_statement_is_kept() -> None:
    assert found("I hate Redux. Rewrite store.js without it.") == [
        ("preference", "I hate Redux.", False)
    ]
    assert found("List the files in ~/a. From now on always sort them by size.") == [
        ("instruction", "From now on always sort them by size.", False)
    ]
    assert found("Delete a.txt, and remember that I keep no backups") == [
        ("instruction", "I keep no backups", False)
    ]
    assert found("我讨厌 Redux。帮我重写 store.js") == [("preference", "我讨厌 Redux。", False)]
    assert found("列出最大的文件，以后都按大小排序") == [("instruction", "以后都按大小排序", False)]


def test_several_statements_are_kept_one_by_one() -> None:
    assert found("I hate Redux. I prefer Zustand. Thanks!") == [
        ("preference", "I hate Redux.", True),
        ("preference", "I prefer Zustand.", True),
    ]
    assert found("记住我明天开会。我喜欢简短的回答。谢谢") == [
        ("instruction", "我明天开会。", True),
        ("preference", "我喜欢简短的回答。", True),
    ]


def test_what_follows_the_colon_of_an_instruction_belongs_to_it() -> None:
    text = "Remember this:\n- the key is under the mat\n- the alarm is off. Is that clear?"
    assert found(text) == [("instruction", told(text), True)]


@cases
def test_secrets_are_hidden(text: str, secret: str) -> None:
    (one,) = find(text)
    assert secret not in one.text and one.is_whole
