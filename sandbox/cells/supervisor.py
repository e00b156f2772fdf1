"""The first process of a cell: runs one call after the other in it, and leaves nothing of a call
behind.

Started by tools/scripts/cells.py inside bubblewrap as `supervisor.py N DOOR LIMITS…`. It is process
1 there, so that no script can end it, and what it holds cannot be looked at. Descriptor N is a
socket of packets; DOOR is another and the ports (`7,3128,3129`; -1: none) on which it listens in
the cell's own network; it hands those sockets out, and the proxy and the broker answer
(sandbox/network). In:

    run    with two descriptors: the orders (`Orders`) and where the output goes
    term   asks all that still runs to end
    kill   ends it

Out: `ended CODE` when the script has ended and others have not; `done CODE` when nobody is left (a
negative one is a signal); `left` and the command lines of whom `term` and `kill` found, with NUL
between. When the other end goes away, so does everybody here. It uses a few modules in C and no
others, since a run waits for its start.
"""

from __future__ import annotations

import _socket
import ctypes
import os
import resource
import select
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
else:
    import _signal  # without the names of signal, which cost a third of the start

DUMPABLE = 4  # PR_SET_DUMPABLE: whether others with the same user id may look into a process
PACKET_BYTES = 64
MOST_SHOWN, SHOWN_BYTES = 50, 120  # of command lines
QUEUE = 512  # connections that wait for the proxy
NOT_STARTED, NOT_FOUND = 126, 127  # exit codes, as a shell has them
LIMITS = (
    resource.RLIMIT_CORE,
    resource.RLIMIT_DATA,
    resource.RLIMIT_FSIZE,
    resource.RLIMIT_CPU,
    resource.RLIMIT_NPROC,
)
# Python ignores two of them, and we the third
DEFAULT_SIGNALS = _signal.SIGPIPE, _signal.SIGXFSZ, _signal.SIGINT


class Orders:
    """Hold what is to be run, with NUL between: the folder, the number of words, the words, the
    environment."""

    def __init__(self, text: bytes) -> None:
        self.cwd, count, *fields = text.split(b"\0")
        self.words = fields[: int(count)]
        self.env = dict(each.split(b"=", 1) for each in fields[int(count) :])


class Supervisor:
    """The calls of a cell, one at a time."""

    def __init__(self, talk: _socket.socket) -> None:
        self.talk = talk
        self.script = 0  # its pid; 0 when it has ended
        self.code = 0
        self.is_busy = False  # from the start of a script until nobody is left
        # opened now, since what belongs to a process that cannot be looked at belongs to root
        self.oom = os.open("/proc/self/oom_score_adj", os.O_RDWR)
        self.own_score = os.read(self.oom, 16)
        ctypes.CDLL(None).prctl(DUMPABLE, 0, 0, 0, 0)

    def serve(self) -> None:
        """Until there is nobody to work for."""
        ends, wakes = os.pipe()
        os.set_blocking(ends, False)
        os.set_blocking(wakes, False)
        _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
        _signal.signal(_signal.SIGCHLD, lambda *_: None)
        _signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
        poll = select.poll()
        poll.register(ends, select.POLLIN)
        poll.register(self.talk.fileno(), select.POLLIN)
        while True:
            ready = {descriptor for descriptor, _ in poll.poll()}
            if ends in ready:
                os.read(ends, 4096)
                self.reap()
            if self.talk.fileno() in ready:
                self.hear()

    def hear(self) -> None:
        """Do what the next packet says."""
        said, parts, _, _ = self.talk.recvmsg(PACKET_BYTES, _socket.CMSG_SPACE(8))
        if said == b"run":
            given = parts[0][2]
            orders, output = (int.from_bytes(given[at : at + 4], sys.byteorder) for at in (0, 4))
            try:
                self.run(Orders(os.read(orders, os.fstat(orders).st_size)), output)
            finally:
                os.close(orders)
                os.close(output)
        elif said:
            self.talk.send(b"\0".join([b"left", *_others()]))
            _send(_signal.SIGTERM if said == b"term" else _signal.SIGKILL)
        else:
            os._exit(0)

    def run(self, orders: Orders, output: int) -> None:
        """Start a script. It has our limits."""
        self.is_busy, self.code = True, NOT_STARTED
        files = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, output, 1),
            (os.POSIX_SPAWN_DUP2, output, 2),
        ]
        # when memory is short, the kernel takes the script before us
        os.pwrite(self.oom, b"1000", 0)
        try:
            os.chdir(orders.cwd)
            self.script = os.posix_spawnp(
                orders.words[0],
                orders.words,
                orders.env,
                file_actions=files,
                setsid=True,
                setsigdef=DEFAULT_SIGNALS,
            )
        except OSError as error:
            os.write(output, b"%s: %s\n" % (orders.words[0], (error.strerror or "").encode()))
            self.code = NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_STARTED
            self.reap()
        finally:
            os.pwrite(self.oom, self.own_score, 0)
            os.chdir("/")

    def reap(self) -> None:
        """Take in who has ended. Whoever loses its parent becomes our child: no child means that
        nobody is left."""
        has_ended = False
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                if self.is_busy:
                    self.is_busy = False
                    self.talk.send(b"done %d" % self.code)
                return
            if pid == 0:
                if has_ended:
                    self.talk.send(b"ended %d" % self.code)
                return
            if pid == self.script:
                has_ended, self.script, self.code = True, 0, os.waitstatus_to_exitcode(status)


def _send(sign: int) -> None:
    """To everybody but us."""
    try:
        os.kill(-1, sign)
    except ProcessLookupError:
        return


def _others() -> list[bytes]:
    """Return the command lines of everybody but us; of a zombie there is none."""
    found: list[bytes] = []
    for name in os.listdir("/proc"):  # noqa: PTH208 - pathlib costs a third of the start
        if name.isdecimal() and name != "1" and len(found) < MOST_SHOWN:
            try:
                file = os.open(f"/proc/{name}/cmdline", os.O_RDONLY)
            except OSError:
                continue
            line = os.read(file, 4096).rstrip(b"\0").replace(b"\0", b" ")[:SHOWN_BYTES]
            os.close(file)
            if line:
                found.append(line)
    return found


def _limit(values: list[str]) -> None:
    """Set the limits for us and all whom we start; a limit on processes counts those of the cell
    alone."""
    for kind, value in zip(LIMITS, (0, *map(int, values)), strict=True):
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))


def _open_door(number: int, ports: list[int]) -> None:
    """Listen where scripts look for the proxy and the broker, and hand the sockets to whoever built
    the cell."""
    listening = []
    for port in ports:
        each = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
        each.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
        each.bind(("127.0.0.1", port))
        each.listen(QUEUE)
        listening.append(each)
    numbers = b"".join(each.fileno().to_bytes(4, sys.byteorder) for each in listening)
    door = _socket.socket(fileno=number)
    door.sendmsg([b"door"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, numbers)])
    for each in (*listening, door):
        each.close()


def main() -> None:
    number, (door, *ports) = int(sys.argv[1]), map(int, sys.argv[2].split(","))
    os.set_inheritable(number, False)
    if ports:
        _open_door(door, ports)
    _limit(sys.argv[3:])
    Supervisor(_socket.socket(fileno=number)).serve()


if __name__ == "__main__":
    main()
