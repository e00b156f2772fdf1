"""Watch the home folder for what other processes do: runs that they work on, and what changes in
the stores.

Everything here runs in the server's event loop.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from config import SopwithError
from memory.graph import Wanted, opened
from memory.logs import run_ids, summarise
from memory.logs.reading import UNDONE
from models.base import Event
from tools.staged.kept import undone_in
from ui.web.live.hub import Hub, Message, Tab
from ui.web.live.work import CHANGING, Work

STORES = ("inbox", "sops", "memory", "schedule", "journal")
PASSING = ("-wal", "-shm", "-journal", "lock", ".sqlite3")  # reading leaves traces there too
LOOKED_AT = 100  # of the newest runs
MAX_FOLLOWED = 200  # runs; the oldest ones are let go
LOOK_SECONDS = 0.3  # between two looks
IDLE_SECONDS = 2.0  # the same where no tab is open
UNDO_LOOKS = 20  # at a new entry of the undo store, until it is a finished undo
MAX_EDGES = 5_000  # in one look
USUAL_EDGES = 500
PAUSE_SECONDS = 3.0  # between two looks


class Tail:
    """Look at the folder and tell the hub."""

    def __init__(self, home: Path, hub: Hub, work: Work) -> None:
        self._home, self._hub, self._work = home, hub, work
        self._places: dict[str, int] = {}  # run → how far its log is read
        self._states: dict[str, tuple[int, int]] = {}  # folder → how it was at the last look
        self._known: set[str] = set()  # runs
        self._runs_changed = (
            0  # when their folder was: thousands of runs are not looked at one by one
        )
        self._new: set[str] = set()  # runs that were not there before the last look
        self._undo: dict[str, int] = {}  # entry of the undo store → looks that are left
        self._known_undo: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def open(self) -> None:
        """Begin; what is at work now is read from here on."""
        (self._home / "runs").mkdir(parents=True, exist_ok=True)
        self._known = set(run_ids(self._home, archived=False)[:LOOKED_AT])
        self._known_undo = set(_names(self._home / "undo"))
        self._states = {name: _state(self._home / name) for name in STORES}
        for run in self._known:
            summary = summarise(self._home, run)
            if summary is not None and summary.status in ("working", "waiting", "interrupted"):
                with suppress(OSError):
                    self._places[run] = self._log(run).stat().st_size
        self._keep(asyncio.create_task(self._follow()))

    def close(self) -> None:
        """End."""
        for task in self._tasks:
            task.cancel()

    def _keep(self, task: asyncio.Task[None]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS if self._hub.tabs else IDLE_SECONDS)
            for store in STORES:
                if self._is_changed(store):
                    self._hub.publish({"type": "changed", "what": store})
            self._look_at_runs()
            self._look_at_undo()

    def _is_changed(self, folder: str) -> bool:
        before, self._states[folder] = self._states[folder], _state(self._home / folder)
        return before != self._states[folder]

    def _look_at_runs(self) -> None:
        """Follow a new run from the second look on: one of ours is known by then, and tells by
        itself."""
        for run in self._new:
            is_told = run in self._work.children or self._work.has_begun(run)
            if run not in self._places and not is_told:
                self._places[run] = 0
        for old in sorted(self._places)[:-MAX_FOLLOWED]:
            del self._places[old]
        found, changed = self._known, (self._home / "runs").stat().st_mtime_ns
        if changed != self._runs_changed:
            found, self._runs_changed = (
                set(run_ids(self._home, archived=False)[:LOOKED_AT]),
                changed,
            )
        self._new, self._known = found - self._known, found
        for run in list(self._places):
            self._read(run)

    def _look_at_undo(self) -> None:
        """Tell of an undo, which comes when its run has ended and is not listened to any more."""
        names = set(_names(self._home / "undo"))
        self._undo |= dict.fromkeys(names - self._known_undo, UNDO_LOOKS)
        self._known_undo = names
        for name in list(self._undo):
            self._undo[name] -= 1
            undone = undone_in(self._home, name)
            if undone:
                self._hub.publish(undone)
            if undone or not self._undo[name]:
                del self._undo[name]

    def _read(self, run: str) -> None:
        """Hand on the lines that are new and whole."""
        events = list(self._events(run))
        if not events or run in self._work.children:  # gone on with here: its own process tells
            return
        for event in events:
            self._hub.publish(event)
        if any(event["type"] in CHANGING for event in events):
            self._keep(asyncio.create_task(self._work.tell_changed(run)))
        last = events[-1]
        if last["type"] == "run_ended" and last.get("status") != "waiting":
            del self._places[run]

    def _events(self, run: str) -> Iterator[Event]:
        try:
            with self._log(run).open("rb") as file:
                file.seek(self._places[run])
                data = file.read()
        except OSError:
            return
        end = data.rfind(b"\n") + 1
        self._places[run] += end
        for line in data[:end].splitlines():
            with suppress(ValueError):
                event = json.loads(line)
                if isinstance(event, dict) and event.get("type", UNDONE) != UNDONE:
                    yield event

    def _log(self, run: str) -> Path:
        return self._home / "runs" / run / "log.jsonl"


def _names(folder: Path) -> list[str]:
    with suppress(OSError):
        return [each.name for each in folder.iterdir()]
    return []


def _state(folder: Path) -> tuple[int, int]:
    """Return what differs once a file of a folder is written, made or gone: their number, the
    newest time."""
    times = [0]
    for name in _names(folder):
        if not name.startswith(".") and not name.endswith(PASSING):
            with suppress(OSError):
                times.append((folder / name).stat().st_mtime_ns)
    return len(times), max(times)


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
        news = await asyncio.to_thread(self._changes)
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

    def _changes(self) -> Any:
        with opened(self._home) as graph:
            if self._version:
                return graph.changes(self._version)
            return {"version": graph.version(), "patch": [], "reset": False}
