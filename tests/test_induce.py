"""Values become parameters where they stand, so that quoting and meaning stay as they were
typed."""

import re
from pathlib import Path

import pytest

from learning.induce import candidates, derived, spellings, written
from learning.induce.places import several
from learning.prove.expected import path_kind
from tests.machine import ran
from tests.rows import cases

HOME = Path("/home/ann")
NASTY = [
    "a b",
    "it's",
    "$HOME `id`",
    "tom&jerry/x|y",
    "ü 项目",
    '"quoted"',
    "back\\slash",
    "*",
    "100%",
]


@cases
def test_a_value_is_replaced_where_it_stands(
    typed: str, values: dict[str, str], script: str
) -> None:
    spelled = {name: spellings(value, HOME) for name, value in values.items()}
    assert written(typed, spelled).text == script


def printed(script: str, **values: str) -> str:
    """Return what bash prints, with these variables and no others."""
    return ran("bash", "-c", script, env={"PATH": "/usr/bin:/bin", **values}, check=True).stdout


@cases
def test_a_value_prints_as_itself_wherever_it_stands(typed: str) -> None:
    script, plain = written(typed, {"word": ["old"]}).text, printed(typed)
    for value in NASTY:
        assert printed(script, word=value) == plain.replace("old", value)


SQL = """sqlite3() { python3 -c 'import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])' "$@"; }
"""


@pytest.mark.parametrize(
    "typed", ["sqlite3 :memory: \"select 'old'\"", "sqlite3 :memory: 'select \"old\"'"]
)
def test_a_value_in_sql_never_becomes_code(typed: str) -> None:
    script = SQL + written(typed, {"word": ["old"]}).text
    for value in NASTY:
        assert printed(script, word=value) == f"{value}\n"


@cases
def test_a_value_that_becomes_code_is_plain(typed: str, text: str, refused: str) -> None:
    found = written(typed, {"word": [text]})
    assert found.used == {"word": 1}
    assert re.search(found.patterns["word"], text)
    assert not re.search(found.patterns["word"], refused)


def test_a_relative_path_is_no_part_of_another_name() -> None:
    spelled = spellings("~/sales/jan.csv", HOME, [str(HOME / "sales")])
    assert written("sort jan.csv > sorted-jan.csv", {"file": spelled}).text == (
        'sort "$file" > sorted-jan.csv'
    )


@cases
def test_a_short_name_is_followed_in_names_of_files_alone(
    script: str, values: dict[str, str], texts: list[str]
) -> None:
    assert [each.text for each in derived(script, values)] == texts


def test_what_the_request_and_the_lines_both_name_varies() -> None:
    typed = "cd ~/photos\nmv IMG_2024-03-*.jpg 2024-03/"
    found = candidates(typed, "put the photos of 2024-03 in ~/photos apart")
    assert {each.text for each in found if each.varies} == {"2024-03", "~/photos"}


@cases
def test_of_the_places_of_a_short_number_words_of_their_own_vary(
    typed: str, usual: list[bool]
) -> None:
    number = typed.rstrip(" f")[-1]
    assert [spot.is_word for spot in several(typed, number)] == usual


def test_a_value_is_replaced_only_where_it_varies() -> None:
    found = written("tail -n +2 f | head -n 2", {"n": ["2"]}, {"n": [1]})
    assert found.text == 'tail -n +2 f | head -n "$n"'


def test_a_number_that_ends_letters_is_a_value_in_a_changed_path() -> None:
    assert path_kind("/x/week19/t.txt", {"week": "19"}) == "/x/week{{week}}/t.txt"
    assert path_kind("/x/week119/t.txt", {"week": "19"}) == "/x/week119/t.txt"
