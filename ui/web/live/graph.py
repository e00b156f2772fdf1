"""Tell the tabs that show the mind graph what changes in it. Everything here runs in the server's event loop."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

from config import SopwithError
from memory.graph import Wanted, opened
from ui.web.live.hub import Hub, Message, Tab

MAX_EDGES = 5_000  # in one look
USUAL_EDGES = 500
PAUSE_SECONDS = 3.0  # between two looks


class GraphWatch:
    """Look at the graph, only while there is a tab that shows it."""

    def __init__(self, home: Path, hub: Hub) -> None:
        self._home, self._hub = home, hub
        self._version = ""

    async def show(self, tab: Tab) -> None:
        """Send a tab the graph as it wants it."""
        shown = await asyncio.to_thread(self._snapshot, tab.graph or {})
        self._hub.tell(tab, {"type": "graph_snapshot", **shown})

    async def follow(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            await asyncio.sleep(PAUSE_SECONDS)
            with suppress(SopwithError, OSError):
                await self._look()

    async def _look(self) -> None:
        tabs = [tab for tab in self._hub.tabs if tab.graph is not None]
        if not tabs:
            self._version = ""
            return
        news = await asyncio.to_thread(self._changes, self._version)
        self._version = news["version"]
        for tab in tabs:
            if news["reset"]:
                await self.show(tab)
            elif news["patch"]:
                self._hub.tell(tab, {"type": "graph_patch", **news})

    def _snapshot(self, wanted: Message) -> Any:
        predicates, limit = wanted.get("predicates"), wanted.get("limit")
        named = [str(each) for each in predicates] if isinstance(predicates, list) else []
        most = limit if isinstance(limit, int) else USUAL_EDGES
        with opened(self._home) as graph:
            return graph.snapshot(Wanted(predicates=named or None), max(1, min(most, MAX_EDGES)))

    def _changes(self, version: str) -> Any:
        with opened(self._home) as graph:
            if version:
                return graph.changes(version)
            return {"version": graph.version(), "patch": [], "reset": False}
