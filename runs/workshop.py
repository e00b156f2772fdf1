"""Describe the agent for what serves it: helpers, lessons and dry runs work with one, and none of
them makes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from config import Config
from context import Prompts
from memory.sops import Sop, SopStore
from runs.options import Options
from runs.parts import Parts

if TYPE_CHECKING:
    from learning.verify import Outcome
    from memory.runlog import RunLog
    from runs.run import Run


class Logs(Protocol):
    """Give the log of a run: of this home folder alone (RunLog), or of a database that machines
    share."""

    def create(self, home: Path, /) -> RunLog:
        """Return that of a new run."""
        ...

    def reopen(self, home: Path, run: str, /) -> RunLog:
        """Return that of a run which goes on."""
        ...

    def apart(self, home: Path, task: str, /) -> RunLog:
        """Return that of a new run which a process of its own makes go
        (runs/control/subprocess_run.py)."""
        ...

    def fetch(self, home: Path, run: str, /) -> None:
        """Bring the log of such a run here, as far as it is written elsewhere."""
        ...


class Workshop(Protocol):
    """Name what others use of an agent (runs/assemble.py)."""

    config: Config
    logs: Logs
    parts: Parts
    prompts: Prompts
    sops: SopStore

    def prepare(
        self,
        task: str,
        options: Options,
        origins: Iterable[str] = (),
        put: Callable[[str], str] = str,
    ) -> str:
        """Write how a run begins, and return its id."""
        ...

    def attempt(self, sop: Sop, values: Mapping[str, Any], cwd: Path) -> Outcome:
        """Return what an SOP would do with bound values; nothing of it stays. Raises NotTried."""
        ...

    def try_out(self, sop: Sop, parameters: dict[str, Any], options: Options) -> Run:
        """Return a run that counts for no statistics of the SOP, and asks nobody."""
        ...
