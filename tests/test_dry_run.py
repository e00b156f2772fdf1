"""`--dry-run` does a task in one stage, shows what it would change and what it answers, and leaves
nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from memory.logs import list_runs
from tests.conftest import CommandLine
from tests.driving import bash, call
from tests.screen import scripted

pytestmark = pytest.mark.usefixtures("staged")


def all_below(folder: Path) -> dict[str, bytes]:
    return {
        str(each.relative_to(folder)): each.read_bytes()
        for each in folder.rglob("*")
        if each.is_file()
    }


def tried(cli: CommandLine, home: Path, replies: list[Any], *words: str) -> dict[str, Any]:
    """Do a task of scripted replies as a dry run, and hold that nothing at all is left of it."""
    scripted(home, [*replies, "all is done"])
    before, kept = all_below(Path.cwd()), all_below(home)
    done = cli("run", "tidy up", "--no-rote", "--dry-run", "--json", *words)
    assert done.code == 0, done.stderr
    assert all_below(Path.cwd()) == before and all_below(home) == kept
    assert list(home.glob("undo/*")) == [] and list_runs(home) == []
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def kinds(found: dict[str, Any]) -> dict[str, str]:
    return {
        str(Path(each["path"]).relative_to(Path.cwd())): each["kind"] for each in found["changes"]
    }


def test_scripts_and_file_tools_see_what_the_calls_before_them_did(
    cli: CommandLine, home: Path
) -> None:
    for name in ("a", "b", "c"):
        (Path.cwd() / name).write_text(f"{name}\n")
    found = tried(
        cli,
        home,
        [
            bash("mkdir t; mv a t/; echo one > n"),
            call("file_patch", path="n", old="one", new="two"),
            bash("cat n >> c; rm -f n"),
            call("file_write", path="c", content="three\n", mode="append"),
            bash('[ "$(tail -n 2 c)" = "$(printf "two\\nthree")" ] && mv c last'),
            call("file_trash", paths=["b"]),
        ],
    )
    assert kinds(found) == {"t": "new", "t/a": "moved", "c": "gone", "b": "gone", "last": "new"}
    assert found["result"] == "all is done" and found["refused"] == []


def test_what_reaches_outside_is_refused_and_listed(cli: CommandLine, home: Path) -> None:
    found = tried(
        cli,
        home,
        [
            call("web_execute_js", script="1"),
            bash("curl -sS http://example.org/x; echo n > new"),
            call("shell_run", script="echo x > from-a-shell"),
        ],
    )
    assert [each["tool"] for each in found["refused"]] == [
        "web_execute_js",
        "code_run",
        "shell_run",
    ]
    assert "example.org" in found["refused"][1]["reason"] and kinds(found) == {"new": "new"}


def test_people_are_shown_a_list_and_the_answer(cli: CommandLine, home: Path) -> None:
    (Path.cwd() / "a").write_text("a")
    scripted(home, [bash("rm a"), "gone it is"])
    done = cli("run", "tidy up", "--no-rote", "--dry-run")
    assert done.stdout.splitlines()[0] == "gone it is" and (Path.cwd() / "a").exists()
    assert f"- {Path.cwd() / 'a'}" in done.stdout and "nothing was changed" in done.stdout


def test_a_job_is_tried_without_a_row_in_its_ledger(cli: CommandLine, home: Path) -> None:
    scripted(home, [bash("echo x > made"), "made it"])
    assert cli("schedule", "add", "every day 08:00", "make a file").code == 0
    [job] = json.loads(cli("schedule", "list", "--json").stdout)["jobs"]
    found = json.loads(cli("schedule", "run-now", job["id"], "--dry-run", "--json").stdout)
    assert found["result"] == "made it" and [each["kind"] for each in found["changes"]] == ["new"]
    assert json.loads(cli("schedule", "history", job["id"], "--json").stdout)["history"] == []


def test_without_a_stage_it_says_why_and_does_nothing(cli: CommandLine, home: Path) -> None:
    scripted(home, [bash("echo x > made"), "made it"])
    done = cli("run", "make", "--dry-run", env={"PATH": "/nowhere"})
    assert done.code == 2 and "stage" in done.stderr and not (Path.cwd() / "made").exists()
