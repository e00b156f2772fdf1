"""A replay: its order, what it holds against the recording, what it says when the world differs.
Real tools, real files."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.base import Event, Reply, Request, ToolCall, ToolResult
from models.errors import Diverged
from replay.extract import extract
from replay.reading import read_procedure
from replay.rote import Declined, RoteModel
from tests.drained import drained, result_of
from tests.rows import cases
from tools.base import ToolContext
from tools.registry import all_tools

STEPS = """\
parameters: {type: object, properties: {folder: {type: string, format: path}, word: {type: string}}, required: [folder]}
requires: {folders: [folder], commands: [bash]}
effects: local
plan:
  - {tool: code_run, args: {type: bash, script: 'cd "$folder" && ls'}, expect: {exit_code: 0}, save: {names: lines}, note: {en: "list {{folder}}", zh: "列出 {{folder}}"}}
  - {unless: names, done: {en: "Nothing in {{folder}}.", zh: "{{folder}} 是空的。"}}
commit:
  - {tool: file_write, args: {path: "{{folder}}/list.txt", content: "{{names | lines}}", mode: overwrite}, expect: {status: ok}}
checks: [{command: 'test -f "$folder/list.txt"'}]
result: {en: "{{names | count}} names.", zh: "共 {{names | count}} 个。"}
"""


def _rote(folder: Path, text: str, parameters: dict[str, Any], lang: Any = "en") -> RoteModel:
    folder.mkdir(exist_ok=True)
    (folder / "sop.yaml").write_text(text, encoding="utf-8")
    return RoteModel(
        read_procedure(folder), parameters, sop="demo", version=2, lang=lang, cwd=folder
    )


def _ask(model: RoteModel, last: ToolResult | None = None) -> tuple[Reply, list[Event]]:
    events, reply = drained(model.reply(Request(turn=1, messages=[], last=last)))
    return reply, events


def _do(call: ToolCall, folder: Path) -> ToolResult:
    """Carries out a call with the real tool."""
    context = ToolContext(cwd=folder, folder=folder / ".run", home=folder / ".home", call=call.id)
    return result_of(all_tools()[call.name].run(context, **(call.args or {})))


def _run(model: RoteModel, folder: Path) -> tuple[str, list[Event], list[ToolResult]]:
    last: ToolResult | None = None
    events: list[Event] = []
    results: list[ToolResult] = []
    while True:
        reply, new = _ask(model, last)
        events += new
        if not reply.calls:
            return reply.text, events, results
        last = _do(reply.calls[0], folder)
        results.append(last)


def _box(tmp_path: Path, *names: str) -> Path:
    box = tmp_path / "box"
    box.mkdir()
    for name in names:
        (box / name).write_text("x", encoding="utf-8")
    return box


@cases
def test_what_the_sop_requires_is_looked_at_first(requires: str, says: str, tmp_path: Path) -> None:
    model = _rote(
        tmp_path / "sop",
        f"requires: {requires}\nplan: [{{tool: ask_user, args: {{}}}}]\nresult: x\n",
        {},
    )
    with pytest.raises(Diverged, match=says) as caught:
        _ask(model)
    assert not isinstance(caught.value, Declined)


ONE = "parameters: {{type: object, properties: {{word: {{type: string}}}}}}\nplan: [{{tool: code_run, args: {{type: bash, script: {script}}}, expect: {expect}, save: {save}}}]\nresult: 'ok'\n"


@cases
def test_a_step_that_differs_stops_and_says_how(
    script: str, expect: str, save: str, says: str, tmp_path: Path
) -> None:
    model = _rote(
        tmp_path / "sop", ONE.format(script=json.dumps(script), expect=expect, save=save), {}
    )
    reply, _ = _ask(model)
    with pytest.raises(Diverged) as caught:
        _ask(model, _do(reply.calls[0], tmp_path))
    assert says in caught.value.reason and not isinstance(caught.value, Declined)
    event = caught.value.event
    assert event and (event["step"], event["state"], event["reason"]) == (
        "plan.1",
        "diverged",
        caught.value.reason,
    )


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_handover_says_what_matched_what_differed_and_what_has_happened(
    lang: str, tmp_path: Path
) -> None:
    box = _box(tmp_path, "first-name", "second")
    model = _rote(tmp_path / "sop", STEPS, {"folder": str(box)}, lang)
    reply, _ = _ask(model)
    reply, _ = _ask(model, _do(reply.calls[0], tmp_path))
    reply, _ = _ask(model, _do(reply.calls[0], tmp_path))
    (box / "list.txt").unlink()  # the world changes before the check
    with pytest.raises(Diverged) as caught:
        _ask(model, _do(reply.calls[0], tmp_path))
    told = caught.value.handover
    for part in (
        "demo",
        str(box),
        "first-name",
        "check.1",
        "commit.1 file_write",
        "SKILL.md",
        caught.value.reason,
    ):
        assert part in told, part
    assert "{" not in told.replace('{"folder"', "")


@cases
def test_extractors(output: str, extractor: str, value: Any) -> None:
    values = {"who": "x", "code": "S-2"}
    assert extract(ToolResult("ok", {"exit_code": 0, "output": output}), extractor, values) == value


ECHO = "parameters: {type: object, properties: {word: {type: string}}}\nplan: [{tool: code_run, args: {type: bash, script: 'printf %s \"$word\"'}, expect: {exit_code: 0}, save: {said: data.output}}]\nresult: '{{said}}'\n"


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.text(alphabet=st.sampled_from("$()`'\"\\;|&<>{}*?[]!#~ ab\n中😀."), max_size=60).filter(
        lambda s: s.strip() == s
    )
)
def test_no_parameter_becomes_a_command(tmp_path: Path, word: str) -> None:
    folder = tmp_path / "work"
    folder.mkdir(exist_ok=True)
    before = sorted(path.name for path in tmp_path.iterdir())
    assert _run(_rote(tmp_path / "sop", ECHO, {"word": word}), folder)[0] == word
    assert sorted({*(path.name for path in tmp_path.iterdir()), "sop"}) == sorted({*before, "sop"})


def test_a_template_in_code_of_any_tool_is_refused_before_the_call(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "fill.js").write_text("await type('e1', '{{text}}')", "utf-8")
    (tmp_path / "sop.yaml").write_text(
        "parameters: {type: object, properties: {text: {type: string}}, required: [text]}\n"
        "effects: external\ncommit:\n"
        "  - {tool: web_execute_js, args: {script: {file: scripts/fill.js}}}\nresult: done\n"
    )
    model = RoteModel(
        read_procedure(tmp_path), {"text": "milk"}, sop="fill", version=1, lang="en", cwd=tmp_path
    )
    with pytest.raises(Diverged, match="was left unfilled"):
        list(model.reply(Request(1, [])))
