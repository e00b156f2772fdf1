"""An HTTP server on loopback whose answers are one function of what it is asked, for tests."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import NamedTuple


class Asked(NamedTuple):
    """One request."""

    method: str
    path: str
    headers: Message
    body: bytes


class Page(NamedTuple):
    """One answer."""

    body: bytes | str = b""
    kind: str = "text/html; charset=utf-8"
    status: int = 200
    headers: Mapping[str, str] = MappingProxyType({})


@contextmanager
def site(answer: Callable[[Asked], Page], protocol: str = "HTTP/1.0") -> Iterator[int]:
    """Give the port of a server that answers so for as long as the block."""

    class Answering(BaseHTTPRequestHandler):
        protocol_version = protocol

        def do_GET(self) -> None:
            self.do_POST()

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            asked = Asked(self.command, self.path, self.headers, self.rfile.read(length))
            page = answer(asked)
            data = page.body.encode() if isinstance(page.body, str) else page.body
            with suppress(OSError):  # whoever asked has hung up
                self.send_response(page.status)
                fields = {"Content-Type": page.kind, "Content-Length": str(len(data))}
                for name, value in {**fields, **page.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
