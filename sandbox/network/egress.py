"""The way out of a cell: a proxy in the agent's process that lets through the hosts which a policy
allows, and no others.

A cell has a network of its own with nothing in it. Its supervisor listens there on 127.0.0.1 and
hands the listening socket to us (a socket belongs to the network in which it was made, whoever
accepts from it). So no process in the cell carries the bytes, none can end the proxy, and no Unix
socket is open to the cell. A host is looked up once: its addresses are judged, and the connection
goes to one of those.
"""

from __future__ import annotations

import base64
import contextlib
import socket
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, unquote, urlsplit

from sandbox.network import heads
from sandbox.network.heads import Unfit, Wanted

if TYPE_CHECKING:
    from safety.reach import Address
    from sandbox.network.journal import Journal

CONNECT_SECONDS = 20.0  # for all addresses of a host together
IDLE_SECONDS = 300.0  # of a connection on which nothing moves
_PIECE = 65_536
HEAD_BYTES = 8192
TLS_PORT = 443

Policy = Callable[[str, int], str]  # host and port → why not; "" lets it through
Find = Callable[[str, int], Sequence["Address"]]  # raises PrivateAddress, OSError


class Egress:
    """The proxy of one run, for all its cells."""

    def __init__(self, journal: Journal, find: Find) -> None:
        """`find` looks a host up and judges its addresses (safety/reach/addresses.py)."""
        self.journal, self.find = journal, find

    def serve(self, client: socket.socket, policy: Policy) -> None:
        """Serve one connection of a cell to its end. Never raises."""
        try:
            wanted = heads.read(client)
        except Unfit as error:
            _say(client, heads.refused(error.kind, error.code, f"Sopwith: {error}"))
            return
        except OSError:
            return
        try:
            server, address = self._opened(wanted, policy)
        except Unfit as error:
            state = "refused" if error.code == 403 else "failed"
            self.journal.begun(state, wanted, why=str(error))
            _say(client, heads.refused(wanted.kind, error.code, f"Sopwith: {error}"))
            return
        self._carry(client, server, wanted, address)

    def serve_local(self, client: socket.socket, port: int) -> None:
        """Carry one connection of a cell to a port of this machine that the owner has named. Never
        raises."""
        here, wanted = "127.0.0.1", Wanted("local", "localhost", port)
        try:
            server = socket.create_connection((here, port), CONNECT_SECONDS)
        except OSError as error:
            self.journal.begun("failed", wanted, why=str(error))
            return
        self._carry(client, server, wanted, here)

    def _carry(
        self, client: socket.socket, server: socket.socket, wanted: Wanted, address: str
    ) -> None:
        id = self.journal.begun("open", wanted, address=address)
        flow = _Flow(client, server)
        try:
            flow.run(heads.granted(wanted.kind), wanted.first)
        finally:
            server.close()
            self.journal.closed(id, flow.up, flow.down)

    def _opened(self, wanted: Wanted, policy: Policy) -> tuple[socket.socket, str]:
        """Connect to an address of the host that was judged. Raises Unfit."""
        from safety.reach import PrivateAddress

        if why := policy(wanted.host, wanted.port):
            raise Unfit(403, why)
        proxy = _proxy_for(wanted.host, wanted.port)
        try:
            addresses = self.find(wanted.host, wanted.port)
        except PrivateAddress as error:
            raise Unfit(403, str(error)) from error
        except (OSError, UnicodeError) as error:
            if not proxy:  # which finds names that this machine does not
                raise Unfit(502, f"{wanted.host} is not found: {error}") from error
            addresses = ()
        is_near = any(address.is_private for address in addresses)
        if not proxy or is_near:
            return self._straight(wanted, addresses)
        try:
            way = _connected(proxy, wanted.host, wanted.port, CONNECT_SECONDS)
        except OSError as error:
            raise Unfit(502, f"{wanted.host}: {error}") from error
        return way, "by a proxy"

    def _straight(self, wanted: Wanted, addresses: Sequence[Address]) -> tuple[socket.socket, str]:
        """Connect to one of the addresses. Raises Unfit."""
        end = time.monotonic() + CONNECT_SECONDS
        problem: OSError = OSError("no address")
        for address in addresses:
            left = end - time.monotonic()
            if left <= 0:
                break
            try:
                return socket.create_connection((str(address), wanted.port), left), str(address)
            except OSError as error:
                problem = error
        code = 504 if isinstance(problem, TimeoutError) else 502
        raise Unfit(code, f"{wanted.host}:{wanted.port} does not answer: {problem}")


class _Flow:
    """The bytes of one connection, both ways."""

    def __init__(self, client: socket.socket, server: socket.socket) -> None:
        self.client, self.server = client, server
        self.up = self.down = 0
        self._moved = time.monotonic()

    def run(self, answer: bytes, first: bytes) -> None:
        """Copy until both sides have ended, one has died, or nothing moves any more."""
        for each in (self.client, self.server):
            each.settimeout(IDLE_SECONDS / 4)
            each.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        with contextlib.suppress(OSError):
            self.client.sendall(answer)
            self.server.sendall(first)
            self.up += len(first)
            upward = threading.Thread(target=self._copy, args=("up",), daemon=True)
            upward.start()
            self._copy("down")
            upward.join()

    def _copy(self, way: str) -> None:
        source, target = self.client, self.server
        if way == "down":
            source, target = target, source
        try:
            while data := self._taken(source):
                target.sendall(data)
                setattr(self, way, getattr(self, way) + len(data))
                self._moved = time.monotonic()
            target.shutdown(socket.SHUT_WR)
        except OSError:  # one side is gone: the other way ends too
            for each in (source, target):
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

    def _taken(self, source: socket.socket) -> bytes:
        """Return the next bytes; waits while the other way moves. Raises OSError."""
        while True:
            try:
                return source.recv(_PIECE)
            except TimeoutError:
                if time.monotonic() - self._moved > IDLE_SECONDS:
                    raise


def _say(client: socket.socket, answer: bytes) -> None:
    """Answer, and read on a little: bytes that nobody has read would make the system throw the
    answer away."""
    with contextlib.suppress(OSError):
        client.settimeout(2)
        client.sendall(answer)
        client.shutdown(socket.SHUT_WR)
        for _ in range(64):
            if not client.recv(_PIECE):
                break


def _proxy_for(host: str, port: int) -> str:
    """Return the address of the proxy for a host, "" for none."""
    from urllib import request

    if request.proxy_bypass(host):
        return ""
    found = request.getproxies()
    order = ("https", "http", "all") if port == TLS_PORT else ("http", "https", "all")
    return next((found[kind] for kind in order if found.get(kind)), "")


def _connected(proxy: str, host: str, port: int, seconds: float) -> socket.socket:
    """Return a connection to the host through the proxy. Raises OSError."""
    place = urlsplit(proxy if "//" in proxy else f"//{proxy}")
    if place.scheme not in ("", "http") or not place.hostname:
        raise OSError(f"the proxy of your network is no http:// address: {place.scheme}")
    way = socket.create_connection((place.hostname, place.port or 80), seconds)
    try:
        way.sendall(_head(place, f"[{host}]:{port}" if ":" in host else f"{host}:{port}"))
        status = _answer(way).split(b" ", 2)[1:2]
        if status != [b"200"]:
            said = status[0].decode("ascii", "replace")[:3] if status else "nothing"
            raise OSError(f"the proxy of your network answers {said}")
    except BaseException:
        way.close()
        raise
    return way


def _head(proxy: SplitResult, place: str) -> bytes:
    head = f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n"
    if proxy.username is not None:
        user = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
        head += f"Proxy-Authorization: Basic {base64.b64encode(user.encode()).decode()}\r\n"
    return f"{head}\r\n".encode("latin-1")


def _answer(way: socket.socket) -> bytes:
    """Return the head of the answer, and read not a byte behind it: that is the other side's."""
    head = b""
    while not head.endswith(b"\r\n\r\n") and len(head) < HEAD_BYTES:
        piece = way.recv(1)
        if not piece:
            break
        head += piece
    return head
