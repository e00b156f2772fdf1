"""A filter of system calls for what runs in a sandbox, as the bytes that the kernel (and
bubblewrap's `--seccomp`) takes.

It answers EPERM to what reaches out of a sandbox or into other processes: debugging, mounting, new
namespaces, keys of the kernel, io_uring (which makes calls that no filter sees), typing into a
terminal, and sockets but IPv4, IPv6 and netlink. Unix sockets lead to the owner's ssh-agent, tmux,
Docker and desktop; socket pairs stay. Source: seccomp(2), bpf(4).
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterable
from typing import Literal, NamedTuple

_SAME_EVERYWHERE = {
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "pidfd_getfd": 438,
    "mount_setattr": 442,
}


class _Machine(NamedTuple):
    """The numbers of one kind of machine: `arch` as the audit subsystem counts, then those of
    system calls."""

    arch: int
    socket: int
    ioctl: int
    clone: int
    unshare: int
    first_foreign: int  # numbers from here on belong to another convention of calling
    sends: tuple[int, int, int]
    modes: dict[int, int]  # call → where the mode stands
    # Call that makes, moves or removes → what, and its arguments: d(escriptor of a folder), p(ath),
    # f(lags), m(ode), t(ext of a link).
    asked: dict[int, str]
    denied: tuple[int, ...]


_MACHINES = {
    "x86_64": _Machine(
        arch=0xC000003E, socket=41, ioctl=16, clone=56, unshare=272, first_foreign=0x40000000, sends=(44, 46, 307), modes={90: 24, 91: 24, 268: 32, 452: 32},
        asked={2: "open pfm", 257: "open dpfm", 85: "creat pm", 83: "mkdir pm", 258: "mkdir dpm", 133: "mknod pm", 259: "mknod dpm", 86: "link pp", 265: "link dpdp", 88: "symlink tp", 266: "symlink tdp", 82: "rename pp", 264: "rename dpdp", 316: "rename dpdpf", 87: "unlink p", 263: "unlink dpf", 84: "rmdir p"},
        denied=(101, 310, 311, 312, 165, 166, 155, 161, 308, 304, 321, 298, 248, 249, 250, 323, 246, 320, 175, 313, 176, 167, 168, 169, 163, 164, 227, 172, 173, 179, 103, 153),
    ),
    "aarch64": _Machine(
        arch=0xC00000B7, socket=198, ioctl=29, clone=220, unshare=97, first_foreign=0xFFFFFFFF, sends=(206, 211, 269), modes={52: 24, 53: 32, 452: 32},
        asked={56: "open dpfm", 34: "mkdir dpm", 33: "mknod dpm", 37: "link dpdp", 36: "symlink tdp", 38: "rename dpdp", 276: "rename dpdpf", 35: "unlink dpf"},
        denied=(117, 270, 271, 272, 40, 39, 41, 51, 268, 265, 280, 241, 217, 218, 219, 282, 104, 294, 105, 273, 106, 224, 225, 142, 89, 170, 112, 60, 116, 58),
    ),
}  # fmt: skip
_CLONE3 = 435  # its flags stand in memory, which no filter reads; a C library does without it
_NEW_NAMESPACES = 0x7E020000
_TERMINAL_REQUESTS = (0x5412, 0x541C)  # TIOCSTI types for the owner, TIOCLINUX pastes
_FAMILIES = (2, 10, 16)  # AF_INET, AF_INET6, AF_NETLINK
_TCP = (0, 6)
_RAISES = 0o4000  # S_ISUID: the file runs with its owner's rights
_FAST_OPEN = 0x20000000  # MSG_FASTOPEN
_PLACES_OF_FLAGS = (40, 32, 40)  # of sendto, sendmsg, sendmmsg
_OPENAT2 = 437  # as above; a C library does not use it
_ALLOW, _ERRNO, _ASK = 0x7FFF0000, 0x00050000, 0x7FC00000
_LOAD, _EQUAL, _AT_LEAST, _ANY_OF, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06


def is_known(machine: str = "") -> bool:
    """Return True if there is a filter for this kind of machine."""
    return (machine or os.uname().machine) in _MACHINES


def program(*, network: Literal["all", "streams", "none"], machine: str = "") -> bytes:
    """Return the filter, an array of `struct sock_filter`. Sandboxes that have no network namespace
    to close may make no socket at all, or `streams` of TCP alone, whose ports Landlock holds.
    Raises KeyError for a machine that is not known."""
    found = _MACHINES[machine or os.uname().machine]
    lines = [_load(4), _line(_EQUAL, found.arch, 1, 0), _deny(), _load(0)]
    lines += [_line(_AT_LEAST, found.first_foreign, 0, 1), _deny()]
    for number in (*found.denied, *_SAME_EVERYWHERE.values()):
        lines += [_line(_EQUAL, number, 0, 1), _deny()]
    lines += [_line(_EQUAL, _CLONE3, 0, 1), _deny(errno.ENOSYS)]
    for number in (found.clone, found.unshare):
        lines += _on(
            number, [_load(16), _line(_ANY_OF, _NEW_NAMESPACES, 0, 1), _deny(), _return(_ALLOW)]
        )
    requests = [
        line for each in _TERMINAL_REQUESTS for line in (_line(_EQUAL, each, 0, 1), _deny())
    ]
    lines += _on(found.ioctl, [_load(24), *requests, _return(_ALLOW)])
    lines += _on(found.socket, _sockets(network))
    if network != "all":  # no stage sees it
        for number, place in found.modes.items():
            lines += _on(
                number, [_load(place), _line(_ANY_OF, _RAISES, 0, 1), _deny(), _return(_ALLOW)]
            )
    if network == "streams":  # data in the request to connect is not seen by Landlock
        for number, place in zip(found.sends, _PLACES_OF_FLAGS, strict=True):
            lines += _on(
                number, [_load(place), _line(_ANY_OF, _FAST_OPEN, 0, 1), _deny(), _return(_ALLOW)]
            )
    return b"".join([*lines, _return(_ALLOW)])


def asking() -> bytes:
    """Return the filter that asks us before each call that makes, moves or removes."""
    lines = [_load(0), _line(_EQUAL, _OPENAT2, 0, 1), _deny(errno.ENOSYS)]
    for number, said in asked_about().items():
        verb, letters = said.split()
        ask = [_return(_ASK)]
        if verb == "open":
            makes = _line(_ANY_OF, os.O_CREAT, 0, 1)
            ask = [_load(16 + 8 * letters.index("f")), makes, *ask, _return(_ALLOW)]
        lines += _on(number, ask)
    return b"".join([*lines, _return(_ALLOW)])


def asked_about() -> dict[int, str]:
    """Return the calls of this machine that make, move or remove."""
    return _MACHINES[os.uname().machine].asked


def _sockets(network: str) -> list[bytes]:
    """Return the lines for `socket`: family, type and protocol."""
    if network == "none":
        return [_deny()]
    if network == "all":
        return [_load(16), *_one_of(_FAMILIES), _deny()]
    internet = [_line(_EQUAL, 2, 2, 0), _line(_EQUAL, 10, 1, 0), _deny()]
    stream = [_load(24), _line(_AND, 0xF, 0, 0), _line(_EQUAL, 1, 1, 0), _deny()]
    return [_load(16), *internet, *stream, _load(32), *_one_of(_TCP), _deny()]


def _one_of(values: Iterable[int]) -> list[bytes]:
    return [line for each in values for line in (_line(_EQUAL, each, 0, 1), _return(_ALLOW))]


def _on(number: int, lines: list[bytes]) -> list[bytes]:
    """Return the lines for one system call; they must end in a return."""
    return [_line(_EQUAL, number, 0, len(lines)), *lines]


def _load(offset: int) -> bytes:
    """Load a word of `struct seccomp_data`: 0 the number, 4 the machine, 16 the first argument, 24
    the second (their low halves)."""
    return _line(_LOAD, offset, 0, 0)


def _deny(error: int = errno.EPERM) -> bytes:
    return _return(_ERRNO | error)


def _return(value: int) -> bytes:
    return _line(_RETURN, value, 0, 0)


def _line(code: int, value: int, if_true: int, if_false: int) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)
