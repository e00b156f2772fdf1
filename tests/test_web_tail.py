"""Check what the page's server notices of runs in other processes: whether the owner is about, so
that autonomous mode waits."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from config import load
from runs.control.bounds import Bounds
from sandbox.stage import UndoStore, record
from ui.web.live.hub import Hub
from ui.web.live.tail import Tail
from ui.web.live.work import Work

AUTO = Bounds("task", folder="/tmp/auto", item="todo:1")


class Heard(Hub):
    """A hub that keeps what it is told."""

    def __init__(self) -> None:
        super().__init__(lambda data: data)
        self.events: list[Any] = []

    def publish(self, message: Any) -> None:
        self.events.append(message)

    def says_done(self, run: str) -> bool:
        """Return True once a tab knows that the run is done."""
        told = [each["summary"] for each in self.events if each["type"] == "run_changed"]
        return any((each["run"], each["status"]) == (run, "done") for each in told)


def test_an_undo_of_a_run_that_has_ended_is_told(home: Path) -> None:
    hub, place = Heard(), home.parent / "kept"
    home.mkdir(parents=True, exist_ok=True)
    with record(UndoStore(home), "r1", "c1", [place]):
        place.write_text("x")

    async def watch() -> None:
        tail = Tail(home, hub, Work(load(home, "en", {}), hub))
        tail.open()
        try:
            await asyncio.to_thread(UndoStore(home).undo, "r1")
            for _ in range(600):
                if any(each["type"] == "undone" for each in hub.events):
                    return
                await asyncio.sleep(0.05)
        finally:
            tail.close()

    asyncio.run(watch())
    [undone] = [each for each in hub.events if each["type"] == "undone"]
    assert (undone["run"], undone["call"], undone["paths"]) == ("r1", None, [str(place)])
