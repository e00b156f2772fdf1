"""The exits of one run: for each cell a door with a proxy and a broker behind it, and what the present call may reach."""

from __future__ import annotations

import fnmatch
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sandbox.broker import ASKED, mounted, shim_text
from sandbox.network.door import Door
from sandbox.network.variables import variables

if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence

    from safety.addresses import Address
    from sandbox.network.egress import Egress

MOST_CONNECTIONS = 256  # of a cell at a time; more wait in the queue of its socket
MOST_NAMED = 20  # hosts that a result names


class Leave(NamedTuple):
    """What one call may reach beyond its cell. A host stands for itself, `*.example.org` for all below it."""

    hosts: frozenset[str] = frozenset()

    def why_not(self, host: str, port: int) -> str:
        """Return why a host is closed; "" when it is open."""
        places = (host, f"{host}:{port}")
        if any(fnmatch.fnmatchcase(place, each) for place in places for each in self.hosts):
            return ""
        return f"{host} is not a host that this call may reach"


class Exits:
    """The exits of all cells of a run."""

    def __init__(self, folder: Path, find: Callable[[str, int], Sequence[Address]]) -> None:
        """`folder` is the run's; `find` looks a host up and judges its addresses (safety/addresses.py)."""
        self._folder, self._find = folder, find
        self._lock = threading.Lock()
        self._egress: Egress | None = None

    def cell(self) -> Exit:
        """Return the exit of a new cell."""
        return Exit(self)

    def variables(self, path: str) -> dict[str, str]:
        """Return what programs in a cell find in their environment, where PATH was `path`."""
        return variables() | {"PATH": f"{ASKED}:{path}"}

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

    def __init__(self, exits: Exits) -> None:
        self._exits = exits
        self.leave = Leave()
        self.refused: dict[str, None] = {}
        self._door = Door((self._proxy, self._broker), MOST_CONNECTIONS)

    def built(self) -> tuple[list[str], list[int]]:
        """Return what bubblewrap is told more, and the descriptors that it needs: the first is the supervisor's, and the
        caller closes the others."""
        text = os.memfd_create("shim")
        os.write(text, shim_text())
        os.lseek(text, 0, os.SEEK_SET)
        return mounted(text), [self._door.theirs.fileno(), text]

    def begin(self, leave: Leave | None) -> None:
        """Open the exit for a call."""
        self.leave, self.refused = leave or Leave(), {}

    def widen(self, leave: Leave | None) -> None:
        """Open the exit for one more call of a shell, whose earlier ones may still run."""
        more = leave.hosts if leave else frozenset()
        self.begin(Leave(self.leave.hosts | more))

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
        if why and len(self.refused) < 1000:
            self.refused[host] = None
        return why

    def _proxy(self, client: socket.socket) -> None:
        self._exits.egress().serve(client, self._judge)

    def _broker(self, client: socket.socket) -> None:
        from sandbox.broker import serve, why_not

        serve(client, why_not)
