"""An approval holds for the very call that was shown, once and for a time, whoever else answers at
the same moment."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.files import write_atomic
from memory.inbox import Answer, Entry, Inbox, InboxError
from memory.logs import read_events
from runs.assemble import Options
from runs.control.bounds import AbsentOwner
from tests.conftest import LAUNCH
from tests.driving import agent, bash, drive, of
from tests.machine import PATIENCE_SECONDS, ran
from tests.screen import ENTER, Screen, scripted


def alone() -> Options:
    return Options(rote=False)


def waiting(home: Path, *replies: Any, settings: str = "") -> tuple[Any, Entry]:
    """Return an agent whose run waits for leave to remove `a`, and what stands in the inbox."""
    (Path.cwd() / "a").write_text("a")
    one = agent(home, [bash("rm a && echo gone"), *replies], settings)
    events = drive(one.start("tidy up", alone(), AbsentOwner()))
    assert events[-1]["status"] == "waiting", of(events, "tool_ended")
    return one, Inbox(home).list()[0]


def test_without_a_stage_the_reason_offers_the_trash(home: Path) -> None:
    _, entry = waiting(home, "done", settings="safety: {sandbox: none}")
    assert "file_trash would move it to the trash" in entry.text


def test_in_a_stage_the_question_says_what_would_be_gone(home: Path) -> None:
    _, entry = waiting(home, "done")
    assert f"moves 1 file to the trash (1 B): {Path.cwd() / 'a'}" in entry.text
    assert [(each["kind"], each["path"]) for each in entry.changes] == [
        ("gone", str(Path.cwd() / "a"))
    ]


def test_the_same_call_once_more_is_asked_about_once_more(home: Path) -> None:
    for name in "ab":
        (Path.cwd() / name).write_text(name)
    same = bash('rm "$(ls [ab] | head -n 1)"')
    one = agent(home, [same, same, "done"])
    events = drive(one.start("tidy up", alone(), AbsentOwner()))
    assert events[-1]["status"] == "waiting", of(events, "tool_ended")
    entry = Inbox(home).list()[0]
    Inbox(home).answer(entry, Answer("approve"))
    events = drive(one.resume(entry.run, alone(), AbsentOwner()))
    assert not (Path.cwd() / "a").exists() and (Path.cwd() / "b").exists()
    assert events[-1]["status"] == "waiting"
    assert Inbox(home).list()[0].id != entry.id


def test_an_answer_that_a_crash_left_behind_is_not_used_again(home: Path) -> None:
    one, entry = waiting(home, "done")
    inbox = Inbox(home)
    inbox.answer(entry, Answer("approve"))
    log = home / "runs" / entry.run / "log.jsonl"
    taken = {"type": "confirmed", "run": entry.run, "at": "2026-01-01T00:00:00.000Z", "id": entry.id, "turn": 1, "decision": "once", "reason": "", "kind": "k"}  # fmt: skip
    with log.open("a") as file:  # the process was killed right behind this line
        file.write(json.dumps(taken) + "\n")
    events = drive(one.resume(entry.run, alone(), AbsentOwner()))
    assert (Path.cwd() / "a").exists() and events[-1]["status"] == "waiting"
    inbox.answer(inbox.list()[0], Answer("deny"))


def test_what_nobody_has_answered_in_time_is_a_no(home: Path) -> None:
    one, entry = waiting(home, "kept", settings="safety: {confirm_hours: 2}")
    assert entry.hours == 2 and not entry.is_expired
    entry.at = (datetime.now(UTC) - timedelta(hours=3)).isoformat(timespec="seconds")
    write_atomic(home / "inbox" / f"{entry.id}.json", json.dumps(asdict(entry)))
    late = Inbox(home).list()[0]
    with pytest.raises(InboxError, match="counts as a no"):
        Inbox(home).answer(late, Answer("approve"))
    events = drive(one.resume(entry.run, alone(), AbsentOwner()))
    assert (
        events[-1]["result"] == "kept" and (Path.cwd() / "a").exists() and Inbox(home).list() == []
    )
    assert "2 hours" in str(of(events, "tool_ended")[0]["data"])


def test_of_processes_that_approve_at_the_same_moment_one_goes_on_and_the_call_happens_once(
    home: Path,
) -> None:
    (Path.cwd() / "a").write_text("a")
    scripted(home, [bash("rm a; echo x >> times"), "done"], "safety: {sandbox: none}")
    one = LAUNCH
    assert ran(*one, "run", "tidy up", "--no-rote").returncode == 3
    entry = Inbox(home).list()[0]
    racing = [subprocess.Popen([*one, "inbox", "approve", entry.id], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)]  # fmt: skip
    ended = [
        (process.communicate(timeout=PATIENCE_SECONDS), process.returncode) for process in racing
    ]
    assert [code for _, code in ended].count(0) == 1, ended
    late = ("answered already", "no open entry", "is being worked on", "is done")
    assert all(any(each in err for each in late) for (_, err), code in ended if code), ended
    assert (Path.cwd() / "times").read_text() == "x\n"
    assert len(of(list(read_events(home, entry.run)), "tool_started")) == 1


HIDDEN = "rm a #\u200b\u202e\x1b[8m \u00a0end"
ANSWERS = [
    ("en", "allow?", "1", False, "done"),
    ("zh", "允许吗？", "不，留着", True, "done"),
]


@pytest.mark.parametrize(("lang", "prompt", "answer", "stays", "said"), ANSWERS)
def test_the_prompt_shows_the_very_command_with_all_that_hides_in_it(
    at_terminal: Callable[..., Screen],
    home: Path,
    lang: str,
    prompt: str,
    answer: str,
    stays: bool,
    said: str,
) -> None:
    (Path.cwd() / "a").write_text("a")
    scripted(home, [bash(HIDDEN), "done"])
    screen = at_terminal("run", "tidy up", "--no-rote", "--lang", lang)
    page = screen.waits_for(prompt)
    assert "rm a #<U+200B><U+202E>␛[8m <U+00A0>end" in page and "\u202e".encode() not in screen.raw
    assert ("移到回收站" in page) is (lang == "zh")
    screen.types(answer + ENTER)
    screen.waits_for(said)
    assert screen.ends() == 0
    assert (Path.cwd() / "a").exists() is stays
