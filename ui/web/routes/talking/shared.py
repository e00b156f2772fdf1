"""Shared chats: the owner opens and closes them, others come in by a link. Routes: docs/web-api.md."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Request, WebSocket, WebSocketDisconnect
from starlette.responses import JSONResponse, Response

from ui.web import shapes
from ui.web.live.hub import Tab
from ui.web.live.shared import SHOWN, SharedChat, SharedError
from ui.web.live.sockets import MAX_TABS, heard, hello_of, pump
from ui.web.routes import Here
from ui.web.site import NotThere, Site

MAX_OWN_TABS = 10  # of one person in one chat

to = APIRouter(tags=["shared"])


def chat_of(site: Site, id: str) -> SharedChat:
    if id not in site.shared.chats:
        raise NotThere("error.ui-web.such-chat")
    return site.shared.chats[id]


def link(site: Site, chat: SharedChat, key: str) -> str:
    return f"{site.address}/shared/{chat.kept.id}#key={key}"


@to.get("/api/shared")
async def shared(site: Here) -> JSONResponse:
    rows = [
        {
            **{
                key: value
                for key, value in asdict(chat.kept).items()
                if key in ("id", "title", "made", "is_open", "most")
            },
            "people": len(chat.people()),
            "names": len(chat.kept.people),
        }
        for chat in site.shared.chats.values()
    ]
    return JSONResponse({"shared": site.clean(rows)})


@to.post("/api/shared")
async def open_(site: Here, body: shapes.Title) -> JSONResponse:
    chat, key = site.shared.open(body.title, body.most)
    return JSONResponse({"id": chat.kept.id, "link": link(site, chat, key)})


@to.post("/api/shared/{id}/link")
async def new_link(site: Here, id: str, body: shapes.Nothing | None = None) -> JSONResponse:
    chat = chat_of(site, id)
    return JSONResponse({"id": id, "link": link(site, chat, site.shared.new_key(chat))})


@to.post("/api/shared/{id}/close", status_code=204)
async def close(site: Here, id: str, body: shapes.Nothing | None = None) -> Response:
    chat_of(site, id).close()
    return Response(status_code=204)


@to.get("/api/shared/{id}/messages")
async def messages(site: Here, id: str) -> JSONResponse:
    chat = chat_of(site, id)
    return JSONResponse(site.clean({"messages": chat.said[-SHOWN:], "people": chat.people()}))


# The routes of those who have the link: nothing here looks at the owner's cookie.


def cookie(site: Site, request: Request | WebSocket) -> str:
    return request.cookies.get(f"{site.place.cookie}_shared", "")


def member(site: Site, request: Request | WebSocket, id: str) -> tuple[SharedChat, str] | None:
    chat = site.shared.chats.get(id)
    name = chat.name_of(cookie(site, request)) if chat is not None and chat.kept.is_open else None
    return (chat, name) if chat is not None and name is not None else None


def refused(site: Site, id: str) -> Response:
    chat = site.shared.chats.get(id)
    is_over = chat is not None and not chat.kept.is_open
    text = "This chat is closed, or its link is an old one.\nAsk whoever sent it for a new one."
    kind, status = ("closed", 410) if is_over else ("not_signed_in", 401)
    return JSONResponse(
        {"error": {"kind": kind, "text": site.said(text)}, "needs": "key"}, status_code=status
    )


@to.post("/shared/{id}/join", status_code=204)
async def join(site: Here, id: str, request: Request, body: shapes.Join) -> Response:
    chat = site.shared.chats.get(id)
    if chat is None:
        return refused(site, id)
    try:
        value = chat.join(body.key, body.name, cookie(site, request))
    except SharedError:
        return refused(site, id)
    answer = Response(status_code=204)
    answer.set_cookie(
        f"{site.place.cookie}_shared",
        value,
        path=f"/shared/{id}",
        httponly=True,
        samesite="strict",
        secure=site.place.scheme == "https",
    )
    return answer


@to.get("/shared/{id}/state")
async def state(site: Here, id: str, request: Request) -> Response:
    if (known := member(site, request, id)) is None:
        return refused(site, id)
    chat, name = known
    said: dict[str, Any] = {
        "id": id,
        "title": chat.kept.title,
        "name": name,
        "is_open": True,
        "people": chat.people(),
        "messages": chat.said[-SHOWN:],
    }
    return JSONResponse({**site.clean(said), "seq": chat.hub.seq, "epoch": chat.hub.epoch})


@to.post("/shared/{id}/say", status_code=202)
async def say(site: Here, id: str, request: Request, body: shapes.Spoken) -> Response:
    if (known := member(site, request, id)) is None:
        return refused(site, id)
    chat, name = known
    chat.say(name, body.text)
    return JSONResponse({}, status_code=202)


@to.post("/shared/{id}/leave", status_code=204)
async def leave(
    site: Here, id: str, request: Request, body: shapes.Nothing | None = None
) -> Response:
    if (known := member(site, request, id)) is not None:
        known[0].leave(cookie(site, request))
    return Response(status_code=204)


@to.websocket("/shared/{id}/ws")
async def socket(site: Here, id: str, socket: WebSocket) -> None:
    if (known := member(site, socket, id)) is None:
        await socket.close(1008)
        return
    chat, name = known
    if (
        len(chat.hub.tabs) >= MAX_TABS
        or sum(tab.holder == name for tab in chat.hub.tabs) >= MAX_OWN_TABS
    ):
        await socket.close(1013)
        return
    await socket.accept()
    hello, tab = await hello_of(socket), Tab(name)
    if hello is None:
        return
    chat.enter(tab, hello.get("epoch"), hello.get("seq"))
    sending = asyncio.create_task(pump(socket, tab))
    try:
        with suppress(WebSocketDisconnect, ValueError):
            while chat.name_of(cookie(site, socket)) is not None:
                if (await heard(socket)).get("type") == "ping":
                    chat.hub.tell(tab, {"type": "pong"})
    finally:
        sending.cancel()
        chat.exit(tab)
