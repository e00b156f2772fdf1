"""A run goes on from what its log says: nothing finished is done again, nothing uncertain is done
twice."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from memory.logs import RunLogError, list_runs, read_events
from memory.working import Letters
from runs.assemble import Agent, Options
from runs.control.bounds import AbsentOwner, ApprovingOwner
from tests.conftest import CHECKOUT
from tests.driving import agent, bash, call, drive, of, put_sop, without_tail
from tests.machine import Hold, ran
from tests.scripted_server import Answer


def plain() -> Options:
    return Options(rote=False)


CRASHING = """
import os, sys
from pathlib import Path
from tests.scripted_server import Answer
from tests.driving import agent
from runs.assemble import Options
from runs.control.bounds import AbsentOwner
import json
home, stop_after, times = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
one, options = agent(home, json.loads(sys.argv[4]), "".join(sys.argv[5:])), Options(rote=False)
sop = (home / "sops" / "append").is_dir()
run = one.run_sop("append", {}, options, AbsentOwner()) if sop else one.start("task", options, AbsentOwner())
for event in run.events():
    times -= event["type"] == stop_after
    if not times:
        os._exit(9)
"""


def begin(
    home: Path, replies: Sequence[Any] | None, stop_after: str, times: int = 1, settings: str = ""
) -> tuple[Agent, str]:
    """Drives a run in a process that dies right after the `times`-th event of a type."""
    command = [
        sys.executable,
        "-c",
        CRASHING,
        str(home),
        stop_after,
        str(times),
        json.dumps(replies),
        settings,
    ]
    died = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(CHECKOUT)}, check=False)
    assert died.returncode == 9
    return agent(home, replies, settings), list_runs(home)[0].run


def append(name: str) -> dict[str, Any]:
    return bash(f"echo {name} >> effects")


def effects() -> list[str]:
    path = Path.cwd() / "effects"
    return path.read_text().split() if path.exists() else []


def test_finished_turns_are_kept_and_not_repeated(home: Path) -> None:
    again, run = begin(home, [append("a"), append("b"), append("c"), "done"], "tool_ended", 2)
    events = drive(again.resume(run, plain(), AbsentOwner()))
    assert (
        effects() == ["a", "b", "c"] and events[-1]["status"] == "done" and events[-1]["turns"] == 4
    )
    assert events[0]["type"] == "run_resumed"


def test_a_reply_whose_call_never_started_is_used_without_asking_the_model_again(
    home: Path,
) -> None:
    again, run = begin(home, [append("a"), append("b"), "done"], "model_called", 2)
    events = drive(again.resume(run, plain(), AbsentOwner()))
    assert effects() == ["a", "b"]
    assert [e["turn"] for e in of(events, "reply_reused")] == [2] and [
        e["turn"] for e in of(events, "model_called")
    ] == [3]


def test_a_call_with_no_end_is_not_done_again_and_the_model_and_the_owner_are_told(
    home: Path,
) -> None:
    again, run = begin(home, [append("a"), append("b"), "done"], "tool_started", 2)
    events = drive(again.resume(run, plain(), AbsentOwner()))
    assert effects() == ["a"] and [e["turn"] for e in of(events, "uncertain")] == [2]
    assert of(events, "tool_ended")[0]["status"] == "error" and events[-1]["status"] == "done"


def test_a_call_that_only_reads_is_simply_done_again(home: Path) -> None:
    (Path.cwd() / "note").write_text("hello")
    again, run = begin(home, [call("file_read", path="note"), "done"], "tool_started")
    events = drive(again.resume(run, plain(), AbsentOwner()))
    assert of(events, "uncertain") == [] and "hello" in json.dumps(
        of(events, "tool_ended")[0]["data"]
    )


def test_a_resumed_run_sends_the_very_history_that_an_uninterrupted_one_sends(
    home: Path, tmp_path: Path, scripted_server: Any
) -> None:
    script = [
        Answer(
            calls=[{"name": "update_working_checkpoint", "args": {"key_info": "k"}, "id": "c1"}]
        ),
        Answer(text=""),
        Answer(
            text="I try.",
            calls=[
                {
                    "name": "code_run",
                    "args": {"type": "bash", "script": "echo one; exit 3"},
                    "id": "c3",
                }
            ],
        ),
        Answer(
            calls=[
                {
                    "name": "code_run",
                    "args": {"type": "bash", "script": f"echo {name}"},
                    "id": f"two-{name}",
                }
                for name in ("a", "b")
            ]
        ),
        Answer(calls=[{"name": "nope", "args": {}, "id": "c5"}]),
        Answer(text="done"),
    ]

    def one_agent(folder: Path, server: Any) -> Agent:
        settings = f"models: [{{name: main, model: m, base_url: '{server.base_url}'}}]"
        return agent(folder, None, settings)

    whole = scripted_server(script)
    drive(one_agent(tmp_path / "a/home", whole).start("task", plain(), AbsentOwner()))
    parts = scripted_server(script)
    one_agent(tmp_path / "b/home", parts)
    command = [sys.executable, "-c", CRASHING, str(tmp_path / "b/home"), "tool_ended", "4", "null"]
    settings = f"models: [{{name: main, model: m, base_url: '{parts.base_url}'}}]"
    died = subprocess.run(
        [*command, settings], env={**os.environ, "PYTHONPATH": str(CHECKOUT)}, check=False
    )
    assert died.returncode == 9 and len(parts.requests) == 5
    drive(one_agent(tmp_path / "b/home", parts).resume("last", plain(), AbsentOwner()))
    sent, sent_again = (server.requests[5].body["messages"] for server in (whole, parts))
    for messages in (sent, sent_again):  # a minute may pass between the two runs
        messages[1]["content"] = re.sub(r"Now: .*", "Now: then", messages[1]["content"])
    assert without_tail(sent_again) == without_tail(sent) and sent[-1]["role"] == "tool"
    assert "<key_info>k</key_info>" in sent_again[-1]["content"]
    assert "<history turns=1-5>" in sent_again[-1]["content"]


SOP = """\
effects: local
plan:
  - {tool: code_run, args: {type: bash, script: "echo look >> looked"}}
commit:
  - {tool: code_run, args: {type: bash, script: "echo line >> effects"}}
result: appended
"""


def an_sop(home: Path) -> None:
    put_sop(home, "append", SOP)


def test_a_replay_killed_in_a_commit_step_does_not_do_it_again_and_stops(home: Path) -> None:
    an_sop(home)
    again, run = begin(home, None, "tool_started", 2)
    events = drive(again.resume(run, plain(), AbsentOwner()))
    assert effects() == [] and len(of(events, "uncertain")) == 1
    assert events[-1]["status"] == "failed" and "may" in events[-1]["result"]


def test_a_run_that_is_done_is_not_resumed(home: Path) -> None:
    one = agent(home, ["done"])
    run = drive(one.start("task", plain(), AbsentOwner()))[0]["run"]
    with pytest.raises(RunLogError, match="already done"):
        one.resume(run, plain(), AbsentOwner())
    with pytest.raises(RunLogError, match="already done"):  # and the lock was let go
        one.resume(run, plain(), AbsentOwner())


def test_what_was_said_to_a_run_that_was_killed_is_heard_once(home: Path) -> None:
    """It died with the first letter in its log and the second not."""
    script = [append("a"), append("b"), "done"]
    one = agent(home, script).start("task", plain(), AbsentOwner())
    letters = Letters(home / "runs" / one.id)
    letters.leave("first")
    for event in one.events():
        if event["type"] == "steered":
            letters.leave("second\nline")
        if event["type"] == "tool_started":
            break
    log = home / "runs" / one.id / "log.jsonl"
    log.write_text(
        "".join(line for line in log.read_text().splitlines(True) if '"run_ended"' not in line)
    )
    events = drive(agent(home, script).resume(one.id, plain(), AbsentOwner()))
    assert [event["text"] for event in of(events, "steered")] == ["second line"]
    assert [event.get("letter") for event in of(list(read_events(home, one.id)), "steered")] == [
        1,
        2,
    ]


def test_killed_runs_lose_and_double_nothing(tmp_path: Path) -> None:
    command = [str(CHECKOUT / "scripts/crash_test"), "4", "--seed", str(os.getpid())]
    done = ran(sys.executable, *command)
    assert done.returncode == 0, done.stdout + done.stderr


def test_everything_allowed_still_asks_what_only_the_owner_knows(home: Path) -> None:
    owner = ApprovingOwner(AbsentOwner())
    events = drive(agent(home, [call("ask_user", question="Who?")]).start("task", plain(), owner))
    assert events[-1]["status"] == "waiting"


def test_a_tool_that_outlived_its_run_is_stopped_when_the_run_goes_on(home: Path) -> None:
    hold = Hold()
    replies = [bash(f"echo there; {hold.command}; echo late >> effects"), "done"]
    again, run = begin(
        home, replies, "tool_output", settings="safety: {sandbox: none}"
    )  # in one it ends with its run
    hold.reached()
    events = drive(again.resume(run, plain(), AbsentOwner()))
    assert any(hold.seconds in line for line in events[0]["stopped"]) and effects() == []
    hold.left()
