"""The scheduler's sleep: it ends at a time, after a while, when a file changes, or when somebody wakes it."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.home.files import write_atomic
from runs.schedule import waiting
from runs.schedule.waiting import Waiter


@pytest.fixture(params=["kernel", "no kernel"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to watch, where the kernel tells of changes and where it has no watches left."""
    if request.param == "no kernel":
        monkeypatch.setattr(waiting, "_watch", lambda folders: folders[0].mkdir())
        monkeypatch.setattr(waiting, "LOOK_SECONDS", 0.4)
    return tmp_path / "watched"


def slept(waiter: Waiter, wall: datetime | None = None, seconds: float | None = None) -> float:
    before = time.monotonic()
    waiter.wait(wall, seconds)
    return time.monotonic() - before


def test_it_ends_at_a_time_or_after_a_while(folder: Path) -> None:
    with Waiter([folder]) as waiter:
        assert 0.1 < slept(waiter, seconds=0.15) < 20
        assert 0.1 < slept(waiter, wall=datetime.now(UTC) + timedelta(seconds=0.15)) < 20
        assert slept(waiter, wall=datetime.now(UTC) - timedelta(days=365)) < 20, (
            "a time that has passed"
        )
        assert slept(waiter, wall=datetime(1960, 1, 1, tzinfo=UTC)) < 20
        assert slept(waiter, seconds=0.0) < 20
        assert slept(waiter, wall=datetime.now(UTC) + timedelta(days=9000), seconds=0.1) < 20


def test_it_is_woken_by_another_thread_and_before_it_sleeps(folder: Path) -> None:
    with Waiter([folder]) as waiter:
        threading.Timer(0.1, waiter.wake).start()
        assert slept(waiter) < 20
        for _ in range(100_000):  # more than a pipe holds
            waiter.wake()
        assert slept(waiter) < 20


def test_a_file_that_changes_ends_it_and_is_said(folder: Path) -> None:
    with Waiter([folder]) as waiter:
        for change in (
            lambda: (folder / "a.json").write_text("{}"),
            lambda: write_atomic(folder / "a.json", "[]"),
            lambda: (folder / "a.json").rename(folder / "b.json"),
            lambda: (folder / "b.json").unlink(),
        ):
            change()
            assert waiter.wait(None, 60) is True
