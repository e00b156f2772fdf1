"""Holds what docs/reading.md promises of `shell.words` and `shell.read`."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shell import NotUnderstood, parse, read, words


def roles(script: str) -> list[tuple[str, str, str]]:
    return [(word.text, word.role, word.of) for word in words(script)]


def test_words_have_roles() -> None:
    assert roles("sudo -u bob cp -r 'my dir' out > log") == [
        ("sudo", "command", ""),
        ("-u", "option", ""),
        ("bob", "value", "-u"),
        ("cp", "command", ""),
        ("-r", "option", ""),
        ("'my dir'", "argument", ""),
        ("out", "argument", ""),
        ("log", "target", ">"),
    ]


def test_offsets_are_bytes() -> None:
    script = "cp é 'ü ö'"
    for word in words(script):
        assert script.encode()[word.start : word.end].decode() == word.text
    assert [word.value for word in words(script)] == ["cp", "é", "ü ö"]
    assert [word.quoting for word in words(script)] == ["", "", "single"]


def test_words_of_substitutions_are_words() -> None:
    assert ("date", "command", "") in roles('echo "$(date +%F)"')


@pytest.mark.parametrize("script", ["ls (", "a\0b", "if true; then", "x" * 60_000])
def test_what_cannot_be_read_is_said(script: str) -> None:
    assert read(script).problem
    with pytest.raises(NotUnderstood):
        parse(script)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=120))
def test_each_word_stands_where_it_says(script: str) -> None:
    source = script.encode("utf-8", "replace")
    for word in words(script):
        assert source[word.start : word.end].decode("utf-8", "replace") == word.text
