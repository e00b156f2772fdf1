"""Check what the page's server notices of runs in other processes: whether the owner is about, so
that autonomous mode waits."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from config import load
from memory.logs import read_events
from runs.assemble import Options
from runs.control.bounds import Bounds
from runs.control.owners import AbsentOwner
from sandbox.stage import UndoStore, record
from tests.driving import agent, drive
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


@pytest.mark.parametrize(
    ("options", "is_owners"),
    [
        ({}, True),
        ({"window": False}, False),  # a job's, whose task stands alone
        ({"window": False, "bounds": AUTO}, False),
        (
            {"window": False, "bounds": Bounds("task", parent="20260101-000000-00000", depth=1)},
            False,
        ),
    ],
)
def test_only_what_the_owner_began_elsewhere_says_that_he_is_about(
    home: Path, options: dict[str, Any], is_owners: bool
) -> None:
    one = agent(home, ["hello"])
    touched: list[float] = []
    hub = Heard()

    async def watch() -> str:
        work = Work(one.config, hub)
        tail = Tail(home, hub, work, lambda: touched.append(time.monotonic()))
        tail.open()
        try:
            run = await asyncio.to_thread(
                lambda: drive(one.start("hello", Options(rote=False, **options), AbsentOwner()))[0][
                    "run"
                ]
            )
            for _ in range(600):
                if hub.says_done(run):
                    break
                await asyncio.sleep(0.05)
            return str(run)
        finally:
            tail.close()

    run = asyncio.run(watch())
    assert hub.says_done(run), [event["type"] for event in read_events(home, run)]
    assert bool(touched) is is_owners


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
