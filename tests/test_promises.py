"""Check what scripts and hand-written files rely on, seen from outside: events on stdout and in the
log, and an SOP as docs show it."""

import json
import os
import re
import time
from pathlib import Path
from typing import Any

from tests.conftest import CommandLine
from tests.driving import put_sop
from tests.rows import rows
from tests.scripted_server import Answer, ScriptedServer

FIELDS = {event: set(fields) for event, fields in rows(__name__, "fields")}
NOT_LOGGED = {"text", "text_reset", "tool_output", "journal_failed", "learned"}
BY_HAND = """\
parameters: {type: object, properties: {folder: {type: string, format: path}, days: {type: integer, minimum: 1}}, required: [folder]}
wordings: ["put away what is older than {days} days in {folder}", "把 {folder} 里超过 {days} 天的东西收走"]
requires: {commands: [find], env: [], platform: [linux, darwin]}
effects: destructive
plan:                        # reads only; decides everything
  - {tool: code_run, args: {type: bash, script: 'find "$folder" -type f -mtime "+$days" -print'}, expect: {exit_code: 0}, save: {old: lines}}
commit:                      # what changes something, after the guards
  - {tool: file_trash, args: {paths: "{{old}}"}, expect: {status: ok}}
result: "{{old | count}} files older than {{days}} days moved to the trash"
checks: [{command: 'test -z "$(find "$folder" -type f -mtime "+$days")"'}]
"""


def call(name: str, **args: Any) -> Answer:
    return Answer(calls=[{"name": name, "args": args}])


def of_stdout(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def check_fields(events: list[dict[str, Any]]) -> set[str]:
    """Check each event against what is promised of it; return the types that were there."""
    for event in events:
        assert FIELDS.get(event["type"], set()) <= event.keys(), event
        assert event["run"] and re.fullmatch(
            r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", event["at"]
        )
    return {event["type"] for event in events}


def test_events_on_stdout_have_their_fields_and_are_those_of_the_log(
    home: Path, tmp_path: Path, cli: CommandLine
) -> None:
    (tmp_path / "old").write_text("x")
    script = [
        Answer("我看看。", calls=[{"name": "code_run", "args": {"script": "echo 你好; exit 3"}}]),
        call("no_such_tool"),
        call("ask_user", question="哪一个？", candidates=["甲", "乙"]),
        call("file_trash", paths=[str(tmp_path / "old")]),
        Answer("好了。"),
    ]
    with ScriptedServer(script) as server:
        env = {"OPENAI_BASE_URL": server.base_url, "SOPWITH_MODEL": "m"}
        seen: list[dict[str, Any]] = []
        for words, code in (("run 试一试", 3), ("inbox answer ID 乙", 3), ("inbox approve ID", 0)):
            waits = next(
                (each["id"] for each in reversed(seen) if each["type"] in ("asked", "confirm")), ""
            )
            done = cli(*words.replace("ID", waits).split(), "--events", env=env)
            assert done.code == code, done.stderr
            seen += of_stdout(done.stdout)
    assert check_fields(seen) >= FIELDS.keys() - {"reminder", "rote"}
    (log,) = (home / "runs").glob("2*/log.jsonl")
    assert [event for event in seen if event["type"] not in NOT_LOGGED] == of_stdout(
        log.read_text("utf-8")
    )
    ends = [event for event in seen if event["type"] == "run_ended"]
    assert [event["status"] for event in ends] == ["waiting", "waiting", "done"]
    assert (ends[-1]["result"], ends[-1]["turns"], ends[-1]["model_calls"]) == ("好了。", 5, 5)
    assert ends[-1]["tokens"] == {"input": 500, "cached": 0, "output": 50}


def test_an_sop_written_by_hand_is_done_in_both_languages_without_a_model(
    home: Path, tmp_path: Path, cli: CommandLine
) -> None:
    put_sop(home, "put-away", BY_HAND)
    work = tmp_path / "文件 夹"
    work.mkdir()
    for wording in (
        f'put away what is older than 30 days in "{work}"',
        f"把 “{work}” 里超过 30 天的东西收走",
    ):
        for age in (1, 40, 50):
            (work / f"{age}").write_text("x")
            os.utime(work / f"{age}", (time.time() - age * 86_400,) * 2)
        code, out, err = cli("run", wording, "--approve", "all", "--events")
        assert code == 0, err
        events = of_stdout(out)
        assert "rote" in check_fields(events)
        (end,) = [event for event in events if event["type"] == "run_ended"]
        assert (end["result"], end["rote"]) == (
            "2 files older than 30 days moved to the trash",
            True,
        )
        assert [path.name for path in work.iterdir()] == ["1"]
    code, _, err = cli("sops", "run", "put-away", f"folder={work}", "days=0")
    assert code == 2 and "'days' must be 1 or more" in err
