"""Make, move and remove files for a script that Landlock holds, in folders of which it may not have
all: above the agent's home, beside keys.

Landlock knows no exceptions, so such a folder has no rights; what stands in it has. What is new
would have none, since a script that runs gets no more: so empty files and folders with rights lie
ready, and are moved to where one is wanted. The kernel asks us before each call of the script that
makes, moves or removes; in all other folders Landlock decides. Source: seccomp_unotify(2).
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import select
import shutil
import socket
import stat
import struct
import threading
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

from sandbox import kernel
from sandbox.cells import seccomp
from sandbox.kernel import EXCHANGE, HERE, NO_REPLACE
from sandbox.undo import places
from sandbox.undo.places import is_below

FILES, FOLDERS = 150, 30  # that lie ready; of what is made beyond, the next call alone may read
RECEIVE, SEND, IS_VALID, ADD = 0xC0502100, 0xC0182101, 0x40082102, 0x40182103  # ioctl
ASKED, ANSWER, ADDED = "QIIiIQ6Q", "QqiI", "QIIII"
GO_ON, ADD_AND_ANSWER = 1, 2
REMOVE_FOLDER = 0x200  # of unlinkat
LONGEST_PATH = 4096
NEW = os.O_CREAT | os.O_EXCL


class Place(NamedTuple):
    """Hold a name in a folder that cannot be exchanged: its descriptor and its path."""

    folder: int
    above: str
    name: str

    @property
    def path(self) -> str:
        return f"{self.above.rstrip('/')}/{self.name}"

    def look(self) -> os.stat_result | None:
        """Return what stands there."""
        with suppress(FileNotFoundError):
            return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        return None


class Ask(NamedTuple):
    """Hold a system call that waits: where it is about to do what, and its other arguments."""

    process: int
    verb: str
    places: list[Place]
    text: str  # of a link
    flags: int
    wished: int  # rights

    @property
    def mode(self) -> int:
        """Return the rights that are left by the umask."""
        status = Path(f"/proc/{self.process}/status").read_text()
        umask = status.partition("Umask:")[2].split(maxsplit=1)[0]
        return self.wished & 0o777 & ~int(umask, 8)


class Maker:
    """Works for one call, from `start` to `close`."""

    def __init__(
        self,
        folders: Iterable[str],
        roots: Sequence[str],
        walls: Sequence[str],
        granted: Iterable[str],
        agent: Path,
    ) -> None:
        """Work in `folders`, where nothing outside `roots` and of `walls` is touched; what is
        `granted` has rights of its own. Raise OSError."""
        self._folders, self._roots, self._walls = frozenset(folders), roots, walls
        stores = {places.store_of(each, each, agent) for each in self._folders}
        self._stores = [_store(f"{store}/spare") for store in sorted(stores)]
        self._spare: dict[tuple[int, str], list[str]] = {}
        self.spares = [path for store in self._stores for path in self._laid_out(store)]
        self._has_rights = {_file(os.lstat(each)) for each in (*granted, *self.spares)}
        self._talk, self.inner = socket.socketpair()
        self._end = os.eventfd(0)
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def start(self) -> None:
        """Begin to answer: the script has its end of the socket."""
        self.inner.close()
        self._thread.start()

    def close(self) -> None:
        """End, when the script has."""
        os.eventfd_write(self._end, 1)
        self._talk.shutdown(socket.SHUT_RDWR)
        if self._thread.ident:
            self._thread.join()
        self._talk.close()
        self.inner.close()
        os.close(self._end)
        for store in self._stores:
            shutil.rmtree(store, ignore_errors=True)

    def _laid_out(self, store: str) -> list[str]:
        device = Path(store).stat().st_dev
        files = [f"{store}/f{number}" for number in range(FILES)]
        folders = [f"{store}/d{number}" for number in range(FOLDERS)]
        for path in files:
            os.close(os.open(path, NEW | os.O_WRONLY, 0o600))
        for path in folders:
            Path(path).mkdir()
        self._spare |= {(device, "file"): [*files], (device, "folder"): [*folders]}
        return files + folders

    def _serve(self) -> None:
        for listener in socket.recv_fds(self._talk, 1, 1)[1]:
            waiting = select.poll()
            for each in (listener, self._end):
                waiting.register(each, select.POLLIN)
            while waiting.poll() == [(listener, select.POLLIN)]:
                with suppress(FileNotFoundError):  # who asked was killed
                    self._answer(listener)
            os.close(listener)

    def _answer(self, listener: int) -> None:
        asked = bytearray(struct.calcsize(ASKED))
        fcntl.ioctl(listener, RECEIVE, asked)
        id, process, _, number, _, _, *values = struct.unpack(ASKED, asked)
        error = flags = 0
        with ExitStack() as opened:
            try:
                ask = _read(process, number, values, opened)
                fcntl.ioctl(listener, IS_VALID, struct.pack("Q", id))
                is_ours = self._is_ours(ask)
            except (OSError, OverflowError):
                is_ours = False
            try:
                if is_ours and ask.verb == "open":
                    self._open(ask, listener, id)
                    return
                if is_ours:
                    self._do(ask)
                else:
                    flags = GO_ON
            except OSError as why:
                error = -(why.errno or errno.EACCES)
        fcntl.ioctl(listener, SEND, struct.pack(ANSWER, id, 0, error, flags))

    def _is_ours(self, ask: Ask) -> bool:
        """Return True for a call about a folder of ours; for others, and for opening what is there,
        Landlock decides."""
        if not any(each.above in self._folders for each in ask.places):
            return False
        return ask.verb != "open" or ask.places[0].look() is None

    def _do(self, ask: Ask) -> None:
        """Do what is asked for. Raises OSError."""
        self._check(ask.places)
        place, to = ask.places[0], ask.places[-1]
        match ask.verb:
            case "mkdir" | "mknod":
                self._put(place, _kind(ask))
                os.chmod(place.name, ask.mode, dir_fd=place.folder)
            case "symlink":
                os.symlink(ask.text, place.name, dir_fd=place.folder)
            case "unlink":
                removes = os.rmdir if ask.flags & REMOVE_FOLDER else os.unlink
                removes(place.name, dir_fd=place.folder)
            case "link":
                self._check_rights(place)
                ends = {"src_dir_fd": place.folder, "dst_dir_fd": to.folder}
                os.link(place.name, to.name, **ends, follow_symlinks=False)
            case "rename":
                for each in ask.places if ask.flags & EXCHANGE else [place]:
                    self._check_rights(each)
                how = ask.flags & (NO_REPLACE | EXCHANGE)
                kernel.rename(place.folder, place.name, to.folder, to.name, how)

    def _open(self, ask: Ask, listener: int, id: int) -> None:
        """Make a file and hand it over, opened. Raises OSError."""
        self._check(ask.places)
        [place], mode = ask.places, ask.mode
        self._put(place, "file")
        how = ask.flags & ~(NEW | os.O_TRUNC) | os.O_NOFOLLOW | os.O_CLOEXEC
        number = os.open(place.name, how, dir_fd=place.folder)
        try:
            os.fchmod(number, mode)
            closes = ask.flags & os.O_CLOEXEC
            fcntl.ioctl(listener, ADD, struct.pack(ADDED, id, ADD_AND_ANSWER, number, 0, closes))
        finally:
            os.close(number)

    def _check(self, named: Iterable[Place]) -> None:
        """Raise PermissionError for what is guarded, for a folder that holds it, and for the other
        end of a call that lies outside the roots."""
        for path in (each.path for each in named):
            if not any(is_below(path, root) for root in self._roots):
                raise PermissionError(errno.EACCES, "")
            if any(is_below(path, wall) or is_below(wall, path) for wall in self._walls):
                raise PermissionError(errno.EACCES, "")

    def _check_rights(self, place: Place) -> None:
        """Raise OSError for what has its rights by the folder that it is in, as Landlock does; a
        program copies it then."""
        found = place.look()
        if found and not stat.S_ISLNK(found.st_mode) and _file(found) not in self._has_rights:
            raise OSError(errno.EXDEV, "")

    def _put(self, place: Place, kind: str) -> None:
        """Make an empty file or folder. Raises OSError."""
        if ready := self._spare.get((os.fstat(place.folder).st_dev, kind)):
            kernel.rename(HERE, ready.pop(), place.folder, place.name, NO_REPLACE)
        elif kind == "folder":
            os.mkdir(place.name, dir_fd=place.folder)
        else:
            os.close(os.open(place.name, NEW | os.O_WRONLY, 0o600, dir_fd=place.folder))


def _store(folder: str) -> str:
    """Return a new folder, and remove those that processes have left which were killed."""
    for old in Path(folder).glob("*"):
        if not Path(f"/proc/{old.name.partition('-')[0]}").exists():
            shutil.rmtree(old, ignore_errors=True)
    found = Path(folder, f"{os.getpid()}-{os.urandom(8).hex()}")
    found.mkdir(mode=0o700, parents=True)
    return str(found)


def _kind(ask: Ask) -> str:
    """Return what is to be made. Raises PermissionError for pipes and devices."""
    if ask.verb == "mkdir":
        return "folder"
    if stat.S_IFMT(ask.wished) not in (0, stat.S_IFREG):
        raise PermissionError(errno.EPERM, "")
    return "file"


def _file(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def _read(process: int, number: int, values: Sequence[int], opened: ExitStack) -> Ask:
    """Return what is asked for. Raises OSError and OverflowError."""
    verb, letters = seccomp.asked_about()[number].split()
    given, base, text, found = {"f": 0, "m": 0}, HERE, "", list[Place]()
    for letter, value in zip(letters, values, strict=False):
        if letter == "d":
            base = ctypes.c_int(value).value
        elif letter == "p":
            found.append(_place(process, base, _text(process, value), opened))
            base = HERE
        elif letter == "t":
            text = _text(process, value)
        else:
            given[letter] = value
    if verb == "creat":
        verb, given["f"] = "open", os.O_WRONLY
    elif verb == "rmdir":
        verb, given["f"] = "unlink", REMOVE_FOLDER
    return Ask(process, verb, found, text, given["f"], given["m"])


def _text(process: int, address: int) -> str:
    memory = os.open(f"/proc/{process}/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        found, ends, _ = os.pread(memory, LONGEST_PATH, address).partition(b"\0")
    finally:
        os.close(memory)
    if not ends:
        raise OSError(errno.ENAMETOOLONG, "")
    return os.fsdecode(found)


def _place(process: int, base: int, path: str, opened: ExitStack) -> Place:
    above, _, name = path.rstrip("/").rpartition("/")
    if name in ("", ".", ".."):
        raise OSError(errno.EINVAL, "")
    own = f"/proc/{process}/cwd" if base == HERE else f"/proc/{process}/fd/{base}"
    start = "" if path.startswith("/") else own
    folder = os.open(f"{start}/{above}", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    opened.callback(os.close, folder)
    return Place(folder, str(Path(f"/proc/self/fd/{folder}").readlink()), name)
