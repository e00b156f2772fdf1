"""Gives up rights, then becomes another program: what stands in for bubblewrap where there are no user namespaces.

Started by tools/cells.py as a program of its own: `confine.py N PROGRAM ARGS…`. Descriptor N holds its orders, marshalled: `list`
(folders whose names may be seen), `read` and `write` (folders and files), each with all in it, `filter` (a seccomp program), `limits` (name → value).
It uses few modules, most of them in C, since each call waits for its start; nothing of ours need be importable. Exit code 125: a right could not be
given up, and nothing was started. Source: landlock(7), seccomp(2).
"""

from __future__ import annotations

import ctypes
import marshal
import os
import resource
import stat
import struct
import sys

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, TRUNCATE, DEVICE = 1, 2, 4, 8, 1 << 14, 1 << 15
READ = EXECUTE | READ_FILE | READ_DIR
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | DEVICE
RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}  # by version of Landlock, and later
MAKE_DEVICES = 1 << 6 | 1 << 11  # which would be doors to the disks
SCOPES = 3  # from version 6: no abstract Unix sockets and no signals to anybody outside
NO_NEW_PRIVS, SET_SECCOMP, SECCOMP_FILTER = 38, 22, 2
DROP_FOR_GOOD, RIGHTS_OF_ROOT = 24, 64  # PR_CAPBSET_DROP, and more than there are
CANNOT = 125


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("lines", ctypes.c_char_p)]


def main() -> None:
    """Confines this process and becomes the program."""
    given = int(sys.argv[1])
    orders = marshal.loads(os.pread(given, os.fstat(given).st_size, 0))  # from our own process
    os.close(given)
    try:
        for name, value in orders["limits"].items():
            _limit(getattr(resource, name), value)
        libc = ctypes.CDLL(None, use_errno=True)
        for right in range(RIGHTS_OF_ROOT if os.geteuid() == 0 else 0):
            libc.prctl(DROP_FOR_GOOD, right, 0, 0, 0)  # root is then a user like others, from the exec on
        _check(libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0))
        orders["read"].append(f"/proc/{os.getpid()}")
        _landlock(libc, orders)
        if lines := orders["filter"]:
            _check(libc.prctl(SET_SECCOMP, SECCOMP_FILTER, ctypes.byref(_Program(len(lines) // 8, lines)), 0, 0))
    except OSError as error:
        os.write(2, f"sandbox: {error.strerror}\n".encode())
        sys.exit(CANNOT)
    try:
        os.execvpe(sys.argv[2], sys.argv[2:], os.environ | orders["env"])
    except OSError as error:
        os.write(2, f"{sys.argv[2]}: {error.strerror}\n".encode())
        sys.exit(127)


def _limit(kind: int, value: int) -> None:
    hard = resource.getrlimit(kind)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (value, value))


def _landlock(libc: ctypes.CDLL, orders: dict[str, list[str]]) -> None:
    version = _check(libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), 1))
    rights = RIGHTS[max(known for known in RIGHTS if known <= version)]
    attributes = struct.pack("QQQ", rights, 0, SCOPES if version >= 6 else 0)
    size = 24 if version >= 6 else 8
    ruleset = _check(libc.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(size), 0))
    for name, wanted in (("list", READ_DIR), ("read", READ), ("write", rights & ~MAKE_DEVICES)):
        for place in orders[name]:
            try:
                _allow(libc, ruleset, place, wanted & rights)
            except (FileNotFoundError, PermissionError, NotADirectoryError):
                continue
    _check(libc.syscall(RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def _allow(libc: ctypes.CDLL, ruleset: int, place: str, rights: int) -> None:
    descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= OF_FILES
        _check(libc.syscall(ADD_RULE, ruleset, 1, struct.pack("=Qi", rights, descriptor), 0))
    finally:
        os.close(descriptor)


def _check(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


if __name__ == "__main__":
    main()
