"""A shell whose changes to the owner's files are kept apart until the lesson that it records goes on."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from sandbox.stage import Holder, Stage, StageError

CALL = "recording"
PATIENCE_SECONDS = 2.0


class StagedShell:
    """A stage that is open while a shell of the owner's works in it."""

    def __init__(self, roots: Sequence[Path], home: Path, run: str) -> None:
        """Raises StageError."""
        self._holder = Holder()
        entered = shutil.which("nsenter")
        if entered is None:
            raise StageError("nsenter is not installed (package util-linux)")
        self._nsenter = entered
        self._process = subprocess.Popen(
            [*self._holder.words(), "sleep", "infinity"],
            stdin=subprocess.DEVNULL,
            pass_fds=[self._holder.descriptor],
            start_new_session=True,
        )
        self._holder.started(self._process.pid)
        try:
            self.stage = Stage.open(roots, home, run, CALL, holder=self._holder)
        except BaseException:
            self._end()
            raise

    def words(self, cwd: Path) -> list[str]:
        """Return the words to put before the shell's command."""
        pid = str(self._process.pid)
        enter = [self._nsenter, "-t", pid, "-U", "-m", "--preserve-credentials"]
        return [*enter, "--", "/bin/sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", str(cwd)]

    def ended(self) -> Stage:
        """End what is still at work in it; return the stage with all that was done. Raises StageError."""
        try:
            self._stop_rest()
            self.stage.close()
        finally:
            self._end()
        return self.stage

    def _stop_rest(self) -> None:
        """Stop what the shell has left behind: it would go on writing into what is committed."""
        end = time.monotonic() + PATIENCE_SECONDS
        number = signal.SIGTERM
        while (left := self._inside()) and time.monotonic() < end:
            for pid in left:
                _signal(pid, number)
            time.sleep(0.02)
            number = signal.SIGKILL

    def _inside(self) -> list[int]:
        own = {self._process.pid, *_children(self._process.pid)}
        namespace = _namespace(self._process.pid)
        found = [int(each.name) for each in Path("/proc").iterdir() if each.name.isdecimal()]
        return [pid for pid in found if pid not in own and _namespace(pid) == namespace]

    def _end(self) -> None:
        self._holder.close()
        self._process.wait()


def _namespace(pid: int) -> str:
    try:
        return str(Path(f"/proc/{pid}/ns/mnt").readlink())
    except OSError:
        return ""


def _children(pid: int) -> set[int]:
    try:
        return {int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}
    except (OSError, ValueError):
        return set()


def _signal(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)
