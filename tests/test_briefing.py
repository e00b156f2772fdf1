"""Check what a model is told and when: nothing before it is asked, changed files before the next
turn, words to remember at once."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from config import SopwithError
from context import Prompts
from memory.logs import read_events
from models.base import Event
from runs.assemble import Options
from runs.control.bounds import AbsentOwner
from runs.resume import read_progress
from tests.conftest import CommandLine
from tests.driving import agent, bash, call, drive, of, run, without_tail
from tests.scripted_server import Answer
from tests.test_resume import an_sop

WHOLE = {"en": "Remember that the printer is called inky", "zh": "记住打印机叫 inky"}
BOTH = "I hate Redux. Write the store of the shop in plain functions."


def today() -> str:
    return f"memory/{datetime.now().astimezone():%Y-%m-%d}.md"


def system(event: Event) -> str:
    return str(event["messages"][0]["content"])


def rebuilt(home: Path, id: str) -> list[dict[str, Any]]:
    return read_progress(read_events(home, id), Prompts("en"), home / "runs" / id).messages


def test_a_replay_builds_no_context(home: Path) -> None:
    an_sop(home)
    events = drive(agent(home, None).run_sop("append", {}, Options(), AbsentOwner()))
    assert events[-1]["status"] == "done" and of(events, "context") == []
    assert "messages" not in events[0] and not (home / "AGENTS.md").exists()


def test_a_handover_builds_the_context_and_the_log_rebuilds_it(
    home: Path, scripted_server: Any
) -> None:
    an_sop(home)
    text = (home / "sops/append/sop.yaml").read_text()
    (home / "sops/append/sop.yaml").write_text(text.replace("echo look >> looked", "exit 3"))
    server = scripted_server([Answer(text="done by hand")])
    settings = f"models: [{{name: main, model: m, base_url: '{server.base_url}'}}]"
    events = drive(agent(home, None, settings).run_sop("append", {}, Options(), AbsentOwner()))
    kinds = [
        event["type"]
        for event in events
        if event["type"] in ("handover", "context", "model_called")
    ]
    assert (
        kinds == ["model_called", "handover", "context", "model_called"]
        and events[-1]["status"] == "done"
    )
    sent = server.requests[0].body["messages"]
    assert [message["role"] for message in sent][:3] == ["system", "user", "assistant"]
    logged = list(read_events(home, events[0]["run"]))
    last = max(at for at, event in enumerate(logged) if event["type"] == "model_called")
    progress = read_progress(logged[:last], Prompts("en"), home / "runs" / events[0]["run"])
    assert progress.messages == without_tail(sent)


def test_a_changed_file_is_read_before_the_next_turn(home: Path, scripted_server: Any) -> None:
    (home / "TOOLS.md").parent.mkdir(parents=True, exist_ok=True)
    (home / "TOOLS.md").write_text("The printer is called inky.\n")
    server = scripted_server(
        [*(Answer(calls=bash(f"echo {n}")["calls"]) for n in (1, 2)), Answer(text="done")]
    )
    settings = f"models: [{{name: main, model: m, base_url: '{server.base_url}'}}]"
    started = agent(home, None, settings).start("x", Options(rote=False), AbsentOwner())
    events = []
    for event in started.events():
        events.append(event)
        if event["type"] == "tool_ended" and event["turn"] == 1:
            (home / "TOOLS.md").write_text("The scanner is called otto.\n")
    assert [(event["turn"], list(event["files"])) for event in of(events, "reloaded")] == [
        (2, ["TOOLS.md"])
    ]
    first, second, third = (without_tail(recorded.body["messages"]) for recorded in server.requests)
    assert "inky" in first[0]["content"] and "otto" not in json.dumps(first)
    assert second[:2] == first and "otto" in second[4]["content"] and third[:5] == second[:5]
    assert json.dumps(third[5:]).count("otto") == 0
    assert rebuilt(home, started.id)[:7] == third[:7]


def test_a_file_that_changed_while_the_run_was_stopped_is_read_when_it_goes_on(home: Path) -> None:
    (home / "TOOLS.md").parent.mkdir(parents=True, exist_ok=True)
    (home / "TOOLS.md").write_text("The printer is called inky.\n")
    one = agent(home, [bash("echo 1"), "done"])
    id = drive(one.start("task", Options(rote=False, max_turns=1), AbsentOwner()))[0]["run"]
    (home / "TOOLS.md").write_text("The printer is called otto.\n")
    events = drive(one.resume(id, Options(), AbsentOwner()))
    assert [list(event["files"]) for event in of(events, "reloaded")] == [["TOOLS.md"]]
    assert "otto" in json.dumps(rebuilt(home, id))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_request_to_remember_needs_no_model(home: Path, cli: CommandLine, lang: str) -> None:
    code, out, _ = cli("run", WHOLE[lang], "--lang", lang)
    assert (
        code == 0
        and "inky" in out
        and out.startswith(Prompts("zh" if lang == "zh" else "en").text("noted", text=""))
    )
    assert "inky" in (home / today()).read_text("utf-8")


def test_what_a_task_says_for_good_is_on_disk_before_the_model_is_asked(home: Path) -> None:
    started = agent(home, ["done"]).start(BOTH, Options(rote=False), AbsentOwner())
    for event in started.events():
        if event["type"] == "turn_started":
            assert "Redux" in (home / today()).read_text("utf-8")
    events = list(read_events(home, started.id))
    noted = of(events, "noted")
    assert [(event["kind"], event["file"]) for event in noted] == [("preference", today())]
    assert f"run={started.id}" in (home / today()).read_text("utf-8")
    assert of(events, "reloaded") == []


def test_a_note_that_cannot_be_written_is_said_and_the_run_goes_on(home: Path) -> None:
    (home / today()).mkdir(parents=True)
    events = run(home, ["done"], task=BOTH)
    assert of(events, "noted")[0]["problem"] and events[-1]["status"] == "done"
    with pytest.raises(SopwithError):
        run(home, ["done"], task=WHOLE["en"])


def a_persona(home: Path) -> None:
    (home / "personas").mkdir(parents=True, exist_ok=True)
    (home / "personas/pirate.md").write_text(
        "---\nname: Pirate\ndescription: a captain at sea\n---\nSay arr.\n"
    )


def test_a_persona_is_told_to_the_model_and_kept_over_a_resume(home: Path) -> None:
    a_persona(home)
    one = agent(home, [call("ask_user", question="?"), "done"])
    events = drive(one.start("task", Options(rote=False, persona="pirate"), AbsentOwner()))
    assert events[0]["persona"] == "pirate" and "Say arr." in system(of(events, "context")[0])
    assert "Say arr." not in system(of(run(home, ["done"]), "context")[0])


def test_a_shared_conversation_cannot_go_on_from_a_run_of_the_owner(
    home: Path, cli: CommandLine
) -> None:
    id = run(home, ["the code is 4711"], task="what is the door code")[0]["run"]
    agent(home, ["hello group"])
    for words in (["--resume", id], ["--resume", "last"], ["--continue"]):
        code, out, said = cli("chat", "--session", "shared:team", *words, stdin="hi\n")
        assert "4711" not in out + said and "door code" not in out + said
        assert (code != 0) == ("--resume" in words) or "not for this session" in said
    told = [
        json.dumps(list(read_events(home, each.name)))
        for each in (home / "runs").iterdir()
        if each.name != id
    ]
    assert told and not any("4711" in each or "door code" in each for each in told)
