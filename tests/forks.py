"""Start the command line as a fork of one process that has imported before what commands import: a start costs little.

Each command is a process of its own, with its own folder, environment, streams and end. The process that forks has no
threads and runs no command; it imports what the last commands have imported, and ends with whoever started it.
"""

import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import runpy
import selectors
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

LAUNCH = Path(__file__).resolve().parent.parent / "launch.py"
MOST_BYTES = 1 << 20  # of one request
LOADED = {
    *("config", "handler", "agent_loop", "models", "replay", "sandbox", "safety", "shell", "text"),
    *("tools", "memory", "learning", "context", "runs", "ui", "yaml", "rich", "sqlite3"),
}  # whose modules only define: they are imported before a command needs them


@functools.cache
def _server() -> str:
    """Start the process that forks, once; return the address of its socket."""
    folder = tempfile.mkdtemp(prefix="sopwith-forks-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    address = str(Path(folder) / "socket")
    command = [sys.executable, "-W", "error", __file__, address]
    environ = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1"}
    server = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ, cwd="/"
    )
    assert server.stdout is not None and server.stdout.readline() == b"ready\n"
    atexit.register(server.communicate)  # it ends when its input does
    return address


def run(
    args: Sequence[str], env: Mapping[str, str], cwd: Path, stdin: str, seconds: float
) -> tuple[int, str, str]:
    """Run one command to its end; return exit code, stdout, stderr. Raise TimeoutExpired after `seconds`."""
    request = json.dumps({"args": list(args), "env": dict(env), "cwd": str(cwd)}).encode()
    pipes = [os.pipe() for _ in range(3)]
    theirs = [pipes[0][0], pipes[1][1], pipes[2][1]]
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as there:
        there.connect(_server())
        there.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MOST_BYTES)
        socket.send_fds(there, [request], theirs)
        for each in theirs:
            os.close(each)
        said: dict[int, bytes] = {}
        work = [threading.Thread(target=_write, args=(pipes[0][1], stdin.encode()))]
        work += [threading.Thread(target=_read, args=(pipes[at][0], said, at)) for at in (1, 2)]
        for each_thread in work:
            each_thread.start()
        there.settimeout(seconds)
        pid = int(there.recv(20))
        try:
            code = int(there.recv(20))
        except TimeoutError:
            os.kill(pid, 9)
            raise subprocess.TimeoutExpired(list(args), seconds) from None
        for each_thread in work:
            each_thread.join()
    return code, said[1].decode("utf-8"), said[2].decode("utf-8")


def _write(pipe: int, data: bytes) -> None:
    with contextlib.suppress(BrokenPipeError), os.fdopen(pipe, "wb") as stream:
        stream.write(data)


def _read(pipe: int, said: dict[int, bytes], at: int) -> None:
    with os.fdopen(pipe, "rb") as stream:
        said[at] = stream.read()


class _Server:
    """Fork a process for each request, and tell how it ended."""

    def __init__(self, address: str) -> None:
        self.waits = selectors.DefaultSelector()
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(address)
        self.listener.listen(64)
        self.waits.register(self.listener, selectors.EVENT_READ)
        self.waits.register(0, selectors.EVENT_READ)
        self.at_work: dict[int, tuple[int, socket.socket, IO[bytes]]] = {}

    def serve(self) -> dict[str, Any] | None:
        """Return None at the end; in a fork, what it is to run."""
        while True:
            for key, _ in self.waits.select():
                if key.fd == 0:
                    return None
                if key.fd in self.at_work:
                    self._ended(key.fd)
                elif (asked := self._begin()) is not None:
                    return asked

    def _begin(self) -> dict[str, Any] | None:
        asking, _ = self.listener.accept()
        asking.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, MOST_BYTES)
        data, fds, _, _ = socket.recv_fds(asking, MOST_BYTES, 3)
        imported = tempfile.TemporaryFile()  # noqa: SIM115 - until the fork has ended
        if pid := os.fork():
            for each in fds:
                os.close(each)
            asking.send(str(pid).encode())
            waits = os.pidfd_open(pid)
            self.at_work[waits] = pid, asking, imported
            self.waits.register(waits, selectors.EVENT_READ)
            return None
        self._let_go(asking)
        for number, each in enumerate(fds):
            os.dup2(each, number)
            os.close(each)
        asked: dict[str, Any] = json.loads(data)
        return {**asked, "imported": imported}

    def _let_go(self, asking: socket.socket) -> None:
        """Close in a fork what is the server's."""
        for waits, (_, other, imported) in self.at_work.items():
            os.close(waits)
            other.close()
            imported.close()
        self.waits.close()
        self.listener.close()
        asking.close()

    def _ended(self, waits: int) -> None:
        pid, asking, imported = self.at_work.pop(waits)
        self.waits.unregister(waits)
        os.close(waits)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        with contextlib.suppress(BrokenPipeError):
            asking.send(str(code).encode())
        asking.close()
        with imported:
            imported.seek(0)
            for name in imported.read().decode().split():
                if name not in sys.modules and name.partition(".")[0] in LOADED:
                    importlib.import_module(name)
        gc.freeze()


def _run(asked: dict[str, Any]) -> None:
    """Become the command, in a fork."""
    os.environ.clear()
    os.environ.update(asked["env"])
    time.tzset()
    os.chdir(asked["cwd"])
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        errors = "backslashreplace" if name == "stderr" else "strict"
        stream = os.fdopen(number, mode, encoding="utf-8", errors=errors, closefd=False)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    sys.argv[:] = [str(LAUNCH), *asked["args"]]
    try:
        runpy.run_path(str(LAUNCH), run_name="__main__")
    finally:
        with asked["imported"] as imported:
            imported.write("\n".join(sys.modules).encode())


def main() -> None:
    """Serve at the address that is given."""
    sys.path[0] = str(LAUNCH.parent)
    server = _Server(sys.argv[1])
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    gc.disable()
    asked = server.serve()
    if asked is not None:
        gc.enable()
        _run(asked)


if __name__ == "__main__":
    main()
