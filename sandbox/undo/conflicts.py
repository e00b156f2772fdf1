"""Tell where somebody else has changed, or is about to change, what a stage has changed too.

The kernel sets a ctime at each change and nobody can set it back, so what is newer than the mount
was touched by others."""

from __future__ import annotations

import fcntl
import os
import signal
import stat
import struct
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from config import Message
from sandbox.undo import trees
from sandbox.undo.places import Layer
from sandbox.undo.walk import Delta

STEADY_NS = 1_000_000_000  # a clock that is off by less was not set
F_OFD_GETLK = 36  # fcntl.h
# SQLite keeps one database in several files.
COMPANIONS = ("-wal", "-shm", "-journal")


IsSince = Callable[[int], bool]  # of a ctime


class Conflict(NamedTuple):
    """A path that the stage has changed and somebody else too."""

    path: str
    why: str


class Clock(NamedTuple):
    """A moment, in the time that a file system stamps on its files, and how that runs beside a
    clock that nobody sets."""

    stamp: int
    offset: int

    @classmethod
    def now(cls, folder: str) -> Clock:
        """Return this moment: everything that is changed from now on has a ctime that is not
        smaller."""
        place = f"{folder}/.clock"
        first = _touched(place)
        while (found := _touched(place)) <= first:  # a file system's time goes on in steps
            time.sleep(0.0005)
        os.unlink(place)
        return cls(found, _offset())

    def since(self) -> int:
        """Return the ctime from which on something is newer, also where the clock was set back
        meanwhile."""
        return min(self.stamp, self.stamp + _offset() - self.offset + 1_000_000)

    def is_since(self, changed: int, folder: str) -> bool:
        """Return True if a ctime is newer; not where it is of a time that is still to come, when
        the clock was wrong before. `folder`: on the same file system."""
        if changed < self.since():
            return False
        is_steady = abs(_offset() - self.offset) < STEADY_NS
        return not is_steady or changed <= Clock.now(folder).stamp


def found_in(
    deltas: Iterable[Delta], clocks: list[Clock], layers: Sequence[Layer]
) -> list[Conflict]:
    """Return the conflicts of what a stage has changed, by path."""
    found: dict[str, str] = {}
    for delta in deltas:
        is_since = partial(clocks[delta.layer].is_since, folder=layers[delta.layer].store)
        for path, why in _of_delta(delta, is_since):
            found.setdefault(path, why)
    return [Conflict(*each) for each in sorted(found.items())]


def _of_delta(delta: Delta, is_since: IsSince) -> Iterator[tuple[str, str]]:
    for path in (delta.inside or delta.path, *_unit(delta.path)):
        found = trees.look(path)
        if found is None:
            continue
        if trees.is_folder(found):
            if delta.kind in ("gone", "changed"):
                for entry in trees.below(path):
                    yield from _of_path(entry.path, os.lstat(entry.path), is_since)
        else:
            yield from _of_path(path, found, is_since)


def _of_path(path: str, found: os.stat_result, is_since: IsSince) -> Iterator[tuple[str, str]]:
    if is_since(found.st_ctime_ns):
        yield path, Message("error.undo.meanwhile")
    elif stat.S_ISREG(found.st_mode) and is_in_use(path):
        yield path, Message("error.undo.locked")


def is_touched_below(folder: str, is_since: IsSince) -> bool:
    """Return True if somebody has changed a file in a folder, or has it open. Our own links of a
    file set its ctime."""
    for entry in trees.below(folder):
        found = os.lstat(entry.path)
        newest = found.st_mtime_ns if found.st_nlink > 1 else found.st_ctime_ns
        if not trees.is_folder(found) and is_since(newest):
            return True
        if stat.S_ISREG(found.st_mode) and is_in_use(entry.path):
            return True
    return False


def _unit(path: str) -> Iterator[str]:
    """Yield the other files of a database that this path is a file of."""
    base = path
    for ending in COMPANIONS:
        base = base.removesuffix(ending)
    names = [base, *(base + ending for ending in COMPANIONS)]
    return (name for name in names if name != path)


def is_in_use(path: str) -> bool:
    """Return True if some process has this file open for writing or locked, as far as the kernel
    tells us."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        _try_lease(number)
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        wanted = struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        # asked of the one file, since reading /proc/locks stops all processors for milliseconds
        answer = fcntl.fcntl(number, F_OFD_GETLK, wanted)
        return bool(struct.unpack("hhqqi", answer)[0] != fcntl.F_UNLCK)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks
        return False
    finally:
        os.close(number)


def _try_lease(number: int) -> None:
    """Take a lease for reading and give it back: there is none on a file that somebody writes to.
    Raises BlockingIOError."""
    fcntl.fcntl(number, fcntl.F_SETSIG, signal.SIGURG)  # which is ignored; SIGIO would end us
    try:
        fcntl.fcntl(number, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(number, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except BlockingIOError:
        raise
    except OSError:  # a file of others, or a file system without leases
        return


def _touched(path: str) -> int:
    number = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    try:
        os.write(number, b"x")
        os.fchmod(number, 0o600)
        return os.fstat(number).st_ctime_ns
    finally:
        os.close(number)


def _offset() -> int:
    return time.time_ns() - time.clock_gettime_ns(time.CLOCK_BOOTTIME)
