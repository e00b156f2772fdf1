"""Watches the home folder for what other processes do: runs that they work on, and what changes in the stores.

The kernel says when something has changed (inotify); where it cannot, a look each second does. Everything here runs in the
server's event loop.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from memory.logs import read_events, run_ids, summarise
from memory.logs.reading import UNDONE
from models.base import Event
from tools.staged.kept import undone_in
from ui.web.live.hub import Hub
from ui.web.live.work import CHANGING

STORES = ("inbox", "sops", "memory", "schedule", "journal")
PASSING = (
    "-wal",
    "-shm",
    "-journal",
    ".lock",
    "lock",
    ".sqlite3",
)  # who only reads leaves traces there too
LOOKED_AT = 100  # of the newest runs, at the start
MAX_WATCHED = 200  # runs; the oldest ones are let go
SETTLE_SECONDS = 0.3  # a new run may be one of ours: then its own process tells of it
TOGETHER_SECONDS = 0.4  # changes of one store that are told as one
LOOK_SECONDS = 1.0  # where the kernel does not say


class Tail:
    """Tells the hub. `is_ours`: a run of this server, which is listened to already; `changed`: how a run stands is new;
    `touched`: something happened in a run that the owner began elsewhere; `has_begun`: a run of this server, also one
    that has ended already (a quick one ends before its folder is looked at)."""

    def __init__(
        self,
        home: Path,
        hub: Hub,
        is_ours: Callable[[str], bool],
        changed: Callable[[str], Coroutine[Any, Any, None]],
        touched: Callable[[], None] = lambda: None,
        has_begun: Callable[[str], bool] = lambda run: False,
    ) -> None:
        self._has_begun = has_begun
        self._home, self._hub, self._is_ours, self._changed, self._touched = (
            home,
            hub,
            is_ours,
            changed,
            touched,
        )
        self._owners: dict[str, bool] = {}  # run → whether its owner began it
        self._places: dict[str, int] = {}  # run → how far its log is read
        self._told: dict[str, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._undone: set[str] = set()  # entries of the undo store that were told of
        self._watch: Any = None  # inotify
        self._folders: dict[int, str] = {}  # watch → folder, relative to the home folder
        self._numbers: dict[str, int] = {}
        self._looks: asyncio.Task[None] | None = None

    def open(self) -> None:
        """Begins; what is at work now is read from here on."""
        (self._home / "runs").mkdir(parents=True, exist_ok=True)
        for run in run_ids(self._home, archived=False)[:LOOKED_AT]:
            summary = summarise(self._home, run)
            if summary is not None and summary.status in ("working", "waiting", "interrupted"):
                with suppress(OSError):
                    self._places[run] = self._log(run).stat().st_size
        if sys.platform != "linux":
            self._looks = asyncio.create_task(self._look())
            return
        self._watch = import_module("inotify_simple").INotify(nonblocking=True)  # it has no types
        for folder in ("", "runs", "undo", *STORES, *(f"runs/{run}" for run in self._places)):
            self._add(folder)
        asyncio.get_running_loop().add_reader(self._watch.fileno(), self._on_change)

    def close(self) -> None:
        """Ends."""
        for timer in self._told.values():
            timer.cancel()
        for task in [*self._tasks, *([self._looks] if self._looks else [])]:
            task.cancel()
        if self._watch is not None:
            asyncio.get_running_loop().remove_reader(self._watch.fileno())
            self._watch.close()

    def _add(self, folder: str) -> None:
        flags = import_module("inotify_simple").flags
        what = (
            flags.CREATE
            | flags.MODIFY
            | flags.MOVED_TO
            | flags.MOVED_FROM
            | flags.DELETE
            | flags.ONLYDIR
        )
        with suppress(OSError):  # not there yet, or as many watches as there may be
            number = self._watch.add_watch(str(self._home / folder), what)
            self._folders[number], self._numbers[folder] = folder, number

    def _on_change(self) -> None:
        seen = {
            (self._folders.get(event.wd, ""), event.name) for event in self._watch.read(timeout=0)
        }
        for folder, name in sorted(seen):
            if folder == "" and name in (*STORES, "runs", "undo"):
                self._add(name)
                self._tell(name)
            elif folder == "undo":
                asyncio.get_running_loop().call_later(SETTLE_SECONDS, self._look_undone, name)
            elif folder == "runs" and not name.startswith("."):
                asyncio.get_running_loop().call_later(SETTLE_SECONDS, self._new_run, name)
            elif folder.startswith("runs/") and name == "log.jsonl":
                self._read(folder.removeprefix("runs/"))
            elif folder in STORES and not name.startswith(".") and not name.endswith(PASSING):
                self._tell(folder)

    def _new_run(self, run: str) -> None:
        is_told = self._is_ours(run) or self._has_begun(run)
        if run in self._places or is_told or not self._log(run).parent.is_dir():
            return
        self._places[run] = 0
        if self._watch is not None:
            self._add(f"runs/{run}")
        for old in sorted(self._places)[:-MAX_WATCHED]:
            self._let_go(old)
        self._read(run)

    def _look_undone(self, number: str) -> None:
        """Tell of an undo, which comes when its run has ended and is not listened to any more."""
        undone = undone_in(self._home, number)
        if undone and number not in self._undone:
            self._undone.add(number)
            self._hub.publish(undone)

    def _let_go(self, run: str) -> None:
        self._places.pop(run, None)
        self._owners.pop(run, None)
        if (number := self._numbers.pop(f"runs/{run}", None)) is not None:
            self._folders.pop(number, None)
            with suppress(OSError):
                self._watch.rm_watch(number)

    def _read(self, run: str) -> None:
        """Hands on the lines that are new and whole."""
        place = self._places.get(run)
        if place is None:
            return
        try:
            with self._log(run).open("rb") as file:
                file.seek(place)
                data = file.read()
        except OSError:
            return
        end = data.rfind(b"\n") + 1
        self._places[run] = place + end
        if self._is_ours(run):  # gone on with here: its own process tells of it
            return
        if end and self._is_owners(run):
            self._touched()
        is_new = False
        for line in data[:end].splitlines():
            with suppress(ValueError):
                event = json.loads(line)
                if isinstance(event, dict) and event.get("type", UNDONE) != UNDONE:
                    self._hub.publish(event)
                    is_new |= event["type"] in CHANGING
                    if event["type"] == "run_ended" and event.get("status") != "waiting":
                        self._let_go(run)
        if is_new:
            task = asyncio.create_task(self._changed(run))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _is_owners(self, run: str) -> bool:
        if run not in self._owners:
            opening = next(read_events(self._home, run), None)
            self._owners[run] = opening is not None and began_by_owner(opening)
        return self._owners[run]

    def _tell(self, store: str) -> None:
        if store in STORES and store not in self._told:

            def tell() -> None:
                del self._told[store]
                self._hub.publish({"type": "changed", "what": store})

            self._told[store] = asyncio.get_running_loop().call_later(TOGETHER_SECONDS, tell)

    async def _look(self) -> None:
        """Without the kernel's word: compares what is there with what was there."""
        before = self._state()
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            now = self._state()
            for store in STORES:
                if before.get(store) != now.get(store):
                    self._tell(store)
            for run in (
                run_ids(self._home, archived=False)[:LOOKED_AT]
                if before.get("runs") != now.get("runs")
                else ()
            ):
                self._new_run(run)
            for run in list(self._places):
                self._read(run)
            before = now

    def _state(self) -> dict[str, int]:
        found = {}
        for name in (*STORES, "runs"):
            with suppress(OSError):
                found[name] = (self._home / name).stat().st_mtime_ns
        return found

    def _log(self, run: str) -> Path:
        return self._home / "runs" / run / "log.jsonl"


def began_by_owner(opening: Event) -> bool:
    """Return True if a run, by its first event, is the owner's doing: no helper, no item of autonomous mode, no trial, no job."""
    if any(opening.get(each) for each in ("bounds", "parent", "verifies")):
        return False
    return bool(opening.get("window", True) or opening.get("attended") or opening.get("previous"))
