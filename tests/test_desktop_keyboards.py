"""The keyboard of the desktop as its owner sets it: another layout in the middle of a run, one without Latin letters, a second
one that is switched on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.desktop_driving import Driver, Window, driver, needs_desktop, screen, until, window
from tools.base import ToolError

pytestmark = [
    needs_desktop,
    pytest.mark.skipif(
        not shutil.which("setxkbmap"), reason="setxkbmap (x11-xkb-utils) is not installed"
    ),
]
SWITCH = """import Xlib.X, Xlib.display, Xlib.ext.xtest
other = Xlib.display.Display()
for kind in (Xlib.X.KeyPress, Xlib.X.KeyRelease):
    Xlib.ext.xtest.fake_input(other, kind, other.keysym_to_keycode(0xFE08))
other.sync()
print("second" if other.screen().root.query_pointer().mask & 0x6000 else "first")"""  # 0xFE08: ISO_Next_Group
ALL = "".join(map(chr, range(33, 127)))


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    with screen() as name:
        yield name


@pytest.fixture
def desk(display: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.setenv("XAUTHORITY", os.devnull)
    found = driver(tmp_path)
    yield found
    found.ctx.close()
    layout("us")


@pytest.fixture
def shown(desk: Driver, tmp_path: Path) -> Iterator[Window]:
    with window(tmp_path) as found:
        until(lambda: "Lamps" in desk.look().as_text(), "the window is not listed")
        desk.do("click", at=found.at("field"))
        yield found


def layout(*names: str) -> None:
    """The owner takes another keyboard."""
    subprocess.run(["setxkbmap", "-option", "", "-layout", *names], check=True, timeout=30)


def typed(desk: Driver, shown: Window, text: str) -> str:
    """Return what comes of a text in the field of the window."""
    desk.do("keys", text="home shift+end delete")
    desk.do("type", text=text)
    until(
        lambda: len(shown.state["text"]) >= len(text), f"{text} has not come: {shown.state['text']}"
    )
    return str(shown.state["text"])


@pytest.mark.parametrize("name", ["de", "fr", "us,ru"])
def test_text_comes_as_it_is_on_each_keyboard_also_on_one_taken_meanwhile(
    desk: Driver, shown: Window, name: str
) -> None:
    assert typed(desk, shown, "before") == "before"
    layout(name)
    assert typed(desk, shown, "plain azerty qwertz") == "plain azerty qwertz"
    assert typed(desk, shown, ALL) == ALL


def test_a_keyboard_without_latin_letters_takes_text_and_says_which_keys_it_lacks(
    desk: Driver, shown: Window
) -> None:
    layout("ru")
    assert typed(desk, shown, "plain words") == "plain words"
    with pytest.raises(ToolError, match="no key 's'"):
        desk.do("keys", text="ctrl+s")


def test_what_is_typed_while_the_second_layout_is_on_is_not_in_its_letters(
    desk: Driver, shown: Window
) -> None:
    layout("us,ru", "-option", "grp:toggle")
    said = subprocess.run(
        [sys.executable, "-c", SWITCH], capture_output=True, text=True, check=True, timeout=60
    )
    assert said.stdout.split()[-1] == "second"
    assert typed(desk, shown, "plain words") == "plain words"
