"""Hear the owner while a run works: what they say, and that it is to stop.

A stop is SIGINT, SIGTERM or SIGHUP to its process: Ctrl-C, `runs cancel`, a chat's stop key, a
terminal closed. While the run writes its log a stop is held back; it is raised as KeyboardInterrupt
when the loop goes on, so that it reaches the model or the tool that is at work and never splits a
write.
"""

from __future__ import annotations

import queue
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
Disposition = Callable[[int, FrameType | None], object] | int | None


class Steering:
    """Hold what one run is told. `letters` gives those that others have left behind a number;
    `heard` is the last one that the run's log names."""

    def __init__(self, letters: Callable[[int], list[tuple[int, str]]], heard: int = 0) -> None:
        self._said: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._letters, self._heard = letters, heard

    def say(self, text: str) -> None:
        """Say something, from any thread of this process."""
        self._said.put(text)

    def take(self) -> list[dict[str, Any]]:
        """Return all that was said since the last time, as fields of `steered`."""
        said: list[dict[str, Any]] = []
        while not self._said.empty():
            said.append({"text": self._said.get()})
        for number, text in self._letters(self._heard):
            self._heard = number
            said.append({"text": text, "letter": number})
        return said


class Interrupts:
    """Holds stops back except inside `allowed`. In a thread that is not the main one it does
    nothing.

    One stop is raised once: what tidies up behind it (a tool that ends its processes) is not
    interrupted again.
    """

    def __init__(self) -> None:
        self.received: signal.Signals | None = None
        self.count = 0
        self._is_allowed = self._was_raised = False
        self._before: dict[signal.Signals, Disposition] = {}

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in STOPS:
                if number == signal.SIGHUP and signal.getsignal(number) == signal.SIG_IGN:
                    continue  # nohup: the run is meant to outlive its terminal
                self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        self.received = signal.Signals(number)
        self.count += 1
        if self._is_allowed:
            self._raise()

    def _raise(self) -> None:
        if not self._was_raised:
            self._was_raised = True
            raise KeyboardInterrupt

    def take(self) -> bool:
        """Return True, once, when a stop came while none was allowed."""
        is_new = self.received is not None and not self._was_raised
        self._was_raised |= is_new
        return is_new

    @contextmanager
    def allowed(self) -> Iterator[None]:
        """Allow a stop to cut this stretch of work short."""
        self._is_allowed = True
        try:
            if self.received is not None:
                self._raise()
            yield
        finally:
            self._is_allowed = False
