"""Let a command work on the owner's folders and the agent's home as if it were real; nothing of it
stays."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from sandbox.stage import summary
from sandbox.stage.stage import Seen, Stage
from sandbox.undo import places
from sandbox.undo.places import StageError

RUN = "dry-run"


class Rehearsal:
    """A stage that is held for the whole of one command, of all its calls and file tools."""

    def __init__(
        self,
        roots: Iterable[Path],
        home: Path,
        run: str = RUN,
        call: str = RUN,
        *,
        with_home: bool = True,
    ) -> None:
        """Raise StageError."""
        self._home = home.resolve()
        self.stage = Stage.open(roots, home, run, call, with_home=with_home)
        assert self.stage.cell
        self.idle = self.stage.cell

    @property
    def namespace(self) -> int:
        """Return the number of the namespace of mounts in which the command works."""
        return os.stat(f"/proc/{self.idle.pid}/ns/mnt").st_ino

    def words(self, cwd: Path) -> list[str]:
        """Return the words to put before the command, which enters the stage in this folder."""
        return self.idle.words(cwd)

    def start(
        self, words: Sequence[str], cwd: Path, env: dict[str, str], passed: Sequence[int]
    ) -> subprocess.Popen[str]:
        """Start the command; its output can be read line by line."""
        return subprocess.Popen(
            [*self.words(cwd), *words],
            env=env,
            stdout=subprocess.PIPE,
            pass_fds=list(passed),
            encoding="utf-8",
        )

    def look(self) -> Seen:
        """Return what was done to the owner's folders so far. Nothing may be at work on them."""
        home, temporary = str(self._home), os.path.realpath(tempfile.gettempdir())
        deltas = [
            each
            for each in self.stage.look().deltas
            # what the agent keeps, and its folder of temporary files
            if not places.is_below(each.path, home)
            and not each.path.startswith(f"{temporary}/sopwith-")
        ]
        return Seen(deltas, summary.change_set(deltas))

    def close(self) -> None:
        """Throw away all that was done, and end what is still at work in it."""
        with suppress(StageError):  # what is left goes with the namespace
            self.stage.close()
        self.stage.discard()
