"""The process that holds a stage's mounts: it enters a user and mount namespace, starts one command
there, and mounts on order.

A program of its own, `holder.py N -- COMMAND…`. Descriptor N is a socket of packets. In:

    mount    with a descriptor of marshalled orders: `layers` (lower, upper, work), `masks` (paths
    that are to be empty),
             `shows` (paths below masks that stay readable), `veils` (files below those that do not), `binds` (sockets, which overlayfs
             cannot carry), `walls` (folders between layers, which nobody can write to)
    umount   takes all of it away; `detach` does so even under a process that still uses it

Out, for each: `ok`, or `no ERRNO PATH`. Mounts go on to the namespaces of the command, such as
bubblewrap's, by propagation.
It ends with its command, and with whoever holds the other end of the socket. It uses few modules,
since a run waits for it.
"""

from __future__ import annotations

import _socket
import ctypes
import marshal
import os
import select
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NEW_USER, NEW_MOUNTS = 0x10000000, 0x00020000
READ_ONLY, NO_SUID, NO_DEVICES, REMOUNT, NO_ATIME = 1, 2, 4, 32, 1024
RECURSIVE, SHARED = 16384, 1 << 20
DETACH = 2
SET_DUMPABLE = 4
OPEN_TREE, MOVE_MOUNT, MOUNT_SETATTR = 428, 429, 442
CLONE_TREE, CLOSE_ON_EXEC, FROM_DESCRIPTOR = 1, 0o2000000, 4
EMPTY_PATH, HERE, ALL_BELOW = 0x1000, -100, 0x8000
KILL = 9

_libc = ctypes.CDLL(None, use_errno=True)


class _Attributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns")]


class Refused(Exception):
    """A mount that the kernel did not make: errno and path."""


def checked(result: int, path: str) -> int:
    """Return the result of a call of libc. Raises Refused."""
    if result < 0:
        raise Refused(ctypes.get_errno(), path)
    return result


def enter() -> None:
    """Become the first process of a user and mount namespace, in which all of our rights hold.

    Only a process outside may map more than one user id, so a child that stays there does it."""
    ready, tell = os.pipe()
    own = os.getpid()
    child = os.fork()
    if child == 0:
        os.close(tell)
        os.read(ready, 1)
        _map_ids(own)
        os._exit(0)
    checked(_libc.unshare(NEW_USER | NEW_MOUNTS), "unshare")
    os.write(tell, b"x")
    if os.waitpid(child, 0)[1]:
        raise Refused(1, "uid_map")
    # else only root may look into /proc/PID/root, where file tools find the stage
    _libc.prctl(SET_DUMPABLE, 1, 0, 0, 0)
    checked(_libc.mount(None, b"/", None, SHARED | RECURSIVE, None), "/")


def _map_ids(pid: int) -> None:
    is_root = os.geteuid() == 0
    if not is_root:
        _write(f"/proc/{pid}/setgroups", "deny")
    for kind, number in (("uid", os.geteuid()), ("gid", os.getegid())):
        _write(f"/proc/{pid}/{kind}_map", _own_ids(kind) if is_root else f"{number} {number} 1")


def _own_ids(kind: str) -> str:
    """Return all ids that root has here as they are; in a container these are not all."""
    with open(f"/proc/self/{kind}_map", encoding="ascii") as file:
        rows = [line.split() for line in file]
    return "".join(f"{first} {first} {count}\n" for first, _, count in rows)


def _write(path: str, text: str) -> None:
    file = os.open(path, os.O_WRONLY)
    os.write(file, text.encode())
    os.close(file)


class Mounts:
    """Hold what is mounted now, first made first."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.walls: set[str] = set()

    def mount(self, orders: dict[str, list[Any]]) -> None:
        """Mount a stage. Raises Refused, and then nothing is mounted."""
        shown = [(path, _clone(path, read_only=True)) for path in orders["shows"]]
        # a socket may have been removed by its program since it was found
        there = filter(os.path.lexists, orders["binds"])
        bound = [(path, _clone(path, read_only=False)) for path in there]
        try:
            self._cover(orders, shown)
            for path, tree in bound:
                self._move(tree, path)
        except Refused:
            self.umount(DETACH)
            raise
        finally:
            for _, tree in (*shown, *bound):
                os.close(tree)

    def _cover(self, orders: dict[str, list[Any]], shown: list[tuple[str, int]]) -> None:
        """Mount the layers, and on them nothing in the place of what is hidden."""
        for path in orders["walls"]:
            self._wall(path)
        for lower, upper, work in orders["layers"]:
            self._overlay(lower, upper, work)
        folders = list(filter(self._mask, orders["masks"]))
        for path, tree in shown:
            _make_place(path, tree)
            self._move(tree, path)
        for path in orders["veils"]:
            self._mask(path)
        for path in folders:
            checked(_libc.mount(None, _bytes(path), None, REMOUNT | READ_ONLY, None), path)

    def umount(self, how: int) -> None:
        """Take it away again, last first. Raises Refused while a process is in it."""
        while self.made:
            path = self.made[-1]
            # copies of the owner's mounts are below a wall; nobody can write to what it covers
            checked(_libc.umount2(_bytes(path), DETACH if path in self.walls else how), path)
            self.made.pop()
            self.walls.discard(path)

    def _overlay(self, lower: str, upper: str, work: str) -> None:
        # volatile: the upper is never mounted again, so it need not be synced; no atime: a copy
        # keeps that of its original
        places = {"lowerdir": lower, "upperdir": upper, "workdir": work}
        named = (f"{name}={_escaped(path)}" for name, path in places.items())
        options = ",".join(["userxattr", "volatile", *named])
        flags = NO_ATIME | NO_DEVICES | NO_SUID
        checked(_libc.mount(b"overlay", _bytes(lower), b"overlay", flags, _bytes(options)), lower)
        self.made.append(lower)

    def _wall(self, path: str) -> None:
        """Let nobody write to a folder; what is mounted below it stays."""
        tree = _clone(path, read_only=True, how=CLONE_TREE | CLOSE_ON_EXEC | ALL_BELOW)
        self._move(tree, path)
        self.walls.add(path)
        os.close(tree)

    def _mask(self, path: str) -> bool:
        """Put nothing in its place. True for a folder."""
        try:
            is_folder = stat.S_ISDIR(os.stat(path).st_mode)
        except OSError:
            return False
        if is_folder:
            checked(
                _libc.mount(b"tmpfs", _bytes(path), b"tmpfs", NO_DEVICES, b"mode=755,size=1m"), path
            )
            self.made.append(path)
        else:
            tree = _clone(os.devnull, read_only=True)
            self._move(tree, path)
            os.close(tree)
        return is_folder

    def _move(self, tree: int, path: str) -> None:
        if os.path.lexists(path):
            checked(_libc.syscall(MOVE_MOUNT, tree, b"", HERE, _bytes(path), FROM_DESCRIPTOR), path)
            self.made.append(path)


def _clone(path: str, *, read_only: bool, how: int = CLONE_TREE | CLOSE_ON_EXEC) -> int:
    """Return a descriptor of a mount of this file or folder alone."""
    tree = checked(_libc.syscall(OPEN_TREE, HERE, _bytes(path), how), path)
    if read_only:
        wanted = _Attributes(READ_ONLY, 0, 0, 0)
        checked(_libc.syscall(MOUNT_SETATTR, tree, b"", EMPTY_PATH, ctypes.byref(wanted), 32), path)
    return tree


def _make_place(path: str, tree: int) -> None:
    """Make what a mount can be moved to, in the empty folder that masks it."""
    if os.path.lexists(path):
        return
    is_folder = stat.S_ISDIR(os.fstat(tree).st_mode)
    os.makedirs(path if is_folder else os.path.dirname(path), exist_ok=True)
    if not is_folder:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY))


def _escaped(path: str) -> str:
    """Return a path as an option of overlayfs: a comma ends an option, a colon a layer."""
    return path.replace("\\", "\\\\").replace(",", "\\,").replace(":", "\\:")


def _bytes(text: str) -> bytes:
    return os.fsencode(text)


def serve(number: int, command: list[str]) -> None:
    """Start the command and take orders until one of the two is gone."""
    mounts = Mounts()
    talk = _socket.socket(fileno=number)
    os.set_inheritable(number, False)
    try:
        child = os.posix_spawnp(command[0], command, os.environ)
    except OSError as error:
        os.write(2, f"stage: {command[0]}: {error.strerror}\n".encode())
        os._exit(125)
    ended = os.pidfd_open(child)
    poll = select.poll()
    poll.register(ended, select.POLLIN)
    poll.register(number, select.POLLIN)
    while True:
        ready = [descriptor for descriptor, _ in poll.poll()]
        if ended in ready:
            os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 0xFF)
        said, parts, _, _ = talk.recvmsg(64, _socket.CMSG_SPACE(4))
        if not said:
            os.kill(child, KILL)
            os._exit(0)
        talk.send(_done(mounts, said, parts))


def _done(mounts: Mounts, said: bytes, parts: list[tuple[int, int, bytes]]) -> bytes:
    try:
        if said == b"mount":
            given = int.from_bytes(parts[0][2][:4], sys.byteorder)
            orders = marshal.loads(os.pread(given, os.fstat(given).st_size, 0))
            os.close(given)
            mounts.mount(orders)
        else:
            mounts.umount(DETACH if said == b"detach" else 0)
    except Refused as refused:
        number, path = refused.args
        return b"no %d %s" % (number, _bytes(path)[:900])
    return b"ok"


def main() -> None:
    try:
        enter()
    except Refused as refused:
        number, path = refused.args
        os.write(2, f"stage: {path}: {os.strerror(number)}\n".encode())
        os._exit(125)
    serve(int(sys.argv[1]), sys.argv[3:])


if __name__ == "__main__":
    main()
