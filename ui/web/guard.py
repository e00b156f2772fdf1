"""Stands before every request: the right Host, the right Origin, who may, whether to change something, how much; and what
every answer carries. Pure ASGI, so nothing comes past it. Source: seed 003 P5.6; docs/web.md names the probes.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from ui.web.access import Access, Holder
from ui.words import language_of, say, speaking

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOCAL = "127.0.0.1"
HTTP_PORT = 80
MAX_BODY = 8_000_000
MAX_UPLOAD = 50_000_000
MAX_DRAINED = 80_000_000
BODY_SECONDS = 20.0  # for the next piece of a body
HEADER = b"x-sopwith"
SAFE = {"GET", "HEAD"}
OPEN_TO_ALL = {"/api/sign-in"}
WITHOUT_CHANGES = {
    "/api/sign-in",
    "/api/sign-out",
    "/api/changes",
}  # what a browser may do that only reads; no program
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


class Refused(Exception):
    """Why a request goes no further: the status, the kind of docs/web-api.md, and the key of what is said."""

    def __init__(self, status: int, kind: str, key: str) -> None:
        super().__init__(key)
        self.status, self.kind, self.key = status, kind, key


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


class Guard:
    """The middleware. What it found out is in the scope's state: `holder`."""

    def __init__(self, app: App, access: Access, place: Place) -> None:
        self._app, self._access, self._place = app, access, place

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = _Headers(scope)
        speaking(language_of(headers.query_lang or headers.one(b"accept-language")))
        try:
            holder = self._checked(scope, headers)
        except Refused as refused:
            await self._refuse(scope, receive, send, refused)
            return
        scope.setdefault("state", {})["holder"] = holder
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return
        await self._app(scope, _in_time(receive), _with_headers(send, scope["path"]))

    def _checked(self, scope: Scope, headers: _Headers) -> Holder | None:
        """Return who asks. Raises Refused."""
        path, is_socket = scope["path"], scope["type"] == "websocket"
        method = "GET" if is_socket else scope["method"]
        if (
            headers.all(b"host") != [headers.one(b"host")]
            or headers.one(b"host").lower() not in self._place.hosts
        ):
            raise Refused(403, "forbidden", "web.wrong_host")
        program = self._program(headers)
        self._check_origin(headers, path, program, is_change=is_socket or method not in SAFE)
        if method not in (*SAFE, "POST", "DELETE"):
            raise Refused(405, "bad_request", "web.wrong_method")
        length = headers.one(b"content-length")
        if length and (
            not length.isdecimal()
            or int(length) > (MAX_UPLOAD if path == "/api/uploads" else MAX_BODY)
        ):
            raise Refused(413, "too_large", "web.too_large")
        if method not in SAFE:
            self._check_form(headers, path, program)
        holder = program or self._access.holder(headers.cookie(self._place.cookie), "browser")
        if _is_data(path) and path not in OPEN_TO_ALL and holder is None:
            raise Refused(401, "not_signed_in", "web.not_signed_in")
        if (
            method not in SAFE
            and path.startswith("/api/")
            and (program is not None or path not in WITHOUT_CHANGES)
            and not (holder and holder.may_change)
        ):
            raise Refused(403, "read_only", "web.read_only")
        return holder

    def _check_origin(
        self, headers: _Headers, path: str, program: Holder | None, *, is_change: bool
    ) -> None:
        """A foreign page is refused, and a change or a socket whose page is not named, unless a program's token comes along:
        no browser sends that by itself."""
        if headers.has(b"origin"):
            if (
                headers.all(b"origin") != [headers.one(b"origin")]
                or headers.one(b"origin").lower() not in self._place.origins
            ):
                raise Refused(403, "forbidden", "web.wrong_origin")
        elif is_change and program is None:
            raise Refused(403, "forbidden", "web.no_origin")
        site = headers.one(b"sec-fetch-site")
        if site in ("", "same-origin", "none"):
            return
        is_opened = (
            headers.one(b"sec-fetch-mode") == "navigate"
            and headers.one(b"sec-fetch-dest") == "document"
        )
        if (
            not is_opened or _is_data(path) or is_change
        ):  # a link from elsewhere opens the page; its cookie stays away
            raise Refused(403, "forbidden", "web.wrong_origin")

    def _check_form(self, headers: _Headers, path: str, program: Holder | None) -> None:
        """Demand what no form and no simple request of another page can look like."""
        kind = headers.one(b"content-type").partition(";")[0].strip().lower()
        wanted = "application/octet-stream" if path == "/api/uploads" else "application/json"
        if kind != wanted and not (kind == "" and headers.one(b"content-length") in ("", "0")):
            raise Refused(403, "forbidden", "web.wrong_type")
        if program is None and headers.one(HEADER) != "1":
            raise Refused(403, "forbidden", "web.no_header")

    def _program(self, headers: _Headers) -> Holder | None:
        kind, _, token = headers.one(b"authorization").partition(" ")
        return self._access.holder(token.strip(), "program") if kind.lower() == "bearer" else None

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, refused: Refused) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})  # before it is accepted: 403
            return
        body = error_of(scope["path"], refused.kind, say(refused.key))
        body |= {"needs": "token"} if refused.status == 401 else {}
        data = json.dumps(body, ensure_ascii=False).encode()
        await _drained(receive)
        sending = _with_headers(send, scope["path"])
        kinds = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(data)).encode()),
            (b"connection", b"close"),
        ]
        await sending({"type": "http.response.start", "status": refused.status, "headers": kinds})
        await sending({"type": "http.response.body", "body": data})


def error_of(path: str, kind: str, text: str) -> dict[str, Any]:
    """Return what says that something went wrong: to the page, or as OpenAI's clients read it."""
    said = {"kind": kind, "text": text}
    return {
        "error": said | {"message": text, "type": kind, "code": None, "param": None}
        if path.startswith("/v1/")
        else said
    }


class _Headers:
    """The headers of a request; a name that comes twice is seen."""

    def __init__(self, scope: Scope) -> None:
        self._found: list[tuple[bytes, bytes]] = scope["headers"]
        self.query_lang = next(
            (
                p[5:]
                for p in scope["query_string"].decode("latin-1").split("&")
                if p.startswith("lang=")
            ),
            "",
        )

    def all(self, name: bytes) -> list[str]:
        return [value.decode("latin-1").strip() for key, value in self._found if key == name]

    def one(self, name: bytes) -> str:
        return next(iter(self.all(name)), "")

    def has(self, name: bytes) -> bool:
        return any(key == name for key, _ in self._found)

    def cookie(self, name: str) -> str:
        """Cookies are of a host, not of a port: other programs of this machine put theirs beside ours, in every shape."""
        given = (part.strip().partition("=") for part in ";".join(self.all(b"cookie")).split(";"))
        return next((value for key, _, value in given if key == name), "")


def _is_data(path: str) -> bool:
    return path.startswith(("/api", "/v1", "/ws"))


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
    """Takes the rest of a body that nobody wants: a browser reads no answer before it has sent all."""
    taken = 0
    while taken < MAX_DRAINED:
        message = await receive()
        taken += len(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body"):
            return


def _with_headers(send: Send, path: str) -> Send:
    """Every answer carries what keeps it in its place."""
    kept = "no-cache" if path.startswith("/assets/") else "no-store"

    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            given = {key.lower() for key, _ in message["headers"]}
            more = {**SENT_WITH_ALL, "cache-control": kept}
            message["headers"] = [
                *message["headers"],
                *(
                    (name.encode(), value.encode())
                    for name, value in more.items()
                    if name.encode() not in given
                ),
            ]
        await send(message)

    return sending
