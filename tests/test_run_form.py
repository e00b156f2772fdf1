"""An SOP that is one script in a stage: how it is read, held and refused."""

from pathlib import Path
from typing import Any

import pytest

from replay.procedure import Procedure, ProcedureError
from replay.reading import read_procedure
from replay.staged.expectation import Touched, matches, unmet
from replay.staged.holding import last_line
from replay.staged.output_kinds import difference, observed
from tests.rows import rows

PARAMETERS = "parameters: {type: object, properties: {file: {type: string, format: path}}, required: [file]}\n"


def read(folder: Path, text: str) -> Procedure:
    (folder / "sop.yaml").write_text(PARAMETERS + text)
    return read_procedure(folder)


def test_a_run_is_one_step_with_its_expectation(tmp_path: Path) -> None:
    text = 'run: {script: sort "$file"}\nexpect: {changes: {new: ["{{file}}.x"]}, output: {type: lines}}\n'
    (step,) = read(tmp_path, text).steps
    assert step.is_staged and step.changes_something
    assert step.expect["changes"]["new"] == ["{{file}}.x"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("run: {script: 'sort {{file}}'}\n", "never becomes part of a script"),
        ("run: {script: ':'}\nplan: [{tool: code_run}]\n", "one or the other"),
        ("run: {type: ruby, script: ':'}\n", "bash or python"),
        ("expect: {output: {type: text}}\nplan: [{done: x}]\nresult: x\n", "belongs to run"),
        ("run: {script: ':'}\nexpect: {output: {type: poem}}\n", "must have a type"),
        ("run: {script: ':'}\nexpect: {changes: {new: ['{{nobody}}']}}\n", "nothing is called"),
    ],
)
def test_a_run_that_cannot_be_meant_is_refused(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(ProcedureError, match=told):
        read(tmp_path, text)


NEW = {"changes": {"new": ["{{folder}}/out-*.csv"]}}


@pytest.mark.parametrize(
    ("found", "wrong"),
    [
        ([Touched("new", "/d/out-1.csv")], None),
        ([Touched("changed", "/d/out-1.csv")], None),
        ([Touched("same", "/d/out-1.csv")], None),
        ([], "too_few_new"),
        ([Touched("new", "/d/out-1.csv"), Touched("new", "/d/else")], "unexpected_new"),
        ([Touched("new", "/d/out-1.csv"), Touched("gone", "/d/else")], "unexpected_gone"),
    ],
)
def test_what_no_entry_names_may_not_be_touched(found: list[Touched], wrong: str | None) -> None:
    told = unmet(NEW, found, "", {"folder": "/d"})
    assert (told and told[0]) == wrong


def test_what_should_change_is_not_met_by_a_file_that_is_written_as_it_was() -> None:
    told = unmet({"changes": {"changed": ["/a"]}}, [Touched("same", "/a")], "", {})
    assert told == ("too_few_changed", ["/a", 1, 0])


@pytest.mark.parametrize(
    ("seen", "now", "changes", "wrong"),
    [
        (["a\n", "a\nb\n"], "", {}, None),
        (["a\n", "a\nb\n"], "\n", {}, "empty_output"),
        (["a\n", "a\nb\n"], "", {"new": [{"path": "/x", "min": 0}]}, "empty_output"),
        (["price: 3", "price: 4"], "", {}, "empty_output"),
        (["3", "4"], "", {}, "empty_output"),
    ],
)
def test_a_question_for_a_list_may_find_none(
    seen: list[str], now: str, changes: dict[str, Any], wrong: str | None
) -> None:
    wanted = {"changes": changes, "output": observed(seen, [{} for _ in seen])}
    told = unmet(wanted, [], now, {})
    assert (told and told[0]) == wrong


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (
            "Traceback\nOSError: [Errno 18] Invalid cross-device link: 'a'",
            "Invalid cross-device link: 'a'",
        ),
        ("error: no project x", "no project x"),
        ("fatal: not a git repository\nStopping at a boundary", "fatal: not a git repository"),
    ],
)
def test_the_line_that_says_why_a_script_failed_is_plain(output: str, told: str) -> None:
    assert last_line(output) == told


def test_a_star_in_a_value_is_only_a_star() -> None:
    told = unmet({"changes": {"new": ["/{{x}}"]}}, [Touched("new", "/b")], "", {"x": "*"})
    assert told is not None
    assert matches("/a/**.md", "/a/b/c.md") and not matches("/a/*.md", "/a/b/c.md")


@pytest.mark.parametrize(
    ("seen", "now", "wrong"), rows(__name__, "an_answer_of_another_kind_is_a_difference")
)
def test_an_answer_of_another_kind_is_a_difference(
    seen: list[str], now: str, wrong: str | None
) -> None:
    wanted = observed(seen, [{} for _ in seen])
    told = difference(wanted, now, {})
    assert (told and told[0]) == wrong
