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

from config import Lang
from memory.inbox import Entry

SECONDS = 2.0  # the program only hands the note over
_SAID: dict[Lang, dict[str, str]] = {
    "en": {
        "question": "A question waits for you.",
        "confirmation": "Something waits for your leave.",
        "proposal": "A proposal waits for you.",
        "notice": "There is a notice for you.",
        "see": "See it: sopwith inbox list",
    },
    "zh": {
        "question": "有一个问题等您回答。",
        "confirmation": "有一件事等您同意。",
        "proposal": "有一项提议等您决定。",
        "notice": "有一条通知。",
        "see": "查看：sopwith inbox list",
    },
}


def on_desktop(lang: Lang, environ: Mapping[str, str] | None = None) -> Callable[[Entry], None]:
    """What shows a new entry of the inbox; does nothing where there is no desktop. Never fails."""
    here = os.environ if environ is None else environ

    def show(entry: Entry) -> None:
        words = _command(_SAID[lang][entry.kind], _SAID[lang]["see"], here) if entry.session == "main" else []
        if words:
            try:
                subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False)
            except (OSError, subprocess.TimeoutExpired):
                return  # the inbox itself has it

    return show


def _command(title: str, text: str, environ: Mapping[str, str]) -> list[str]:
    """The command that shows a note; [] where nobody would see it."""
    if sys.platform == "darwin":
        script = "on run {what, how}\ndisplay notification how with title what\nend run"
        return ["osascript", "-e", script, f"Sopwith: {title}", text]
    program = shutil.which("notify-send", path=environ.get("PATH"))
    has_screen = bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))
    return [program, "--app-name=Sopwith", title, text] if program and has_screen else []
