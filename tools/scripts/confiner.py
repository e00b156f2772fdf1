"""Starts confined commands where there is no bubblewrap: a process that is ready, of which each command is a child that gives
up its rights (sandbox/cells/confine.py). A Python of its own for each would cost more than most commands.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess

from sandbox.cells import mounts
from tools.processes import MARK, Handed, leaders, mark, starting

PACKET_BYTES = 16
READY_SECONDS = 10.0  # a machine that needs longer for a fork is out of memory


class Confiner:
    """One such process. It is being started when this returns; what it is told meanwhile waits."""

    def __init__(self) -> None:
        """Raises OSError."""
        self._talk, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._talk.settimeout(READY_SECONDS)
        try:
            with starting:
                self._process = subprocess.Popen(
                    [*mounts.confiner(), str(inner.fileno())],
                    cwd="/",
                    env={"PATH": os.defpath, "LANG": "C.UTF-8", MARK: mark("confiner")},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,  # Ctrl-C is for us
                    pass_fds=[inner.fileno()],
                )
                leaders.add(self._process.pid)
        except OSError:
            self._talk.close()
            raise
        finally:
            inner.close()

    def is_alive(self) -> bool:
        """Return True if it takes orders. A script may have ended it, where the kernel does not hold signals."""
        return self._process.poll() is None

    def start(self, orders: int, terminal: int | None) -> Handed:
        """Starts what the orders say. `orders` is a descriptor; output goes to `terminal`, or to a pipe. Raises OSError."""
        output, inner = os.pipe() if terminal is None else (-1, os.dup(terminal))
        try:
            socket.send_fds(self._talk, [b"start"], [orders, inner])
            pid = int(self._talk.recv(PACKET_BYTES) or b"0")
            if pid <= 0:
                raise OSError("the sandbox does not start")
        except OSError:
            if output >= 0:
                os.close(output)
            raise
        finally:
            os.close(inner)
        return Handed(pid, output)

    def close(self) -> None:
        """Ends it; what it has started is nobody's but ours."""
        self._talk.close()
        self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        leaders.discard(self._process.pid)
