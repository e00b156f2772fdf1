"""Sleep until something is due, a file changed, or somebody woke us; look again twice a minute.

A clock that is set, and a machine that was suspended, are noticed by that look. On Linux inotify
sees the folders.
"""

from __future__ import annotations

import os
import select
import sys
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

LOOK_SECONDS = 30.0


class Waiter:
    """Wait for moments and for changes in `folders` (files whose name starts with a dot are not
    looked at)."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._woken, self._wake = os.pipe()
        for descriptor in (self._woken, self._wake):
            os.set_blocking(descriptor, False)
        self._watch = _watch(list(folders)) if sys.platform == "linux" else None

    def __enter__(self) -> Waiter:
        return self

    def __exit__(self, *_: object) -> None:
        if self._watch:
            self._watch.close()
        for descriptor in (self._woken, self._wake):
            os.close(descriptor)

    def wake_at(self, stop: threading.Event) -> None:
        """End the wait when `stop` is set."""

        def watch() -> None:
            stop.wait()
            self.wake()

        threading.Thread(target=watch, daemon=True).start()

    def wake(self) -> None:
        """End the wait, or the next one. Any thread, and a handler of signals, may call."""
        with suppress(OSError):  # it is full, or the waiter has gone: either is fine
            os.write(self._wake, b"1")

    def wait(self, wall: datetime | None, seconds: float | None) -> bool:
        """Wait until the wall's clock shows `wall`, `seconds` have passed, or something happens;
        LOOK_SECONDS at most. Return True when files may have changed."""
        ends = [LOOK_SECONDS]
        if wall is not None:
            ends.append(wall.timestamp() - time.time())
        if seconds is not None:
            ends.append(seconds)
        poll = select.poll()
        poll.register(self._woken, select.POLLIN)
        if self._watch:
            poll.register(self._watch.fileno(), select.POLLIN)
        poll.poll(max(0.0, min(ends)) * 1000)
        with suppress(BlockingIOError):
            os.read(self._woken, 4096)
        if self._watch is None:
            return True
        return any(not event.name.startswith(".") for event in self._watch.read(timeout=0))


def _watch(folders: list[Path]) -> Any:
    """Return a watch on the folders; None where the kernel has no more to give."""
    inotify: Any = import_module("inotify_simple")
    flags = inotify.flags
    wanted = flags.CLOSE_WRITE | flags.MOVED_TO | flags.MOVED_FROM | flags.DELETE | flags.CREATE
    for folder in folders:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        watch = inotify.INotify(nonblocking=True)
        for folder in folders:
            watch.add_watch(folder, wanted)
    except OSError:
        return None
    return watch
