"""Number what happens and hand it to every tab: a tab that slept catches up by its number, one that
reads slowly is not waited for.

Everything here runs in the server's event loop. Messages pass the filter (ui/web/filter.py) before
they are numbered.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

KEPT = 20_000  # messages, for tabs that slept
KEPT_BYTES = 16_000_000
WAITING_BYTES = 4_000_000  # of one tab; a slower one begins anew
PIECES = {"text", "tool_output"}  # only to tabs that watch the run, and many together
TOGETHER_SECONDS = 0.04

Message = dict[str, Any]


@dataclass(eq=False)
class Tab:
    """One WebSocket. `watched`: the runs whose text it shows, as they grow."""

    holder: str = ""
    watched: set[str] = field(default_factory=set)
    graph: Message | None = None  # the filter of the graph that it shows
    _out: deque[str] = field(default_factory=deque)
    _bytes: int = 0
    _some: asyncio.Event = field(default_factory=asyncio.Event)
    _is_over: bool = False

    def wants(self, run: str) -> bool:
        """Return True unless it is a piece of a run that the tab does not show."""
        return not run or run in self.watched

    def put(self, line: str) -> None:
        """Queue a message; when too much waits, drop all of it and tell the tab to fetch anew."""
        if self._bytes + len(line) > WAITING_BYTES:
            self._out.clear()
            self._bytes = 0
            line = json.dumps({"type": "resync"})
        self._out.append(line)
        self._bytes += len(line)
        self._some.set()

    def finish(self) -> None:
        """Close the tab once what waits is sent."""
        self._is_over = True
        self._some.set()

    async def take(self) -> str:
        """Return the next line, once there is one; "" at the end."""
        while not self._out:
            if self._is_over:
                return ""
            self._some.clear()
            await self._some.wait()
        line = self._out.popleft()
        self._bytes -= len(line)
        return line


class Hub:
    """All tabs of the owner."""

    def __init__(self, clean: Callable[[Any], Any]) -> None:
        self.epoch = secrets.token_hex(4)  # another server counts anew
        self.seq = 0
        self.tabs: set[Tab] = set()
        self._clean = clean
        self._kept: deque[tuple[int, str, str]] = deque()  # seq, run whose piece it is or "", line
        self._kept_bytes = 0
        self._pieces: dict[tuple[str, ...], Message] = {}  # (type, run, call) → what came since
        self._timer: asyncio.TimerHandle | None = None

    def publish(self, message: Message) -> None:
        """Send a message to every tab that wants it."""
        if message["type"] not in PIECES:
            self._send_pieces()
            self._number(message)
            return
        key = (message["type"], message.get("run", ""), message.get("call", ""))
        held = self._pieces.get(key)
        if held is None:
            self._pieces[key] = dict(message)
        else:
            held["delta"] += message["delta"]
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(TOGETHER_SECONDS, self._send_pieces)

    def join(self, tab: Tab, epoch: str | None, seq: int | None) -> None:
        """Add a tab with what it knows; send it the rest, or tell it to fetch anew."""
        self._send_pieces()
        oldest = self._kept[0][0] if self._kept else self.seq + 1
        known = seq if epoch == self.epoch and isinstance(seq, int) else -1
        knows = oldest - 1 <= known <= self.seq
        hello = {"type": "hello", "epoch": self.epoch, "seq": self.seq, "caught_up": knows}
        tab.put(json.dumps(hello))
        for number, run, line in self._kept if knows else ():
            if number > known and tab.wants(run):
                tab.put(line)
        self.tabs.add(tab)

    def leave(self, tab: Tab) -> None:
        """Remove a tab."""
        self.tabs.discard(tab)

    def tell(self, tab: Tab, message: Message) -> None:
        """Send something to one tab alone; it is not numbered and not kept."""
        tab.put(json.dumps({**self._clean(message), "seq": self.seq}, ensure_ascii=False))

    def of(self, holder: str) -> set[Tab]:
        """Return the tabs of one browser or program."""
        return {tab for tab in self.tabs if tab.holder == holder}

    def close(self, holder: str) -> None:
        """Close the tabs of a browser or program that may not come in any more."""
        for tab in self.of(holder):
            tab.finish()

    def _send_pieces(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        pieces, self._pieces = self._pieces, {}
        for message in pieces.values():
            self._number(message)

    def _number(self, message: Message) -> None:
        self.seq += 1
        run = message.get("run", "") if message["type"] in PIECES else ""
        line = json.dumps({**self._clean(message), "seq": self.seq}, ensure_ascii=False)
        self._kept.append((self.seq, run, line))
        self._kept_bytes += len(line)
        while len(self._kept) > KEPT or self._kept_bytes > KEPT_BYTES:
            self._kept_bytes -= len(self._kept.popleft()[2])
        for tab in self.tabs:
            if tab.wants(run):
                tab.put(line)
