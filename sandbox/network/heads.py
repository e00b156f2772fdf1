"""Read what a client of the proxy wants: HTTP CONNECT, a plain HTTP request, or SOCKS5; and answers
in its language."""

from __future__ import annotations

import re
import socket
import struct
import time
from typing import Literal, NamedTuple
from urllib.parse import SplitResult, urlsplit

from sandbox.network.spelling import BadHost, host_of, place_of

HEAD_SECONDS = 15.0  # for all of a head, however slowly it comes
HEAD_BYTES = 65_536
_END = b"\r\n\r\n"
_OURS = re.compile(rb"(?i)(proxy-[\w-]+|connection|keep-alive|host):")  # headers of the hop to us
_REASONS = {
    400: "Bad Request",
    403: "Forbidden",
    408: "Request Timeout",
    431: "Request Header Fields Too Large",
    502: "Bad Gateway",
    504: "Gateway Timeout",
}
_SOCKS_CODES = {403: 2, 502: 4, 504: 4}

Kind = Literal["connect", "http", "socks", "local"]


class Wanted(NamedTuple):
    """A way out that a client asks for. `first` goes to the other side before anything else."""

    kind: Kind
    host: str
    port: int
    first: bytes = b""


class Unfit(Exception):
    """A request that cannot be read, or a way that is not opened. `code` is the status of HTTP that fits."""

    def __init__(self, code: int, text: str, kind: Kind = "http") -> None:
        super().__init__(text)
        self.code, self.kind = code, kind


class _Reader:
    """Takes bytes from a socket until a moment in time."""

    def __init__(self, client: socket.socket, seconds: float) -> None:
        self.client, self.end, self.held = client, time.monotonic() + seconds, b""

    def more(self) -> None:
        """Take what comes next. Raises Unfit when the time is up or the client goes away."""
        left = self.end - time.monotonic()
        if left <= 0:
            raise Unfit(408, "the request took too long")
        self.client.settimeout(left)
        try:
            data = self.client.recv(HEAD_BYTES)
        except TimeoutError as error:
            raise Unfit(408, "the request took too long") from error
        if not data:
            raise Unfit(400, "the request ends too early")
        self.held += data

    def exactly(self, count: int) -> bytes:
        """Return the next `count` bytes."""
        while len(self.held) < count:
            self.more()
        data, self.held = self.held[:count], self.held[count:]
        return data

    def head(self) -> bytes:
        """Return all up to the empty line, without it."""
        while _END not in self.held:
            if len(self.held) > HEAD_BYTES:
                raise Unfit(431, f"the head is larger than {HEAD_BYTES:,} bytes")
            self.more()
        head, _, self.held = self.held.partition(_END)
        return head


def read(client: socket.socket, seconds: float = HEAD_SECONDS) -> Wanted:
    """Return what the client wants. Raises Unfit, OSError."""
    reader = _Reader(client, seconds)
    first = reader.exactly(1)
    try:
        if first == b"\x05":
            return _socks(client, reader)
        reader.held = first + reader.held
        return _http(reader)
    except BadHost as error:
        raise Unfit(400, str(error), "socks" if first == b"\x05" else "http") from error


def _http(reader: _Reader) -> Wanted:
    line, *headers = reader.head().split(b"\r\n")
    try:
        method, target, version = line.decode("ascii").split(" ")
    except ValueError as error:
        raise Unfit(400, f"not a request of HTTP: {line[:60]!a}") from error
    if method == "CONNECT":
        return Wanted("connect", *place_of(target), reader.held)
    parts = _split(target)
    host, port = place_of(parts.netloc.rpartition("@")[2], 80)
    path = parts._replace(scheme="", netloc="").geturl() or "/"
    shown = f"[{host}]" if ":" in host else host
    kept = [each for each in headers if not _OURS.match(each)]
    named = f"Host: {shown}" if port == 80 else f"Host: {shown}:{port}"
    lines = [f"{method} {path} {version}", named, "Connection: close"]
    head = b"\r\n".join([*(each.encode("ascii") for each in lines), *kept]) + _END
    return Wanted("http", host, port, head + reader.held)


def _split(target: str) -> SplitResult:
    try:
        parts = urlsplit(target)
    except ValueError as error:
        raise BadHost(f"not an address: {target[:100]!a}") from error
    if parts.scheme.lower() != "http" or not parts.netloc:
        raise Unfit(400, "this is a proxy: the request must name an http:// address, or CONNECT")
    return parts


def _socks(client: socket.socket, reader: _Reader) -> Wanted:
    methods = reader.exactly(reader.exactly(1)[0])
    if 0 not in methods:
        client.sendall(b"\x05\xff")
        raise Unfit(400, "SOCKS5 without a password is spoken here", "socks")
    client.sendall(b"\x05\x00")
    version, command, _, kind = reader.exactly(4)
    if (version, command) != (5, 1):
        raise Unfit(400, "SOCKS5 knows CONNECT alone here", "socks")
    host = _socks_host(reader, kind)
    port = int.from_bytes(reader.exactly(2), "big")
    if not port:
        raise BadHost("no port from 1 to 65535: 0")
    return Wanted("socks", host, port, reader.held)


def _socks_host(reader: _Reader, kind: int) -> str:
    if kind == 1:
        return host_of(socket.inet_ntop(socket.AF_INET, reader.exactly(4)))
    if kind == 4:
        return host_of(socket.inet_ntop(socket.AF_INET6, reader.exactly(16)))
    if kind == 3:
        return host_of(reader.exactly(reader.exactly(1)[0]).decode("utf-8", "replace"))
    raise Unfit(400, f"SOCKS5 knows no address of type {kind}", "socks")


def granted(kind: Kind) -> bytes:
    """Return the answer that the way is open; "" for a plain request, which the host itself
    answers."""
    answers = {"connect": b"HTTP/1.1 200 Connection established\r\n\r\n", "socks": _socks_reply(0)}
    return answers.get(kind, b"")


def refused(kind: Kind, code: int, text: str) -> bytes:
    """Return the answer that the way is closed. The sentence stands in the status line too, which
    is all that most clients show."""
    if kind == "socks":
        return _socks_reply(_SOCKS_CODES.get(code, 1))
    said = " ".join(text.encode("ascii", "backslashreplace").decode().split())
    body = f"{said}\n".encode()
    lines = [
        f"HTTP/1.1 {code} {_REASONS[code]}: {said}"[:800],
        "Content-Type: text/plain",
        f"Content-Length: {len(body)}",
        "Connection: close",
    ]
    return "\r\n".join(lines).encode() + _END + body


def _socks_reply(code: int) -> bytes:
    return struct.pack(">BBBB4sH", 5, code, 0, 1, bytes(4), 0)
