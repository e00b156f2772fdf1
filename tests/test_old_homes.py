"""Homes that earlier versions wrote: the present code opens them, goes on with them, and loses
nothing of them.

The home lies at /home/me, as when it was written, so each command runs in a mount namespace of its
own.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CHECKOUT, Finished
from tests.machine import PATIENCE_SECONDS
from tests.rows import cases

HOMES = Path(__file__).parent / "homes"
OWNER = Path("/home/me")


class OldHome:
    """The owner's folder of an earlier version, and commands of the present one in it: one process
    runs them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.papers = folder / "papers"
        command = [sys.executable, "-m", "tests.inside"]
        self._process = subprocess.Popen(
            [*namespace(folder), "--chdir", str(OWNER / "papers"), "--", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(),
        )

    def __call__(self, *args: str, code: int = 0) -> str:
        """Run a command in English; return what it prints. Fail unless it ends with `code`."""
        done = self.run(*args)
        assert done.code == code, f"{args}: {done}"
        return done.stdout

    def run(self, *args: str) -> Finished:
        """Run a command as the owner of the home."""
        assert self._process.stdin and self._process.stdout
        print(json.dumps(["--lang", "en", *args]), file=self._process.stdin, flush=True)
        return Finished(*json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        """End the process."""
        self._process.communicate(timeout=PATIENCE_SECONDS)

    def json(self, *args: str) -> Any:
        """Run a command and read its JSON."""
        return json.loads(self(*args, "--json"))

    def run_of(self, task: str) -> str:
        """Return the id of the run that did the task."""
        runs: Sequence[dict[str, Any]] = self.json("runs", "list")["runs"]
        return next(str(each["run"]) for each in runs if each["task"] == task)


def namespace(folder: Path) -> list[str]:
    """Return the command that shows `folder` as /home/me and leaves the rest as it is."""
    command = ["bwrap", "--dev-bind", "/", "/", "--tmpfs", "/home"]
    for other in Path("/home").iterdir():
        if other != OWNER:
            command += ["--bind", str(other), str(other)]
    if os.geteuid() == 0:
        command += ["--cap-add", "ALL"]
    return [*command, "--bind", str(folder), str(OWNER)]


def environment() -> dict[str, str]:
    """Return the owner's environment."""
    own = {"HOME": str(OWNER), "SOPWITH_HOME": str(OWNER / ".sopwith")}
    names = ("PATH", "XDG_CACHE_HOME")
    path = {"PYTHONPATH": str(CHECKOUT), **{name: os.environ[name] for name in names}}
    return {**path, "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1", **own}


def unpacked(folder: Path) -> OldHome:
    """Open the old home in a folder."""
    folder.mkdir()
    probe = [*namespace(folder), "true"] if shutil.which("bwrap") else ["false"]
    if subprocess.run(probe, check=False, capture_output=True).returncode:
        pytest.skip("no mount namespaces here")
    archive = HOMES / "v1" / "home.tar.xz"
    subprocess.run(["tar", "--no-same-owner", "-C", folder, "-xf", archive], check=True)
    return OldHome(folder)


@pytest.fixture
def old(tmp_path: Path) -> Iterator[OldHome]:
    """Yield an old home of this test."""
    with contextlib.closing(unpacked(tmp_path / "me")) as home:
        yield home


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OldHome]:
    """Yield an old home in which each test changes something of its own."""
    with contextlib.closing(unpacked(tmp_path_factory.mktemp("lived") / "me")) as home:
        yield home


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OldHome]:
    """Yield an old home that tests only look at."""
    with contextlib.closing(unpacked(tmp_path_factory.mktemp("old") / "me")) as home:
        yield home


def test_runs_are_listed_with_their_statuses(seen: OldHome) -> None:
    runs = seen.json("runs", "list")["runs"]
    statuses = {each["task"]: each["status"] for each in runs}
    assert len(runs) == 17
    assert statuses["remove the old log"] == "waiting"
    assert statuses["write both lines"] == "interrupted"
    assert statuses["count the lines of notes.txt"] == "done"
    assert {each["sop"] for each in runs if each["rote"]} >= {"largest-files", "file-away"}


def test_a_run_is_shown_with_its_calls(seen: OldHome) -> None:
    shown = seen("runs", "show", seen.run_of("count the lines of notes.txt"))
    assert "wc -l < notes.txt" in shown
    assert "notes.txt has 3 lines." in shown


@cases
def test_an_interrupted_run_goes_on_and_does_nothing_twice(
    old: OldHome, task: str, model: str, file: str, lines: list[str]
) -> None:
    run = old.run_of(task)
    old("runs", "resume", run, "--model", model)
    assert (old.papers / file).read_text().split() == lines
    assert "done" in next(each for each in old("runs", "list").splitlines() if run in each)


def test_the_confirmation_that_waits_can_be_given(old: OldHome) -> None:
    entry = f"{old.run_of('remove the old log')}.2"
    assert entry in old("inbox", "list")
    old("inbox", "approve", entry, "--model", "wait")
    assert not (old.papers / "logs/a.log").exists()
    assert entry not in old("inbox", "list")


def test_the_confirmation_that_waits_can_be_denied(old: OldHome) -> None:
    entry = f"{old.run_of('remove the old log')}.2"
    old("inbox", "deny", entry, "keep it", "--model", "wait")
    assert (old.papers / "logs/a.log").exists()


def test_sops_keep_their_statuses_and_versions(seen: OldHome) -> None:
    sops = {each["name"]: each for each in seen.json("sops", "list")["sops"]}
    for status in ("draft", "candidate", "probation", "active", "suspended", "archived"):
        assert sops[f"lines-{status}"]["status"] == status
    assert sops["lines-active"]["version"] == 2
    assert sops["first-rows"]["status"] == "probation"
    for name in ("first-rows", "counted", "sort-table", "archive-table", "order-total"):
        assert name in seen("sops", "show", name)


def test_a_plan_and_commit_sop_runs_by_rote(lived: OldHome) -> None:
    shutil.copy(lived.papers / "notes.txt", lived.papers / "more.txt")
    said = lived("file ~/papers/more.txt away in ~/papers/done", "--approve", "all")
    assert "more.txt is filed" in said
    assert (lived.papers / "done/more.txt").exists()
    assert not (lived.papers / "more.txt").exists()


def test_a_script_sop_runs_by_rote(lived: OldHome) -> None:
    (lived.papers / "order.txt").write_text("2 pen\n1 ink\n")
    said = lived("sops", "run", "order-total", "folder=/home/me/papers", "--approve", "all")
    assert "2 lines, 7.25 in all" in said
    assert (lived.papers / "total.txt").read_text().strip() == "7.25"


def test_a_recorded_sop_runs_by_rote_with_other_values(lived: OldHome) -> None:
    (lived.papers / "b.csv").write_text("b\na\n")
    lived("sort ~/papers/b.csv to ~/papers/b-sorted.csv", "--approve", "all")
    assert (lived.papers / "b-sorted.csv").read_text() == "a\nb\n"


@pytest.mark.parametrize("status", ["draft", "suspended"])
def test_an_unproven_sop_is_still_refused_when_nobody_is_there(lived: OldHome, status: str) -> None:
    args = ("file=/home/me/papers/notes.txt", "word=ERROR")
    lived("sops", "run", f"lines-{status}", *args, code=2)


def test_a_change_of_an_sop_is_taken_back(old: OldHome) -> None:
    request = "count the lines with error in ~/papers/notes.txt"
    assert "2" in old(request)
    old("sops", "rollback", "lines-active", "1")
    assert "2" not in old.run(request).stdout


def test_the_memory_answers_in_both_languages_before_and_after_a_rebuild(old: OldHome) -> None:
    questions = {"who mended the boiler?": "Kovacs", "护照放在哪里": "抽屉"}

    def answers() -> list[str]:
        found = [old.json("memory", "search", each)["results"][0] for each in questions]
        return [each["text"] for each in found]

    before = answers()
    for text, word in zip(before, questions.values(), strict=True):
        assert word in text
    old("memory", "rebuild")
    assert answers() == before
    assert "2 facts" in old("memory", "check")


def test_facts_and_notes_are_there(lived: OldHome) -> None:
    facts = lived("memory", "facts")
    assert "reports in English" in facts
    assert "sales tables lie in ~/papers/sales" in facts
    assert "Inky" in (lived.folder / ".sopwith/MEMORY.md").read_text()
    lived("memory", "note", "[PREFERENCES] tea, not coffee")
    lived("memory", "undo")
    assert "tea" not in lived("memory", "facts")
    assert "reports in English" in lived("memory", "facts")


def test_a_shared_session_finds_its_own_turns_alone(seen: OldHome) -> None:
    found = seen.json("memory", "search", "picnic boiler", "--session", "shared:family")["results"]
    texts = " ".join(each["text"] for each in found)
    assert "Saturday at noon" in texts
    assert "Kovacs" not in texts


def test_schedules_go_on(lived: OldHome) -> None:
    jobs = {each["id"]: each for each in lived.json("schedule", "list")["jobs"]}
    assert jobs.keys() >= {"report", "eve", "daily"}
    assert jobs["report"]["enabled"]
    assert not jobs["daily"]["enabled"]
    assert jobs["eve"]["next"][0].startswith("2099-12-24")
    lived("schedule", "enable", "daily")
    assert "largest files" in lived("schedule", "run-now", "report")
    assert "report" in lived("schedule", "history", "report")


def test_a_file_comes_back_from_the_trash(lived: OldHome) -> None:
    assert "logs/old/c.log" in lived("trash", "list")
    lived("trash", "restore")
    assert (lived.papers / "logs/old/c.log").read_text().startswith("logs/old/c.log")


def test_the_settings_of_every_key_are_read(old: OldHome) -> None:
    config = old.folder / ".sopwith/config.yaml"
    config.write_bytes((old.folder / "every-key.yaml").read_bytes())
    done = old.run("runs", "list")
    assert done.code == 0
    assert "config.yaml" not in done.stderr


def test_the_to_do_list_is_read(old: OldHome) -> None:
    listed = [{"calls": [{"name": "list_tasks", "args": {}}]}, "three tasks"]
    (old.folder / "replies/tasks.json").write_text(json.dumps(listed))
    config = old.folder / ".sopwith/config.yaml"
    entry = "  - {name: tasks, kind: scripted, model: /home/me/replies/tasks.json}\n"
    config.write_text(config.read_text().replace("models:\n", f"models:\n{entry}"))
    old("run", "--no-rote", "--model", "tasks", "show my list")
    assert "Call the plumber" in old("runs", "show", "last")
