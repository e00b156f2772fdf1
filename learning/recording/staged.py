"""A shell whose changes to the owner's files are kept apart until the lesson that it records goes
on."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox.stage import Rehearsal, Stage

if TYPE_CHECKING:
    import psutil

CALL = "recording"
PATIENCE_SECONDS = 2.0


class StagedShell(Rehearsal):
    """A stage that is open while a shell of the owner's works in it."""

    def __init__(self, roots: Sequence[Path], home: Path, run: str) -> None:
        """Raise StageError."""
        super().__init__(roots, home, run, CALL, with_home=False)

    def ended(self) -> Stage:
        """End what is still at work; return the stage with what was done. Raises StageError."""
        try:
            self._stop_rest()
            self.stage.close()
        finally:
            self.idle.close()
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

        idle = psutil.Process(self.idle.pid)
        own = [idle, *idle.children()]
        found = (each for each in psutil.process_iter() if _mounts(each.pid) == self.namespace)
        return [each for each in found if each not in own]


def _mounts(pid: int) -> int:
    """Return the number of the namespace of mounts of a process; 0 for none of ours."""
    try:
        return Path(f"/proc/{pid}/ns/mnt").stat().st_ino
    except OSError:
        return 0
