"""Text into a window by way of the clipboard, which the owner gets back as it was (X11, by the program xclip)."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress

LARGEST_BYTES = 20_000_000  # of what the owner has in the clipboard
READ_SECONDS = 3.0
KINDS = ("UTF8_STRING", "image/png")  # what can be given back


class Clipboard:
    """`owner` says which window holds the clipboard."""

    def __init__(self, owner: Callable[[], int]) -> None:
        self._owner = owner
        self._ours: subprocess.Popen[bytes] | None = None
        self._kept: tuple[str, bytes] | None = None
        self.note = ""  # what the owner has lost by the last paste

    def put(self, text: str) -> None:
        """Raises OSError when there is no xclip, or when what the owner has there could not be kept."""
        if not shutil.which("xclip"):
            raise OSError("to type this text xclip is needed: sudo apt-get install xclip")
        self.note, before = "", self._owner()
        self._kept = self._read() if before else None
        if before and self._kept is None:
            self.note = "what was in the owner's clipboard could not be kept"
        self._ours = _started(["-in", "-quiet", "-target", KINDS[0]], text.encode())  # "quiet" keeps it in sight
        end = time.monotonic() + READ_SECONDS
        while self._owner() in (0, before) and time.monotonic() < end:
            time.sleep(0.02)

    def give_back(self) -> None:
        """What was there before; nothing, where nothing was."""
        if self._ours is None:
            return
        ours, self._ours = self._ours, None
        if self._kept:
            kind, data = self._kept
            _started(["-in", "-target", kind], data).wait(READ_SECONDS)  # stays behind until something else is copied
        ours.terminate()
        ours.wait()

    def _read(self) -> tuple[str, bytes] | None:
        offered = _output("TARGETS").decode(errors="replace").split()
        kind = next((kind for kind in KINDS if kind in offered), None)
        if kind is None:
            return None
        data = _output(kind)
        if len(data) > LARGEST_BYTES:
            raise OSError("the owner's clipboard holds more than 20 MB, which a paste would lose: ask_user")
        return (kind, data) if data else None


def _started(options: list[str], data: bytes) -> subprocess.Popen[bytes]:
    command = ["xclip", "-selection", "clipboard", *options]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, start_new_session=True)
    with suppress(BrokenPipeError):
        assert process.stdin
        process.stdin.write(data)
        process.stdin.close()
    return process


def _output(kind: str) -> bytes:
    """What the clipboard gives, no more than one byte beyond the largest; nothing from an owner that hangs."""
    command = f"xclip -selection clipboard -out -target {kind} | head -c {LARGEST_BYTES + 1}"
    try:
        done = subprocess.run(
            ["timeout", str(READ_SECONDS), "sh", "-c", command],
            capture_output=True,
            timeout=READ_SECONDS + 2,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return b""
    return done.stdout if done.returncode == 0 else b""
