"""A shell whose changes to the owner's files are kept apart until the lesson that it records goes
on."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox.stage import Holder, Stage
from sandbox.undo import StageError

if TYPE_CHECKING:
    import psutil

CALL = "recording"
PATIENCE_SECONDS = 2.0


class StagedShell:
    """A stage that is open while a shell of the owner's works in it."""

    def __init__(self, roots: Sequence[Path], home: Path, run: str) -> None:
        """Raise StageError."""
        self._holder = Holder()
        entered = shutil.which("nsenter")
        if entered is None:
            raise StageError("error.stage.no-nsenter")
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
        pid = self._process.pid
        is_apart = _namespace(pid, "user") != _namespace(os.getpid(), "user")  # not so for root
        users = ["-U", "--preserve-credentials"] if is_apart else []
        return [
            self._nsenter,
            "-t",
            str(pid),
            *users,
            "-m",
            "--",
            "/bin/sh",
            "-c",
            'cd "$1" && shift && exec "$@"',
            "sh",
            str(cwd),
        ]

    def ended(self) -> Stage:
        """End what is still at work; return the stage with what was done. Raises StageError."""
        try:
            self._stop_rest()
            self.stage.close()
        finally:
            self._end()
        return self.stage

    def _stop_rest(self) -> None:
        """Stop what the shell has left behind: it would go on writing into what is committed."""
        import psutil

        for stop in (psutil.Process.terminate, psutil.Process.kill):
            left = self._inside()
            for each in left:
                with suppress(psutil.NoSuchProcess):
                    stop(each)
            psutil.wait_procs(left, PATIENCE_SECONDS)

    def _inside(self) -> list[psutil.Process]:
        import psutil

        idle = psutil.Process(self._process.pid)
        own, namespace = [idle, *idle.children()], _namespace(idle.pid, "mnt")
        found = (each for each in psutil.process_iter() if _namespace(each.pid, "mnt") == namespace)
        return [each for each in found if each not in own]

    def _end(self) -> None:
        self._holder.close()
        self._process.wait()


def _namespace(pid: int, kind: str) -> str:
    try:
        return str(Path(f"/proc/{pid}/ns/{kind}").readlink())
    except OSError:
        return ""
