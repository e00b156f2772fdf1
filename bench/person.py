"""A person at a terminal: reads what the program shows, types when it waits for a line, keeps a
transcript."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pexpect
import pyte

QUIET_SECONDS = 0.5  # a program that shows nothing for so long waits for a line
STUCK_SECONDS = 60.0
_READS, _HAS_READ = b"\x1b[?2004h", b"\x1b[?2004l"


class Stuck(Exception):
    """The program neither goes on nor ends."""


class Person:
    """A program on a terminal, and somebody who answers it."""

    def __init__(
        self, command: list[str], *, cwd: Path, env: Mapping[str, str], transcript: Path
    ) -> None:
        self._screen = pyte.HistoryScreen(160, 60, history=5000)
        self._stream = pyte.ByteStream(self._screen)
        self._raw = b""
        self._is_quiet = False
        self._typed_at = 0  # of what was shown, when an editor of lines was last typed into
        self._transcript = transcript
        self._child: pexpect.spawn[bytes] = pexpect.spawn(
            command[0],
            command[1:],
            cwd=str(cwd),
            env={**env, "PROMPT_TOOLKIT_NO_CPR": "1"},
            dimensions=(60, 160),
            encoding=None,
        )
        self._child.delaybeforesend = None

    def text(self) -> str:
        """Return all that was shown, as it can be read."""
        above = [
            "".join(line[column].data for column in range(self._screen.columns))
            for line in self._screen.history.top
        ]
        return "\n".join(line.rstrip() for line in [*above, *self._screen.display]).rstrip()

    def types(self, line: str) -> None:
        """Type a line and press Enter."""
        if self._is_reading():
            self._typed_at = len(self._raw)
        self._child.send(line.encode().replace(b"\n", b"\r") + b"\r")

    def question(self) -> str | None:
        """Read until the program waits for a line; return the text above, None at its end."""
        return self.text() if self._until(self._waits) else None

    def _waits(self) -> bool:
        """Return True while a line is read, and the one before it was taken: their editor says
        so."""
        has_taken = not self._typed_at or self._raw.rfind(_HAS_READ) >= self._typed_at
        return self._is_quiet and has_taken and self._is_reading()

    def _is_reading(self) -> bool:
        return self._raw.rfind(_READS) > self._raw.rfind(_HAS_READ)

    def _until(self, holds: Callable[[], bool]) -> bool:
        """Read until something holds; False when the program ended before."""
        last = began = time.monotonic()
        self._is_quiet = False
        while not holds():
            if time.monotonic() - began > STUCK_SECONDS:
                raise Stuck(f"nothing happens any more:\n{self.text()[-2000:]}")
            try:
                data = self._child.read_nonblocking(65536, 0.05)
            except pexpect.TIMEOUT:
                self._is_quiet = time.monotonic() - last > QUIET_SECONDS
                continue
            except pexpect.EOF:
                return False
            self._raw += data
            self._stream.feed(data)
            last = time.monotonic()
        return True

    def leaves(self) -> int:
        """End the program where it stands, write the transcript, return the exit code."""
        self._child.close(force=True)
        self._transcript.parent.mkdir(parents=True, exist_ok=True)
        self._transcript.write_text(self.text() + "\n", "utf-8")
        status = self._child.exitstatus
        return status if status is not None else -1
