"""Works off what the journal has put off: embeddings and episodes, from the queues on the disk, in
a thread of its own.

Nobody waits for it. What fails is tried again after a while, longer each time; what is not done
when the process ends is done by the next one. Source: seed 003 P1.3, P3.5.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence

from config import SopwithError
from memory.journal.lock import JournalError
from memory.journal.store import Store

# does it and puts what comes of it into the store, or raises
Work = Callable[[Store, Sequence[str]], None]
BATCH = 32  # while somebody waits for it
BESIDE = 4  # else: short enough that who writes meanwhile does not feel it
# how long it keeps the interpreter from who asks for it: a write does some thirty times, each 5 ms
# else
SWITCH_SECONDS = 0.0005
AFTER = {
    "episode": ("times",),
    "graph": ("times", "episode"),
}  # a scene's time is what its turns speak of
BY_SESSION = ("episode",)  # kinds of which one key stands for more than one thing
PAUSE_SECONDS = 0.02  # between two batches: what runs in front goes first
# since the last turn was written: while somebody writes many, each waits for no batch
QUIET_SECONDS = 0.1
MOST_SECONDS = 1.0  # that a batch waits for that
_log = logging.getLogger("sopwith.journal")


class Worker:
    """`works`: how each kind of queue is worked off, in this order. `opened` gives the store; the
    thread has its own."""

    def __init__(
        self,
        opened: Callable[[], Store],
        works: Mapping[str, Work],
    ) -> None:
        self._opened, self._works = opened, works
        self._thread: threading.Thread | None = None
        self._stop, self._wake, self._idle = threading.Event(), threading.Event(), threading.Event()
        self._signals = threading.Lock()
        self._awaited = 0  # how many wait for it: then it makes no pauses
        self._woken = 0.0

    def wake(self) -> None:
        """Say that there is something to do; return at once."""
        if not self._works or self._stop.is_set():
            return
        with self._signals:
            self._idle.clear()
            self._wake.set()
            self._woken = time.monotonic()
        if self._thread is None:
            sys.setswitchinterval(min(SWITCH_SECONDS, sys.getswitchinterval()))
            self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
            self._thread.start()

    def flush(self, timeout_seconds: float) -> bool:
        """Wait until nothing is left that can be done now. False when the time was not enough."""
        self.wake()
        self._awaited += 1
        try:
            return not self._works or self._idle.wait(timeout_seconds)
        finally:
            self._awaited -= 1

    def stop(self, timeout_seconds: float = 5.0) -> None:
        """End after the batch that is at work."""
        self._stop.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(timeout_seconds)

    def _run(self) -> None:
        try:
            store = self._opened()
        except JournalError as error:
            _log.debug("the journal's queues wait: %s", error)
            self._idle.set()
            return
        try:
            while not self._stop.is_set():
                self._wake.clear()
                if not self._some(store):
                    with self._signals:
                        if not self._wake.is_set():  # nobody has written since it looked
                            self._idle.set()
                    self._wake.wait(_seconds_to_next(store, self._works))
        except JournalError as error:
            _log.debug("the journal's queues wait: %s", error)
        finally:
            self._idle.set()
            store.close()

    def _some(self, store: Store) -> bool:
        """Do one batch of each kind; False when there was none."""
        has_worked = False
        for kind, work in self._works.items():
            if any(store.due(before, 1) for before in AFTER.get(kind, ())):
                continue
            if keys := store.due(kind, BATCH if self._awaited else BESIDE):
                self._pause()
                if self._stop.is_set():
                    break
                has_worked = True
                self._try(store, kind, work, keys)
        return has_worked

    def _pause(self) -> None:
        """Wait before a batch until nobody has written for a moment, unless somebody waits for
        it."""
        until, pause = time.monotonic() + MOST_SECONDS, PAUSE_SECONDS
        while (
            not self._awaited
            and pause > 0
            and not self._stop.wait(pause)
            and time.monotonic() < until
        ):
            pause = min(PAUSE_SECONDS, self._woken + QUIET_SECONDS - time.monotonic())

    def _try(self, store: Store, kind: str, work: Work, keys: Sequence[str]) -> None:
        try:
            last = store.last()
            work(store, keys)
            with store.writing():
                store.finish(kind, keys)
                # what was said meanwhile waits under the same key
                if kind in BY_SESSION and store.last() != last:
                    store.enqueue(kind, keys)
        except JournalError:
            raise
        except (
            SopwithError,
            OSError,
            ValueError,
        ) as error:  # an endpoint, a model's file, what a model said
            _log.debug("%s of the journal: %s", kind, error)
            store.postpone(kind, keys, str(error))


def _seconds_to_next(store: Store, kinds: Mapping[str, Work]) -> float | None:
    """Return when something that failed is to be tried again; None: there is nothing."""
    soonest = store.soonest(list(kinds))
    return None if soonest is None else max(0.1, soonest - time.time())
