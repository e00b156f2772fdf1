"""Notes on the desktop: they say that something waits, and nothing of what it is."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from config import Config, InboxConfig, Lang
from memory.runlog.inbox import Entry, Inbox
from runs.assemble import Options
from runs.control.desktop_notice import on_desktop
from runs.control.owners import AbsentOwner
from tests.driving import agent, call, drive

SECRET = "sk-live-1234567890abcdef"


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which a notify-send of the test writes what it was told."""
    programs, shown = tmp_path / "bin", tmp_path / "shown"
    programs.mkdir()
    program = programs / "notify-send"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >> {shown}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setenv("DISPLAY", ":0")
    return shown


def settings(home: Path, lang: Lang = "en", desktop: Literal["on", "off"] = "on") -> Config:
    return Config(home=home, lang=lang, inbox=InboxConfig(desktop))


def confirmation(session: str = "main") -> Entry:
    return Entry("r1.1", "r1", "confirmation", f"code_run: sends {SECRET}", tool="code_run", args={"script": SECRET}, session=session)  # fmt: skip


def test_a_new_entry_is_shown_once_without_what_stands_in_it(home: Path, shown: Path) -> None:
    inbox = Inbox(home, on_desktop(settings(home)))
    inbox.add(confirmation())
    inbox.add(confirmation())  # the run was resumed without an answer
    said = shown.read_text()
    assert said.splitlines() == [
        "--app-name=Sopwith",
        "Something needs your approval.",
        "See it: sopwith inbox list",
    ]
    assert SECRET not in said


def test_it_speaks_the_owners_language(home: Path, shown: Path) -> None:
    Inbox(home, on_desktop(settings(home, "zh"))).add(Entry("n1", "", "notice", "x"))
    assert "有一条通知。" in shown.read_text()


def test_nothing_is_shown_of_a_group_nor_without_a_desktop(
    home: Path, shown: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Inbox(home, on_desktop(settings(home))).add(confirmation("shared:team"))
    Inbox(home, on_desktop(settings(home, desktop="off"))).add(confirmation())
    monkeypatch.delenv("DISPLAY")
    Inbox(home, on_desktop(settings(home))).add(Entry("r2.1", "r2", "question", "Which?"))
    assert not shown.exists()


def test_a_program_that_hangs_or_fails_harms_nothing(
    home: Path, shown: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runs.control.desktop_notice.SECONDS", 0.05)
    (tmp_path / "bin/notify-send").write_text("#!/bin/sh\nexec sleep 5\n")
    inbox = Inbox(home, on_desktop(settings(home)))
    inbox.add(Entry("r2.1", "r2", "question", "Which?"))
    (tmp_path / "bin/notify-send").write_text("no program\n")
    inbox.add(Entry("r3.1", "r3", "question", "Which?"))
    assert [entry.id for entry in inbox.list()] == ["r2.1", "r3.1"]


def test_a_run_that_waits_tells_the_desktop(home: Path, shown: Path) -> None:
    drive(
        agent(home, [call("ask_user", question="Which one?")]).start(
            "task", Options(rote=False), AbsentOwner()
        )
    )
    assert "A question waits for you." in shown.read_text() and "Which one" not in shown.read_text()
