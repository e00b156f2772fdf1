"""An SOP that is one script in a stage: how it is read, held and refused."""

from pathlib import Path
from typing import Any

import pytest

from replay.procedure import Procedure, ProcedureError
from replay.reading import read_procedure
from replay.staged.expectation import Touched, matches, unmet
from replay.staged.holding import last_line
from replay.staged.output_kinds import difference, observed
from tests.rows import cases

PARAMETERS = "parameters: {type: object, properties: {file: {type: string, format: path}}, required: [file]}\n"


def read(folder: Path, text: str) -> Procedure:
    (folder / "sop.yaml").write_text(PARAMETERS + text)
    return read_procedure(folder)


@cases
def test_a_run_that_cannot_be_meant_is_refused(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(ProcedureError, match=told):
        read(tmp_path, text)


NEW = {"changes": {"new": ["{{folder}}/out-*.csv"]}}


@cases
def test_what_no_entry_names_may_not_be_touched(
    found: list[tuple[str, str]], wrong: str | None
) -> None:
    told = unmet(NEW, [Touched(*each) for each in found], "", {"folder": "/d"})
    assert (told and told[0]) == wrong


@cases
def test_nothing_has_to_be_done_where_none_is_left_or_a_branch_says_why(
    changes: dict[str, list[str]], now: str, wrong: str | None
) -> None:
    told = unmet({"changes": changes, "output": {"type": "none", "instead": True}}, [], now, {})
    assert (told and told[0]) == wrong


def test_a_file_that_is_written_as_it_was_is_enough_where_it_is_to_be_empty(tmp_path: Path) -> None:
    (file := tmp_path / "a").touch()
    changed, emptied = str(file), {"path": str(file), "empty": True}
    found = [Touched("same", str(file))]
    told = unmet({"changes": {"changed": [changed]}}, found, "", {})
    assert told == ("too_few_changed", [changed, 1, 0])
    assert unmet({"changes": {"changed": [emptied]}}, found, "", {}) is None


@cases
def test_a_question_for_a_list_may_find_none(
    seen: list[str], now: str, changes: dict[str, Any], wrong: str | None
) -> None:
    wanted = {"changes": changes, "output": observed(seen, [{} for _ in seen])}
    told = unmet(wanted, [], now, {})
    assert (told and told[0]) == wrong


@cases
def test_the_line_that_says_why_a_script_failed_is_plain(output: str, told: str) -> None:
    assert last_line(output) == told


def test_a_star_in_a_value_is_only_a_star() -> None:
    told = unmet({"changes": {"new": ["/{{x}}"]}}, [Touched("new", "/b")], "", {"x": "*"})
    assert told is not None
    assert matches("/a/**.md", "/a/b/c.md") and not matches("/a/*.md", "/a/b/c.md")


@cases
def test_an_answer_of_another_kind_is_a_difference(
    seen: list[str], now: str, wrong: str | None
) -> None:
    wanted = observed(seen, [{} for _ in seen])
    told = difference(wanted, now, {})
    assert (told and told[0]) == wrong
