"""The desktop's tools on a real screen: mouse, keyboard, clipboard, windows that move and go."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import CHECKOUT
from tests.desktop_driving import (
    SIZE,
    Driver,
    Window,
    driver,
    needs_desktop,
    screen,
    until,
    window,
)
from tests.machine import PATIENCE_SECONDS, ran
from tests.window import ARTEFACTS
from tools.base import ToolError
from tools.desktop.calls import aimed, problem

pytestmark = needs_desktop


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    with screen() as name:
        yield name


@pytest.fixture
def shown(display: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Window]:
    """Yield the window on the screen, to whose display the test belongs."""
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.setenv("XAUTHORITY", os.devnull)
    with window(tmp_path) as found:
        yield found


@pytest.fixture
def run(shown: Window, tmp_path: Path) -> Iterator[Driver]:
    found = driver(tmp_path / "runs")
    with closing(found.ctx):
        found.look()
        yield found


def copied(text: bytes) -> None:
    subprocess.run(
        ["xclip", "-selection", "clipboard"], input=text, check=True, stdout=subprocess.DEVNULL
    )


def clipboard() -> bytes:
    return subprocess.run(
        ["xclip", "-selection", "clipboard", "-out"], capture_output=True, check=False
    ).stdout


def test_a_look_shows_the_screen_and_its_windows(run: Driver) -> None:
    from PIL import Image

    result = run.look()
    assert result.origin == "screen"
    assert "the whole screen, 1280 × 800" in result.data["output"]
    assert "Lamps: Lamps 灯 (has the keyboard)" in result.data["output"]
    with Image.open(result.images[0]) as picture:
        assert picture.size == SIZE
    ARTEFACTS.mkdir(exist_ok=True)
    shutil.copy(result.images[0], ARTEFACTS / "desktop.png")
    part = run.look(window="lamps")
    assert "a part of the screen (1280 × 800)" in part.data["output"]
    with Image.open(part.images[0]) as picture:
        assert picture.width < 500
    with pytest.raises(ToolError, match=r"no window 'Chairs'. Open are: 0x\w+ Lamps 灯"):
        run.look(window="Chairs")
    with pytest.raises(ToolError, match="nothing of it is on the screen"):
        run.look(region=[5000, 10, 20, 20])


def test_any_text_is_typed_and_the_owner_keeps_the_clipboard(run: Driver, shown: Window) -> None:
    copied("of the owner 主人".encode())
    run.do("click", at=shown.at("field"))
    run.do("type", text="Hello, World! @#")
    shown.has("text", "Hello, World! @#")
    run.do("type", text=" 台灯 é ß")
    shown.has("text", "Hello, World! @# 台灯 é ß")
    assert clipboard().decode() == "of the owner 主人"


def pasted(run: Driver, shown: Window, text: str, first: Callable[[], None] = lambda: None) -> None:
    """Typed by way of the clipboard until it stands there: a busy machine may take longer than a
    paste is waited for."""
    run.do("click", at=shown.at("field"))
    first()
    for _ in range(8):
        if "no program has asked" not in run.do("type", text=text).data["output"]:
            break
        run.do("click", at=shown.at("field"))
    shown.has("text", text)


def test_drag_scroll_menu_and_keys(run: Driver, shown: Window) -> None:
    run.do("drag", at=shown.at("canvas", -60, -60), to=shown.at("canvas", 30, 40))
    until(lambda: shown.state["drag"] == [130, 140], str(shown.state))
    run.do("scroll", at=shown.at("rows"), amount=3)
    until(lambda: shown.state["top"] > 5, "not scrolled")
    opened = run.do("right_click", at=shown.at("place"))
    assert "opened: " in opened.data["output"]
    at = shown.at("place", 30, 15)
    assert "closed: " in run.do("click", at=at).data["output"]
    shown.has("chosen", "order")
    run.do("keys", text="f5 ctrl+s")
    shown.has("keys", ["f5", "ctrl+s"])
    with pytest.raises(ToolError, match="no key 'foo'"):
        run.do("keys", text="ctrl+foo")


OUR_TERMINAL = """
import os, subprocess, sys, tkinter
from tools.desktop.windows import Windows
root = tkinter.Tk(className="Terminal")
root.title("bash")
look = "import sys; from pathlib import Path; from tests.desktop_driving import driver; r = driver(Path(sys.argv[1])); print(r.look().as_text()); r.ctx.close()"
def shown(_):
    root.unbind("<Map>")
    root.update()
    screen = Windows()
    (mine,) = [each for each in screen.listed() if each["title"] == "bash"]
    there = screen.display.create_resource_object("window", mine["id"])
    there.change_property(screen._atom("_NET_WM_PID"), screen._atom("CARDINAL"), 32, [os.getpid()])  # as terminals do
    screen.display.sync()
    print(subprocess.run([sys.executable, "-c", look, sys.argv[1]], capture_output=True, text=True).stdout)
    root.destroy()
root.bind("<Map>", lambda event: root.after(300, shown, event))
root.mainloop()
"""


def test_the_window_that_we_run_in_is_known(
    shown: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [sys.executable, "-c", OUR_TERMINAL, str(tmp_path)]
    said = ran(*command, cwd=CHECKOUT, timeout=PATIENCE_SECONDS).stdout
    assert re.search(r"Terminal: bash .*Sopwith runs in it", said), said
    assert "Sopwith" not in next(line for line in said.splitlines() if "灯" in line)
    run = driver(tmp_path / "told")
    with closing(run.ctx):
        number = run.look().as_text().split("\n")[2].split()[0]
        monkeypatch.setenv("WINDOWID", str(int(number, 16)))
    again = driver(tmp_path / "told again")
    with closing(again.ctx):
        assert "灯 (has the keyboard, Sopwith runs in it" in again.look().as_text()
        assert aimed(again.ctx, {"at": shown.at("press")})["ours"]


def test_what_covers_the_window_now_is_not_clicked(
    run: Driver, shown: Window, tmp_path: Path
) -> None:
    """As the terminal does in which the owner has just said yes."""
    with window(tmp_path, "Terminal") as cover:
        run.do("click", at=shown.at("press"))
        shown.has("count", 1)
        assert cover.state["count"] == 0
        run.look()
        run.do("click", at=shown.at("field"), window="Lamps 灯")
        run.do("focus", window="Terminal")
        run.do("type", text="on", window="Lamps")  # both are the program's, one has it in its title
        shown.has("text", "on")
        run.do("focus", window="Terminal")
    with pytest.raises(ToolError, match=r"Terminal” has gone. Open are: .*Lamps 灯"):
        run.do("keys", text="f5")
    assert shown.state["keys"] == []


def test_a_secret_goes_from_the_owner_to_the_field_alone(run: Driver, shown: Window) -> None:
    copied(b"mine")
    run.ctx.secret = lambda question: "s3cr3t Pass!" if question == "the lamp's password?" else None
    run.do("click", at=shown.at("hidden"))
    result = run.do("type", secret="the lamp's password?")
    shown.has("password", "s3cr3t Pass!")
    assert "s3cr3t" not in str(result)
    assert "s3cr3t" not in (run.ctx.folder / "desktop.json").read_text("utf-8")
    assert clipboard() == b"mine"
    run.ctx.secret = lambda _: "密码"
    with pytest.raises(ToolError, match="a secret is not pasted"):
        run.do("type", secret="?")
    run.ctx.secret = lambda _: None
    with pytest.raises(ToolError, match="nobody is there"):
        run.do("type", secret="?")


def test_where_there_is_no_desktop_a_sentence_says_what_it_needs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert "set DISPLAY" in problem()
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert "on Xorg" in problem()
    monkeypatch.delenv("WAYLAND_DISPLAY")
    monkeypatch.setenv("DISPLAY", ":4711")
    with pytest.raises(ToolError, match=r"^the desktop cannot be used: .*:4711"):
        driver(tmp_path).look()
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "Accessibility and Screen Recording" in problem()
