"""Scripts of a run work in a stage: what they did is judged when it is seen, committed, shown, and
taken back."""

import json
import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from handler import Approval
from memory.inbox import Answer, Inbox
from memory.logs import list_runs, read_events
from runs.assemble import Options
from runs.control.bounds import AbsentOwner
from sandbox.undo import UndoStore
from tests.conftest import CHECKOUT, CommandLine
from tests.driving import SpokenOwner, agent, bash, call, drive, of, run
from tests.screen import ENTER, Screen, scripted

pytestmark = pytest.mark.usefixtures("staged")


def tree() -> dict[str, str]:
    found = Path.cwd().rglob("*")
    return {str(each.relative_to(Path.cwd())): each.read_text() for each in found if each.is_file()}


def write(**files: str) -> None:
    for name, text in files.items():
        (Path.cwd() / name).write_text(text)


def test_what_a_script_does_is_committed_said_shown_and_taken_back(
    cli: CommandLine, home: Path
) -> None:
    write(a="a", b="b")
    before = tree()
    scripted(home, [bash("mkdir t && mv a t/ && echo more >> b && echo c > c"), "done"])
    done = cli("run", "tidy up", "--no-rote")
    assert done.code == 0 and "1 new, 1 changed, 1 moved · undo: sopwith undo" in done.stderr
    assert tree() == {"t/a": "a", "b": "bmore\n", "c": "c\n"}
    shown = json.loads(cli("diff", "--json").stdout)
    kinds = {Path(each["path"]).name: each["kind"] for each in shown["changes"]}
    assert kinds == {"t": "new", "a": "moved", "b": "changed", "c": "new"}
    assert "+bmore" in cli("diff", shown["run"]).stdout
    undone = json.loads(cli("undo", "last", "--json").stdout)
    assert undone["conflicts"] == [] and tree() == before
    assert json.loads(cli("diff", "--json").stdout)["changes"] == []
    assert cli("undo", shown["run"], "--yes").code == 0 and "t/a" in tree()


def test_an_undo_stops_where_somebody_else_has_changed_the_file(
    cli: CommandLine, home: Path
) -> None:
    write(b="b")
    scripted(home, [bash("echo more >> b; echo c > c"), "done"])
    assert cli("run", "write", "--no-rote").code == 0
    write(b="mine")
    refused = cli("undo", "--json")
    [conflict] = json.loads(refused.stdout)["conflicts"]
    assert refused.code == 1 and conflict["path"] == str(Path.cwd() / "b")
    assert tree() == {"b": "mine", "c": "c\n"}


def test_one_undo_covers_scripts_and_file_tools(home: Path) -> None:
    write(a="a", b="b", c="c")
    replies = [
        call("file_write", path="new/n", content="n"),
        call("file_patch", path="a", old="a", new="z"),
        call("file_trash", paths=["b"]),
        bash("echo more >> c"),
        "done",
    ]
    events = run(home, replies, SpokenOwner(approvals=[Approval("once")]))
    assert [each["turn"] for each in of(events, "changes")] == [1, 2, 3, 4]
    assert tree() == {"new/n": "n", "a": "z", "c": "cmore\n"}
    store = UndoStore(home)
    undone = store.undo(events[0]["run"])
    assert not undone.conflicts and tree() == {"a": "a", "b": "b", "c": "c"}


def test_on_a_terminal_a_run_is_shown_and_taken_back_after_a_yes(home: Path) -> None:
    write(a="a", b="b")
    before = tree()
    scripted(
        home, [bash("mv a c; echo more >> b"), call("file_write", path="n", content="n"), "done"]
    )
    with closing(Screen.of_cli("--home", str(home), "run", "tidy up", "--no-rote")) as screen:
        assert screen.ends() == 0
        assert "undo: sopwith undo" in screen.text()
    assert tree() == {"c": "a", "b": "bmore\n", "n": "n"}
    with closing(Screen.of_cli("--home", str(home), "undo")) as screen:
        screen.waits_for_prompt("[y/N]")
        screen.types("y" + ENTER)
        assert screen.ends() == 0
    assert tree() == before


def test_calls_that_change_nothing_leave_nothing(cli: CommandLine, home: Path) -> None:
    looks = [bash("ls") for _ in range(4)]
    scripted(home, [*looks, bash("echo 1 > a"), bash("cat a"), "done"])
    assert cli("run", "look around", "--no-rote").code == 0
    assert [each.name for each in (home / "undo").iterdir() if each.name.isdecimal()] == ["000001"]
    assert tree() == {"a": "1\n"}


def test_changes_are_taken_back_in_their_order_where_a_call_between_changed_nothing(
    cli: CommandLine, home: Path
) -> None:
    write(a="1\n")
    before = tree()
    anew = call("file_write", path=str(Path.cwd() / "a"), content="2\n")
    scripted(home, [bash("cat a"), anew, bash("cat a"), bash("echo 3 >> a"), "done"])
    assert cli("run", "change it", "--no-rote").code == 0
    assert tree() == {"a": "2\n3\n"}
    assert cli("undo", "last", "--yes").code == 0
    assert tree() == before


def test_a_deletion_by_a_program_that_nobody_knows_is_shown_before_it_happens(home: Path) -> None:
    write(a="a", keep="k")
    script = "import os\ngetattr(os, 'un' + 'link')('a')"
    owner = SpokenOwner(approvals=[Approval("no", "keep it")])
    events = run(home, [call("code_run", type="python", script=script), "done"], owner)
    [shown] = owner.shown
    assert f"- {Path.cwd() / 'a'}" in shown.preview and tree() == {"a": "a", "keep": "k"}
    [asked] = of(events, "confirm")
    assert [(each["path"], each["kind"]) for each in asked["changes"]] == [
        (str(Path.cwd() / "a"), "gone")
    ]
    assert "keep it" in str(of(events, "tool_ended")[0]["data"])
    assert not of(events, "changes")


def test_what_the_run_made_itself_may_go_unasked(home: Path) -> None:
    events = run(home, [bash("echo x > made"), bash("rm made"), "done"])
    assert not of(events, "confirm") and tree() == {}


def test_the_owners_file_in_a_folder_that_the_run_made_is_asked_about(home: Path) -> None:
    write(a="a")
    events = run(home, [bash("mkdir d; mv a d/"), bash("rm -r d"), "done"])
    assert events[-1]["status"] == "waiting" and tree() == {"d/a": "a"}


def waiting(home: Path, script: str) -> tuple[Any, Any]:
    one = agent(home, [bash(script), "done"])
    events = drive(one.start("tidy up", Options(rote=False), AbsentOwner()))
    assert events[-1]["status"] == "waiting"
    return one, Inbox(home).list()[0]


def test_what_waits_is_committed_on_approval_and_the_call_is_not_done_again(home: Path) -> None:
    write(a="a")
    one, entry = waiting(home, "rm a; date +%N > when")
    assert tree() == {"a": "a"}
    Inbox(home).answer(entry, Answer("approve"))
    events = drive(one.resume(entry.run, Options(rote=False), AbsentOwner()))
    assert events[-1]["status"] == "done" and set(tree()) == {"when"}
    assert not of(events, "uncertain") and of(events, "tool_ended")[0]["status"] == "ok"
    assert not list((home / "runs" / entry.run).glob("waiting-*"))


def test_what_waits_and_is_denied_leaves_nothing(home: Path) -> None:
    write(a="a")
    one, entry = waiting(home, "rm a; echo x > new")
    Inbox(home).answer(entry, Answer("deny", "not that one"))
    events = drive(one.resume(entry.run, Options(rote=False), AbsentOwner()))
    assert tree() == {"a": "a"} and "not that one" in str(of(events, "tool_ended")[0]["data"])
    assert UndoStore(home).all() == []


def test_what_was_changed_by_others_while_it_waited_stays(home: Path) -> None:
    write(a="a")
    one, entry = waiting(home, "rm a; echo x > new")
    write(a="mine")
    Inbox(home).answer(entry, Answer("approve"))
    events = drive(one.resume(entry.run, Options(rote=False), AbsentOwner()))
    [ended] = of(events, "tool_ended")
    assert ended["status"] == "error" and str(Path.cwd() / "a") in ended["data"]["changes"]
    assert tree() == {"a": "mine"}


def test_a_cancelled_run_leaves_no_stage(cli: CommandLine, home: Path) -> None:
    write(a="a")
    _, entry = waiting(home, "rm a")
    assert cli("runs", "cancel", entry.run).code == 0
    assert UndoStore(home).all() == [] and tree() == {"a": "a"}


def test_a_start_up_file_is_asked_about_also_where_the_words_hide_it(home: Path) -> None:
    script = "from pathlib import Path\nPath.home().joinpath('.bash' + 'rc').write_text('x')"
    events = run(home, [call("code_run", type="python", script=script), "done"])
    assert events[-1]["status"] == "waiting" and not (Path.home() / ".bashrc").exists()


def test_the_agents_own_home_is_not_seen_by_scripts(home: Path) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "MEMORY.md").write_text("private")
    hidden = """
from pathlib import Path
home = Path.home() / Path("name").read_text()
print([each.name for each in home.iterdir()])
try:
    home.joinpath("y").write_text("x")
except OSError as error:
    print(error)
"""
    write(name=home.name)
    events = run(home, [call("code_run", type="python", script=hidden), "done"])
    data = of(events, "tool_ended")[0]["data"]
    assert "MEMORY.md" not in data["output"] and "Read-only" in data["output"]
    assert not (home / "y").exists()


CRASH = """
import os, sys
from sandbox.undo import commits
did = commits.do_all
def half(steps, check):
    did(steps[:1], check)
    os.kill(os.getpid(), 9)
commits.do_all = half
import launch
sys.exit(launch.main(sys.argv[1:]))
"""


def test_a_run_killed_in_the_middle_of_a_commit_is_made_whole_by_the_next(home: Path) -> None:
    write(a="a", b="b", c="c")
    scripted(home, [bash("echo 1 >> a; echo 2 >> b; echo 3 >> c"), "done"])
    words = [sys.executable, "-c", CRASH, "run", "write", "--no-rote"]
    died = subprocess.run(
        words, env=os.environ | {"PYTHONPATH": str(CHECKOUT)}, capture_output=True, check=False
    )
    assert died.returncode == -signal.SIGKILL, died
    half = tree()
    assert half != {"a": "a", "b": "b", "c": "c"}
    events = run(home, ["done"])
    assert "were made whole" in of(events, "recovered")[0]["text"]
    assert tree() == {"a": "a1\n", "b": "b2\n", "c": "c3\n"}
    killed = list_runs(home)[-1].run
    assert not UndoStore(home).undo(killed).conflicts
    assert tree() == {"a": "a", "b": "b", "c": "c"}


def test_without_a_stage_the_words_decide(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tools.staged import Staging

    monkeypatch.setattr(Staging, "works", staticmethod(lambda *_: False))
    write(a="a")
    events = run(home, [bash("echo x > b"), bash("rm a"), "done"])
    assert events[-1]["status"] == "waiting" and tree() == {"a": "a", "b": "x\n"}
    assert "deletes" in of(events, "confirm")[0]["reason"] and not of(events, "changes")


def test_the_note_on_stages_saves_the_trial_until_the_mounts_change(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sandbox import stage
    from tools.staged import Staging

    home.mkdir(parents=True)
    assert Staging.works(home, [Path.cwd()])
    monkeypatch.setattr(stage, "why_none", lambda *_: pytest.fail("it was tried again"))
    assert Staging.works(home, [Path.cwd()])


def test_an_undo_is_written_behind_the_end_of_its_run(cli: CommandLine, home: Path) -> None:
    scripted(home, [bash("echo 1 > a"), bash("echo 2 > b"), "done"])
    assert cli("run", "write", "--no-rote").code == 0
    [before] = list_runs(home)
    assert cli("undo", "last", "--call", "2", "--yes").code == 0
    *_, ended, undone = read_events(home, before.run)
    called = [each for each in read_events(home, before.run) if each["type"] == "tool_started"]
    assert ended["type"] == "run_ended" and undone["type"] == "undone"
    assert undone["paths"] == [str(Path.cwd() / "b")] and undone["call"] == called[1]["call"]
    assert cli("undo", "last", "--yes").code == 0
    *_, whole = read_events(home, before.run)
    assert whole["call"] is None and whole["run"] == before.run
    [after] = list_runs(home)
    assert after == before and "undone" in cli("runs", "show", before.run).stdout
