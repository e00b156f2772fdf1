"""Commands of an open shell work in stages, one each; a program that works outside the sandbox sees
what is committed."""

import subprocess
from pathlib import Path

import pytest

from handler import Approval
from sandbox.undo import UndoStore
from tests.driving import SpokenOwner, bash, call, of, run
from tests.machine import ran
from tests.test_staged_runs import tree, write

pytestmark = pytest.mark.usefixtures("staged")


def test_each_command_is_committed_and_the_shell_goes_on(home: Path) -> None:
    write(a="a", b="b")
    before = tree()
    owner = SpokenOwner()
    replies = [
        call("shell_run", script="mkdir -p sub && cd sub && mv ../a here && x=5"),
        call("shell_run", script="pwd; echo $x > n; cat here; echo; cd -; pwd"),
        call("file_read", path="sub/n"),
        "done",
    ]
    events = run(home, replies, owner)
    assert owner.shown == [], of(events, "tool_ended")
    said = [event["data"]["output"] for event in of(events, "tool_ended")]
    assert said[1].splitlines() == [f"{Path.cwd()}/sub", "a", str(Path.cwd()), str(Path.cwd())]
    assert "5" in said[2]
    assert [event["turn"] for event in of(events, "changes")] == [1, 2]
    assert tree() == {"sub/here": "a", "b": "b", "sub/n": "5\n"}
    assert UndoStore(home).undo(events[0]["run"]).conflicts == ()
    assert tree() == before


def test_a_deletion_in_a_shell_is_shown_before_it_happens(home: Path) -> None:
    write(a="a")
    owner = SpokenOwner(approvals=[Approval("no")])
    deletes = call("shell_run", script="python3 -c \"import os; os.remove('a')\"; cd /; pwd")
    run(home, [deletes, call("shell_run", script="pwd"), "done"], owner)
    assert [change["kind"] for change in owner.shown[0].changes] == ["gone"]
    assert tree() == {"a": "a"}


def test_what_runs_on_is_committed_when_it_ends(home: Path) -> None:
    replies = [
        call("shell_run", script="echo 1 > a; read x; echo $x > b"),
        call("shell_keys", text="two"),
        "done",
    ]
    events = run(home, replies, SpokenOwner())
    assert "has ended" in of(events, "tool_ended")[0]["data"]["changes"]
    assert [event["turn"] for event in of(events, "changes")] == [2]
    assert tree() == {"a": "1\n", "b": "two\n"}


def test_what_stays_in_the_background_is_not_staged(home: Path) -> None:
    replies = [
        call("shell_run", name="server", script="sleep 300 & echo $! > pid"),
        call("shell_run", name="server", script="echo x > y"),
        call("shell_run", script="echo 1 > z"),
        call("shell_run", script="sleep 300 &"),
        "done",
    ]
    events = run(home, replies, SpokenOwner())
    assert [event["turn"] for event in of(events, "changes")] == [3]
    assert set(tree()) == {"pid", "y", "z"}
    assert "a shell of its own" in of(events, "tool_ended")[3]["data"]


def test_a_push_sends_what_the_script_has_committed_before(home: Path, tmp_path: Path) -> None:
    there = tmp_path / "there.git"
    for words in (
        ["init", "-q", "--bare", there],
        ["init", "-q", "-b", "main"],
        ["config", "user.email", "o@example.org"],
        ["config", "user.name", "O"],
        ["remote", "add", "origin", there],
    ):
        subprocess.run(["git", *map(str, words)], check=True)
    write(a="a")
    owner = SpokenOwner(approvals=[Approval("once")])
    script = (
        "git add a && git commit -qm one && git push -q origin main 2>&1 && git log -1 --format=%d"
    )
    events = run(home, [bash(script), "done"], owner)
    [ended] = of(events, "tool_ended")
    assert ended["status"] == "ok", ended
    assert "origin/main" in ended["data"]["output"]
    log = ["git", "--git-dir", str(there), "log", "--format=%s", "main"]
    assert ran(*log, check=True).stdout == "one\n"
    assert len(owner.shown) == 1
