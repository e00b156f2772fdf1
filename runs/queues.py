"""Find what shares tasks among machines: the queue that config.yaml names by the scheme of its address."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from config import Config
from text import plugin

if TYPE_CHECKING:
    from memory.runlog import RunLog

DEFAULT = "postgresql"  # says what is wrong with an address that names none


class Logs(Protocol):
    """Give the log of a run: of this home folder alone (RunLog), or of a database that machines share."""

    def create(self, home: Path, /) -> RunLog:
        """Return that of a new run."""
        ...

    def reopen(self, home: Path, run: str, /) -> RunLog:
        """Return that of a run which goes on."""
        ...

    def apart(self, home: Path, task: str, /) -> RunLog:
        """Return that of a new run which a process of its own makes go (runs/control/subprocess_run.py)."""
        ...

    def fetch(self, home: Path, run: str, /) -> None:
        """Bring the log of such a run here, as far as it is written elsewhere."""
        ...


def queue_of(config: Config) -> Any:
    """Return the backend: a module or object with the names of runs/workers. Raises ConfigError where it does not load."""
    scheme = config.queue.url.partition("://")[0] if config.queue else DEFAULT
    return plugin.one("queue", scheme if plugin.has("queue", scheme) else DEFAULT)
