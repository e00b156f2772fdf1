"""A small HTTP server that keeps what it is sent, for tests: notifications and webhooks go there."""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass
class Hook:
    """The server. `status` is its answer; while `gate` is closed it answers nobody."""

    status: int = 200
    got: list[dict[str, Any]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    gate: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        hook = self
        self.gate.set()

        class Answering(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                hook.bodies.append(body)
                hook.headers.append(dict(self.headers))
                hook.got.append(json.loads(body))
                hook.gate.wait()
                try:
                    self.send_response(hook.status)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                except OSError:
                    return  # whoever asked has been killed

            def log_message(self, format: str, *args: object) -> None:
                """Silent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.gate.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
