"""sop.yaml: what is accepted, what is refused and where, and what becomes of parameters and
templates."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replay import template
from replay.parameters import ParameterError
from replay.procedure import Procedure, ProcedureError
from replay.reading import read_procedure
from tests.rows import cases

GOOD = """\
parameters:
  type: object
  properties:
    folder: {type: string, format: path}
    days: {type: integer, minimum: 1}
    mode: {type: string, enum: [fast, slow], default: fast}
  required: [folder, days]
wordings: ["delete files older than {days} days in {folder}"]
requires: {commands: [find], env: [], platform: [linux, darwin]}
effects: destructive
plan:
  - {tool: code_run, args: {type: bash, script: 'find "$folder" -mtime "+$days"'}, expect: {exit_code: 0}, save: {old: lines}}
commit:
  - {tool: file_trash, args: {paths: "{{old}}"}, expect: {status: ok}}
result: "{{old | count}} files moved"
checks: [{command: 'test -d "$folder"'}]
"""


def _load(folder: Path, text: str = GOOD) -> Procedure:
    (folder / "sop.yaml").write_text(text, encoding="utf-8")
    return read_procedure(folder)


def test_parameters_as_json_schema_has_them_are_read(tmp_path: Path) -> None:
    some = (
        "path: {type: string, format: path, title: Where, examples: [/tmp]}\n"
        "    user: {type: string, format: email}\n    names: {type: array, items: {type: string}}"
    )
    text = GOOD.replace("folder: {type: string, format: path}", some).replace(
        "[folder, days]", "[path, days]"
    )
    procedure = _load(tmp_path, text.replace("{folder}", "{path}").replace("$folder", "$path"))
    said = {"path": "/tmp", "days": "3", "user": "ann@example.org", "names": '["a", "b c"]'}
    bound = procedure.bind(said, tmp_path)
    assert (bound["days"], bound["user"], bound["names"]) == (3, "ann@example.org", ["a", "b c"])
    assert procedure.bind({**said, "names": "a, b"}, tmp_path)["names"] == ["a", "b"]


@cases
def test_an_error_names_file_line_and_key(
    old: str, new: str, line: int, says: str, tmp_path: Path
) -> None:
    assert old in GOOD
    with pytest.raises(ProcedureError) as caught:
        _load(tmp_path, GOOD.replace(old, new, 1))
    assert str(caught.value).startswith(f"{tmp_path / 'sop.yaml'}:{line}: "), caught.value
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@cases
def test_what_is_no_procedure_is_refused_in_one_line(text: str, tmp_path: Path) -> None:
    with pytest.raises(ProcedureError) as caught:
        _load(tmp_path, text)
    assert "sop.yaml" in str(caught.value)


@pytest.mark.parametrize(
    "name", ["../../secret.sh", "scripts/inside.sh", "beside.sh", "linked/secret.sh"]
)
def test_a_script_file_that_no_hash_covers_is_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "sop"
    (folder / "scripts").mkdir(parents=True)
    for place in (tmp_path, folder):
        (place / "secret.sh").write_text("echo secret", encoding="utf-8")
    (folder / "beside.sh").write_text("echo beside", encoding="utf-8")
    (folder / "scripts" / "inside.sh").symlink_to(tmp_path / "secret.sh")
    (folder / "linked").symlink_to(tmp_path)
    with pytest.raises(ProcedureError, match="is not in the SOP's folder scripts/"):
        _load(
            folder,
            f"plan: [{{tool: code_run, args: {{type: bash, script: {{file: {name}}}}}}}]\nresult: x\n",
        )


def test_a_folder_of_scripts_that_is_a_link_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "sop"
    folder.mkdir()
    (tmp_path / "run.sh").write_text("echo secret", encoding="utf-8")
    (folder / "scripts").symlink_to(tmp_path)
    with pytest.raises(ProcedureError, match="is not in the SOP's folder"):
        _load(
            folder,
            "plan: [{tool: code_run, args: {type: bash, script: {file: scripts/run.sh}}}]\nresult: x\n",
        )


@cases
def test_a_wrong_parameter_is_one_line(
    given_values: dict[str, Any], says: str, tmp_path: Path
) -> None:
    with pytest.raises(ParameterError) as caught:
        _load(tmp_path).bind(given_values, tmp_path)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 300
    assert caught.value.exit_code == 2


VALUES = {
    "old": ["a", "b"],
    "n": 3,
    "sizes": [1024, 512],
    "report": {"files": [{"name": "x"}]},
    "text": "{{n}}",
    "none": None,
}


@cases
def test_templates_fill_in_values(text: Any, filled: Any) -> None:
    assert template.fill(text, VALUES) == filled


@cases
def test_a_filter_that_cannot_be_meant_is_an_error(text: str) -> None:
    with pytest.raises(template.TemplateError):
        list(template.names(text))


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_a_value_is_never_read_as_a_template(value: str) -> None:
    assert template.fill("<{{value}}>", {"value": value, "other": "X"}) == f"<{value}>"
