"""Shows on the desktop that something waits in the inbox: what kind of thing, never what stands in it.

By the desktop's own program (`notify-send` of freedesktop, `osascript` on macOS), where one is there and somebody may be
sitting in front of it. A lock screen shows such notes to everybody, so they hold no text of a run.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress

from config import Config, sentences
from memory.inbox import Entry

SECONDS = 2.0  # the program only hands the note over


def on_desktop(config: Config) -> Callable[[Entry], None]:
    """Return what shows a new entry of the inbox; does nothing where there is no desktop, or the owner wants none. Never fails."""
    words = sentences(config.lang)

    def show(entry: Entry) -> None:
        if config.inbox.desktop != "on" or entry.session != "main":
            return
        said, see = words[f"notice.{entry.kind}"], words["notice.see"]
        if command := _command(said, see, os.environ):
            with suppress(OSError, subprocess.TimeoutExpired):  # the inbox itself has it
                subprocess.run(
                    command,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=SECONDS,
                    check=False,
                )

    return show


def program(environ: Mapping[str, str]) -> str | None:
    """The program that shows notes here: its path, "" where it is missing, None where there is no desktop."""
    if sys.platform == "darwin":
        return shutil.which("osascript")
    has_screen = environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY")
    return (shutil.which("notify-send", path=environ.get("PATH")) or "") if has_screen else None


def _command(title: str, text: str, environ: Mapping[str, str]) -> list[str]:
    """The command that shows a note; [] where nobody would see it."""
    found = program(environ)
    if not found:
        return []
    if sys.platform == "darwin":
        script = "on run {what, how}\ndisplay notification how with title what\nend run"
        return [found, "-e", script, f"Sopwith: {title}", text]
    return [found, "--app-name=Sopwith", title, text]
