"""Whole runs that use the desktop: from the command line, refused, and approved from the inbox in
another process."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.conftest import CommandLine
from tests.desktop_driving import Window, needs_desktop, screen, window
from tests.driving import call
from tests.screen import scripted

pytestmark = needs_desktop
TASK = "press the button in the window Lamps"


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Window]:
    with screen() as display:
        monkeypatch.setenv("DISPLAY", display)
        with window(tmp_path) as found:
            yield found


def ended(stdout: str) -> list[dict[str, Any]]:
    return [
        event for line in stdout.splitlines() if (event := json.loads(line))["type"] == "tool_ended"
    ]


def left() -> list[str]:
    """Return what of a run's desktop still works on this test's display."""
    found = []
    for each in psutil.process_iter(["cmdline"]):
        is_desktop = "tools.desktop.child" in (each.info["cmdline"] or [])
        try:
            found += (
                [str(each)]
                if is_desktop and each.environ().get("DISPLAY") == os.environ["DISPLAY"]
                else []
            )
        except psutil.Error:
            continue
    return found


def test_a_task_on_the_desktop_from_the_command_line(
    cli: CommandLine, home: Path, shown: Window
) -> None:
    replies = [
        call("more_tools", family="desktop"),
        call("desktop_look"),
        call("desktop_do", action="click", at=shown.at("press")),
        call("desktop_do", action="click", at=shown.at("field")),
        call("desktop_do", action="type", text="台灯 on"),
        "It was pressed.",
    ]
    scripted(home, replies)
    code, stdout, stderr = cli("run", TASK, "--events", "--approve", "all")
    done = ended(stdout)
    assert [event["status"] for event in done] == ["ok"] * 5, (done, stderr)
    assert "Lamps 灯" in done[1]["data"]["output"]
    assert {event.get("origin") for event in done[1:]} == {"screen"}
    assert all(Path(event["images"][0]).read_bytes().startswith(b"\x89PNG") for event in done[1:])
    assert (code, shown.state["count"], shown.state["text"]) == (0, 1, "台灯 on")
    assert left() == []


def test_what_is_not_approved_is_not_pressed(cli: CommandLine, home: Path, shown: Window) -> None:
    press = call("desktop_do", action="click", at=shown.at("press"))
    scripted(home, [call("desktop_look"), press, "nothing was pressed"])
    code, stdout, _ = cli("run", TASK, "--events", "--approve", "never")
    assert (code, [event["status"] for event in ended(stdout)]) == (0, ["ok", "refused"])
    scripted(home, [call("desktop_look"), "nothing was seen"])
    code, stdout, _ = cli("run", "how warm is it?", "--events", "--approve", "never")
    assert (code, [event["status"] for event in ended(stdout)]) == (0, ["refused"])
    assert shown.state["count"] == 0


def test_an_approval_from_the_inbox_presses_what_was_seen(
    cli: CommandLine, home: Path, shown: Window
) -> None:
    scripted(
        home,
        [
            call("desktop_look"),
            call("desktop_do", action="click", at=shown.at("press")),
            "It was pressed.",
        ],
    )
    code, stdout, _ = cli("run", TASK, "--events")
    assert (code, shown.state["count"], left()) == (3, 0, [])
    waiting = json.loads(cli("inbox", "list", "--json").stdout)["inbox"]
    assert "Lamps" in waiting[0]["text"]
    code, stdout, stderr = cli("inbox", "approve", waiting[0]["id"])
    assert (code, shown.state["count"]) == (0, 1), (stdout, stderr)
