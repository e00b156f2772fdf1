"""Gives up rights, then becomes another program: what holds a script where there are no user
namespaces.

A program of its own, `confine.py N PROGRAM ARGS…`. Descriptor N has the orders, a marshalled dict:
`list` (folders whose names may be seen), `ports` (of this machine, to which alone it may connect),
`read` and `write` (folders and files), each with all in it, `filter` (a seccomp program), `asking`
(one that asks at the other end of the socket `asks`, making.py), `limits` and `env` (name → value):
what loads this program is not for a script to say. It uses few modules, most of them in C, since a call waits for its
start. Exit code 125: a right could not be given up, and nothing was started. Source: landlock(7),
seccomp(2).
"""

from __future__ import annotations

import ctypes
import marshal
import os
import resource
import stat
import struct
import sys

if __name__ == "__main__":  # nothing of ours is on the path
    sys.path.append(os.path.abspath(f"{__file__}/../../.."))

from sandbox import kernel

checked, libc = kernel.checked, kernel.libc
TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket as _socket
    from typing import Any
else:
    import _socket

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, TRUNCATE, DEVICE = 1, 2, 4, 8, 1 << 14, 1 << 15
READ = EXECUTE | READ_FILE | READ_DIR
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | DEVICE
# by version of Landlock, and later
RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
HOLDS_PORTS, CONNECT_TCP = 4, 2  # from this version on; the right to connect to a port
MAKE_DEVICES = 1 << 6 | 1 << 11  # which would be doors to the disks
SCOPES = 3  # from version 6: no abstract Unix sockets and no signals to anybody outside
CANNOT = 125


def main() -> None:
    """Confine this process and become the program, in the environment of the orders alone."""
    given = int(sys.argv[1])
    # of our own
    orders: dict[str, Any] = marshal.loads(os.pread(given, os.fstat(given).st_size, 0))
    os.close(given)
    _become(sys.argv[2:], orders, orders["env"])


def _become(words: list[str], orders: dict[str, Any], env: dict[str, str]) -> None:
    """Confine this process; then become the program, or end."""
    try:
        _confine(orders)
    except OSError as error:
        os.write(2, f"sandbox: {error.strerror}\n".encode())
        os._exit(CANNOT)
    kernel.default_signals()
    try:
        os.execvpe(words[0], words, env)
    except OSError as error:
        os.write(2, f"{words[0]}: {error.strerror}\n".encode())
        os._exit(127)


def _confine(orders: dict[str, Any]) -> None:
    for name, value in orders["limits"].items():
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))
    orders["read"].append(f"/proc/{os.getpid()}")
    libc.prctl(kernel.NO_NEW_PRIVS, 1, 0, 0, 0)  # else only root may restrict itself
    _landlock(orders)
    if orders["asks"] >= 0:
        listener = kernel.listen(orders["asking"])
        talk = _socket.socket(fileno=orders["asks"])
        number = listener.to_bytes(4, sys.byteorder)
        talk.sendmsg([b"\0"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, number)])
        talk.close()
    kernel.give_up(orders["filter"])


def _landlock(orders: dict[str, list[str]]) -> None:
    version = known()
    rights = RIGHTS[max(known for known in RIGHTS if known <= version)]
    attributes = struct.pack("QQQ", rights, CONNECT_TCP, SCOPES if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= HOLDS_PORTS else 8
    ruleset = checked(libc.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(size), 0))
    for port in orders["ports"]:
        checked(libc.syscall(ADD_RULE, ruleset, 2, struct.pack("=QQ", CONNECT_TCP, port), 0))
    kinds = {"list": READ_DIR, "read": READ, "write": rights & ~MAKE_DEVICES}
    for name, wanted in kinds.items():
        for place in orders[name]:
            try:
                _allow(ruleset, place, wanted & rights)
            except (FileNotFoundError, PermissionError, NotADirectoryError):
                continue
    checked(libc.syscall(RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def known() -> int:
    """Return the version of Landlock that the kernel has. Raises OSError where it has none."""
    return checked(libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), 1))


def _allow(ruleset: int, place: str, rights: int) -> None:
    descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= OF_FILES
        checked(libc.syscall(ADD_RULE, ruleset, 1, struct.pack("=Qi", rights, descriptor), 0))
    finally:
        os.close(descriptor)


if __name__ == "__main__":
    main()
