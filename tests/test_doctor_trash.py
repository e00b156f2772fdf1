"""On a desktop doctor says which trash takes what is removed, and what to install where it is only our own."""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from pathlib import Path

import pytest

from config import load
from runs.doctor.machine import check_trash
from sandbox.trash import desktop as desktop_trash
from tests.conftest import CommandLine


def test_a_desktop_whose_trash_cannot_be_used_is_told_how(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-9")
    monkeypatch.setattr(desktop_trash, "find_spec", lambda name: None)
    [said] = check_trash(load(home, "en", os.environ))
    assert (said.ok, said.fix) == (None, "scripts/setup --extra desktop")
    assert str(home / "trash") in said.detail
    home.mkdir()
    (home / "config.yaml").write_text("safety: {trash: home}\n")
    assert check_trash(load(home, "en", os.environ)) == []  # the owner wants it so


@pytest.mark.skipif(
    find_spec("send2trash") is None, reason="send2trash is missing: scripts/setup --extra desktop"
)
def test_doctor_names_the_desktop_s_trash_and_says_nothing_without_a_desktop(
    cli: CommandLine,
) -> None:
    def said(**env: str) -> list[str]:
        found = json.loads(cli("--lang", "zh", "doctor", "--json", env=env).stdout)["checks"]
        return [check["detail"] for check in found if check["name"] == "trash"]

    assert said(WAYLAND_DISPLAY="wayland-9") == ["移除的文件进入桌面的回收站"]
    assert said(WAYLAND_DISPLAY="", DISPLAY="") == []
