"""Editors that ask in a line of their own at the bottom of the screen, and output that strikes letters twice."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from config import SafetyConfig
from models.base import ToolResult
from safety.gate import Ask, Decision, Gate
from tests.machine import PATIENCE_SECONDS
from tests.test_shell import Desk
from tools.shells.calls import open_shell

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no terminals on Windows")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    (tmp_path / "desk").mkdir()
    found = Desk(tmp_path / "desk")
    yield found
    found.ctx.close()


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    owner = tmp_path / "owner"
    return Gate(SafetyConfig(), owner / ".sopwith", owner, tmp_path / "cwd", sandboxed=True)


def typed(gate: Gate, text: str, **about: Any) -> Decision:
    """Return what the gate says of text for a program in a shell."""
    return gate.decide(
        Ask(
            "shell_keys",
            {"text": text},
            ("execute",),
            (),
            "main",
            hints={"cwd": str(gate.cwd), **about},
        )
    )


def shows(desk: Desk, result: ToolResult, wanted: str) -> str:
    """The screen when this stands on it; a loaded machine may make a pause before."""
    end = time.monotonic() + PATIENCE_SECONDS
    while wanted not in str(result.data.get("screen")) and time.monotonic() < end:
        result = desk.keys(screen=True)
    return str(result.data["screen"])


@pytest.mark.parametrize(
    ("name", "asked", "text", "decision"),
    [
        ("nano", "File Name to Write: notes.txt", "", "allow"),
        ("nano", "File Name to Write: notes", ".txt", "allow"),
        ("nano", "File Name to Write: ", "~/.ssh/authorized_keys", "confirm"),
        ("nano", "要写入的文件名: ", "~/.ssh/authorized_keys", "confirm"),
        ("nano", "File Name to Write: ~/.ss", "h/authorized_keys\r", "confirm"),
        ("nano", "File to insert [from ./]:", "~/.ssh/id_ed25519", "confirm"),
        ("nano", "Command to execute:", "rm -rf /", "refuse"),
        ("nano", "Search:", "~/.ssh/authorized_keys", "allow"),
        ("nano", "Save modified buffer?", "y", "allow"),
        ("nano", "", "the word ~/.ssh/authorized_keys in a text\n", "allow"),
        ("nano", "", "text\x0f~/.ssh/authorized_keys\r", "confirm"),
        ("nano", "", "\x12\x18rm -rf /\r", "refuse"),
        ("nano", "", "\x18y~/.ssh/authorized_keys\r", "confirm"),
        ("nano", "", "\x14rm -rf /\r", "refuse"),
        ("emacs", "Write file: ~/", ".bashrc", "confirm"),
        ("emacs", "Shell command: ", "rm -rf /", "refuse"),
        ("vim", "File Name to Write: ", "~/.ssh/authorized_keys", "allow"),  # it asks in another way
    ],
)  # fmt: skip
def test_what_an_editor_asks_for_is_judged_as_what_it_is(
    gate: Gate, name: str, asked: str, text: str, decision: str
) -> None:
    found = typed(gate, text, program=[f"/usr/bin/{name}", "x"], asked=asked)
    assert found.decision == decision, found.reason


@pytest.mark.skipif(not shutil.which("nano"), reason="nano is not installed")
def test_the_line_in_which_nano_asks_is_seen_and_its_text_is_not(desk: Desk) -> None:
    shows(desk, desk.run("nano -I notes.txt"), "New File")
    shows(desk, desk.keys("Dear Ann: 你好"), "你好")
    assert open_shell(desk.ctx, {"text": "x"})["asked"] == ""
    shows(desk, desk.keys(keys=["ctrl-o"]), "File Name to Write")
    assert open_shell(desk.ctx, {"text": "x"})["asked"] == "File Name to Write: notes.txt"
    shows(desk, desk.keys(keys=["enter"]), "Wrote")
    assert desk.keys(keys=["ctrl-x"]).data["exit_code"] == 0
    assert (desk.ctx.cwd / "notes.txt").read_text("utf-8").splitlines()[0] == "Dear Ann: 你好"
