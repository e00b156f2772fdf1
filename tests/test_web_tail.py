"""Check what the page's server notices of runs in other processes: whether the owner is about, so
that autonomous mode waits."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from memory.runlog.log import read_events, summarise
from runs.assemble import Options
from runs.control.bounds import Bounds
from runs.control.owners import AbsentOwner
from tests.driving import agent, drive
from ui.web.live.hub import Hub
from ui.web.live.tail import Tail

AUTO = Bounds("task", folder="/tmp/auto", item="todo:1")


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
    seen: set[str] = set()

    async def changed(run: str) -> None:
        found = summarise(home, run)
        if found is not None and found.status == "done":
            seen.add(run)

    async def watch() -> str:
        tail = Tail(
            home,
            Hub(lambda data: data),
            lambda run: False,
            changed,
            lambda: touched.append(time.monotonic()),
        )
        tail.open()
        try:
            run = await asyncio.to_thread(
                lambda: drive(one.start("hello", Options(rote=False, **options), AbsentOwner()))[0][
                    "run"
                ]
            )
            for _ in range(600):
                if run in seen:
                    break
                await asyncio.sleep(0.05)
            return str(run)
        finally:
            tail.close()

    run = asyncio.run(watch())
    assert run in seen, [event["type"] for event in read_events(home, run)]
    assert bool(touched) is is_owners
