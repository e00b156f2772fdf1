"""A real `serve` in a process of its own on loopback, and a browser's and a program's way to it,
for tests."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from tests.conftest import CHECKOUT
from tests.machine import PATIENCE_SECONDS

START_SECONDS = PATIENCE_SECONDS
# a run that outlives its server is no leak
STRICT = (
    "-W",
    "error",
    "-W",
    "ignore::ResourceWarning",
)


@dataclass
class Answer:
    """Hold what came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


@dataclass
class Served:
    """A server. `cookie` and `token` are what a browser and a program show once they are signed
    in."""

    home: Path
    cwd: Path
    options: Sequence[str] = ()
    environ: Mapping[str, str] = field(default_factory=dict)
    process: subprocess.Popen[str] | None = None
    address: str = ""
    token: str = ""
    cookie: str = ""

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def errors(self) -> Path:
        """Where its stderr goes."""
        return self.home.parent / "serve.err"

    @property
    def origin(self) -> str:
        """As a browser names the page."""
        return self.address.rstrip("/")

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.origin.rpartition(":")[2])

    def start(self, port: int = 0) -> None:
        """Start it and read its address."""
        with self.errors.open("a") as errors:
            self.process = subprocess.Popen(
                [
                    *(
                        sys.executable,
                        *STRICT,
                        str(CHECKOUT / "launch.py"),
                        "--home",
                        str(self.home),
                    ),
                    *("serve", "--port", str(port), *self.options),
                ],
                cwd=self.cwd,
                env={**os.environ, "HOME": str(self.home.parent), **self.environ},
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline().strip()
        assert line, self.errors.read_text()
        self.address, _, self.token = line.partition("#token=")
        self.until(lambda: self.get("/api/state").status in (200, 401))

    def stop(self, number: int = signal.SIGINT) -> int:
        """End it by a signal; return its exit code."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(PATIENCE_SECONDS)
        if self.process.stdout is not None:
            self.process.stdout.close()
        return code

    def sign_in(self, changes: bool = True) -> Self:
        """As the page does with the address."""
        answer = self.post("/api/sign-in", {"token": self.token})
        assert answer.status == 204, answer
        self.cookie = answer.headers["set-cookie"].partition(";")[0]
        if changes:
            assert self.post("/api/changes", {"on": True}).json == {"changes": True}
        return self

    def ask(
        self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Exactly this request; a header of None is left out."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in {"Host": self.origin.partition("://")[2], **(headers or {})}.items():
                if value is not None:
                    connection.putheader(name, value)
            if body or method not in ("GET", "HEAD"):
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body or None)
            answer = connection.getresponse()
            return Answer(
                answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
            )
        finally:
            connection.close()

    def browser(self) -> dict[str, str]:
        """Return the headers of the page's own requests."""
        headers = {"Origin": self.origin, "X-Sopwith": "1", "Content-Type": "application/json"}
        return headers | ({"Cookie": self.cookie} if self.cookie else {})

    def get(self, path: str) -> Answer:
        """Return a look, as the page does."""
        return self.ask("GET", path, headers=self.browser())

    def post(self, path: str, body: Any = None, method: str = "POST") -> Answer:
        """Return a change, as the page does."""
        return self.ask(
            method, path, json.dumps({} if body is None else body).encode(), self.browser()
        )

    @contextlib.contextmanager
    def tab(self, path: str = "/ws", **hello: Any) -> Iterator[Tab]:
        """Yield a WebSocket of the page, after its hello."""
        from websockets.sync.client import connect
        from websockets.typing import Origin

        url = self.origin.replace("http", "ws", 1) + path
        with connect(
            url,
            origin=Origin(self.origin),
            additional_headers={"Cookie": self.cookie},
            max_size=None,
            max_queue=None,
        ) as socket:
            tab = Tab(socket)
            tab.send(type="hello", **{"epoch": None, "seq": None, "watch": [], **hello})
            tab.hello = tab.until("hello")
            yield tab

    def begin(self, text: str, model: str | None = None, **more: Any) -> str:
        """Says something at the page; gives the run that it began."""
        answer = self.post("/api/chat", {"text": text, "model": model, **more})
        assert answer.status == 202, answer
        run: str = answer.json["run"]
        return run

    def until(self, holds: Callable[[], Any], seconds: float = START_SECONDS) -> Any:
        """Look until something holds, and return it."""
        end = time.monotonic() + seconds
        while True:
            with contextlib.suppress(ConnectionError, http.client.HTTPException, TimeoutError):
                if found := holds():
                    return found
            assert time.monotonic() < end, "it never came"
            time.sleep(0.02)

    def ended(self, run: str, seconds: float = START_SECONDS) -> dict[str, Any]:
        """Return the run's last event, once it has ended."""

        def last() -> dict[str, Any] | None:
            events = self.get(f"/api/runs/{run}").json.get("events") or [{}]
            return events[-1] if events[-1].get("type") == "run_ended" else None

        found: dict[str, Any] = self.until(last, seconds)
        return found


@dataclass
class Tab:
    """One WebSocket and what it has been told."""

    socket: Any
    hello: dict[str, Any] = field(default_factory=dict)
    told: list[dict[str, Any]] = field(default_factory=list)

    def send(self, **message: Any) -> None:
        """Says something."""
        self.socket.send(json.dumps(message))

    def until(self, kind: str, seconds: float = START_SECONDS, **fields: Any) -> dict[str, Any]:
        """Read on to the next message of this type, with these fields."""
        end = time.monotonic() + seconds
        while True:
            message: dict[str, Any] = json.loads(
                self.socket.recv(timeout=max(0.01, end - time.monotonic()))
            )
            self.told.append(message)
            if message["type"] == kind and all(
                message.get(key) == value for key, value in fields.items()
            ):
                return message


def made_home(
    folder: Path, replies: Sequence[Any] | Mapping[str, Sequence[Any]], settings: str = ""
) -> Path:
    """Return a home folder whose model replays `replies`; of several, each its own, by name."""
    home = folder / "owner" / ".sopwith"
    home.mkdir(parents=True)
    (folder / "cwd").mkdir()
    scripts = replies if isinstance(replies, Mapping) else {"script": replies}
    lines = [settings, "models:"]
    for name, said in scripts.items():
        script = folder / f"{name}.json"
        script.write_text(json.dumps(list(said)), "utf-8")
        lines.append(f"  - {{name: {name}, kind: scripted, model: {script}}}")
    (home / "config.yaml").write_text("\n".join(lines) + "\n", "utf-8")
    return home
