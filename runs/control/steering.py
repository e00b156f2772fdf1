"""Pass on what the owner says to a run while it works."""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import Any


class Steering:
    """Hold what one run is told. `letters` gives those that others have left behind a number;
    `heard` is the last one that the run's log names."""

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
