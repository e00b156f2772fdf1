"""Where the server listens, and what a browser may call it."""

from __future__ import annotations

from dataclasses import dataclass

LOCAL = "127.0.0.1"
HTTP_PORT = 80


@dataclass(frozen=True)
class Place:
    """Where the server listens: the names that a browser may know it by, each with its port."""

    name: str  # the one that addresses carry
    hosts: frozenset[str]
    port: int

    @classmethod
    def at(cls, port: int) -> Place:
        """Return the place of a port of this machine."""
        names = {f"{name}:{port}" for name in (LOCAL, "localhost", "[::1]")}
        bare = {LOCAL, "localhost", "[::1]"} if port == HTTP_PORT else set()
        return cls(f"{LOCAL}:{port}", frozenset(names | bare), port)

    @property
    def origins(self) -> frozenset[str]:
        """The origins of our own pages."""
        return frozenset(f"http://{host}" for host in self.hosts)

    @property
    def cookie(self) -> str:
        """Ports share cookies: each server has a name of its own."""
        return f"sopwith_{self.port}"
