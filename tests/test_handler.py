"""One call in, one outcome out: held by whole runs whose model is a script."""

import json
from pathlib import Path
from typing import Any

import pytest

from handler import Approval
from models.base import Event
from runs.assemble import Options
from runs.control.bounds import AbsentOwner
from tests.driving import SpokenOwner, agent, bash, call, drive, of, run
from tests.rows import cases
from tests.scripted_server import Answer


def last(events: list[Event]) -> Event:
    assert events[-1]["type"] == "run_ended"
    return events[-1]


def told(events: list[Event], turn: int) -> Any:
    """Return what the tool of a turn brought."""
    return next(event["data"] for event in of(events, "tool_ended") if event["turn"] == turn)


def test_a_task_runs_to_its_answer(home: Path) -> None:
    events = run(home, [bash("echo 6 times 7 is $((6*7))"), "It is 42."])
    assert last(events)["status"] == "done" and last(events)["result"] == "It is 42."
    assert last(events)["exit"] == "CURRENT_TASK_DONE" and last(events)["turns"] == 2
    assert "42" in told(events, 1)["output"]


def test_an_unknown_tool_is_answered_with_the_nearest_names_and_the_descriptions_come_again(
    home: Path,
) -> None:
    events = run(home, [call("code_runn", type="bash", script="ls"), "done"])
    assert "code_run" in told(events, 1) and of(events, "tool_started") == []
    assert last(events)["status"] == "done"


@cases
def test_wrong_arguments_are_an_outcome_that_says_what_is_wrong(
    home: Path, args: dict[str, Any], says: str
) -> None:
    events = run(home, [{"calls": [{"name": "code_run", "args": args}]}, "done"])
    assert says in told(events, 1) and of(events, "tool_started") == []


def test_broken_json_is_an_outcome_and_the_history_stays_valid(home: Path) -> None:
    broken = {
        "calls": [
            {"name": "code_run", "raw": '{"type": "ba', "error": "not JSON: ends in a string"}
        ]
    }
    events = run(home, [broken, "done"])
    assert "ends in a string" in told(events, 1) and last(events)["status"] == "done"


def test_only_the_first_call_of_a_reply_is_carried_out(home: Path) -> None:
    two = {"calls": [bash("echo first")["calls"][0], bash("echo second > second")["calls"][0]]}
    events = run(home, [two, "done"])
    assert len(of(events, "tool_started")) == 1 and not (Path.cwd() / "second").exists()


@pytest.mark.parametrize(
    "reply", ["", "```python\nprint(1)\n```", {"text": "I will now", "finish": "length"}]
)
def test_what_is_no_answer_is_asked_again(home: Path, reply: Any) -> None:
    events = run(home, [reply, reply, reply, "The answer."])
    assert last(events)["result"] == "The answer." and len(of(events, "reminder")) == 3


def test_four_empty_replies_in_a_row_fail_the_run(home: Path) -> None:
    events = run(home, ["", "", "", "", "never"])
    assert (
        last(events)["status"] == "failed"
        and last(events)["exit"] == "EXITED"
        and last(events)["turns"] == 4
    )


def reminders(events: list[Event]) -> list[tuple[int, str]]:
    return [(event["turn"], event["kind"]) for event in of(events, "reminder")]


def test_at_the_last_turn_the_run_sums_up_and_can_go_on_later(
    home: Path, scripted_server: Any
) -> None:
    server = scripted_server(
        [
            *(Answer(calls=bash(f"echo {name}")["calls"]) for name in ("one", "two")),
            Answer(text="Two are listed. <open>the third one</open>"),
            Answer(calls=bash("echo three")["calls"]),
            Answer(text="All three are listed."),
        ]
    )
    settings = f"models: [{{name: main, model: m, base_url: '{server.base_url}'}}]"
    options = Options(rote=False, max_turns=3)
    events = drive(agent(home, None, settings).start("list", options, AbsentOwner()))
    assert reminders(events) == [(3, "last_turn"), (3, "summed_up")]
    ended = last(events)
    assert (ended["status"], ended["exit"]) == ("limit", "MAX_TURNS_EXCEEDED")
    assert ended["result"].startswith("Two are listed. the third one\n\nturn limit reached")
    again = agent(home, None, settings).resume(ended["run"], options, AbsentOwner())
    assert last(drive(again))["result"] == "All three are listed."
    said = [message["role"] for message in server.requests[3].body["messages"]]
    assert said == ["system", "user", *["assistant", "tool"] * 2, "assistant", "user"]


def test_an_unattended_run_saves_a_checkpoint_at_turn_30_and_goes_on(home: Path) -> None:
    saved = call("update_working_checkpoint", key_info="29 parts are listed, go on with 30")
    script = [*[bash(f"echo {n}") for n in range(1, 31)], saved, bash("echo on"), "done"]
    events = run(home, script)
    assert (30, "must_save") in reminders(events)
    statuses = {event["turn"]: event["status"] for event in of(events, "tool_ended")}
    assert [statuses[turn] for turn in (29, 30, 31, 32)] == ["ok", "refused", "ok", "ok"]
    assert last(events)["status"] == "done"


def test_at_turn_30_only_a_question_is_accepted(home: Path) -> None:
    owner = SpokenOwner(answers=["go on"])
    script = [
        *[bash(f"echo {n}") for n in range(1, 32)],
        call("ask_user", question="What now?"),
        bash("echo on"),
        "done",
    ]
    events = run(home, script, owner)
    statuses = {event["turn"]: event["status"] for event in of(events, "tool_ended")}
    assert (statuses[29], statuses[30], statuses[31], statuses[32], statuses[33]) == (
        "ok",
        "refused",
        "refused",
        "ok",
        "ok",
    )
    assert owner.asked == ["What now?"] and last(events)["status"] == "done"


def test_the_same_call_with_the_same_result_is_pointed_out_and_then_ends_the_run(
    home: Path,
) -> None:
    events = run(home, [bash("echo same")] * 9)
    assert [(e["turn"], e["kind"]) for e in of(events, "reminder")] == [
        (3, "loop_told"),
        (5, "loop_failed"),
    ]
    assert last(events)["status"] == "failed" and last(events)["turns"] == 5


def trash(name: str) -> dict[str, Any]:
    return call("file_trash", paths=[name])


def test_removal_is_confirmed_and_the_owner_sees_the_exact_effect(home: Path) -> None:
    (Path.cwd() / "old.txt").write_text("old")
    owner = SpokenOwner(approvals=[Approval("once")])
    events = run(home, [trash("old.txt"), "gone"], owner)
    assert "old.txt" in owner.shown[0].preview and owner.shown[0].tool == "file_trash"
    assert not (Path.cwd() / "old.txt").exists() and last(events)["status"] == "done"
    assert [e["decision"] for e in of(events, "confirmed")] == ["once"]


def test_an_approval_for_the_run_is_not_asked_again(home: Path) -> None:
    for name in "ab":
        (Path.cwd() / name).write_text(name)
    owner = SpokenOwner(approvals=[Approval("run")])
    run(home, [trash("a"), trash("b"), "gone"], owner)
    assert len(owner.shown) == 1 and not (Path.cwd() / "b").exists()


def test_a_shared_session_is_offered_no_tool_that_reads_writes_or_runs(home: Path) -> None:
    events = run(
        home,
        [bash("cat /etc/passwd"), call("file_read", path="/etc/passwd"), "done"],
        session="shared:team",
    )
    assert of(events, "tool_started") == [] and "root" not in json.dumps(of(events, "tool_ended"))
