"""A pseudo-terminal with somebody in front of it: what a person would see, and keys that they would
press."""

import os
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

import pexpect
import pyte

from tests.conftest import LAUNCH
from tests.machine import PATIENCE_SECONDS

CTRL_C, CTRL_D, ENTER = "\x03", "\x04", "\r"
# a line editor tells pasted text from typed text, and stops to
_READS, _HAS_READ = (
    b"\x1b[?2004h",
    b"\x1b[?2004l",
)


class Screen:
    """A program on a terminal of `columns` by `rows`. Waits fail with what stands on the screen."""

    def __init__(
        self,
        command: list[str],
        *,
        columns: int = 100,
        rows: int = 40,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._screen = pyte.HistoryScreen(columns, rows, history=5000)
        self._stream = pyte.ByteStream(self._screen)
        self.raw = b""  # all that the program wrote
        self._seen = ""  # of it, what can be read; "" before it is looked at
        self._answered = -1  # where `raw` ended when a line that was being read was sent off
        self._child: pexpect.spawn[bytes] = pexpect.spawn(
            command[0],
            command[1:],
            dimensions=(rows, columns),
            env={**os.environ, "PROMPT_TOOLKIT_NO_CPR": "1", **(env or {})},
            encoding=None,
            timeout=PATIENCE_SECONDS,
        )
        self._child.delaybeforesend = None

    @classmethod
    def of_cli(
        cls, *args: str, columns: int = 100, rows: int = 40, env: Mapping[str, str] | None = None
    ) -> Self:
        """`python launch.py ARGS` on a terminal."""
        command = [*LAUNCH, *args]
        return cls(command, columns=columns, rows=rows, env=env)

    def kills(self, number: signal.Signals) -> None:
        """Send a signal to the program."""
        self._child.kill(number)

    def hangs_up(self) -> None:
        """Close the terminal under the program."""
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, self._child.child_fd)
        os.close(nothing)

    @property
    def title(self) -> str:
        """The title that the program gave its window."""
        return str(self._screen.title)

    def shows_cursor(self) -> bool:
        """Return True when the cursor has not been left hidden."""
        return not self._screen.cursor.hidden

    def text(self) -> str:
        """Return what can be read, from the first line that scrolled away to the last."""
        if not self._seen:
            screen, columns = self._screen, range(self._screen.columns)
            lines = [*screen.history.top, *map(screen.buffer.__getitem__, range(screen.lines))]
            texts = ("".join(line[column].data for column in columns).rstrip() for line in lines)
            self._seen = "\n".join(texts).rstrip()
        return self._seen

    def waits_for(self, *texts: str, seconds: float = PATIENCE_SECONDS) -> str:
        """Read until all of the texts stand on the screen."""
        return self.until(
            lambda: all(text in self.text() for text in texts), f"to see {texts}", seconds
        )

    def until(self, holds: Callable[[], bool], what: str, seconds: float = PATIENCE_SECONDS) -> str:
        """Read until something holds."""
        end = time.monotonic() + seconds
        while not holds():
            is_open = self._read()
            if holds():
                break
            assert is_open and time.monotonic() < end, f"waited {what}; the screen:\n{self.text()}"
        return self.text()

    def waits_for_prompt(self, *texts: str) -> str:
        """Read until all of the texts stand there and a line is read behind them
        (ui/terminal/typed_line.py): what was typed before that is no answer. A prompt that was
        answered already is not that one."""
        self.waits_for(*texts)
        return self.until(lambda: self._reads(self._answered), f"for the prompt of {texts}")

    def _reads(self, since: int = -1) -> bool:
        """Return True when a line is being read, and this began at or after a place in `raw`."""
        began = self.raw.rfind(_READS)
        return began > self.raw.rfind(_HAS_READ) and began >= since

    def types(self, text: str) -> None:
        """Presses keys."""
        if self._reads() and any(key in text for key in (ENTER, CTRL_C, CTRL_D)):
            self._answered = len(self.raw)
        self._child.send(text.encode())

    def ends(self, seconds: float = PATIENCE_SECONDS) -> int:
        """Read to the end; return the exit code."""
        end = time.monotonic() + seconds
        while self._read():
            assert time.monotonic() < end, f"it does not end; the screen:\n{self.text()}"
        self._child.close()
        signalled = self._child.signalstatus
        return -signalled if signalled else self._child.exitstatus or 0

    def _read(self) -> bool:
        """Take in what has been written; False at the end."""
        try:
            data = self._child.read_nonblocking(65536, 0.05)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw, self._seen = self.raw + data, ""
        self._stream.feed(data)
        return True

    def close(self) -> None:
        """End the program if it still runs."""
        self._child.close(force=True)


def waits_until(holds: Callable[[], Any], seconds: float = PATIENCE_SECONDS) -> Any:
    """Wait for what another process does, and return it."""
    end = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.02)
    return found


def scripted(home: Path, replies: object, settings: str = "") -> None:
    """Write a config.yaml whose model replays the replies."""
    import json

    home.mkdir(parents=True, exist_ok=True)
    (home.parent / "replies.json").write_text(json.dumps(replies), "utf-8")
    model = f"models: [{{name: script, kind: scripted, model: {home.parent / 'replies.json'}}}]"
    (home / "config.yaml").write_text(f"{model}\n{settings}\n", "utf-8")
