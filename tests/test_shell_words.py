"""Holds what docs/reading.md promises of `shell.words`, `shell.read` and `shell.python`."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shell import NotUnderstood, parse, read, words
from shell.python import calls, literals


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


def test_documents_loops_and_assignments_have_places() -> None:
    script = "export A=1\nfor f in *.txt; do cat <<E\nhi $f\nE\ndone"
    found = {word.role: word for word in words(script)}
    assert (found["assignment"].text, found["assignment"].of) == ("1", "A")
    assert (found["item"].text, found["item"].of, found["item"].has_glob) == ("*.txt", "f", True)
    assert found["document"].text == "hi $f\n"
    assert found["document"].value is None


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


@pytest.mark.parametrize("piece", ["(", "$(", '"$(', "${a:-", "`", "[[ ( ", "<<E\n", "a=(", "{a,"])
def test_deep_nesting_ends_in_an_answer(piece: str) -> None:
    read((piece * 20_000)[:49_000])
    words((piece * 2_000)[:49_000])


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=120))
def test_each_word_stands_where_it_says(script: str) -> None:
    source = script.encode("utf-8", "replace")
    for word in words(script):
        assert source[word.start : word.end].decode("utf-8", "replace") == word.text


def test_python_calls_and_literals_have_places() -> None:
    code = "from shutil import rmtree as rm\nrm('é')\nopen(name, 'w').write(f'{x}')\n"
    found = calls(code)
    assert {call.name for call in found} >= {"shutil.rmtree", "open"}
    first = next(call for call in found if call.name == "shutil.rmtree")
    assert code.encode()[first.start : first.end].decode() == "rm('é')"
    assert first.arguments == ("é",)
    assert [(each.value) for each in literals(code)][:2] == ["é", "w"]
    with pytest.raises(NotUnderstood):
        calls("def (")
