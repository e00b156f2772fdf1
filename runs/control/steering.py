"""What the owner says to a run that is working, and stopping one: from its own process, another one, or another machine."""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import Any

from config import Config
from memory.runlog.log import SHARED, worker
from memory.runlog.mailbox import Letters
from safety.secrets import without


class Steering:
    """What one run is told. `letters` gives those that others have left behind a number; `heard` is the last one that the
    run's log names."""

    def __init__(self, letters: Callable[[int], list[tuple[int, str]]], heard: int = 0) -> None:
        self._said: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._letters, self._heard = letters, heard

    def say(self, text: str) -> None:
        """From any thread of this process."""
        self._said.put(text)

    def take(self) -> list[dict[str, Any]]:
        """All that was said since the last time, as fields of `steered`."""
        said: list[dict[str, Any]] = []
        while not self._said.empty():
            said.append({"text": self._said.get()})
        for number, text in self._letters(self._heard):
            self._heard = number
            said.append({"text": text, "letter": number})
        return said


def say_to(config: Config, run: str, text: str) -> bool:
    """Says something to a run that another process works on, here or on another machine. False: it is not at work."""
    text = without(config, text)
    if _is_shared(config, run):
        from runs.workers.mailbox import leave

        return leave(config, run, text)
    folder = config.home / "runs" / run
    if worker(folder) is None:
        return False
    Letters(folder).leave(text)
    return True


def stop(config: Config, run: str) -> bool:
    """Stops a run and its helpers, wherever they work; what waits for the owner is taken back. False: all have ended.
    Raises SopwithError."""
    if _is_shared(config, run):
        from runs.workers.tasks import take_back

        return take_back(config, run)
    from runs.run import cancel

    return cancel(config.home, run)


def _is_shared(config: Config, run: str) -> bool:
    return bool(config.queue) and (config.home / "runs" / run / SHARED).exists()
