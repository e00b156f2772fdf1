"""A connection that does not say in time what it wants is closed: otherwise a few hundred of them hold up everybody else.
Imported inside functions only.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0  # for the whole head of a request, from the connection or its first byte on


class InTime(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, with an end to waiting. What waits between two requests is uvicorn's own matter."""

    _head: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        super().connection_made(transport)
        self._head = self.loop.call_later(HEAD_SECONDS, self._too_late)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self._has_no_request():
            self._forget()
        elif self._head is None:  # the next one has begun, and is not whole
            self._head = self.loop.call_later(HEAD_SECONDS, self._too_late)

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def _has_no_request(self) -> bool:
        is_http = self.transport.get_protocol() is self  # a WebSocket has a protocol of its own
        return is_http and (self.cycle is None or self.cycle.response_complete)

    def _forget(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _too_late(self) -> None:
        self._head = None
        if self._has_no_request():
            self.transport.close()
