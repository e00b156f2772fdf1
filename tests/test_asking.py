"""A request that is no exact wording, in whole runs: shown, asked for what is missing, done by
rote, and remembered."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from handler import Owner
from learning.route import Where, choose, exact_match
from memory.inbox import Answer as Said
from memory.inbox import Inbox
from memory.sops import SopStore
from models.base import Event
from runs.assemble import SEEDS, Agent, Options
from runs.control.bounds import AbsentOwner
from runs.schedule.folder import JobFolder
from tests.driving import SpokenOwner, agent, drive, of
from tests.rows import cases
from tests.scripted_server import Answer

SKILL = "---\nname: {name}\ndescription: {about}\nmetadata: {{sopwith-status: {status}}}\n---\nMind the header line.\n"
LAST = """\
parameters: {type: object, properties: {count: {type: integer, minimum: 1, description: how many lines}, file: {type: string, format: path}}, required: [count, file]}
wordings: ["show the last {count} lines of {file}", "显示 {file} 的最后 {count} 行"]
requires: {files: [file]}
plan:
  - {tool: code_run, args: {script: 'tail -n "$count" "$file"'}, expect: {exit_code: 0}, save: {lines: output}}
result: "{{lines}}"
"""
NOTE = """\
parameters: {type: object, properties: {file: {type: string, format: path}}, required: [file]}
wordings: ["stamp the invoice {file}"]
effects: local
commit:
  - {tool: file_write, args: {path: "{{file}}", content: stamped}}
result: stamped
"""
TASK = "give me the final 2 lines of {}"


class Choosing(SpokenOwner):
    """An owner who answers with these words."""

    def __init__(self, *answers: str) -> None:
        super().__init__(list(answers))
        self.questions: list[str] = []
        self.candidates: list[list[str]] = []

    def ask(self, id: str, question: str, candidates: list[str]) -> str | None:
        self.questions.append(question)
        self.candidates.append(candidates)
        return super().ask(id, question, candidates)


@cases
def test_a_newcomer_names_folders_beside_them(
    tmp_path: Path, task: str, sop: str, values: dict[str, Any]
) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "old.zip").write_bytes(b"PK")
    known = SopStore(SEEDS, tmp_path / "sops").all()
    match = exact_match(task, known, Where(tmp_path, tmp_path))
    expected = {
        name: str(tmp_path / value) if name in ("folder", "file") else value
        for name, value in values.items()
    }
    found = (match.sop.name, match.parameters) if match else ("", {})
    assert found == (sop, expected)


@pytest.mark.parametrize("task", ["convert 5 miles to kilometres", "rename a.jpg to b.jpg"])
def test_a_value_alone_makes_no_sop_near(tmp_path: Path, task: str) -> None:
    for name in ("a.jpg", "b.jpg"):
        (tmp_path / name).write_bytes(b"x")
    known = SopStore(SEEDS, tmp_path / "sops").all()
    assert choose(task, known, tmp_path, tmp_path).shown == []


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / "app.log").write_text("one\ntwo\nthree\n")
    return tmp_path / "app.log"


def taught(home: Path, settings: str = "", status: str = "active", lang: str = "en") -> Agent:
    for name, about, steps in (
        ("last-lines", "Shows the end of a file.", LAST),
        ("stamp", "Stamps an invoice.", NOTE),
    ):
        folder = home / "sops" / name
        if not folder.exists():
            folder.mkdir(parents=True)
            (folder / "SKILL.md").write_text(SKILL.format(name=name, about=about, status=status))
            (folder / "sop.yaml").write_text(steps)
    return agent(home, None, settings, lang)


def ask(home: Path, task: str, owner: Owner, **options: Any) -> list[Event]:
    return drive(taught(home).start(task, Options(**options), owner))


def with_model(home: Path, server: Any, status: str = "active") -> Agent:
    return taught(
        home, f"models: [{{name: main, model: m, base_url: '{server.base_url}'}}]", status
    )


# without a model


def test_a_yes_is_done_by_rote_and_the_wording_is_known_from_then_on(home: Path, log: Path) -> None:
    owner = Choosing("1")
    ended = ask(home, TASK.format(log), owner)[-1]
    assert owner.candidates[0][0].startswith(f"last-lines count=2 file={log} (")
    assert "changes nothing" in owner.candidates[0][0]
    assert owner.candidates[0][-1] == "none of these"
    assert ended["status"] == "done" and ended["result"] == "two\nthree"
    assert ended["rote"] and ended["model_calls"] == 0 and ended["sop"] == "last-lines"
    again = Choosing()
    ended = ask(home, f"Give me the final 1 lines of {log}!", again)[-1]
    assert ended["result"] == "three" and again.candidates == []


def test_a_no_does_nothing_and_is_not_asked_again(home: Path, log: Path) -> None:
    owner = Choosing("none of these")
    events = ask(home, TASK.format(log), owner)
    assert events[-1]["status"] == "no_model" and of(events, "tool_started") == []
    again = Choosing()
    ended = ask(home, TASK.format(log), again)[-1]
    assert ended["status"] == "no_model"
    assert not any("last-lines" in line for lines in again.candidates for line in lines)


def test_a_missing_value_is_asked_for_with_its_meaning(home: Path, log: Path) -> None:
    owner = Choosing("1", "many", "2")
    ended = ask(home, f"the final lines of {log}, show them", owner)[-1]
    assert "needs count" in owner.candidates[0][0]
    assert owner.questions[1] == "count: how many lines?"
    assert "many" in owner.questions[2]
    assert ended["result"] == "two\nthree"


def test_where_nobody_is_there_the_nearest_is_named_with_its_values(home: Path, log: Path) -> None:
    events = ask(home, TASK.format(log), AbsentOwner())
    ended = events[-1]
    assert ended["status"] == "no_model" and of(events, "tool_started") == []
    assert f"sopwith sops run last-lines count=2 file={log}" in ended["result"]
    assert "sopwith init" in ended["result"]
    assert len(ended["result"].splitlines()) <= 5


@cases
def test_only_what_is_near_is_named(home: Path, task: str, shown: str, hidden: str) -> None:
    result = ask(home, task, AbsentOwner())[-1]["result"]
    assert shown in result and hidden not in result


def test_a_folder_beside_the_owner_is_meant_before_the_one_at_home(home: Path, log: Path) -> None:
    here = log.parent / "Downloads"
    here.mkdir()
    task = "rename all .txt files in Downloads to .md"
    assert str(here) in ask(home, task, AbsentOwner(), cwd=here.parent)[-1]["result"]


@cases
def test_what_cannot_be_done_is_not_offered(home: Path, log: Path, task: str, hidden: str) -> None:
    owner = Choosing("none of these")
    ended = ask(home, task, owner, cwd=log.parent)[-1]
    assert ended["status"] == "no_model"
    assert not any(line.startswith(hidden) for lines in owner.candidates for line in lines)
    assert task[:5] != "don't" or "Nothing was done" in ended["result"]


def test_a_refused_value_says_why(home: Path) -> None:
    result = ask(home, "what uses port 99999", AbsentOwner())[-1]["result"]
    assert "port" in result and "65535 or less" in result


@pytest.mark.parametrize("task", ["what can you do?", "Help!", "hello", "你能做什么", "帮助"])
def test_what_it_can_do_is_answered_without_a_model(home: Path, task: str) -> None:
    ended = ask(home, task, AbsentOwner())[-1]
    assert ended["status"] == "done" and ended["model_calls"] == 0
    assert "show the last" in ended["result"] and "sopwith init" in ended["result"]
    assert "what uses port 8080" in ended["result"] and "{" not in ended["result"]


@pytest.mark.parametrize(
    ("task", "words"),
    [
        ("undo", "sopwith undo last"),
        ("sops list please", "sopwith sops list"),
        ("stop", "sopwith runs cancel"),
        ("停下", "sopwith runs cancel"),
        ("what do you know about me?", "remember that"),
        ("我昨天做了什么", "which files did I change 昨天"),
    ],
)
def test_undo_and_commands_are_answered_with_the_command(home: Path, task: str, words: str) -> None:
    ended = ask(home, task, AbsentOwner())[-1]
    assert ended["status"] == "done" and words in ended["result"]


# reminders


@cases
def test_a_reminder_becomes_a_job_that_reminds(home: Path, task: str, text: str, hour: str) -> None:
    ended = ask(home, task, AbsentOwner())[-1]
    assert ended["status"] == "done" and text in ended["result"]
    (path,) = (home / "schedule").glob("*.json")
    job = json.loads(path.read_text())
    assert job["sop"] == "reminder" and job["parameters"] == {"text": text} and hour in job["at"]
    assert JobFolder(home).all()
    done = drive(taught(home).run_sop("reminder", {"text": text}, Options(), AbsentOwner()))[-1]
    assert done["status"] == "done" and done["result"] == f"Reminder: {text}"


@cases
def test_a_reminder_that_comes_again_becomes_a_job_too(home: Path, task: str) -> None:
    ended = ask(home, task, AbsentOwner())[-1]
    assert ended["status"] == "done" and len(list((home / "schedule").glob("*.json"))) == 1


def test_a_reminder_without_a_time_asks_for_one(home: Path) -> None:
    events = ask(home, "remind me to call mum", AbsentOwner())
    assert "time" in events[-1]["result"] and not list((home / "schedule").glob("reminder*"))


# with a model


def test_a_pick_that_only_reads_is_done_and_its_call_counted(
    home: Path, log: Path, scripted_server: Any
) -> None:
    choice = {"sop": "last-lines", "parameters": {"count": 2, "file": str(log)}}
    server = scripted_server([Answer(text=json.dumps(choice))])
    events = drive(
        with_model(home, server).start(f"final 2 lines of {log}", Options(), AbsentOwner())
    )
    assert of(events, "model_called")[0]["turn"] == 0
    assert events[-1]["result"] == "two\nthree" and events[-1]["model_calls"] == 1


def test_a_pick_that_writes_is_shown_before_it_is_done(
    home: Path, tmp_path: Path, scripted_server: Any
) -> None:
    bill = tmp_path / "bill.txt"
    choice = {"sop": "stamp", "parameters": {"file": str(bill)}}
    server = scripted_server([Answer(text=json.dumps(choice))])
    owner = Choosing("1")
    run = with_model(home, server).start(f"put a stamp on invoice {bill}", Options(), owner)
    ended = drive(run)[-1]
    assert "changes files here" in owner.candidates[0][0]
    assert ended["status"] == "done" and bill.read_text() == "stamped"


# a run that waits


class Leaving(SpokenOwner):
    """Somebody who is there and leaves without a word."""

    def ask(self, id: str, question: str, candidates: list[str]) -> str | None:
        return None


def test_an_answer_that_comes_later_is_done(home: Path, log: Path) -> None:
    run = taught(home).start(TASK.format(log), Options(), Leaving([]))
    assert drive(run)[-1]["status"] == "waiting"
    inbox = Inbox(home)
    (entry,) = inbox.list()
    inbox.answer(entry, Said("answer", "1"))
    ended = drive(taught(home).resume(run.id, Options(), AbsentOwner()))[-1]
    assert ended["status"] == "done" and ended["result"] == "two\nthree"
    assert inbox.list() == []


def test_a_job_in_words_is_asked_about_and_kept(home: Path, log: Path) -> None:
    owner = Choosing("yes")
    events = ask(home, f"every day at 8:00 show the last 2 lines of {log}", owner)
    assert of(events, "scheduled")[0]["sop"] == "last-lines"
    command = ask(home, f"every day at 9:00 show the last 2 lines of {log}", AbsentOwner())[-1]
    assert shlex.join(["schedule", "add", "every day at 9:00"]) in command["result"]
