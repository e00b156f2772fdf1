"""Read what a client of the proxy wants: HTTP CONNECT, or a plain HTTP request; and answer it."""

from __future__ import annotations

import re
import socket
import time
from typing import Literal, NamedTuple
from urllib.parse import SplitResult, urlsplit

from sandbox.network.spelling import BadHost, place_of

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

Kind = Literal["connect", "http", "local"]


class Wanted(NamedTuple):
    """A way out that a client asks for. `first` goes to the other side before anything else."""

    kind: Kind
    host: str
    port: int
    first: bytes = b""


class Unfit(Exception):
    """A request that cannot be read, or a way that is not opened. `code` is the status of HTTP that fits."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


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
    try:
        return _http(_Reader(client, seconds))
    except BadHost as error:
        raise Unfit(400, str(error)) from error


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


def refused(code: int, text: str) -> bytes:
    """Return the answer that the way is closed. The sentence stands in the status line too, which
    is all that most clients show."""
    said = " ".join(text.encode("ascii", "backslashreplace").decode().split())
    body = f"{said}\n".encode()
    lines = [
        f"HTTP/1.1 {code} {_REASONS[code]}: {said}"[:800],
        "Content-Type: text/plain",
        f"Content-Length: {len(body)}",
        "Connection: close",
    ]
    return "\r\n".join(lines).encode() + _END + body
