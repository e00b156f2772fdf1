"""A request that no lane is sure of, no model, and an owner who is there: asked what is meant, and then done by rote."""

from __future__ import annotations

import json
import shlex
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from handler import Owner
from learning.learned_wordings import FILE
from memory.runlog.inbox import Answer, Inbox
from memory.runlog.log import opening_of, read_events
from memory.sops.stats import SopStats
from models.base import Event
from runs.assemble import Agent, Options
from runs.control.owners import AbsentOwner
from runs.schedule.folder import JobFolder
from runs.schedule.jobs import Job
from runs.schedule.times import coming
from tests.driving import SpokenOwner, agent, drive, of
from tests.screen import ENTER, Screen
from tests.serving import Served

SKILL = """---
name: {name}
description: {about}
metadata: {{sopwith-status: active}}
---
{about}
"""
LAST = """\
parameters: {type: object, properties: {count: {type: integer, minimum: 1}, file: {type: string, format: path}}, required: [count, file]}
wordings: ["show the last {count} lines of {file}", "显示 {file} 的最后 {count} 行"]
requires: {files: [file]}
plan:
  - {tool: code_run, args: {script: 'tail -n "$count" "$file"'}, expect: {exit_code: 0}, save: {lines: output}}
result: "{{lines}}"
"""
PUT_AWAY = """\
parameters: {type: object, properties: {ending: {type: string, pattern: '^\\.\\w+$'}, folder: {type: string, format: path}, target: {type: string, format: path}}, required: [ending, folder, target]}
wordings: ["move all {ending} files from {folder} to {target}"]
requires: {folders: [folder, target]}
effects: local
commit:
  - {tool: code_run, args: {script: 'mv -- "$folder"/*"$ending" "$target"/'}, expect: {exit_code: 0}}
result: moved
checks: [{command: '! ls -d -- "$folder"/*"$ending" > /dev/null 2>&1'}]
"""
TASK = "give me the final 2 lines of {}"


class Choosing(SpokenOwner):
    """An owner who answers by number."""

    def __init__(self, *answers: str) -> None:
        super().__init__(list(answers))
        self.candidates: list[list[str]] = []

    def ask(self, id: str, question: str, candidates: list[str]) -> str | None:
        self.candidates.append(candidates)
        return super().ask(id, question, candidates)


class Leaving(SpokenOwner):
    """Somebody who is there and leaves without a word."""

    def ask(self, id: str, question: str, candidates: list[str]) -> str | None:
        return None


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / "app.log").write_text("one\ntwo\nthree\n")
    return tmp_path / "app.log"


def taught(home: Path, settings: str = "", lang: str = "en") -> Agent:
    for name, about, steps in (
        ("last-lines", "Shows the end of a file.", LAST),
        ("put-away", "Moves files.", PUT_AWAY),
    ):
        folder = home / "sops" / name
        if not folder.exists():
            folder.mkdir(parents=True)
            (folder / "SKILL.md").write_text(SKILL.format(name=name, about=about))
            (folder / "sop.yaml").write_text(steps)
    return agent(home, None, settings, lang)


def ask(home: Path, task: str, owner: Owner, **options: Any) -> list[Event]:
    return drive(taught(home).start(task, Options(**options), owner))


def test_a_yes_is_done_by_rote_and_the_wording_is_known_from_then_on(home: Path, log: Path) -> None:
    owner = Choosing("1")
    events = ask(home, TASK.format(log), owner)
    assert owner.candidates == [
        [f"show the last 2 lines of {log} (last-lines; changes nothing)", "none of these"]
    ]
    ended = events[-1]
    assert ended["status"] == "done" and ended["result"] == "two\nthree"
    assert ended["rote"] and ended["model_calls"] == 0 and ended["sop"] == "last-lines"
    assert of(events, "asked")[0]["candidates"] == owner.candidates[0]
    assert (
        opening_of(events)["parameters"] == {"count": 2, "file": str(log)}
        and opening_of(events)["lane"] == "asked"
    )
    again = ask(home, TASK.replace("2", "1").format(log), Choosing())
    assert again[-1]["result"] == "three" and not of(again, "asked")
    assert [row.outcome for row in SopStats(home).runs("last-lines")] == ["done", "done"]


def test_a_no_is_not_asked_again_in_these_words(home: Path, log: Path) -> None:
    owner = Choosing("2")
    events = ask(home, TASK.format(log), owner)
    assert events[-1]["status"] == "no_model" and not of(events, "tool_started")
    assert ask(home, TASK.replace("2", "1").format(log), owner)[-1]["status"] == "no_model"
    assert len(owner.candidates) == 1
    other = Choosing("1")
    assert ask(home, f"tell me the last 2 lines that stand in {log}", other)[-1]["status"] == "done"


def test_where_nobody_is_the_nearest_is_named_with_the_command_that_does_it(
    home: Path, log: Path, cli: Any
) -> None:
    taught(home)
    for options in ((), ("--approve", "never")):
        done = cli(*options, TASK.format(log))
        lines = done.stderr.strip().splitlines()
        assert done.code == 5 and len(lines) == 2, done.stderr
        assert lines[1] == f"The nearest is: sopwith sops run last-lines count=2 file={log}"
    command = shlex.split(lines[1].partition(": sopwith ")[2])
    assert cli(*command).stdout.splitlines()[:2] == ["two", "three"]


def test_a_question_that_nobody_answers_waits_and_goes_on_with_the_answer(
    home: Path, log: Path
) -> None:
    waiting = ask(home, TASK.format(log), Leaving())
    assert waiting[-1]["status"] == "waiting"
    (entry,) = Inbox(home).list()
    assert entry.kind == "question" and "last-lines" in entry.candidates[0]
    Inbox(home).answer(entry, Answer("answer", "1"))
    events = drive(taught(home).resume(waiting[0]["run"], Options(), AbsentOwner()))
    assert events[-1]["result"] == "two\nthree" and events[-1]["rote"]
    assert not Inbox(home).list() and not list((home / "inbox").iterdir())


def test_a_run_that_stopped_behind_the_answer_is_not_asked_again(home: Path, log: Path) -> None:
    events = cast(
        "Generator[Event]", taught(home).start(TASK.format(log), Options(), Choosing("1")).events()
    )
    run = next(event["run"] for event in events if event["type"] == "chosen")
    events.close()
    told = list(read_events(home, run))
    assert told[-1]["status"] == "cancelled" and opening_of(told)["sop"] == "last-lines"
    owner = Choosing()
    resumed = drive(taught(home).resume(run, Options(), owner))
    assert resumed[-1]["result"] == "two\nthree" and resumed[-1]["rote"] and not owner.candidates


def test_an_endpoint_that_is_away_is_no_model_either(home: Path, log: Path) -> None:
    settings = "models: [{name: main, model: m, base_url: 'http://127.0.0.1:9/v1'}]"
    owner = Choosing("1")
    events = drive(taught(home, settings).start(TASK.format(log), Options(), owner))
    assert owner.candidates and events[-1]["result"] == "two\nthree"


def test_what_is_passed_over_and_what_changes_is_shown(home: Path, tmp_path: Path) -> None:
    for name in ("in", "out"):
        (tmp_path / name).mkdir()
    (tmp_path / "in" / "a.pdf").touch()
    owner = Choosing("1")
    events = ask(home, f"relocate glossy .pdf files from {tmp_path}/in to {tmp_path}/out", owner)
    (shown, _) = owner.candidates[0]
    assert (
        shown.endswith("(put-away; changes files here; not taken up: “glossy”)")
        or "“glossy”" in shown
    )
    assert f'move all ".pdf" files from {tmp_path}/in to {tmp_path}/out' in shown
    assert events[-1]["status"] == "done" and (tmp_path / "out" / "a.pdf").exists()
    said = (
        [json.loads(line) for line in (home / "sops" / FILE).read_text().splitlines()]
        if (home / "sops" / FILE).exists()
        else []
    )
    assert not any(
        "{ending}" in each.get("wording", "") and "glossy" not in each["wording"] for each in said
    )


@pytest.mark.parametrize(
    "task",
    [
        "do not give me the final 2 lines of {}",  # a negation
        "give me the final 2 lines of {} since 2026-03-01",  # a value that nothing takes up
        "give me the final 2 words of {}",  # something left unsaid
        "remove the final 2 lines of {}",  # something else to do
        "give me the final 2 lines of {folder}",  # a folder where a file must be
        "what is the weather like",
    ],
)
def test_what_would_be_another_task_is_not_asked_about(home: Path, log: Path, task: str) -> None:
    owner = Choosing()
    assert ask(home, task.format(log, folder=log.parent), owner)[-1]["status"] == "no_model"
    assert not owner.candidates


def test_two_ways_to_give_the_values_away_are_not_asked_about(home: Path, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    owner = Choosing()
    assert (
        ask(home, f"move all .pdf files, {tmp_path}/a, {tmp_path}/b", owner)[-1]["status"]
        == "no_model"
    )
    assert not owner.candidates


def test_a_yes_says_nothing_about_other_words(home: Path, log: Path) -> None:
    ask(home, f"give me the glossy final 2 lines of {log}", Choosing("1"))
    owner = Choosing("2")
    assert ask(home, f"show the last 2 glossy lines of {log}", owner)[-1]["status"] == "no_model"
    assert owner.candidates  # asked, not done


def test_an_owner_at_a_terminal_is_asked_in_both_languages(
    home: Path, log: Path, at_terminal: Any
) -> None:
    taught(home)
    for lang, title, task in (
        ("en", "Did you mean this?", TASK),
        ("zh", "您是不是想要这样？", "看一下 {} 末尾 2 行"),
    ):
        words = ("--lang", lang, "--cwd", str(log.parent), task.format(log))
        screen: Screen = at_terminal(*words, columns=160)
        screen.waits_for(title, "number or answer" if lang == "en" else "编号")
        screen.types("1" + ENTER)
        assert screen.ends() == 0, screen.text()
        assert "two\nthree" in "\n".join(
            line.strip() for line in screen.text().splitlines()
        )  # lines stay lines


@pytest.mark.parametrize(
    ("task", "lang", "keys"),
    [
        (
            "every weekday at 8 show the last 2 lines of {}",
            "en",
            {"schedule": "08:00", "repeat": "weekday"},
        ),
        (
            "show the last 2 lines of {} every friday at 18:00",
            "en",
            {"schedule": "18:00", "repeat": "weekly", "on": "fri"},
        ),
        ("每天早上8点显示 {} 的最后 2 行", "zh", {"schedule": "08:00", "repeat": "daily"}),
    ],
)
def test_a_time_and_what_is_done_by_rote_become_a_job(
    home: Path, log: Path, task: str, lang: str, keys: dict[str, str]
) -> None:
    owner = Choosing("1")
    events = drive(taught(home, lang=lang).start(task.format(log), Options(), owner))
    assert events[-1]["status"] == "done" and not of(events, "tool_started")
    (job,) = [entry for entry in JobFolder(home).all().values() if isinstance(entry, Job)]
    assert {key: job.fields[key] for key in keys} == keys
    assert job.fields["sop"] == "last-lines" and job.fields["parameters"] == {
        "count": 2,
        "file": str(log),
    }
    assert (
        str(coming(job, now := datetime.now(UTC), now)[0].astimezone().year)
        in owner.candidates[0][0]
    )
    assert of(events, "scheduled")[0]["job"] == job.id and job.id in events[-1]["result"]


def test_a_job_that_is_not_meant_is_not_kept_and_is_no_question_twice(
    home: Path, log: Path
) -> None:
    task, owner = f"every day at 8 show the last 2 lines of {log}", Choosing("no")
    for _ in range(2):
        assert ask(home, task, owner)[-1]["status"] == "no_model"
    assert len(owner.candidates) == 1 and not JobFolder(home).all()


@pytest.mark.parametrize(
    "task",
    [
        "every day at 8 and every friday show the last 2 lines of {}",  # two times
        "every day at 8 remove the last 2 lines of {}",  # nothing does that
        "every day at 8 o'clock or so show the last 2 lines of {}",  # no time that is understood whole
    ],
)
def test_what_is_not_understood_whole_is_no_job(home: Path, log: Path, task: str) -> None:
    owner = Choosing(*["2"] * 2)
    assert ask(home, task.format(log), owner)[-1]["status"] == "no_model"
    assert not any("next:" in text for texts in owner.candidates for text in texts)


def test_where_nobody_is_the_command_of_the_job_is_named(home: Path, log: Path, cli: Any) -> None:
    taught(home)
    done = cli(f"every day at 8 show the last 2 lines of {log}")
    line = done.stderr.strip().splitlines()[-1]
    assert done.code == 5 and line.startswith(
        "The nearest is: sopwith schedule add 'every day at 8' "
    )
    assert cli(*shlex.split(line.partition(": sopwith ")[2]), "--yes").code == 0
    assert len(JobFolder(home).all()) == 1


@pytest.mark.parametrize(
    ("lang", "said"), [("en", "may be meant, and cannot be used"), ("zh", "但它无法使用")]
)
def test_an_sop_that_broke_is_named_by_the_run_that_it_would_have_done(
    home: Path, log: Path, cli: Any, lang: str, said: str
) -> None:
    taught(home)
    (home / "sops/last-lines/SKILL.md").write_text(
        SKILL.format(name="last-lines", about="Shows the last lines of a file.")
    )
    (home / "sops/last-lines/sop.yaml").write_text("plan: [")
    done = cli("--lang", lang, f"show the last 2 lines of {log}")
    assert done.code == 5 and len(done.stderr.strip().splitlines()) == 2
    assert said in done.stderr and "sops show last-lines" in done.stderr
    assert said not in cli("--lang", lang, "play some jazz").stderr


def test_the_page_asks_too_at_once_or_from_its_inbox(home: Path, log: Path) -> None:
    taught(home)
    with Served(home, log.parent) as served, served.sign_in().tab() as tab:
        first = served.begin(TASK.format(log))
        asked = tab.until("asked_now")["asked"]
        assert asked["kind"] == "question" and asked["candidates"][1] == "none of these"
        served.post(f"/api/asked/{asked['id']}", {"answer": asked["candidates"][0]})
        assert tab.until("run_ended", run=first)["result"] == "two\nthree"
        second = served.begin(f"tell me the last 2 lines that stand in {log}")
        served.post(f"/api/asked/{tab.until('asked_now')['asked']['id']}", {"later": True})
        assert tab.until("run_ended", run=second)["status"] == "waiting"
        entry = served.until(lambda: next(iter(served.get("/api/inbox").json["inbox"]), None))
        assert served.post(
            f"/api/inbox/{entry['id']}", {"decision": "answer", "text": "1"}
        ).json == {"run": second}
        assert tab.until("run_ended", run=second, status="done")["result"] == "two\nthree"
