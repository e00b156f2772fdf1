"""A screen of its own for tests of the desktop: Xvfb, a window manager, and a program with a window
(tk_window.py)."""

import contextlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from models.base import ToolResult
from tests.conftest import CHECKOUT
from tests.machine import PATIENCE_SECONDS
from tools.base import ToolContext
from tools.desktop.calls import desktop_do, desktop_look

PROGRAMS = ("Xvfb", "openbox", "xclip")
MISSING = [name for name in PROGRAMS if not shutil.which(name)] + [
    name for name in ("pyautogui", "PIL", "tkinter") if importlib.util.find_spec(name) is None
]
needs_desktop = pytest.mark.skipif(
    bool(MISSING), reason=f"no screen for tests: {', '.join(MISSING)} missing"
)
SIZE = (1280, 800)
WAIT_SECONDS = PATIENCE_SECONDS


def until(is_so: Callable[[], Any], what: str) -> Any:
    """Return what `is_so` gives, as soon as it is true."""
    end = time.monotonic() + WAIT_SECONDS
    while not (found := is_so()):
        assert time.monotonic() < end, what
        time.sleep(0.02)
    return found


@contextlib.contextmanager
def started(*command: str, **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a program for as long as the block runs."""
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


@contextlib.contextmanager
def screen(pixels: tuple[int, int] = SIZE) -> Iterator[str]:
    """Yield a display with a window manager; its name."""
    read, write = os.pipe()
    size = f"{pixels[0]}x{pixels[1]}x24"
    with started(
        "Xvfb", "-displayfd", str(write), "-screen", "0", size, "-nolisten", "tcp", pass_fds=[write]
    ):
        os.close(write)
        with os.fdopen(read) as said:
            name = f":{said.readline().strip()}"
        with started("openbox", "--sm-disable", env={**os.environ, "DISPLAY": name}):
            yield name


@dataclass
class Window:
    """The program in the window. `state` is what it says of itself."""

    file: Path
    process: subprocess.Popen[bytes]

    @property
    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.file.read_text("utf-8"))
        return found

    def at(self, name: str, right: int = 0, down: int = 0) -> list[int]:
        """Return the middle of a thing in it."""
        x, y = self.state["at"][name]
        return [x + right, y + down]

    def has(self, name: str, value: Any) -> None:
        """Wait until it says so."""
        until(lambda: self.state[name] == value, f"{name} is not {value!r}: {self.state}")


@contextlib.contextmanager
def window(folder: Path, title: str = "Lamps 灯", where: str = "+200+120") -> Iterator[Window]:
    """Yield the window, open and drawn."""
    file = folder / f"{title}.json"
    file.unlink(missing_ok=True)
    command = [sys.executable, str(CHECKOUT / "tests" / "tk_window.py"), str(file), title, where]
    with started(*command) as process:
        shown = Window(file, process)
        until(
            lambda: file.exists() and shown.state["at"].get("press", [0, 0])[0] > 10,
            "the window has not come",
        )
        yield shown


@dataclass
class Driver:
    """One run that uses the desktop."""

    ctx: ToolContext

    def look(self, **args: Any) -> ToolResult:
        """desktop_look."""
        result = desktop_look.run(self.ctx, **args)
        assert isinstance(result, ToolResult)
        return result

    def do(self, action: str, **args: Any) -> ToolResult:
        """desktop_do."""
        result = desktop_do.run(self.ctx, action=action, **args)
        assert isinstance(result, ToolResult)
        return result


def driver(folder: Path, run: str = "20261122-101112-aaaa", **options: Any) -> Driver:
    """Return a run with a folder of its own below `folder`."""
    (folder / run).mkdir(parents=True, exist_ok=True)
    return Driver(ToolContext(folder, folder / run, folder, call="c1", run=run, **options))
