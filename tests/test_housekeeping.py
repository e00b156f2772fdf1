"""Small commands that keep order: the inbox, lists with filters, the settings, completion, help, a
narrow terminal."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory.inbox import Entry, Inbox
from tests.conftest import CommandLine
from tests.machine import ran
from tests.screen import CTRL_C, scripted

ASKS = {
    "calls": [
        {"name": "ask_user", "args": {"question": "Which folder?", "candidates": ["one", "two"]}}
    ]
}
Terminal = Callable[..., Any]


def _waits(home: Path, cli: CommandLine) -> str:
    """Leave a question of a run in the inbox; return the id of the run."""
    scripted(home, [ASKS])
    assert cli("tidy the folder").code == 3
    return str(json.loads(cli("runs", "list", "--json").stdout)["runs"][0]["run"])


def test_the_inbox_shows_the_task_of_each_question(home: Path, cli: CommandLine) -> None:
    _waits(home, cli)
    assert "task: tidy the folder" in cli("inbox", "list").stdout
    [entry] = json.loads(cli("inbox", "list", "--json").stdout)["inbox"]
    assert entry["task"] == "tidy the folder"


def test_dismissing_a_question_cancels_its_run(home: Path, cli: CommandLine) -> None:
    run = _waits(home, cli)
    done = cli("inbox", "dismiss", run)
    assert (done.code, f"{run} is cancelled" in done.stdout) == (0, True), done.stderr
    assert json.loads(cli("inbox", "list", "--json").stdout)["inbox"] == []
    [listed] = json.loads(cli("runs", "list", "--json").stdout)["runs"]
    assert listed["status"] == "cancelled"
    assert cli("inbox", "dismiss", run).code == 2


def test_a_notice_is_dismissed(home: Path, cli: CommandLine) -> None:
    Inbox(home).add(Entry("note-1", "", "notice", "The job was paused."))
    assert cli("inbox", "dismiss", "note-1").code == 0
    assert Inbox(home).list() == []


def test_runs_are_filtered(home: Path, cli: CommandLine) -> None:
    scripted(home, ["Three.", "Four."])
    cli("count the Apples")
    cli("count the pears")
    cli("--max-turns", "1", "find files named x in .")

    def tasks(*filters: str) -> list[str]:
        listed = json.loads(cli("runs", "list", "--json", *filters).stdout)["runs"]
        return [run["task"] for run in listed]

    assert tasks("apples") == ["count the Apples"]
    assert tasks("--sop", "find-files") == ["find files named x in ."]
    assert tasks("--status", "failed") == []
    assert len(tasks("--status", "done", "--limit", "1")) == 1
    assert tasks("count", "--since", "2020-01-01") == ["count the pears", "count the Apples"]
    assert tasks("--since", "2120-01-01") == []
    assert cli("runs", "list", "pears").stdout.count("\n") == 1
    assert cli("runs", "list", "--status", "finished").code == 2


def test_sops_list_shows_what_can_be_done(home: Path, cli: CommandLine) -> None:
    broken = home / "sops" / "broken-one"
    broken.mkdir(parents=True)
    (broken / "SKILL.md").write_text("---\nname: broken-one\ndescription: x\n---\nx\n")
    (broken / "sop.yaml").write_text("plan: 3\n")
    short, long = cli("sops", "list"), cli("sops", "list", "--all")
    assert "find-files" in short.stdout and "find-files" in long.stdout
    assert "web-setup" not in short.stdout and "web-setup" in long.stdout
    assert "broken-one" in short.stdout
    assert "--all" in short.stderr and "--all" not in long.stderr


def test_settings_are_shown_without_secrets(home: Path, cli: CommandLine) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(
        "models:\n  - {name: main, model: o, base_url: 'http://u:hunter2hunter2@127.0.0.1:1/v1', api_key: topsecretkey}\n"
        "redis: {url: 'redis://:hunter3hunter3@127.0.0.1:6379/0'}\n"
        "mcp: {servers: {a: {url: 'http://127.0.0.1:2', headers: {X: headersecret}}}}\n"
    )
    for more in ((), ("--json",)):
        shown = cli("config", "show", *more)
        assert shown.code == 0, shown.stderr
        assert "127.0.0.1" in shown.stdout and "turns" in shown.stdout
        for secret in ("hunter2hunter2", "hunter3hunter3", "topsecretkey", "headersecret"):
            assert secret not in shown.stdout
    assert cli("config", "path").stdout.strip() == str(home / "config.yaml")
    assert "is fine" in cli("config", "check").stdout


def test_bash_completes_commands_and_options(cli: CommandLine, tmp_path: Path) -> None:
    script = tmp_path / "completion"
    script.write_text(cli("completion", "bash").stdout)

    def completed(*words: str) -> list[str]:
        typed = " ".join(f"'{word}'" for word in words)
        line = f"source {script}; COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; _sopwith"
        done = ran("bash", "-c", f'{line}; printf "%s\\n" "${{COMPREPLY[@]}}"', check=True)
        return done.stdout.split()

    assert completed("sopwith", "sch") == ["schedule"]
    assert completed("sopwith", "runs", "l") == ["list"]
    assert completed("sopwith", "runs", "list", "--st") == ["--status"]


def test_init_that_is_stopped_says_what_was_written(home: Path, at_terminal: Terminal) -> None:
    early = at_terminal("init", columns=200)
    early.waits_for_prompt("number")
    early.types(CTRL_C)
    assert early.ends() == 130
    assert "No settings were written" in early.text()
    assert not (home / "config.yaml").exists()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_lists_fit_a_terminal_of_twenty_columns(
    lang: str, home: Path, cli: CommandLine, at_terminal: Terminal
) -> None:
    _waits(home, cli)
    for command in ("runs list", "sops list --all", "inbox list", "config show", "doctor"):
        screen = at_terminal(*command.split(), "--lang", lang, columns=20, rows=60)
        assert screen.ends() in (0, 1)
        assert "Traceback" not in screen.text() and screen.text().strip()


def test_a_run_is_shown_on_a_terminal_of_twenty_columns(home: Path, at_terminal: Terminal) -> None:
    scripted(home, ["The answer is a long sentence that does not fit into twenty columns."])
    screen = at_terminal("run", "say something long", columns=20, rows=60)
    assert screen.ends() == 0
    assert "twenty columns" in " ".join(screen.text().split())
