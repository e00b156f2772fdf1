"""Ask the kernel for namespaces, mounts and fewer rights, without the C library's own words for
them.

For the programs of their own that hold scripts (cells/confine.py, stage/holder.py),
which use few modules. Each raises OSError, with the place as its `filename`. Source: namespaces(7),
mount_setattr(2), seccomp(2).
"""

from __future__ import annotations

import ctypes
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
else:
    import _signal  # without the names of signal, which cost a third of the start

NEW_USER, NEW_MOUNTS = 0x10000000, 0x00020000
# flags of a mount, and of its attributes
READ_ONLY, NO_SUID, NO_DEVICES, NO_EXEC, REMOUNT, NO_ATIME = 1, 2, 4, 8, 32, 1024
RECURSIVE, PRIVATE, SLAVE, SHARED = 16384, 1 << 18, 1 << 19, 1 << 20
DETACH, KILL = 2, 9
OPEN_TREE, MOVE_MOUNT, MOUNT_SETATTR = 428, 429, 442
CLONE_TREE, CLOSE_ON_EXEC, FROM_DESCRIPTOR = 1, 0o2000000, 4
EMPTY_PATH, HERE, ALL_BELOW = 0x1000, -100, 0x8000
OPENED, DO_NOT_WAIT = 0x20, 0o4000  # of inotify
SET_DEATH_SIGNAL, SET_DUMPABLE, SET_SECCOMP, SECCOMP_FILTER, NO_NEW_PRIVS = 1, 4, 22, 2, 38
SECCOMP = {"x86_64": 317, "aarch64": 277}
SET_FILTER, LISTENS, WAITS_FOR_US = 1, 1 << 3, 1 << 5
DROP_FOR_GOOD, RIGHTS_OF_ROOT = 24, 64  # PR_CAPBSET_DROP, and more than there are

libc = ctypes.CDLL(None, use_errno=True)


class _Attributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns")]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("lines", ctypes.c_char_p)]


def checked(result: int, place: str = "") -> int:
    """Return the result of a call of libc."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), place)
    return result


def map_ids(process: str, users: str, groups: str) -> None:
    """Map the ids of a process, given by its folder below /proc, that has entered a user
    namespace."""
    for name, text in (("uid_map", users), ("gid_map", groups)):
        file = os.open(f"{process}/{name}", os.O_WRONLY)
        os.write(file, text.encode())
        os.close(file)


def deny_groups(process: str) -> None:
    """Give up setting groups, as who is not root must before mapping its own."""
    file = os.open(f"{process}/setgroups", os.O_WRONLY)
    os.write(file, b"deny")
    os.close(file)


def mounted(process: str = "self") -> list[tuple[str, str, str, bool]]:
    """Return what a process sees mounted, by path: the point, kind and device of each mount, and
    True where it is read-only. Of several at one point the last counts."""
    found = {}
    with open(f"/proc/{process}/mountinfo", "rb") as lines:  # noqa: PTH123 - a Path is not loaded
        for row in map(bytes.split, lines):
            kind, _, flags = row[row.index(b"-") + 1 :][:3]
            point = os.fsdecode(row[4].decode("unicode_escape").encode("latin-1"))
            is_read_only = b"ro" in row[5].split(b",") + flags.split(b",")
            found[point] = point, kind.decode(), row[2].decode(), is_read_only
    return sorted(found.values())


def mount(kind: str, place: str, flags: int, options: str) -> None:
    """Mount a file system."""
    kind_, place_ = kind.encode(), os.fsencode(place)
    checked(libc.mount(kind_, place_, kind_, flags, os.fsencode(options)), place)


def clone(place: str, attributes: int = 0, *, below: bool = False) -> int:
    """Return a descriptor of a mount of this file or folder, with all mounts `below` it or
    alone."""
    how = CLONE_TREE | CLOSE_ON_EXEC | (ALL_BELOW if below else 0)
    tree = checked(libc.syscall(OPEN_TREE, HERE, os.fsencode(place), how), place)
    if attributes:
        set_attributes(tree, "", attributes, EMPTY_PATH | (ALL_BELOW if below else 0))
    return tree


def set_attributes(
    folder: int, place: str, attributes: int, how: int, propagation: int = 0
) -> None:
    """Add attributes to a mount, and change where it propagates."""
    wanted = _Attributes(attributes, 0, propagation, 0)
    words = folder, os.fsencode(place), how, ctypes.byref(wanted), 32
    checked(libc.syscall(MOUNT_SETATTR, *words), place)


def move(tree: int, place: str) -> None:
    """Put the mount of a descriptor in a place."""
    words = tree, b"", HERE, os.fsencode(place), FROM_DESCRIPTOR
    checked(libc.syscall(MOVE_MOUNT, *words), place)


def watches(number: int) -> set[int]:
    """Return which watches of an inotify have seen that something was opened since the last
    look."""
    found: set[int] = set()
    while True:
        try:
            events = os.read(number, 65_536)
        except BlockingIOError:
            return found
        while events:
            watch, seen, _, named = (
                int.from_bytes(events[at : at + 4], sys.byteorder) for at in (0, 4, 8, 12)
            )
            found |= {watch} if seen & OPENED else set()
            events = events[16 + named :]


def python() -> list[str]:
    """Return the words that start a program of our own, with nothing that it does not need."""
    return [os.path.realpath(sys.executable), "-I", "-S", "-B"]


def give_up(lines: bytes) -> None:
    """Give up the rights of root, from the exec on, and all system calls but what a filter lets
    through."""
    for right in range(RIGHTS_OF_ROOT):
        libc.prctl(DROP_FOR_GOOD, right, 0, 0, 0)
    checked(libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0))
    if lines:
        program = _Program(len(lines) // 8, lines)
        checked(libc.prctl(SET_SECCOMP, SECCOMP_FILTER, ctypes.byref(program), 0, 0))


def listen(lines: bytes) -> int:
    """Return a descriptor on which whoever has it is asked at the calls that a filter names; a call
    that waits is ended by a kill alone."""
    program = _Program(len(lines) // 8, lines)
    number, filter = SECCOMP[os.uname().machine], ctypes.byref(program)
    found = libc.syscall(number, SET_FILTER, LISTENS | WAITS_FOR_US, filter)
    # before Linux 5.19 a signal ends the wait
    return found if found >= 0 else checked(libc.syscall(number, SET_FILTER, LISTENS, filter))


def default_signals() -> None:
    """Take back what Python ignores."""
    for number in (_signal.SIGPIPE, _signal.SIGXFSZ):
        _signal.signal(number, _signal.SIG_DFL)
