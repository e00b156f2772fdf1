"""Redis behind a breaker: after a failure it is left alone, and probed in the background less and
less often.

When it answers again, each session's list is compared with what this process knows, and what it
lacks is sent: whether Redis was away or has forgotten. Source: seed 003 P2.4.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from memory.home import Session
from memory.journal.turns import Turn
from memory.window.places import MAX_TURNS, RedisList, Ring, WindowDown

FIRST_PAUSE_SECONDS, LAST_PAUSE_SECONDS = 0.25, 30.0  # doubled each time
PROBE_LATE_SECONDS = 0.01  # so that the pause is over when it asks
_Answer = TypeVar("_Answer")


class SharedWindow:
    """The Redis side of a window. `ring` holds what this process knows. Any thread may ask."""

    def __init__(self, place: RedisList, ring: Ring) -> None:
        self._place, self._ring = place, ring
        self._lock = threading.RLock()
        self._pause, self._next_try = FIRST_PAUSE_SECONDS, 0.0
        self._is_up = True  # until the contrary is known
        self._is_closed = False
        self._probe: threading.Timer | None = None

    @property
    def is_up(self) -> bool:
        """Tell whether Redis answers, as far as is known."""
        return self._is_up

    def send(self, session: Session, turn: Turn) -> None:
        """Send a turn that the ring has; what Redis lacks is sent when it is back."""
        with self._lock:
            if self._is_up:
                self._tried(lambda: self._push(session, turn))
            else:
                self.flush()

    def last(self, session: Session, count: int) -> list[Turn]:
        """Return the last turns; [] while Redis is down."""
        return self._tried(lambda: self._place.last(session, count)) or []

    def flush(self) -> bool:
        """Send what Redis lacks if it was away; False while it is down."""
        return self._tried(lambda: True) is not None

    def close(self) -> None:
        """Send what waits if Redis answers, and let go of it."""
        with self._lock:
            self.flush()
            self._is_closed = True
            if self._probe is not None:
                self._probe.cancel()
            self._place.close()

    def _tried(self, ask: Callable[[], _Answer]) -> _Answer | None:
        """Return Redis's answer; None while it is down."""
        with self._lock:
            if self._is_closed or time.monotonic() < self._next_try:
                return None
            try:
                if not self._is_up:
                    for session in self._ring.sessions():
                        self._compare(session)
                answer = ask()
            except WindowDown:
                self._is_up = False
                self._probe_later()
                return None
            self._is_up, self._pause = True, FIRST_PAUSE_SECONDS
            return answer

    def _probe_later(self) -> None:
        """Leave Redis alone until the pause is over, and then ask whether it is back."""
        self._next_try = time.monotonic() + self._pause
        self._probe = threading.Timer(self._pause + PROBE_LATE_SECONDS, self.flush)
        self._probe.daemon = True
        self._probe.start()
        self._pause = min(2 * self._pause, LAST_PAUSE_SECONDS)

    def _push(self, session: Session, turn: Turn) -> bool:
        there = self._place.push(session, [turn])
        if there < len(self._ring.last(session, MAX_TURNS)):  # Redis has forgotten
            self._compare(session)
        return True

    def _compare(self, session: Session) -> None:
        there = {turn.id for turn in self._place.last(session, MAX_TURNS)}
        mine = self._ring.last(session, MAX_TURNS)
        missing = [turn for turn in mine if turn.id not in there]
        if missing:
            self._place.push(session, missing)
