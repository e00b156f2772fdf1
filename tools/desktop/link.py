"""Speaks with the process that holds the desktop (desktop_child.py), and remembers what of it the
run has seen."""

from __future__ import annotations

import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from config import restored
from memory.files import write_atomic
from tools.base import ToolContext, ToolError
from tools.desktop.windows import holds
from tools.processes import MARK, leaders, mark, starting

ROOT = Path(__file__).parents[2]
START_SECONDS = 30.0
STOP_SECONDS = 2.0
Seen = dict[str, Any]  # size, pointer, windows (topmost first), active: desktop_child.py


class Desktop:
    """The desktop's process, for one run. Raises ToolError when there is no display that lets it
    in."""

    def __init__(self) -> None:
        env = dict(os.environ)
        if "XAUTHORITY" not in env and not Path("~/.Xauthority").expanduser().exists():
            env["XAUTHORITY"] = os.devnull  # the library wants a file, the display may want none
        with starting:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tools.desktop.child"],
                cwd=ROOT,
                env=env | {MARK: mark("desktop")},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,  # Ctrl-C is the run's
            )
            leaders.add(self._process.pid)
        self._answers: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            self._answer(START_SECONDS)
        except ToolError:
            self.close()
            raise

    def ask(self, op: str, seconds: float, **asked: Any) -> dict[str, Any]:
        """Return the answer. Raises ToolError for what could not be done, and when no answer comes
        in time."""
        assert self._process.stdin
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps({"op": op, **asked}) + "\n")
            self._process.stdin.flush()
        return self._answer(seconds)

    @property
    def has_ended(self) -> bool:
        """Return True if another one is needed."""
        return self._process.poll() is not None

    def close(self) -> None:
        """End the process; what it holds pressed it lets go."""
        with suppress(OSError):
            assert self._process.stdin
            self._process.stdin.close()
        for number in (0, signal.SIGTERM, signal.SIGKILL):
            if number:
                self._process.send_signal(number)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(STOP_SECONDS)
                break
        leaders.discard(self._process.pid)
        self._reader.join(STOP_SECONDS)
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe:
                pipe.close()

    def _read(self) -> None:
        assert self._process.stdout
        with suppress(ValueError):  # closed meanwhile
            for line in self._process.stdout:
                self._answers.put(line)
        self._answers.put("")

    def _answer(self, seconds: float) -> dict[str, Any]:
        try:
            line = self._answers.get(timeout=seconds)
        except queue.Empty:
            self.close()
            raise ToolError(
                "error.desktop.desktop-answered-what-under", seconds=f"{seconds:.0f}"
            ) from None
        if not line:
            assert self._process.stderr
            said = self._process.stderr.read().strip() or "its process has ended"
            self.close()
            why = re.sub(r"^[\w.]+(?:Error|Exception): ", "", said.splitlines()[-1])
            raise ToolError("error.desktop.unusable", why=why[:400])
        answer: dict[str, Any] = json.loads(line)
        if "trouble" in answer:
            raise ToolError(restored(answer["trouble"], answer["said"]))
        return answer


def opened(ctx: ToolContext) -> Desktop:
    """Return the run's desktop; a new one when the last has ended."""
    there = ctx.kept.get("desktop")
    if isinstance(there, Desktop) and there.has_ended:
        ctx.kept.pop("desktop").close()
    return ctx.keep("desktop", Desktop)


def remember(ctx: ToolContext, answer: dict[str, Any]) -> Seen:
    """Note what the screen was: an action is held against it, also when a resumed run does it in
    another process."""
    seen = {key: answer[key] for key in ("size", "pointer", "windows", "active")}
    write_atomic(ctx.folder / "desktop.json", json.dumps(seen, ensure_ascii=False))
    return seen


def last_seen(ctx: ToolContext) -> Seen | None:
    """Return what the run has seen last; None: nothing yet."""
    try:
        found: Seen = json.loads((ctx.folder / "desktop.json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found


def window_at(seen: Seen, at: list[int]) -> dict[str, Any] | None:
    """Return the window on top at a position."""
    shown = (each for each in seen["windows"] if "hidden" not in each)
    return next((each for each in shown if holds(each, at)), None)


def window_named(seen: Seen, name: str) -> dict[str, Any]:
    """Return the window with this id or title, or the only one whose title or program has it in it.
    Raises ToolError."""
    wanted = name.strip().casefold()
    named = [each for each in seen["windows"] if each["title"] or "popup" not in each]
    for fits in (
        lambda each: hex(each["id"]) == wanted,
        lambda each: each["title"].casefold() == wanted,
        lambda each: wanted in each["title"].casefold(),
        lambda each: wanted in each["app"].casefold(),
    ):
        found: list[dict[str, Any]] = [each for each in named if fits(each)]
        if len(found) == 1:
            return found[0]
        if found:
            raise ToolError(
                "error.desktop.windows-take-id",
                count=len(found),
                name=repr(name),
                names=listed(found),
            )
    raise ToolError("error.desktop.window-open", name=repr(name), names=listed(named) or "none")


def listed(windows: list[dict[str, Any]]) -> str:
    """Windows by id and title."""
    return ", ".join(
        f"{hex(each['id'])} {each['title'] or each['app'] or '(no title)'}" for each in windows
    )
