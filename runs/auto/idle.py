"""Begins autonomous mode by itself, when the owner allowed it and nothing has happened for a while; ends it when the owner is
back. What a day may take in time and money is `auto` of config.yaml."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from datetime import datetime

from config import Config, SopwithError
from runs.auto.ledger import Ledger
from runs.auto.work import Autonomous

PAUSE_SECONDS = 30.0
LEAST_MINUTES, LEAST_USD = 1.0, 0.001  # of what is left of a day: less is not worth a start
_log = logging.getLogger("sopwith.auto")


class WhenIdle:
    """`last` says when the owner did something last, on the monotonic clock: in this process, or anywhere that is known."""

    def __init__(
        self, config: Config, last: Callable[[], float], pause_seconds: float = PAUSE_SECONDS
    ) -> None:
        self._config, self._last, self._pause_seconds = config, last, pause_seconds
        self._done_for = -1.0  # the `last` for which a session has been

    def run(self, stop: threading.Event) -> None:
        """Looks every half a minute until `stop` is set; does nothing at all without the owner's leave."""
        if self._config.auto.allowed != "yes":
            return
        while not stop.wait(self._pause_seconds):
            self.once(stop)

    def once(self, stop: threading.Event) -> bool:
        """One look; True when a session has been. One that is over begins again only after the owner did something."""
        last, auto = self._last(), self._config.auto
        if last == self._done_for or time.monotonic() - last < 60 * auto.idle_minutes:
            return False
        minutes, cost = Ledger(self._config.home).used_on(datetime.now().astimezone().date())
        left, left_usd = auto.minutes - minutes, auto.cost_usd - cost
        if left < LEAST_MINUTES or (auto.cost_usd > 0 and left_usd < LEAST_USD):
            return False
        try:
            Autonomous(self._config, minutes=left, cost_usd=max(0.0, left_usd)).run(
                _Until(stop, self._last, last)
            )
        except (SopwithError, OSError) as error:  # somebody is at it, or a disk is full
            _log.debug("autonomous mode did not begin: %s", error)
            return False
        self._done_for = last
        return True


class _Until:
    """Set when the process ends, or the owner is back."""

    def __init__(self, stop: threading.Event, last: Callable[[], float], since: float) -> None:
        self._stop, self._last, self._since = stop, last, since

    def is_set(self) -> bool:
        return self._stop.is_set() or self._last() > self._since
