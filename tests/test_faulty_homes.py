"""Whatever lies in the home folder in place of a workspace file: a run ends as it should, and
nothing is lost."""

import json
import os
import subprocess
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.conftest import CommandLine


def fifo(home: Path) -> None:
    os.mkfifo(home / "SPIRIT.md")
    os.mkfifo(home / "memory" / f"{datetime.now().astimezone():%Y-%m-%d}.md")


def device(home: Path) -> None:
    (home / "TOOLS.md").symlink_to("/dev/zero")
    (home / "OWNER.md").symlink_to("/dev/tty")


def circle(home: Path) -> None:
    (home / "MEMORY.md").symlink_to("SPIRIT.md")
    (home / "SPIRIT.md").symlink_to("MEMORY.md")


def folder(home: Path) -> None:
    (home / "AGENTS.md" / "inside").mkdir(parents=True)
    (home / "memory" / "global_mem_insight.txt").mkdir()


def bytes_(home: Path) -> None:
    (home / "OWNER.md").write_bytes(b"I am \xff\xfe Alice\r\n\x00")
    (home / "TOOLS.md").write_bytes(b"\xef\xbb\xbfthe printer\r\nis called inky\r\n")


def large(home: Path) -> None:
    (home / "MEMORY.md").write_bytes(b"- a line that is worth knowing for long\n" * 130_000)


def front_matter(home: Path) -> None:
    for name, text in (
        ("personas/poet.md", "---\nname: [poet\n---\nsing"),
        ("sops/broken/SKILL.md", "---\nname: {\n---\n"),
    ):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    (home / "AGENTS.md").write_text("---\nkey: [\n---\nuse the metric system\n")


def future(home: Path) -> None:
    """Set the clock back: notes and runs are of tomorrow."""
    tomorrow = datetime.now().astimezone() + timedelta(days=1)
    (home / "memory" / f"{tomorrow:%Y-%m-%d}.md").write_text(
        f"# {tomorrow:%Y-%m-%d}\n\n- a note of tomorrow\n"
    )
    (home / "runs" / f"{tomorrow:%Y%m%d-%H%M%S}-0001").mkdir(parents=True)


Fault = Callable[[Path], None]
HOMES: tuple[tuple[str, tuple[Fault, ...]], ...] = (
    ("main", (fifo, device, large, front_matter)),
    ("main", (circle, folder, bytes_, future)),
    ("shared:team", (circle, folder, bytes_, future)),
)


def scripted(home: Path) -> None:
    home.mkdir(parents=True)
    (home / "memory").mkdir()
    call = {"name": "code_run", "args": {"type": "bash", "script": "echo made > made.txt"}}
    (home / "replies.json").write_text(json.dumps([{"text": "", "calls": [call]}, "well done"]))
    (home / "config.yaml").write_text(
        f"models: [{{name: m, kind: scripted, model: {home}/replies.json}}]\n"
    )


def kinds(home: Path) -> dict[str, tuple[int, int]]:
    """Return what lies in the home folder that nobody but the owner may change: its kind and
    size."""
    found = [
        path
        for path in home.rglob("*")
        if not path.is_relative_to(home / "runs") and ".git" not in path.parts
    ]
    return {
        str(path): (path.lstat().st_mode, path.lstat().st_size)
        for path in found
        if not path.is_dir()
    }


@pytest.mark.parametrize(("session", "faults"), HOMES)
def test_a_run_ends_well_and_nothing_is_lost(
    home: Path, cli: CommandLine, session: str, faults: tuple[Fault, ...]
) -> None:
    scripted(home)
    for fault in faults:
        fault(home)
    before = kinds(home)
    done = cli(
        "run", "Make a file. Remember that the printer is called inky.", "--session", session
    )
    assert done.code == 0 and "well done" in done.stdout, done
    assert Path("made.txt").exists() == (session == "main")
    after = kinds(home)
    assert {path: after.get(path) for path in before} == before
    assert "Traceback" not in done.stderr


def test_a_home_on_a_read_only_disk_is_said(small_disk: Path, cli: CommandLine) -> None:
    home = small_disk / "home"
    scripted(home)
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    for lang, words in (("en", "read-only"), ("zh", "只读")):
        done = cli("run", "Make a file", "--home", str(home), "--lang", lang)
        assert done.code == 1 and words in done.stderr.lower() and done.stderr.count("\n") <= 2, (
            done
        )
        assert not Path("made.txt").exists()
