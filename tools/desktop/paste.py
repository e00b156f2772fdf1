"""Text into a window by way of the clipboard, which the owner gets back as it was (X11, by the
program xclip)."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from typing import IO

LARGEST_BYTES = 20_000_000  # of what the owner has in the clipboard
READ_SECONDS = 5.0
# for a program to ask for what is pasted: one that is slower gets what the owner had there
TAKEN_SECONDS = 8.0
KINDS = ("UTF8_STRING", "image/png")  # what can be given back


class Clipboard:
    """`owner` says which window holds the clipboard."""

    def __init__(self, owner: Callable[[], int]) -> None:
        self._owner = owner
        self._ours: subprocess.Popen[bytes] | None = None
        self._said: IO[bytes] | None = None  # what it says
        self._kept: tuple[str, bytes] | None = None
        self.note = ""  # what the owner has lost by the last paste

    def put(self, text: str) -> None:
        """Raise OSError when there is no xclip, or when what the owner has there could not be
        kept."""
        if not shutil.which("xclip"):
            raise OSError("to type this text xclip is needed: sudo apt-get install xclip")
        self.note, before = "", self._owner()
        self._kept = self._read() if before else None
        if before and self._kept is None:
            self.note = "what was in the owner's clipboard could not be kept"
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 (closed with what writes to it)
        # "quiet" keeps it in sight, and has it say each time that it waits to be asked
        self._ours = _started(
            ["-in", "-quiet", "-target", KINDS[0]], text.encode(), self._said.fileno()
        )
        end = time.monotonic() + READ_SECONDS
        while (self._owner() in (0, before) or self.asked() < 0) and time.monotonic() < end:
            time.sleep(0.02)

    def asked(self) -> int:
        """Return how often the text has been asked for."""
        return (
            os.pread(self._said.fileno(), 65_536, 0).count(b"request number") - 1
            if self._said
            else 0
        )

    def wait_until_taken(self, before: int) -> None:
        """Until a program has asked once more: given back earlier, it would get what the owner has
        in the clipboard."""
        end = time.monotonic() + TAKEN_SECONDS
        while self.asked() <= before:
            if time.monotonic() > end:
                self.note = "no program has asked for the text that was pasted"
                return
            time.sleep(0.02)

    def give_back(self) -> None:
        """Put back what was there before; nothing, where nothing was."""
        if self._ours is None:
            return
        ours, self._ours = self._ours, None
        if self._kept:
            kind, data = self._kept
            # stays behind until something else is copied
            _started(["-in", "-target", kind], data).wait(READ_SECONDS)
        ours.terminate()
        ours.wait()
        if self._said:
            self._said.close()
            self._said = None

    def _read(self) -> tuple[str, bytes] | None:
        offered = _output("TARGETS").decode(errors="replace").split()
        kind = next((kind for kind in KINDS if kind in offered), None)
        if kind is None:
            return None
        data = _output(kind)
        if len(data) > LARGEST_BYTES:
            raise OSError(
                "the owner's clipboard holds more than 20 MB, which a paste would lose: ask_user"
            )
        return (kind, data) if data else None


def _started(
    options: list[str], data: bytes, said: int = subprocess.DEVNULL
) -> subprocess.Popen[bytes]:
    command = ["xclip", "-selection", "clipboard", *options]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=quiet, stderr=said, start_new_session=True
    )
    with suppress(BrokenPipeError):
        assert process.stdin
        process.stdin.write(data)
        process.stdin.close()
    return process


def _output(kind: str) -> bytes:
    """Return what the clipboard gives, no more than one byte beyond the largest; nothing from an
    owner that hangs."""
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
