"""The command line of bubblewrap for each kind of sandbox: what is seen, what may be written, what
is cut off.

Nothing here starts anything. Mounts are made in the order of the arguments: a later one lies on
top.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from sandbox.cells import seccomp

# `--unshare-user` says it where `--unshare-all` only tries; as root the rights of root would stay
# without `--cap-drop`.
_APART = (
    "--unshare-all",
    "--unshare-user",
    "--cap-drop",
    "ALL",
    "--die-with-parent",
    "--new-session",
)
_ESSENTIALS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
_SETTINGS = (
    "ld.so.cache",
    "localtime",
    "passwd",
    "group",
    "nsswitch.conf",
    "hosts",
    "alternatives",
    "ssl/certs",
    "ssl/openssl.cnf",
)
_RUNTIME = ("/run", "/var/run")  # where daemons and the desktop have their sockets
# bubblewrap itself closes irq and bus
_KERNEL = ("sys", "sysrq-trigger", "fs", "scsi", "acpi", "mtrr", "dynamic_debug")
TEMPORARY_BYTES = 1 << 30  # of a folder for temporary files that the sandbox has for itself


def narrow(readable: Iterable[str | Path], info: int) -> list[str]:
    """For a script of an SOP: Python's library and `readable` to read, nothing to write, nobody to
    talk to."""
    places = [
        "/usr",
        "/lib",
        "/lib64",
        "/etc/ld.so.cache",
        "/etc/localtime",
        *_python(sys.base_prefix, sys.base_exec_prefix),
        *map(str, readable),
    ]
    bound = [word for place in dict.fromkeys(places) for word in ("--ro-bind-try", place, place)]
    # the folder for temporary files comes before what is bound: Sopwith itself may lie in it
    return [
        *_APART,
        "--tmpfs",
        "/tmp",
        *bound,
        "--dev",
        "/dev",
        "--remount-ro",
        "/",
        "--chdir",
        "/tmp",
        *_filter(info),
    ]


def minimal(scratch: Path, readable: Iterable[Path], info: int) -> list[str]:
    """For a shared session: programs and Python to read, one folder to write, which is HOME; no
    file of the owner."""
    places = [
        *_ESSENTIALS,
        *(f"/etc/{name}" for name in _SETTINGS),
        *python_places(),
        *map(str, readable),
    ]
    bound = [word for place in dict.fromkeys(places) for word in ("--ro-bind-try", place, place)]
    own = ["--bind", str(scratch), str(scratch)]
    name = ["--hostname", "shared"]  # the machine's own name is nobody's business there
    return [
        *_APART,
        *name,
        *("--size", str(TEMPORARY_BYTES), "--tmpfs", "/tmp"),
        *bound,
        *_system(),
        *own,
        "--remount-ro",
        "/",
        "--chdir",
        "/",
        *_filter(info),
    ]


def wide(
    roots: Iterable[str],
    *,
    pinned: Iterable[str] = (),
    kept: Iterable[str] = (),
    hidden: Iterable[str] = (),
    info: int,
) -> list[str]:
    """For the owner's tasks: all to read but `hidden`, `roots` to write but `kept`; `pinned`
    folders stay where they are.

    `info`: the descriptor of the filter.
    """
    words = [*_APART, "--ro-bind", "/", "/", *_system()]
    for place in _RUNTIME:
        if Path(place).is_dir() and not Path(place).is_symlink():
            words += ["--tmpfs", place]
    # a folder that is pinned is a mount point, which cannot be renamed
    for writable in (*roots, *pinned):
        words += ["--bind-try", writable, writable]
    for fixed in kept:
        words += ["--ro-bind-try", fixed, fixed]
    for secret in hidden:
        if Path(secret).is_dir():
            words += ["--tmpfs", secret, "--remount-ro", secret]
        else:
            words += ["--ro-bind", os.devnull, secret]
    return [*words, "--chdir", "/", *_filter(info)]


def python_places() -> list[str]:
    """Return where this Python and its packages lie."""
    return _python(sys.base_prefix, sys.base_exec_prefix, sys.prefix)


def file(content: bytes) -> int:
    """Return a descriptor from which a child reads these bytes."""
    descriptor = os.memfd_create("sandbox")
    os.write(descriptor, content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def call_filter() -> int:
    """Return a descriptor of the filter of system calls; -1 where none is known for this
    machine."""
    return file(seccomp.program(network="all")) if seccomp.is_known() else -1


def _python(*prefixes: str) -> list[str]:
    return [os.path.realpath(prefix) for prefix in dict.fromkeys(prefixes)]


def _system() -> list[str]:
    """Devices and processes. Root's writes to /proc are let through by its user id, whatever rights
    it has given up."""
    words = ["--dev", "/dev", "--proc", "/proc"]
    for name in _KERNEL if os.geteuid() == 0 else ():
        place = f"/proc/{name}"
        if Path(place).is_dir():
            words += ["--ro-bind", place, place]
        elif Path(place).exists():
            words += ["--ro-bind", os.devnull, place]
    return words


def _filter(info: int) -> list[str]:
    return ["--seccomp", str(info)] if info >= 0 else []
