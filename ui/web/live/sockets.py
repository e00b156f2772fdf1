"""The WebSocket of the owner's tabs. Messages: docs/web-api.md. Imported inside functions only."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from ui.web.live.hub import Tab

if TYPE_CHECKING:
    from ui.web.site import Site

HELLO_SECONDS = 20.0
SEND_SECONDS = 60.0  # a reader that takes nothing for so long has gone
MAX_TABS = 200
MAX_WATCHED = 50
SELECTED = ("graph", "run", "sop", "turn")


async def pump(socket: WebSocket, tab: Tab) -> None:
    """Send what the tab is due, until it has gone."""
    try:
        while line := await tab.take():
            await asyncio.wait_for(socket.send_text(line), SEND_SECONDS)
        await end(socket, 1008)
    except TimeoutError:
        await end(socket, 1013)
    except (WebSocketDisconnect, RuntimeError, OSError):  # it has gone
        return


async def hello_of(socket: WebSocket) -> dict[str, Any] | None:
    """Return what a tab says first; None when it says nothing that makes sense."""
    try:
        said = await asyncio.wait_for(heard(socket), HELLO_SECONDS)
        if said.get("type") == "hello":
            return said
    except (TimeoutError, ValueError):
        pass
    except WebSocketDisconnect:
        return None
    await end(socket, 1003)
    return None


async def heard(socket: WebSocket) -> dict[str, Any]:
    """Return what a tab says next. Raises ValueError for all that is no JSON object;
    WebSocketDisconnect."""
    try:
        said = json.loads(await socket.receive_text())
    except (KeyError, RecursionError) as error:  # bytes; a thousand brackets
        raise ValueError("That is not a message.") from error
    if not isinstance(said, dict):
        raise ValueError("That is not a message.")
    return said


async def end(socket: WebSocket, code: int) -> None:
    """Close a socket that may have gone already."""
    with suppress(WebSocketDisconnect, RuntimeError, OSError):
        await socket.close(code)


async def owner_socket(site: Site, socket: WebSocket) -> None:
    """Serve one tab of the owner, from its hello to its end."""
    holder = socket.state.holder
    if len(site.hub.tabs) >= MAX_TABS:
        await socket.close(1013)
        return
    await socket.accept()
    if (hello := await hello_of(socket)) is None:
        return
    tab = Tab(holder.id)
    _watch(tab, hello.get("watch"))
    site.hub.join(tab, hello.get("epoch"), hello.get("seq"))
    site.somebody_came()
    sending = asyncio.create_task(pump(socket, tab))
    try:
        while True:
            await _take(site, tab, await heard(socket))
    except WebSocketDisconnect:
        pass
    except ValueError:
        await end(socket, 1003)
    finally:
        sending.cancel()
        site.hub.leave(tab)
        site.somebody_left()


async def _take(site: Site, tab: Tab, said: dict[str, Any]) -> None:
    kind = said.get("type")
    if kind == "ping":
        site.hub.tell(tab, {"type": "pong"})
    elif kind == "watch":
        _watch(tab, said.get("runs"))
    elif kind == "select" and said.get("what") in SELECTED:
        message = {"type": "selection_sync", "what": said["what"], "id": str(said.get("id"))[:200]}
        for other in site.hub.of(tab.holder) - {tab}:
            site.hub.tell(other, message)
    elif kind == "graph":
        wanted = said.get("filter", {})
        tab.graph = wanted if isinstance(wanted, dict | None) else {}
        if tab.graph is not None:  # else it shows the graph no more
            await site.graph.show(tab)


def _watch(tab: Tab, runs: Any) -> None:
    if isinstance(runs, list):
        tab.watched = {str(run)[:40] for run in runs[:MAX_WATCHED]}
