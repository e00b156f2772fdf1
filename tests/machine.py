"""Ask the machine for patience, and for a port that nobody else has."""

import contextlib
import itertools
import os
import random
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import psutil

# of a test that waits for something: what a busy machine makes late is no failure
PATIENCE_SECONDS = 150.0


def free_port() -> int:
    """Return a port of loopback that nobody uses, and none of those that the kernel gives to
    whoever asks for any: until it is used no other test has it."""
    for port in random.SystemRandom().sample(range(12_000, 30_000), 100):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("a hundred ports are taken")


class Hold:
    """Keep a script at work until the test releases it: a script in a stage sees no file that is
    made outside meanwhile."""

    _numbers = itertools.count(1)

    def __init__(self) -> None:
        self.seconds = f"{1000 + next(self._numbers)}.{os.getpid():07d}"
        self.command = f"(sleep {self.seconds} || true)"

    def is_there(self) -> bool:
        """Return True while a script waits here."""
        return bool(self._found())

    def release(self) -> None:
        """Wait until a script is here, and let it go on."""
        self.reached()
        for process in self._found():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGTERM)

    def reached(self) -> None:
        """Wait until a script is here."""
        end = time.monotonic() + PATIENCE_SECONDS
        while not self.is_there():
            assert time.monotonic() < end, "no script came here"
            time.sleep(0.05)

    def left(self) -> None:
        """Wait until the script has ended."""
        end = time.monotonic() + PATIENCE_SECONDS
        while self.is_there():
            assert time.monotonic() < end, "the script is still at work"
            time.sleep(0.02)

    def _found(self) -> list[int]:
        command, found = f"sleep\0{self.seconds}\0".encode(), []
        for number in psutil.pids():
            with contextlib.suppress(OSError):  # it has ended
                is_there = Path(f"/proc/{number}/cmdline").read_bytes() == command
                found += [number] if is_there else []
        return found


def ran(*command: object, check: bool = False, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; return its code and what it wrote as text."""
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, encoding="utf-8", check=check, **more)
