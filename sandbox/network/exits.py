"""The exits of one run: for each cell a door with a proxy and a broker behind it, and what the
present call may reach."""

from __future__ import annotations

import os
import shlex
import socket
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox.broker import ASKED, PORT, mounted
from sandbox.broker.forms import shim_text
from sandbox.kernel import python
from sandbox.network.door import Door
from sandbox.network.leaving import Leave

if TYPE_CHECKING:
    from safety.reach import Address
    from sandbox.network.egress import Egress

MOST_CONNECTIONS = 256  # of a cell at a time; more wait in the queue of its socket
LOCAL_SECONDS = 0.2  # to find out that nobody listens on this machine
MOST_NAMED = 20  # hosts that a result names

PROXY_PORT = 3128  # on 127.0.0.1 of the cell's own network
DIAL = Path(__file__).with_name("dial.py")
_HERE = "localhost,127.0.0.1,::1"  # servers that a script starts itself


def proxied(port: int = PROXY_PORT) -> dict[str, str]:
    """Return the environment of a cell: proxies in both spellings, and a way for git over ssh."""
    proxy = f"http://127.0.0.1:{port}"
    # ALL_PROXY is no socks5:// address: libraries without SOCKS fail at once when they see one
    found = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), proxy) | {"NO_PROXY": _HERE}
    command = shlex.join([*python(), str(DIAL), str(port), "%h", "%p"])
    ssh = f"ssh -o {shlex.quote(f'ProxyCommand={command}')}"
    lower = {name.lower(): value for name, value in found.items()}
    return found | lower | {"GIT_SSH_COMMAND": ssh, "NODE_USE_ENV_PROXY": "1"}


class Exits:
    """The exits of all cells of a run."""

    def __init__(
        self, folder: Path, find: Callable[[str, int], Sequence[Address]], local: Sequence[int] = ()
    ) -> None:
        """`folder` is the run's; `find` looks a host up and judges its addresses
        (safety/reach/addresses.py); `local` are ports of this machine that the owner has named."""
        self._folder, self._find, self._local = folder, find, local
        self._lock = threading.Lock()
        self._egress: Egress | None = None
        self._proxied = proxied()

    def cell(self) -> Exit:
        """Return the exit of a new cell."""
        return Exit(self, [port for port in self._local if _is_served(port)])

    def held(self) -> tuple[Exit, int]:
        """Return the exit of one call that has the network of the machine, and the only port that
        it may connect to.

        Raises OSError.
        """
        found = Exit(self, [])
        return found, found.listen()

    def variables(self, path: str) -> dict[str, str]:
        """Return what programs in a cell find in their environment, where PATH was `path`."""
        return self._proxied | {"PATH": f"{ASKED}:{path}"}

    def egress(self) -> Egress:
        """Return the proxy of the run; made when the first connection comes."""
        from sandbox.network.egress import Egress
        from sandbox.network.journal import Journal

        with self._lock:
            if self._egress is None:
                self._egress = Egress(Journal(self._folder), self._find)
            return self._egress


class Exit:
    """The exit of one cell. `leave` holds for the call that runs now."""

    def __init__(self, exits: Exits, local: Sequence[int]) -> None:
        self._exits = exits
        self.ports = [PROXY_PORT, PORT, *local]
        self.leave = Leave()
        self.refused: dict[str, None] = {}
        self.has_sent = False  # the call has perhaps sent something to somebody
        to_local = [partial(self._to_local, port) for port in local]
        self._door = Door([self._proxy, _broker, *to_local], MOST_CONNECTIONS)

    def built(self) -> tuple[list[str], str, list[int]]:
        """Return what bubblewrap is told more, what the supervisor is told, and the descriptors
        that they need; the caller closes all of them but the first."""
        text = os.memfd_create("shim")
        os.write(text, shim_text())
        os.lseek(text, 0, os.SEEK_SET)
        door = self._door.theirs.fileno()
        return mounted(text), ",".join(map(str, (door, *self.ports))), [door, text]

    def listen(self) -> int:
        """Listen for the proxy where there is no supervisor to do so; return the port."""
        with socket.create_server(("127.0.0.1", 0)) as listening:
            socket.send_fds(self._door.theirs, [b"door"], [listening.fileno()])
            return int(listening.getsockname()[1])

    def begin(self, leave: Leave) -> None:
        """Open the exit for a call."""
        self.leave, self.refused, self.has_sent = leave, {}, False

    def widen(self, leave: Leave) -> None:
        """Open the exit for one more call of a shell, whose earlier ones may still run."""
        self.begin(Leave(self.leave.hosts | leave.hosts))

    def said(self) -> str:
        """Return a line on the hosts that were refused in this call; "" for none."""
        if not self.refused:
            return ""
        names = ", ".join(list(self.refused)[:MOST_NAMED])
        return (
            f"the network was closed to {names}: nobody has named it. To ask the owner, run the script again with"
            f" hosts=[…]; to allow it for good: safety: {{hosts: […]}} in config.yaml"
        )

    def close(self) -> None:
        """End all connections. May be called again."""
        self._door.close()

    def _judge(self, host: str, port: int) -> str:
        why = self.leave.why_not(host, port)
        if not why:
            self.has_sent = True
        elif len(self.refused) < 1000:
            self.refused[host] = None
        return why

    def _proxy(self, client: socket.socket) -> None:
        self._exits.egress().serve(client, self._judge)

    def _to_local(self, port: int, client: socket.socket) -> None:
        self.has_sent = True
        self._exits.egress().serve_local(client, port)


def _broker(client: socket.socket) -> None:
    from sandbox.broker import serve, why_not

    serve(client, why_not)


def _is_served(port: int) -> bool:
    """Return True when somebody on this machine listens there: else a script may want the port for
    a server of its own."""
    try:
        socket.create_connection(("127.0.0.1", port), LOCAL_SECONDS).close()
    except OSError:
        return False
    return True
