"""Does what bubblewrap does, by the same words, where that is not installed.

A program of its own, `walls.py WORDS… -- COMMAND…`, that knows the words which Sopwith says
(bubblewrap.py). It enters namespaces, builds the file system of the command from copies of mounts,
gives up its rights, and becomes the command. It uses few modules, since a run waits for it. Source:
namespaces(7), mount_setattr(2), bwrap(1).
"""

from __future__ import annotations

import os
import stat
import sys

if __name__ == "__main__":  # nothing of ours is on the path
    sys.path.append(os.path.abspath(f"{__file__}/../../.."))

from sandbox import kernel

checked, libc = kernel.checked, kernel.libc

NEW_ROOT = "/tmp"  # where the new file system is built
# A mount namespace is always made; the others by these words.
NAMESPACES = {
    "--unshare-user": 0x10000000,
    "--unshare-pid": 0x20000000,
    "--unshare-net": 0x40000000,
}
ALL_NAMESPACES = 0x6E000000  # but that of users
# Words for the whole, and steps in their order, by how many words follow.
WHOLE = {
    0: ("--unshare-all", *NAMESPACES, "--die-with-parent", "--new-session", "--as-pid-1"),
    1: ("--seccomp", "--cap-add", "--cap-drop", "--hostname", "--chdir"),
}
STEPS = {
    1: ("--size", "--perms", "--dir", "--tmpfs", "--dev", "--proc", "--remount-ro"),
    2: ("--bind", "--bind-try", "--ro-bind", "--ro-bind-try", "--dev-bind", "--ro-bind-data", "--symlink"),
}  # fmt: skip
OF_WHOLE = {name: count for count, names in WHOLE.items() for name in names}
OF_STEP = {name: count for count, names in STEPS.items() for name in names}
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
LINKS = {
    "fd": "/proc/self/fd",
    "stdin": "fd/0",
    "stdout": "fd/1",
    "stderr": "fd/2",
    "ptmx": "pts/ptmx",
}
FIXED = ("sys", "sysrq-trigger", "irq", "bus")  # of /proc
NOT_MADE = 1


class Words:
    """Hold what was said: `set` for the whole, `steps` in the order of the words."""

    def __init__(self, words: list[str]) -> None:
        self.set: dict[str, str] = {}
        self.steps: list[list[str]] = []
        while words and words[0] != "--":
            name, *words = words
            if name == "--args":
                number, *words = words
                words = os.fsdecode(_content(int(number))).split("\0")[:-1] + words
            elif name in OF_WHOLE:
                count = OF_WHOLE[name]
                self.set[name], words = "".join(words[:count]), words[count:]
            else:
                count = OF_STEP[name]
                self.steps.append([name, *words[:count]])
                words = words[count:]
        self.command = words[1:]

    def namespaces(self) -> int:
        """Return the flags of what is to be entered; only root may do without a user namespace."""
        found = kernel.NEW_MOUNTS | (ALL_NAMESPACES if "--unshare-all" in self.set else 0)
        for name, flag in NAMESPACES.items():
            found |= flag if name in self.set else 0
        return found | (kernel.NEW_USER if os.geteuid() else 0)


class Tree:
    """The file system of the command."""

    def __init__(self, steps: list[list[str]]) -> None:
        """Copy the mounts that are to be seen, before anything is mounted upon them."""
        self.steps = steps
        self.copies: dict[int, int] = {}
        for number, (name, *given) in enumerate(steps):
            source = os.path.realpath(given[0])
            is_bind = "bind" in name and name != "--ro-bind-data"
            if is_bind and (os.path.exists(source) or not name.endswith("-try")):
                self.copies[number] = kernel.clone(source, _attributes(name), below=True)
        self.devices = {name: kernel.clone(f"/dev/{name}", kernel.NO_SUID) for name in DEVICES}
        self.more = {"--size": "", "--perms": "0755"}

    def build(self) -> None:
        """Make it at NEW_ROOT."""
        kernel.mount("tmpfs", NEW_ROOT, kernel.NO_SUID | kernel.NO_DEVICES, "mode=755")
        for number, (name, *given) in enumerate(self.steps):
            place = NEW_ROOT + given[-1].rstrip("/")
            if number in self.copies:
                self._put(self.copies[number], place)
            elif name in self.more:
                self.more[name] = given[0]
            elif "bind" not in name or name == "--ro-bind-data":
                getattr(self, name.strip("-").replace("-", "_"))(place, given[0])

    def _put(self, copy: int, place: str) -> None:
        if not os.path.lexists(place):
            is_folder = stat.S_ISDIR(os.fstat(copy).st_mode)
            os.makedirs(place if is_folder else os.path.dirname(place), exist_ok=True)
            if not is_folder:
                os.close(os.open(place, os.O_CREAT | os.O_WRONLY, 0o666))
        kernel.move(copy, place)
        os.close(copy)

    def dir(self, place: str, _: str) -> None:
        os.makedirs(place, exist_ok=True)

    def symlink(self, place: str, target: str) -> None:
        os.symlink(target, place)

    def ro_bind_data(self, place: str, number: str) -> None:
        file = os.open(place, os.O_CREAT | os.O_WRONLY, int(self.more["--perms"], 8))
        os.write(file, _content(int(number)))
        os.close(file)
        self._put(kernel.clone(place, kernel.READ_ONLY), place)

    def tmpfs(self, place: str, _: str) -> None:
        os.makedirs(place, exist_ok=True)
        size = f",size={self.more['--size']}" if self.more["--size"] else ""
        kernel.mount("tmpfs", place, kernel.NO_SUID | kernel.NO_DEVICES, f"mode=755{size}")
        self.more["--size"] = ""

    def remount_ro(self, place: str, _: str) -> None:
        kernel.set_attributes(kernel.HERE, place or "/", kernel.READ_ONLY, 0)

    def proc(self, place: str, _: str) -> None:
        os.makedirs(place, exist_ok=True)
        kernel.mount("proc", place, kernel.NO_SUID | kernel.NO_DEVICES | kernel.NO_EXEC, "")
        for name in FIXED:
            if os.path.exists(f"{place}/{name}"):
                self._put(kernel.clone(f"{place}/{name}", kernel.READ_ONLY), f"{place}/{name}")

    def dev(self, place: str, _: str) -> None:
        self.tmpfs(place, "")
        for name, copy in self.devices.items():
            self._put(copy, f"{place}/{name}")
        for name, target in LINKS.items():
            os.symlink(target, f"{place}/{name}")
        os.mkdir(f"{place}/shm", 0o1777)
        os.mkdir(f"{place}/pts")
        flags = kernel.NO_SUID | kernel.NO_EXEC
        kernel.mount("devpts", f"{place}/pts", flags, "newinstance,ptmxmode=0666,mode=620")


def _attributes(name: str) -> int:
    if name == "--dev-bind":
        return kernel.NO_SUID
    read_only = kernel.READ_ONLY if name.startswith("--ro") else 0
    return read_only | kernel.NO_SUID | kernel.NO_DEVICES


def _content(number: int) -> bytes:
    with open(number, "rb") as file:
        return file.read()


def enter(words: Words, flags: int, user: int, group: int) -> None:
    """Enter the namespaces. The owner is root in the first one: a terminal of its own needs one."""
    checked(libc.unshare(flags), "unshare")
    if flags & kernel.NEW_USER:
        kernel.deny_groups("/proc/self")
        kernel.map_ids("/proc/self", f"0 {user} 1", f"0 {group} 1")
    checked(libc.mount(None, b"/", None, kernel.SLAVE | kernel.RECURSIVE, None), "/")
    if "--hostname" in words.set:
        name = os.fsencode(words.set["--hostname"])
        checked(libc.sethostname(name, len(name)), "hostname")
    if flags & NAMESPACES["--unshare-net"]:
        kernel.open_loopback()


def become(words: Words, user: int, group: int, *, is_apart: bool) -> None:
    """Build the walls and become the command. Never returns."""
    lines = _content(int(words.set["--seccomp"])) if "--seccomp" in words.set else b""
    tree, processes = Tree(words.steps), os.open("/proc", os.O_PATH)
    tree.build()
    os.chdir(NEW_ROOT)
    checked(libc.pivot_root(b".", b"."), NEW_ROOT)
    checked(libc.umount2(b".", kernel.DETACH), "/")
    if is_apart and user:  # nobody's root: what it mounted is held by a namespace above
        checked(libc.unshare(kernel.NEW_USER), "unshare")
        os.fchdir(processes)
        kernel.map_ids("self", f"{user} 0 1", f"{group} 0 1")
    os.chdir(words.set.get("--chdir", "/"))
    if "--new-session" in words.set:
        os.setsid()
    kernel.give_up(lines, keeps_rights="--cap-drop" not in words.set)
    if "--die-with-parent" in words.set:
        libc.prctl(kernel.SET_DEATH_SIGNAL, kernel.KILL, 0, 0, 0)
    kernel.default_signals()
    os.execvp(words.command[0], words.command)


def main() -> None:
    words = Words(sys.argv[1:])
    user, group, flags = os.geteuid(), os.getegid(), words.namespaces()
    try:
        enter(words, flags, user, group)
        if "--die-with-parent" in words.set:
            libc.prctl(kernel.SET_DEATH_SIGNAL, kernel.KILL, 0, 0, 0)
        child = os.fork()
        if child == 0:
            become(words, user, group, is_apart=bool(flags & kernel.NEW_USER))
    except OSError as error:
        os.write(2, f"walls: {error.filename or ''}: {error.strerror}\n".encode())
        os._exit(NOT_MADE)
    os.closerange(3, 256)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os._exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
