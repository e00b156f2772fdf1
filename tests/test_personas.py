"""Personas: each file is one, a broken one is told with file and line, and the others still
work."""

from pathlib import Path

import pytest

from context import Prompts
from context.workspace.persona_files import (
    Persona,
    PersonaError,
    persona,
    personas,
    problems,
    prompt,
)
from memory.workspace import lay_out
from tests.rows import cases


def write(home: Path, name: str, text: str) -> None:
    (home / "personas").mkdir(parents=True, exist_ok=True)
    (home / "personas" / name).write_text(text)


GOOD = (
    "---\nname: Ada\ndescription: exact\nspeech_patterns: [short]\nskills:\n  - sums\n---\nMore.\n"
)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_two_examples_are_shipped(home: Path, lang: str) -> None:
    home.mkdir(parents=True)
    lay_out(home, lang)
    found = personas(home)
    assert len(found) == 2 and problems(home) == []
    assert all(each.speech_patterns and each.skills and each.body for each in found)
    assert persona(home, "terse") == persona(home, persona(home, "terse").name)


def test_a_persona_is_read_and_put_into_the_prompt(home: Path) -> None:
    write(home, "ada.md", GOOD.replace("\n", "\r\n"))
    assert personas(home) == [Persona("Ada", "exact", ("short",), ("sums",), "More.")]
    assert persona(home, " ADA ").name == "Ada"
    for lang in ("en", "zh"):
        text = prompt(persona(home, "ada"), Prompts("zh" if lang == "zh" else "en"))
        assert all(part in text for part in ("Ada", "exact", "- short", "- sums", "More."))


@cases
def test_a_broken_one_is_told_with_file_and_line_and_stops_no_other(
    home: Path, text: str, said: str
) -> None:
    write(home, "ada.md", GOOD)
    write(home, "bad.md", text)
    assert [each.name for each in personas(home)] == ["Ada"]
    (problem,) = problems(home)
    assert said in str(problem)
    with pytest.raises(PersonaError, match=r"bad\.md"):
        persona(home, "bad")


def test_what_is_no_text_is_told(home: Path) -> None:
    write(home, "ada.md", GOOD)
    (home / "personas/dir.md").mkdir()
    (home / "personas/latin.md").write_bytes(b"\xff")
    (home / "personas/out.md").symlink_to("/etc/hostname")
    assert len(problems(home)) == 3 and len(personas(home)) == 1


def test_a_name_that_is_not_there_names_those_that_are(home: Path) -> None:
    with pytest.raises(PersonaError, match="make one") as caught:
        persona(home, "ada")
    assert caught.value.exit_code == 2
    write(home, "ada.md", GOOD)
    with pytest.raises(PersonaError, match='no persona "ad"; there are: Ada'):
        persona(home, "ad")
