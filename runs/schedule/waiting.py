"""Sleeps until something is due, a file changed, the clock was set, or somebody woke it: the kernel waits, nothing polls.

On Linux timers of the kernel count a suspend and end early when the clock is set, and inotify sees the folders. Elsewhere
it looks once a minute.
"""

from __future__ import annotations

import ctypes
import os
import select
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any

LOOK_SECONDS = 60.0  # where the kernel does not say what changed
_ABSOLUTE, _CANCEL_ON_SET = 1, 2  # of timerfd_settime(2)
_REAL, _BOOT = 0, 7  # clocks: the wall's, and the one that counts a suspend
_FLAGS = os.O_NONBLOCK | os.O_CLOEXEC


def steady() -> float:
    """Seconds on a clock that nobody sets and that goes on while the machine is suspended, where there is one."""
    return time.clock_gettime(_BOOT) if sys.platform == "linux" else time.monotonic()


class Waiter:
    """Waits for moments and for changes in `folders` (files whose name starts with a dot are not looked at)."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._woken, self._wake = os.pipe2(_FLAGS) if hasattr(os, "pipe2") else _pipe()
        self._kernel = _kernel(list(folders)) if sys.platform == "linux" else None

    def __enter__(self) -> Waiter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._kernel:
            self._kernel.close()
        for descriptor in (self._woken, self._wake):
            os.close(descriptor)

    def wake(self) -> None:
        """Ends the wait, or the next one. Any thread, and a handler of signals, may call."""
        with suppress(OSError):  # it is full, or the waiter has gone: either is fine
            os.write(self._wake, b"1")

    def wait(self, wall: datetime | None, seconds: float | None) -> bool:
        """Until the wall's clock shows `wall`, `seconds` have passed, or something happens; None: no such end. True when
        files may have changed."""
        poll = select.poll()
        poll.register(self._woken, select.POLLIN)
        if self._kernel:
            self._kernel.arm(wall, seconds)
            for descriptor in self._kernel.descriptors:
                poll.register(descriptor, select.POLLIN)
            poll.poll()
            is_changed = self._kernel.is_changed()
        else:
            left = [
                LOOK_SECONDS,
                *([wall.timestamp() - time.time()] if wall else []),
                *([seconds] if seconds else []),
            ]
            poll.poll(max(0.0, min(left)) * 1000)
            is_changed = True
        with suppress(BlockingIOError):
            os.read(self._woken, 4096)
        return is_changed


def _pipe() -> tuple[int, int]:
    pair = os.pipe()
    for descriptor in pair:
        os.set_blocking(descriptor, False)
    return pair


def _kernel(folders: list[Path]) -> _Kernel | None:
    """None where the kernel has no more watches to give: then it looks once a minute."""
    for folder in folders:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        return _Kernel(folders)
    except OSError:
        return None


class _Timespec(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class _Timer(ctypes.Structure):
    _fields_ = (("interval", _Timespec), ("value", _Timespec))


class _Kernel:
    """Linux: two timers and a watch on folders, as descriptors. Source: timerfd_create(2), inotify(7)."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._real, self._boot = self._timer(_REAL), self._timer(_BOOT)
        inotify: Any = import_module("inotify_simple")
        flags = inotify.flags
        self._watch = inotify.INotify(nonblocking=True)
        for folder in folders:
            wanted = (
                flags.CLOSE_WRITE | flags.MOVED_TO | flags.MOVED_FROM | flags.DELETE | flags.CREATE
            )
            self._watch.add_watch(folder, wanted)

    @property
    def descriptors(self) -> tuple[int, int, int]:
        """Return what is to be polled."""
        return self._real, self._boot, self._watch.fileno()

    def arm(self, wall: datetime | None, seconds: float | None) -> None:
        """Sets both timers; None switches one off."""
        at = max(wall.timestamp(), 1.0) if wall else 0.0
        self._set(self._real, _ABSOLUTE | _CANCEL_ON_SET, at)
        self._set(self._boot, 0, max(seconds, 0.000001) if seconds is not None else 0.0)

    def is_changed(self) -> bool:
        """True when a file changed since the last time. Takes in what the timers said."""
        for timer in (self._real, self._boot):
            with suppress(OSError):  # not due yet, or the clock was set
                os.read(timer, 8)
        return any(not event.name.startswith(".") for event in self._watch.read(timeout=0))

    def close(self) -> None:
        """Lets go of the descriptors."""
        self._watch.close()
        os.close(self._real)
        os.close(self._boot)

    def _timer(self, clock: int) -> int:
        timer = int(self._libc.timerfd_create(clock, _FLAGS))
        if timer < 0:
            raise OSError(ctypes.get_errno(), "the kernel has no timers for files")
        return timer

    def _set(self, timer: int, flags: int, seconds: float) -> None:
        whole = int(seconds)
        value = _Timer(_Timespec(0, 0), _Timespec(whole, int((seconds - whole) * 1e9)))
        if self._libc.timerfd_settime(timer, flags, ctypes.byref(value), None) < 0:
            raise OSError(ctypes.get_errno(), "a timer of the kernel cannot be set")
