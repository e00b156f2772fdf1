"""Check what teaching, values and proposals say to their owner when something is missing or does
not fit."""

from pathlib import Path

from memory.inbox import Entry, Inbox
from tests.conftest import CommandLine
from tests.driving import bash
from tests.screen import scripted


def test_steps_without_a_result_are_said_of_the_owner_s_file(home: Path, cli: CommandLine) -> None:
    file = Path("my-steps.yaml")
    file.write_text("plan:\n- {tool: file_read, args: {path: /etc/hostname}}\n")
    code, _, err = cli("teach", "look", "--from-file", str(file))
    assert (
        code == 1
        and "my-steps.yaml:" in err
        and "result: is missing" in err
        and "sop.yaml" not in err
    )


def test_a_request_that_cannot_be_recognised_again_is_said_with_what_can(
    home: Path, cli: CommandLine
) -> None:
    scripted(home, [bash("mkdir ~/made; touch ~/made/a.txt"), "ok"])
    assert cli('Make the folder ~/made like "alpha beta"').code == 0
    code, out, _ = cli("teach", "make-it", "--from-run", "last", "--prove", "folder=~/other")
    assert code == 0 and "cannot be recognised again" in out, out
    assert "make it folder {folder}" in out and "changes the same" not in out, out
    assert cli("make it folder ~/third").code == 0 and Path("~/third/a.txt").expanduser().exists()


def test_a_proposal_shows_what_it_would_change(home: Path, cli: CommandLine) -> None:
    diff = "--- a/sop.yaml\n+++ b/sop.yaml\n-  script: wc -l\n+  script: wc -w"
    entry = Entry(
        "sop-count",
        "r1",
        "proposal",
        "count: plan.1: differs",
        args={"diff": diff},
        command="sopwith teach count",
    )
    Inbox(home).propose(entry, "count")
    shown = cli("inbox", "list").stdout
    assert "+  script: wc -w" in shown and "sopwith teach count" in shown
