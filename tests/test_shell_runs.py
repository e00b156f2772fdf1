"""Shells and processes in whole runs: the gate, the owner's password that is nowhere, the command
line."""

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from config import SafetyConfig
from safety.gate import Ask, Decision, Gate
from sandbox.network import leave_of
from tests.conftest import CommandLine
from tests.driving import SpokenOwner, call, of, run
from tests.machine import PATIENCE_SECONDS
from tests.rows import cases
from tools.processes.calls import identity

PASSWORD = "wombat-Flight_77"
ASK = f"{shlex.quote(sys.executable)} -c \"import getpass; print(len(getpass.getpass('Key: ')))\""


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    owner = tmp_path / "owner"
    return Gate(SafetyConfig(), owner / ".sopwith", owner, tmp_path / "cwd", sandboxed=True)


def typed(gate: Gate, text: str | None, *program: str, **about: Any) -> Decision:
    """Return what the gate says of text for a program in a shell."""
    hints = {"cwd": str(gate.cwd), "program": list(program), **about}
    return gate.decide(Ask("shell_keys", {"text": text}, ("execute",), (), "main", hints=hints))


def ran(gate: Gate, script: str, **about: Any) -> Decision:
    return gate.decide(Ask("shell_run", {"script": script}, ("execute",), (), "main", hints=about))


@cases
def test_what_is_typed_is_a_script_to_the_gate(
    gate: Gate, text: str | None, program: tuple[str, ...], decision: str, risk: str
) -> None:
    found = typed(gate, text, *program)
    assert (found.decision, found.risk if found.decision != "allow" else "none") == (
        decision,
        risk,
    ), found.reason


def test_a_line_typed_in_pieces_is_seen_whole(gate: Gate) -> None:
    assert typed(gate, "rf /", "bash", typed="rm -").decision == "refuse"
    assert typed(gate, "rf /", is_shell=True, typed="rm -").decision == "refuse"


def test_a_command_is_judged_where_the_shell_is(gate: Gate) -> None:
    assert ran(gate, "rm -rf ./*", cwd="/").decision == "refuse"
    assert ran(gate, "rm -rf ./*", cwd=str(gate.cwd)).risk == "delete"
    assert ran(gate, "echo a > b", cwd=str(gate.cwd)).decision == "allow"
    assert ran(gate, "echo a > b", cwd="/usr/lib").decision == "confirm"


def test_a_look_at_the_machine_opens_no_shell_outside(gate: Gate) -> None:
    for tool in ("code_run", "shell_run"):
        ask = Ask(tool, {"script": "ps aux | head"}, ("execute",), (gate.cwd,), "main")
        assert leave_of(gate, ask).programs == ()


@pytest.mark.parametrize(
    ("whose", "decision"), [("ours", "refuse"), ("", "confirm"), ("run", "allow")]
)
def test_stopping_is_asked_about_unless_the_run_has_started_it(
    gate: Gate, whose: str, decision: str
) -> None:
    ask = Ask(
        "process_stop",
        {"process": "1@2"},
        ("write",),
        (),
        "main",
        hints={"shown": "x (1@2)", "whose": whose},
    )
    assert gate.decide(ask).decision == decision
    other = Ask(
        "process_stop",
        {"process": "3@4"},
        ("write",),
        (),
        "main",
        hints={"shown": "y (3@4)", "whose": whose},
    )
    assert (
        decision != "confirm" or gate.decide(ask).scope != gate.decide(other).scope
    )  # a yes is for this one


def test_a_password_of_the_owner_is_nowhere(home: Path) -> None:
    owner = SpokenOwner(secrets=[PASSWORD])
    replies = [
        call("shell_run", script=ASK),
        call("shell_run", script='read line; echo "$line"'),
        call("shell_keys", text="on the line"),
        {"text": "done"},
    ]
    events = run(home, replies, owner, task="use the terminal")
    ended = [event["data"] for event in of(events, "tool_ended")]
    assert ended[0]["output"].split() == ["Key:", str(len(PASSWORD))] and ended[2]["exit_code"] == 0
    assert "Key:" in owner.asked[0]
    kept = {str(path): path.read_bytes() for path in home.rglob("*") if path.is_file()}
    kept["events"] = json.dumps(events).encode()
    assert [where for where, data in kept.items() if PASSWORD.encode() in data] == []


def scripted(home: Path, *replies: Any) -> None:
    home.mkdir(parents=True, exist_ok=True)
    script = home.parent / "replies.json"
    script.write_text(json.dumps(replies))
    (home / "config.yaml").write_text(f"models: [{{name: s, kind: scripted, model: {script}}}]\n")


def events_of(cli: CommandLine, *words: str) -> list[Any]:
    return [
        json.loads(line) for line in cli("run", "--events", "--no-rote", *words).stdout.splitlines()
    ]


def test_a_process_of_somebody_else_is_stopped_when_the_owner_says_so(
    process: CommandLine, home: Path
) -> None:
    with subprocess.Popen(["sleep", "61"]) as other:
        scripted(home, call("process_stop", process=identity(other.pid)), {"text": "done"})
        (asked,) = of(events_of(process, "stop the process"), "confirm")
        assert (
            "stops sleep 61" in asked["reason"]
            and "which this run did not start" in asked["reason"]
        )
        assert (
            of(events_of(process, "--approve", "never", "stop it"), "tool_ended")[0]["status"]
            == "refused"
        )
        assert other.poll() is None
        assert (
            of(events_of(process, "--approve", "all", "stop it"), "tool_ended")[0]["status"] == "ok"
        )
        assert other.wait(PATIENCE_SECONDS) == -15


def test_the_command_line_uses_a_shell(cli: CommandLine, home: Path) -> None:
    scripted(
        home,
        call("shell_run", script="mkdir sub && cd sub && x=5"),
        call("shell_run", script="pwd; echo $x; read -p 'More? ' more; echo got $more"),
        call("shell_keys", text="好"),
        call("process_look", name="sleep-of-nobody"),
        {"text": "It works."},
    )
    events = events_of(cli, "play in the shell")
    assert not of(events, "confirm")
    said = [event["data"] for event in of(events, "tool_ended")]
    assert said[1]["waits_for"] == "a line" and said[1]["output"].splitlines()[0].endswith(
        "/cwd/sub"
    )
    assert said[2]["output"].endswith("got 好\n") and said[3]["count"] == 0
    assert events[0]["families"] == ["terminal"] and events[-1]["status"] == "done"
