"""Redis behind a breaker: one thread sends turns, answers readers, and looks in the background whether Redis is back.

After a failure Redis is left alone, and tried again less and less often. When it answers, each session's list is compared
with what this process knows, and what it lacks is sent: whether Redis was away or has forgotten. Source: seed 003 P2.4.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from dataclasses import dataclass, field

from memory.home.sessions import Session
from memory.journal.turns import Turn
from memory.window.places import MAX_TURNS, RedisList, Ring, WindowDown

WAIT_SECONDS = 1.0  # a reader waits for Redis
CLOSE_SECONDS = (
    5.0  # at the end, for what is not sent; one that does not answer is given up long before
)
LEAST_PAUSE_SECONDS, MOST_PAUSE_SECONDS = (
    0.25,
    30.0,
)  # before Redis is tried again: doubled each time


@dataclass(slots=True)
class _Read:
    """A reader's question to the thread."""

    session: Session
    count: int
    answer: Future[list[Turn]] = field(default_factory=Future)


class SharedWindow:
    """The Redis side of a window. `ring` holds what this process knows. Any thread may ask."""

    def __init__(self, place: RedisList, ring: Ring) -> None:
        self._place, self._ring = place, ring
        self._asked: queue.SimpleQueue[_Read | None] = queue.SimpleQueue()
        self._unsent: dict[Session, list[Turn]] = {}
        self._unsure: set[Session] = set()  # of which Redis may lack something
        self._lock = threading.Lock()
        self._idle = threading.Event()  # all is sent
        self._idle.set()
        self._thread: threading.Thread | None = None
        self._is_closing = False
        self._pause, self._next_try = LEAST_PAUSE_SECONDS, 0.0
        self.is_up = True  # until the contrary is known

    def send(self, session: Session, turn: Turn) -> None:
        with self._lock:
            self._unsent.setdefault(session, []).append(turn)
            self._idle.clear()
        self._wake()

    def last(self, session: Session, count: int) -> list[Turn]:
        """[] when Redis is down or late."""
        if not self.is_up:
            return []
        read = _Read(session, count)
        self._wake(read)
        try:
            return read.answer.result(WAIT_SECONDS)
        except Late:
            self._fail()
            return []

    def flush(self, timeout_seconds: float) -> bool:
        return self._idle.wait(timeout_seconds)

    def close(self, timeout_seconds: float) -> None:
        self._is_closing = True
        thread = self._thread
        if thread is not None:
            self._asked.put(None)
            thread.join(timeout_seconds)

    def _wake(self, read: _Read | None = None) -> None:
        self._asked.put(read)
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name="window", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        while True:
            read = self._next()
            try:
                if time.monotonic() >= self._next_try:
                    self._send_all()
                    self._succeed()
                self._answer(read)
            except WindowDown:
                self._fail()
                if read is not None:
                    read.answer.set_result([])
            if self._is_closing and (self._idle.is_set() or not self.is_up):
                self._place.close()
                return

    def _next(self) -> _Read | None:
        """The next question; None when something is to be sent, or Redis is to be tried again."""
        wait = None if self.is_up else max(0.0, self._next_try - time.monotonic())
        try:
            return self._asked.get(timeout=wait)
        except queue.Empty:
            return None

    def _answer(self, read: _Read | None) -> None:
        if read is not None:
            read.answer.set_result(self._place.last(read.session, read.count) if self.is_up else [])

    def _send_all(self) -> None:
        if not self.is_up:
            self._place.ping()
            self._unsure.update(self._ring.sessions())
        while True:
            with self._lock:
                waiting = {**{session: [] for session in self._unsure}, **self._unsent}
                self._unsent = {}
                if not waiting:
                    self._idle.set()
                    return
            for session, turns in waiting.items():
                self._unsure.add(session)  # until it is known that they arrived
                self._send(session, turns)

    def _send(self, session: Session, turns: Sequence[Turn]) -> None:
        mine = self._ring.last(session, MAX_TURNS)
        if self.is_up and turns and self._place.push(session, turns) >= len(mine):
            self._unsure.discard(session)
            return
        there = {
            turn.id for turn in self._place.last(session, MAX_TURNS)
        }  # Redis was away, or has forgotten
        if missing := [turn for turn in mine if turn.id not in there]:
            self._place.push(session, missing)
        self._unsure.discard(session)

    def _succeed(self) -> None:
        self.is_up, self._pause = True, LEAST_PAUSE_SECONDS

    def _fail(self) -> None:
        self.is_up = False
        self._idle.clear()
        self._next_try = time.monotonic() + self._pause
        self._pause = min(2 * self._pause, MOST_PAUSE_SECONDS)
