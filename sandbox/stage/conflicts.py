"""Tell where somebody else has changed, or is about to change, what a stage has changed too.

The kernel sets a ctime at each change and nobody can set it back, so what is newer than the mount was touched by others.
"""

from __future__ import annotations

import fcntl
import os
import signal
import stat
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from sandbox.stage import trees
from sandbox.stage.walk import Delta

# SQLite keeps one database in several files.
COMPANIONS = ("-wal", "-shm", "-journal")


class Conflict(NamedTuple):
    """A path that the stage has changed and somebody else too."""

    path: str
    why: str


class Clock(NamedTuple):
    """A moment, in the time that a file system stamps on its files, and how that runs beside a clock that nobody sets."""

    stamp: int
    offset: int

    @classmethod
    def now(cls, folder: str) -> Clock:
        """Return this moment: everything that is changed from now on has a ctime that is not smaller."""
        place = f"{folder}/.clock"
        first = _touched(place)
        while (found := _touched(place)) <= first:  # a file system's time goes on in steps
            time.sleep(0.0005)
        os.unlink(place)
        return cls(found, _offset())

    def since(self) -> int:
        """Return the ctime from which on something is newer, also where the clock was set back meanwhile."""
        return min(self.stamp, self.stamp + _offset() - self.offset + 1_000_000)


def found_in(deltas: Iterable[Delta], clocks: list[Clock]) -> list[Conflict]:
    """Return the conflicts of what a stage has changed, by path."""
    locked = _locked()
    found: dict[str, str] = {}
    for delta in deltas:
        since = clocks[delta.layer].since()
        for path, why in _of_delta(delta, since, locked):
            found.setdefault(path, why)
    return [Conflict(*each) for each in sorted(found.items())]


def _of_delta(delta: Delta, since: int, locked: set[tuple[int, int]]) -> Iterator[tuple[str, str]]:
    for path in (delta.path, *_unit(delta.path)):
        found = trees.look(path)
        if found is None:
            continue
        if trees.is_folder(found):
            if delta.kind in ("gone", "changed"):
                for entry in trees.below(path):
                    yield from _of_path(entry.path, os.lstat(entry.path), since, locked)
        else:
            yield from _of_path(path, found, since, locked)


def _of_path(
    path: str, found: os.stat_result, since: int, locked: set[tuple[int, int]]
) -> Iterator[tuple[str, str]]:
    if found.st_ctime_ns >= since:
        yield path, "somebody else has changed it meanwhile"
    elif stat.S_ISREG(found.st_mode):
        if (found.st_dev, found.st_ino) in locked:
            yield path, "another program has locked it"
        elif is_written_to(path):
            yield path, "another program has it open"


def _unit(path: str) -> Iterator[str]:
    """Yield the other files of a database that this path is a file of."""
    base = path
    for ending in COMPANIONS:
        base = base.removesuffix(ending)
    names = [base, *(base + ending for ending in COMPANIONS)]
    return (name for name in names if name != path)


def is_written_to(path: str) -> bool:
    """True if some process has this file open for writing, as far as the kernel tells us.

    It gives a lease for reading only on a file that nobody writes to.
    """
    try:
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.fcntl(number, fcntl.F_SETSIG, signal.SIGURG)  # which is ignored; SIGIO would end us
        fcntl.fcntl(number, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(number, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except BlockingIOError:
        return True
    except OSError:  # a file of others, or a file system without leases
        return False
    finally:
        os.close(number)
    return False


def _locked() -> set[tuple[int, int]]:
    """Return the device and inode of each locked file."""
    found = set()
    for line in Path("/proc/locks").read_text("ascii", "replace").splitlines():
        fields = line.split()
        if len(fields) >= 6 and fields[1] != "LEASE":
            major, minor, inode = fields[-3].split(":")
            found.add((os.makedev(int(major, 16), int(minor, 16)), int(inode)))
    return found


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
