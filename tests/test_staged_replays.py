"""A replay is a transaction: its script runs in a stage, is held against the expectation, judged by
what it changed, and committed or left."""

from pathlib import Path
from typing import Any

import pytest

from handler import Approval
from memory.inbox import Answer, Inbox
from models.base import Event
from runs.assemble import Agent, Options
from runs.control.bounds import AbsentOwner
from sandbox.undo import UndoStore
from tests.driving import SpokenOwner, agent, drive, of, put_sop

TOP = "parameters: {type: object, properties: {folder: {type: string, format: path}}, required: [folder]}\n"


pytestmark = pytest.mark.usefixtures("staged")


def sop(home: Path, script: str, changes: str, more: str = "") -> Agent:
    """Return an agent with one SOP, whose script works in its folder."""
    run = f"run: {{cwd: '{{{{folder}}}}', script: '{script}'}}\n"
    put_sop(home, "clean", f"{TOP}{run}expect: {{changes: {changes}{more}}}\n")
    return agent(home, None)


def replay(one: Agent, owner: Any = None) -> list[Event]:
    found = one.run_sop("clean", {"folder": str(Path.cwd())}, Options(), owner or SpokenOwner())
    return drive(found)


def write(**files: str) -> None:
    for name, text in files.items():
        (Path.cwd() / name).write_text(text)


def there() -> dict[str, str]:
    return {each.name: each.read_text() for each in Path.cwd().iterdir() if each.is_file()}


def test_what_is_as_expected_and_harmless_is_committed_unasked_and_can_be_undone(
    home: Path,
) -> None:
    write(a="a")
    one = sop(home, 'getent() { tr a b < a > "$1"; }; getent b', "{new: ['{{folder}}/b']}")
    events = replay(one)
    assert events[-1]["status"] == "done" and there() == {"a": "a", "b": "b"}
    assert not of(events, "confirm") and of(events, "changes")[0]["new"] == 1
    assert UndoStore(home).undo(events[0]["run"]).paths and there() == {"a": "a"}


def test_a_replay_that_takes_files_away_is_asked_about_by_its_changes(home: Path) -> None:
    write(a="a")
    one = sop(home, 'f=un; "${f}link" a', "{gone: ['{{folder}}/a']}")
    owner = SpokenOwner(approvals=[Approval("no", "keep it")])
    events = replay(one, owner)
    assert f"- {Path.cwd() / 'a'}" in owner.shown[0].preview and there() == {"a": "a"}
    assert of(events, "confirm")[0]["changes"][0]["kind"] == "gone"
    assert events[-1]["status"] == "failed" and not of(events, "changes")


def test_what_a_replay_waits_with_is_committed_on_approval_and_answered(home: Path) -> None:
    write(a="a")
    one = sop(home, "rm a; echo 7", "{gone: ['{{folder}}/a']}", ", output: {type: number}")
    assert replay(one, AbsentOwner())[-1]["status"] == "waiting" and there() == {"a": "a"}
    [entry] = Inbox(home).list()
    Inbox(home).answer(entry, Answer("approve"))
    events = drive(one.resume(entry.run, Options(), AbsentOwner()))
    assert events[-1]["status"] == "done" and events[-1]["result"] == "7"
    assert there() == {} and events[-1]["rote"] is True


def test_what_is_not_as_expected_changes_nothing_and_is_not_asked_about(home: Path) -> None:
    write(a="a", b="b")
    one = sop(home, "rm a b", "{gone: ['{{folder}}/a']}")
    events = replay(one)
    assert events[-1]["status"] == "failed" and "never did before" in events[-1]["result"]
    assert there() == {"a": "a", "b": "b"} and not of(events, "confirm")
    assert UndoStore(home).all() == []


def test_a_long_output_is_held_whole_against_the_expectation(home: Path) -> None:
    lines = "for n in {1..9000}; do echo 123456789; done"
    one = sop(home, f"{lines}; echo end", "{}", ", output: {type: lines, empty: false}")
    events = replay(one)
    assert events[-1]["status"] == "done" and events[-1]["result"].count("123456789") == 9000


def test_a_replay_reads_the_file_of_secrets_that_its_owner_said_yes_to(home: Path) -> None:
    write(**{".env": "DEBUG=0\n"})
    script = "sed -i s/DEBUG=.*/DEBUG=1/ .env; grep -c = .env"
    one = sop(home, script, "{changed: ['{{folder}}/.env']}", ", output: {type: number}")
    owner = SpokenOwner(approvals=[Approval("once"), Approval("once")])
    events = replay(one, owner)
    assert events[-1]["result"] == "1" and there() == {".env": "DEBUG=1\n"}


def test_a_parameter_may_be_called_item(home: Path) -> None:
    one = sop(home, 'echo "$item" > new', "{new: ['{{folder}}/new']}")
    path = home / "sops" / "clean" / "sop.yaml"
    text = path.read_text().replace("properties: {", "properties: {item: {type: string}, ")
    path.write_text(text)
    one.sops.reload()
    values = {"folder": str(Path.cwd()), "item": "milk"}
    assert drive(one.run_sop("clean", values, Options(), SpokenOwner()))[-1]["status"] == "done"
    assert there() == {"new": "milk\n"}
