"""Stand before every request: the right Host, the right Origin, who may, whether to change
something, how much; what every answer carries; and an end to waiting for who does not say in time
what they want. Pure ASGI, so nothing comes past it. Imported inside functions only. Source: seed
003 P5.6; docs/web.md names the probes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse
from uvicorn.protocols.http.h11_impl import H11Protocol

from ui.web.access import Access, Place
from ui.words import language_of, say, speaking

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

MAX_BODY = 8_000_000
MAX_UPLOAD = 50_000_000
MAX_DRAINED = 80_000_000
BODY_SECONDS = 20.0  # for the next piece of a body
HEADER = "x-sopwith"
UPLOADS = "/api/uploads"
SAFE = {"GET", "HEAD"}
OPEN_TO_ALL = {"/api/sign-in"}
WITHOUT_CHANGES = {"/api/sign-in", "/api/sign-out", "/api/changes"}  # of browsers that only read
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"
)
SENT_WITH_ALL = {
    "content-security-policy": CSP,
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
HEAD_SECONDS = 10.0  # for the whole head of a request, from the connection or its first byte on


class Refused(Exception):
    """Why a request goes no further: the status, the kind of docs/web-api.md, and the key of what
    is said."""

    def __init__(self, status: int, kind: str, key: str) -> None:
        super().__init__(key)
        self.status, self.kind, self.key = status, kind, key


class Guard:
    """The middleware. What it found out is in the scope's state: `holder`."""

    def __init__(self, app: App, access: Access, place: Place) -> None:
        self._app, self._access, self._place = app, access, place

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        asked = _Asked(scope, self._access, self._place)
        speaking(language_of(asked.query_params.get("lang") or asked.one("accept-language")))
        try:
            asked.check()
        except Refused as refused:
            await self._refuse(asked, receive, send, refused)
            return
        scope.setdefault("state", {})["holder"] = asked.holder
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return
        await self._app(scope, _in_time(receive), _with_headers(send, asked.path))

    async def _refuse(self, asked: _Asked, receive: Receive, send: Send, refused: Refused) -> None:
        if asked.is_socket:
            await send({"type": "websocket.close", "code": 1008})  # before it is accepted: 403
            return
        body = error_of(asked.path, refused.kind, say(refused.key))
        body |= {"needs": "token"} if refused.status == 401 else {}
        await _drained(receive)
        answer = JSONResponse(body, refused.status, {"connection": "close"})
        await answer(asked.scope, receive, _with_headers(send, asked.path))


class _Asked(HTTPConnection):
    """A request, and each thing that may be wrong with it. `check` raises Refused."""

    def __init__(self, scope: Scope, access: Access, place: Place) -> None:
        super().__init__(scope)
        self._place = place
        self.path: str = scope["path"]
        self.is_socket = scope["type"] == "websocket"
        self.method: str = "GET" if self.is_socket else scope["method"]
        self.is_safe = self.method in SAFE
        self.is_data = self.path.startswith(("/api", "/v1", "/ws"))
        kind, _, token = self.one("authorization").partition(" ")
        self.program = access.holder(token.strip(), "program") if kind.lower() == "bearer" else None
        self.holder = self.program or access.holder(self.cookies.get(place.cookie, ""), "browser")

    def one(self, name: str) -> str:
        """Return the first value of a header, or ""."""
        return self.headers.get(name, "").strip()

    def check(self) -> None:
        """Raise Refused for the first thing that is wrong."""
        self._check_only("host", self._place.hosts, "web.wrong_host")
        self._check_origin()
        self._check_site()
        if self.method not in (*SAFE, "POST", "DELETE"):
            raise Refused(405, "bad_request", "web.wrong_method")
        self._check_length()
        if not self.is_safe:
            self._check_form()
        if self.is_data and self.path not in OPEN_TO_ALL and self.holder is None:
            raise Refused(401, "not_signed_in", "web.not_signed_in")
        if not self.is_safe and self.path.startswith("/api/"):
            self._check_may_change()

    def _check_only(self, name: str, known: frozenset[str], key: str) -> None:
        """Demand that a header comes once and says what is known."""
        values = self.headers.getlist(name)
        if len(values) != 1 or values[0].strip().lower() not in known:
            raise Refused(403, "forbidden", key)

    def _check_origin(self) -> None:
        """Refuse a foreign page, and a change or a socket whose page is not named, unless a
        program's token comes along: no browser sends that by itself."""
        if "origin" in self.headers:
            self._check_only("origin", self._place.origins, "web.wrong_origin")
        elif self.program is None and (self.is_socket or not self.is_safe):
            raise Refused(403, "forbidden", "web.no_origin")

    def _check_site(self) -> None:
        """Refuse what a foreign page embeds or asks for; a link from elsewhere opens the page, and
        its cookie stays away."""
        if self.one("sec-fetch-site") in ("", "same-origin", "none"):
            return
        opens = (self.one("sec-fetch-mode"), self.one("sec-fetch-dest")) == ("navigate", "document")
        if not (opens and self.is_safe) or self.is_data:
            raise Refused(403, "forbidden", "web.wrong_origin")

    def _check_length(self) -> None:
        length = self.one("content-length") or "0"
        most = MAX_UPLOAD if self.path == UPLOADS else MAX_BODY
        if not length.isdecimal() or int(length) > most:
            raise Refused(413, "too_large", "web.too_large")

    def _check_form(self) -> None:
        """Demand what no form and no simple request of another page can look like."""
        kind = self.one("content-type").partition(";")[0].strip().lower()
        wanted = "application/octet-stream" if self.path == UPLOADS else "application/json"
        is_empty = kind == "" and self.one("content-length") in ("", "0")
        if kind != wanted and not is_empty:
            raise Refused(403, "forbidden", "web.wrong_type")
        if self.program is None and self.one(HEADER) != "1":
            raise Refused(403, "forbidden", "web.no_header")

    def _check_may_change(self) -> None:
        if self.program is None and self.path in WITHOUT_CHANGES:
            return
        if self.holder is None or not self.holder.may_change:
            raise Refused(403, "read_only", "web.read_only")


def error_of(path: str, kind: str, text: str) -> dict[str, Any]:
    """Return what says that something went wrong: to the page, or as OpenAI's clients read it."""
    said: dict[str, Any] = {"kind": kind, "text": text}
    if path.startswith("/v1/"):
        said |= {"message": text, "type": kind, "code": None, "param": None}
    return {"error": said}


def _in_time(receive: Receive) -> Receive:
    """Return who stops in the middle of a body has gone."""
    is_whole = False

    async def receiving() -> MutableMapping[str, Any]:
        nonlocal is_whole
        if is_whole:
            return await receive()
        try:
            message = await asyncio.wait_for(receive(), BODY_SECONDS)
        except TimeoutError:
            return {"type": "http.disconnect"}
        is_whole = message["type"] != "http.request" or not message.get("more_body")
        return message

    return receiving


async def _drained(receive: Receive) -> None:
    """Take the rest of a body that nobody wants: a browser reads no answer before it has sent
    all."""
    taken = 0
    while taken < MAX_DRAINED:
        message = await receive()
        taken += len(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body"):
            return


def _with_headers(send: Send, path: str) -> Send:
    """Add the headers that confine it to every answer."""
    kept = "no-cache" if path.startswith("/assets/") else "no-store"

    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in {**SENT_WITH_ALL, "cache-control": kept}.items():
                headers.setdefault(name, value)
        await send(message)

    return sending


class InTime(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, with an end to waiting. What waits between two requests is
    uvicorn's own matter."""

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
