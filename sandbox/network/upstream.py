"""Connect through the proxy that the owner's network needs: HTTPS_PROXY, HTTP_PROXY, NO_PROXY of
the agent's environment."""

from __future__ import annotations

import base64
import socket
from urllib.parse import SplitResult, unquote, urlsplit

HEAD_BYTES = 8192
TLS_PORT = 443


def proxy_for(host: str, port: int) -> str:
    """Return the address of the proxy for a host, "" for none."""
    from urllib import request

    if request.proxy_bypass(host):
        return ""
    found = request.getproxies()
    order = ("https", "http", "all") if port == TLS_PORT else ("http", "https", "all")
    return next((found[kind] for kind in order if found.get(kind)), "")


def connect(proxy: str, host: str, port: int, seconds: float) -> socket.socket:
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
