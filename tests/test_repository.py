"""The history of the home folder, with the git of this machine: only ours goes in, nothing of the
owner's is in the way."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memory.history import Content, Repository, RepositoryError
from tests.conftest import CHECKOUT
from tests.machine import ran

WRITER = """
import sys
from pathlib import Path
from memory.history import Repository
home, name, times = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
repository = Repository(home)
for number in range(times):
    (home / "memory" / name).write_text(str(number))
    print(repository.commit([f"memory/{name}"], f"{name} {number}"), flush=True)
"""


@pytest.fixture
def repository(home: Path) -> Repository:
    for folder in ("memory", "sops", "runs", "journal"):
        (home / folder).mkdir(parents=True)
    return Repository(home)


def git(home: Path, *words: str) -> str:
    """Return the owner's own git, with the owner's own settings."""
    return ran("git", *words, cwd=home, check=True).stdout


def write(home: Path, path: str, text: str) -> str:
    place = home / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, "utf-8")
    return path


def sound(home: Path) -> bool:
    return ran("git", "fsck", "--strict", "--full", cwd=home).returncode == 0


def test_a_commit_holds_the_given_paths_and_nothing_else(
    home: Path, repository: Repository
) -> None:
    for path in ("memory/a.txt", "memory/b.txt", "runs/1/log.jsonl", "config.yaml", "AGENTS.md"):
        write(home, path, path)
    commit = repository.commit(["memory/a.txt", "AGENTS.md"], "two files\n\nRun: r1")
    assert commit and git(home, "ls-tree", "-r", "--name-only", "HEAD").split() == [
        "AGENTS.md",
        "memory/a.txt",
    ]
    assert [entry.subject for entry in repository.log()] == ["two files"]
    assert repository.content(commit, "memory/a.txt") == b"memory/a.txt"
    assert git(home, "log", "--format=%an <%ae>").strip() == "Sopwith <sopwith@localhost>"
    git(home, "pack-refs", "--all")
    assert repository.head() == commit and git(home, "config", "core.fileMode") == "false\n"


def test_locks_counts_drafts_and_nested_repositories_stay_out(
    home: Path, repository: Repository
) -> None:
    write(home, "sops/x/SKILL.md", "1")
    for path in (
        "sops/.stats.sqlite3",
        "sops/.new-1/x/SKILL.md",
        "memory/.lock",
        "sops/x/.git/HEAD",
    ):
        write(home, path, "no")
    write(home, "sops/x/scripts/__pycache__/run.pyc", "no")
    write(home, "memory/.facts.txt.00ff.tmp", "no")
    repository.commit(["sops", "memory"], "all")
    assert git(home, "ls-tree", "-r", "--name-only", "HEAD").split() == ["sops/x/SKILL.md"]


def test_any_name_and_any_bytes_come_back(home: Path, repository: Repository) -> None:
    names = [
        "a b.txt",
        'quo"te',
        "new\nline",
        "日本.md",
        "back\\slash",
        "-rf",
        "tab\t",
        "\udcff.bin",
    ]
    (home / "sops/x").mkdir()
    for number, name in enumerate(names):
        (home / "sops/x" / name).write_bytes(b"\0\n" * number)
    commit = repository.commit(["sops/x"], "odd") or ""
    found = repository.files(commit, "sops/x")
    assert {name: len(content.data) // 2 for name, content in found.items()} == {
        name: n for n, name in enumerate(names)
    }
    assert repository.commit(["sops/x"], "nothing new") is None


def test_without_git_nothing_is_recorded_and_nothing_fails(
    home: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    bare, path = Repository(home), write(home, "memory/a.txt", "1")
    assert bare.problem and "git is not installed" in bare.problem and "\n" not in bare.problem
    assert bare.commit([path], "x") is None and bare.commit_hand_edits([path]) is None
    assert bare.log() == [] and bare.head() is None
    assert not (home / ".git").exists()
    assert repository.problem is None


def test_two_processes_take_turns_and_lose_nothing(home: Path, repository: Repository) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, home, name, "8"], cwd=CHECKOUT, stdout=subprocess.PIPE
        )
        for name in ("a", "b", "c")
    ]
    said = [writer.communicate()[0].decode().split() for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    commits = {entry.id for entry in repository.log()}
    assert len(commits) == 24 and {commit for each in said for commit in each} == commits
    assert sound(home)


def test_killed_at_any_moment_the_history_is_sound_and_nothing_acknowledged_is_lost(
    home: Path, repository: Repository
) -> None:
    dice, acknowledged = random.Random(7), set()
    for number in range(8):
        command = [sys.executable, "-c", WRITER, str(home), f"n{number}", "1000"]
        writer = subprocess.Popen(command, cwd=CHECKOUT, stdout=subprocess.PIPE, process_group=0)
        assert writer.stdout is not None
        acknowledged.add(writer.stdout.readline().decode().strip())
        time.sleep(dice.uniform(0, 0.15))
        os.killpg(writer.pid, signal.SIGKILL)  # git as well
        said = writer.communicate()[0].decode()
        acknowledged |= {
            line.strip() for line in said.splitlines(keepends=True) if line.endswith("\n")
        }
    assert repository.commit([write(home, "memory/after.txt", "1")], "after") is not None
    assert acknowledged - {"None"} <= {entry.id for entry in repository.log()}
    assert sound(home)


def test_a_full_disk_is_said_and_the_history_stays_sound(small_disk: Path) -> None:
    (small_disk / "memory").mkdir()
    repository = Repository(small_disk)
    repository.commit([write(small_disk, "memory/a.txt", "1")], "first")
    files = {"memory/big": Content(os.urandom(3_000_000))}
    (small_disk / "fill").write_bytes(b"x" * 2_500_000)
    with pytest.raises(RepositoryError):
        repository.record({"memory/big": files}, "too big")
    (small_disk / "fill").unlink()
    assert [entry.subject for entry in repository.log()] == ["first"]
    assert sound(small_disk)
    assert repository.commit([write(small_disk, "memory/a.txt", "2")], "second") is not None
