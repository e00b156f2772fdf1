"""A small HTTP server that keeps what it is sent, for tests: notifications and webhooks go
there."""

import json
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Self

from tests.site import Asked, Page, site


@dataclass
class Hook:
    """The server. `status` is its answer; while `gate` is closed it answers nobody."""

    status: int = 200
    got: list[dict[str, Any]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    gate: threading.Event = field(default_factory=threading.Event)
    opened: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        self.gate.set()
        self.port = self.opened.enter_context(site(self._answer))
        return self

    def _answer(self, asked: Asked) -> Page:
        self.bodies.append(asked.body)
        self.headers.append(dict(asked.headers))
        self.got.append(json.loads(asked.body))
        self.gate.wait()
        return Page(status=self.status)

    def __exit__(self, *_: object) -> None:
        self.gate.set()
        self.opened.close()
