"""The process that holds a stage's mounts: it enters a user and mount namespace, starts one command
there, and mounts on order.

A program of its own, `holder.py N -- COMMAND…`. Descriptor N is a socket of packets. In:

    mount    with a descriptor of marshalled orders: `layers` (lower, upper, work; inner ones last),
             `masks` (paths
    that are to be empty), `shows` (paths below masks that stay readable), `veils` (files below
             those that do not), `binds` (sockets, which overlayfs cannot carry), `walls` (folders
             that nobody can write to but where layers lie on them)
    umount   takes all of it away

Out, for each: `ok`, or `no ERRNO PATH`. Behind the `ok` of `umount` follow, with NUL between, the
layers in others that were written to, an empty name, and the hidden files that were opened.
Mounts go on to the namespaces of the command, such as bubblewrap's, by propagation. It ends with its command, and with whoever holds the other end of the socket. It uses few modules, since a run
waits for it.
"""

from __future__ import annotations

import _socket
import errno
import marshal
import os
import select
import stat
import sys

if __name__ == "__main__":  # nothing of ours is on the path
    sys.path.append(os.path.abspath(f"{__file__}/../../.."))

from sandbox import kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Never

checked, libc = kernel.checked, kernel.libc
GONE = (errno.ENOENT, errno.EINVAL)  # somebody has removed the folder, and its mount with it
NOTE = "hidden-from-scripts"  # a file in each hidden folder, and what stands in a hidden file


def enter() -> bool:
    """Enter a mount namespace of our own, with no user namespace where we may: in one the kernel
    locks all mounts to what they lie on, and refuses to cover both by one overlay. Returns True if
    its processes still have the rights of root."""
    is_root = os.geteuid() == 0 and libc.unshare(kernel.NEW_MOUNTS) == 0
    if not is_root:
        enter_user()
    checked(libc.mount(None, b"/", None, kernel.SLAVE | kernel.RECURSIVE, None), "/")
    checked(libc.mount(None, b"/", None, kernel.SHARED | kernel.RECURSIVE, None), "/")
    return is_root


def enter_user() -> None:
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
    checked(libc.unshare(kernel.NEW_USER | kernel.NEW_MOUNTS), "unshare")
    os.write(tell, b"x")
    if os.waitpid(child, 0)[1]:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), "uid_map")
    # else only root may look into /proc/PID/root, where file tools find the stage
    libc.prctl(kernel.SET_DUMPABLE, 1, 0, 0, 0)


def _map_ids(pid: int) -> None:
    process = f"/proc/{pid}"
    if os.geteuid() == 0:
        kernel.map_ids(process, _own_ids("uid"), _own_ids("gid"))
        return
    user, group = os.geteuid(), os.getegid()
    kernel.deny_groups(process)
    kernel.map_ids(process, f"{user} {user} 1", f"{group} {group} 1")


def _own_ids(kind: str) -> str:
    """Return all ids that root has here as they are; in a container these are not all."""
    with open(f"/proc/self/{kind}_map", encoding="ascii") as file:
        rows = [line.split() for line in file]
    return "".join(f"{first} {first} {count}\n" for first, _, count in rows)


class Mounts:
    """Hold what is mounted now, first made first."""

    def __init__(self) -> None:
        self.made: list[tuple[str, int]] = []  # each with how it is taken away
        self._uppers: dict[str, int] = {}  # of layers in others, whose mounts may go meanwhile
        self._opened: set[int] = set()
        self._looks = checked(libc.inotify_init1(kernel.DO_NOT_WAIT | kernel.CLOSE_ON_EXEC))
        self._hidden: dict[int, str] = {}

    def mount(self, orders: dict[str, list[Any]]) -> None:
        """Mount a stage. Raises OSError, and then nothing is mounted."""
        self._hidden.clear()
        self._opened.clear()
        shown = [(path, kernel.clone(path, kernel.READ_ONLY)) for path in orders["shows"]]
        # a socket may have been removed by its program since it was found
        there = filter(os.path.lexists, orders["binds"])
        bound = [(path, kernel.clone(path)) for path in there]
        try:
            self._cover(orders, shown)
            for path, tree in bound:
                self._move(tree, path)
        except OSError:
            self.made = [(path, kernel.DETACH) for path, _ in self.made]
            self.umount()
            raise
        finally:
            for _, tree in (*shown, *bound):
                os.close(tree)

    def _cover(self, orders: dict[str, list[Any]], shown: list[tuple[str, int]]) -> None:
        """Mount the layers, and on them nothing in the place of what is hidden."""
        self._lay(orders["layers"], orders["walls"])
        folders = list(filter(os.path.isdir, orders["masks"]))
        files = [path for path in orders["masks"] if path not in folders]
        notes = self._notes([*files, *orders["veils"]], folders)
        for path in folders:
            self._empty(path)
            _write_note(f"{path}/{NOTE}")
        for path in files:
            self._move(notes[path], path)
        for path, tree in shown:
            _make_place(path, tree)
            self._move(tree, path, folders)
        for path in orders["veils"]:
            self._move(notes[path], path, folders)
        for tree in notes.values():
            os.close(tree)
        for path in folders:
            flags = kernel.REMOUNT | kernel.READ_ONLY
            checked(libc.mount(None, os.fsencode(path), None, flags, None), path)

    def _lay(self, layers: list[tuple[str, str, str]], walls: list[str]) -> None:
        inner = self._inner(layers, walls)
        for path in walls:
            self._wall(path)
        for layer in layers:
            if layer[0] not in inner:
                self._overlay(*layer)
        for path in sorted(inner):
            self._move(inner[path], path, how=0 if path in self._uppers else kernel.DETACH)
            os.close(inner[path])

    def umount(self) -> list[str]:
        """Take it away again, last first. Return the layers in others that were written to, "",
        and the hidden files that were opened. Raises OSError while a process is in it."""
        self._opened |= kernel.watches(self._looks)
        opened = [path for watch, path in self._hidden.items() if watch in self._opened]
        uppers = self._uppers.items()
        written = [lower for lower, upper in uppers if os.listdir(f"/proc/self/fd/{upper}")]
        while self.made:
            self._drop_last()
        while self._uppers:
            os.close(self._uppers.popitem()[1])
        return [*written, "", *opened]

    def _drop_last(self) -> None:
        path, how = self.made[-1]
        try:
            checked(libc.umount2(os.fsencode(path), how), path)
        except OSError as error:
            if error.errno not in GONE:
                raise
        self.made.pop()

    def _inner(self, layers: list[tuple[str, str, str]], walls: list[str]) -> dict[str, int]:
        """Return the mounts that lie in layers, by path: an overlay shows no mount below it, so
        they are put on it again, covered by their own, or such that nobody can write there."""
        covered = [lower for lower, _, _ in layers if lower not in walls]
        within = [path for path, *_ in kernel.mounted() if _is_inside(path, covered)]
        found = {}
        for layer in layers:
            if layer[0] in within:
                self._uppers[layer[0]] = kernel.clone(layer[1])
                self._overlay(*layer)
                found[layer[0]] = kernel.clone(layer[0])
                self.made[-1] = layer[0], kernel.DETACH
                self._drop_last()
        for path in within:
            if path not in found and not _is_inside(path, found):
                found[path] = kernel.clone(path, kernel.READ_ONLY, below=True)
        return found

    def _overlay(self, lower: str, upper: str, work: str) -> None:
        # volatile: the upper is never mounted again, so it need not be synced; no atime: a copy
        # keeps that of its original
        places = {"lowerdir": lower, "upperdir": upper, "workdir": work}
        # a comma ends an option, a colon a layer
        signs = str.maketrans({sign: f"\\{sign}" for sign in "\\,:"})
        named = (f"{name}={path.translate(signs)}" for name, path in places.items())
        options = ",".join(["userxattr", "volatile", *named])
        flags = kernel.NO_ATIME | kernel.NO_DEVICES | kernel.NO_SUID
        kernel.mount("overlay", lower, flags, options)
        self.made.append((lower, 0))

    def _wall(self, path: str) -> None:
        """Let nobody write to a folder; what is mounted below it stays."""
        tree = kernel.clone(path, kernel.READ_ONLY, below=True)
        # else what is mounted on it goes to the original too
        kernel.set_attributes(tree, "", 0, kernel.EMPTY_PATH | kernel.ALL_BELOW, kernel.PRIVATE)
        self._move(tree, path)
        os.close(tree)

    def _empty(self, path: str) -> None:
        kernel.mount("tmpfs", path, kernel.NO_DEVICES, "mode=755,size=1m")
        self.made.append((path, kernel.DETACH))

    def _notes(self, files: list[str], folders: list[str]) -> dict[str, int]:
        """Return what is put in the place of each file: a note, and a watch on who opens it. They
        lie below the first folder that is hidden."""
        if not folders:
            return {path: kernel.clone(os.devnull, kernel.READ_ONLY) for path in files}
        self._empty(folders[0])
        found = {}
        for number, path in enumerate(files):
            note = f"{folders[0]}/{number}"
            _write_note(note)
            watch = libc.inotify_add_watch(self._looks, os.fsencode(note), kernel.OPENED)
            self._hidden[checked(watch)] = path
            found[path] = kernel.clone(note, kernel.READ_ONLY)
        return found

    def _move(
        self, tree: int, path: str, within: Iterable[str] = (), how: int = kernel.DETACH
    ) -> None:
        """Put a mount in a place; what is detached takes all with it that lies `within` it."""
        if os.path.lexists(path):
            kernel.move(tree, path)
            if not _is_inside(path, within):
                self.made.append((path, how))


def _write_note(place: str) -> None:
    file = os.open(place, os.O_CREAT | os.O_WRONLY, 0o600)
    os.write(file, f"# {NOTE}\n".encode())
    os.close(file)


def _make_place(path: str, tree: int) -> None:
    """Make what a mount can be moved to, in the empty folder that masks it."""
    if os.path.lexists(path):
        return
    is_folder = stat.S_ISDIR(os.fstat(tree).st_mode)
    os.makedirs(path if is_folder else os.path.dirname(path), exist_ok=True)
    if not is_folder:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY))


def _is_inside(path: str, folders: Iterable[str]) -> bool:
    return any(path.startswith(folder.rstrip("/") + "/") for folder in folders)


def serve(number: int, command: list[str], is_root: bool) -> None:
    """Start the command and take orders until one of the two is gone."""
    mounts = Mounts()
    talk = _socket.socket(fileno=number)
    os.set_inheritable(number, False)
    child = os.fork()
    if child == 0:
        become(command, is_root)
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
            os.kill(child, kernel.KILL)
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
            return b"\0".join([b"ok", *map(os.fsencode, mounts.umount())])[:60_000]
    except OSError as error:
        return b"no %d %s" % (error.errno or 0, os.fsencode(error.filename or "")[:900])
    return b"ok"


def become(command: list[str], is_root: bool) -> Never:
    """Become the command, which has no rights of root but in a namespace. Never returns."""
    try:
        if is_root:
            enter_user()
            checked(libc.mount(None, b"/", None, kernel.SHARED | kernel.RECURSIVE, None), "/")
        os.execvpe(command[0], command, os.environ)
    except OSError as error:
        _fail(error, command[0])


def _fail(error: OSError, where: str) -> Never:
    os.write(2, f"stage: {error.filename or where}: {error.strerror}\n".encode())
    os._exit(125)


def main() -> None:
    try:
        is_root = enter()
    except OSError as error:
        _fail(error, "")
    serve(int(sys.argv[1]), sys.argv[3:], is_root)


if __name__ == "__main__":
    main()
