"""Run a command that can write in some folders alone: `within.py TEMPORARY FOLDER… -- COMMAND…`.

The command finds TEMPORARY empty, and what it writes there goes with it. Exit code 125: a mount could not be made, and
nothing was started. Source: open_tree(2), mount_setattr(2).
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

NEW_USER, NEW_MOUNTS = 0x10000000, 0x00020000
RECURSIVE, SLAVE = 16384, 1 << 19
OPEN_TREE, MOVE_MOUNT, MOUNT_SETATTR = 428, 429, 442
CLONE_TREE, CLOSE_ON_EXEC, ALL_BELOW, HERE = 1, 0o2000000, 0x8000, -100
READ_ONLY, FROM_DESCRIPTOR = 1, 4
CANNOT = 125

_libc = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    """Give up the right to write elsewhere, then become the command."""
    end = sys.argv.index("--")
    temporary, *folders = sys.argv[1:end]
    cwd = os.getcwd()
    try:
        _enter()
        _leave_writable(temporary, folders)
        os.chdir(cwd)  # by its path again: it may be below a mount now
    except OSError as error:
        os.write(2, f"stage: {error}\n".encode())
        os._exit(CANNOT)
    os.execvp(sys.argv[end + 1], sys.argv[end + 1 :])


def _enter() -> None:
    """Enter a namespace of mounts. Root of a stage may; another user needs one of users as well."""
    user, group = os.geteuid(), os.getegid()
    _checked(_libc.unshare(NEW_MOUNTS if user == 0 else NEW_USER | NEW_MOUNTS))
    if user:
        _write("setgroups", "deny")
        _write("uid_map", f"{user} {user} 1")
        _write("gid_map", f"{group} {group} 1")
    _checked(_libc.mount(None, b"/", None, RECURSIVE | SLAVE, None))


def _leave_writable(temporary: str, folders: list[str]) -> None:
    how = CLONE_TREE | CLOSE_ON_EXEC | ALL_BELOW
    trees = [_checked(_libc.syscall(OPEN_TREE, HERE, os.fsencode(each), how)) for each in folders]
    wanted = struct.pack("QQQQ", READ_ONLY, 0, 0, 0)
    _checked(_libc.syscall(MOUNT_SETATTR, HERE, b"/", ALL_BELOW, wanted, len(wanted)))
    _checked(_libc.mount(b"tmpfs", os.fsencode(temporary), b"tmpfs", 0, b"mode=1777"))
    for folder, tree in zip(folders, trees, strict=True):
        os.makedirs(folder, exist_ok=True)  # one below the temporary folder is covered now
        path = os.fsencode(folder)
        _checked(_libc.syscall(MOVE_MOUNT, tree, b"", HERE, path, FROM_DESCRIPTOR))


def _write(name: str, text: str) -> None:
    with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
        file.write(text)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


if __name__ == "__main__":
    main()
