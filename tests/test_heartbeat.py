"""The heartbeat: once a day, at no cost when there is nothing to do; and autonomous mode that begins by itself."""

from __future__ import annotations

import os
import threading
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import config
from config import Config
from memory.home import MAIN
from memory.journal.api import Memory
from memory.journal.store import INDEX, Store
from memory.logs import run_ids
from memory.notes import add
from memory.tasks import Tasks
from runs.auto.idle import WhenIdle
from runs.auto.ledger import Ledger
from runs.upkeep.heartbeat import Heartbeat
from tests.screen import waits_until
from tests.scripted_server import Answer, ScriptedServer

NOON = datetime(2026, 11, 22, 12, 0).astimezone()


def settings(home: Path, server: ScriptedServer | None = None, more: str = "") -> Config:
    home.mkdir(parents=True, exist_ok=True)
    models = (
        f"models: [{{name: main, model: m, base_url: '{server.base_url}'}}]\n" if server else ""
    )
    (home / "config.yaml").write_text(models + more, "utf-8")
    return config.load(home, "en", dict(os.environ))


def note(home: Path, text: str, at: datetime) -> None:
    add(
        home,
        text,
        kind="preference",
        session=MAIN,
        run="20261122-110000-00000",
        turn=1,
        at=at,
        lang="en",
        redact=str,
    )


def test_with_nothing_to_do_it_calls_no_model_and_writes_nothing(
    home: Path, scripted_server: Any
) -> None:
    server = scripted_server([])
    heart = Heartbeat(settings(home, server), lambda: NOON)
    heart.once()
    before = {path: path.stat().st_mtime_ns for path in home.rglob("*") if path.is_file()}
    for _ in range(20):
        assert heart.once() is None
    assert {path: path.stat().st_mtime_ns for path in home.rglob("*") if path.is_file()} == before
    assert server.requests == [] and run_ids(home) == []


def test_the_notes_are_distilled_once_a_day(home: Path, scripted_server: Any) -> None:
    server = scripted_server(lambda body, number: Answer(text="[]"))
    now = [NOON]
    heart = Heartbeat(settings(home, server), lambda: now[0])
    note(home, "I prefer tea.", NOON)
    assert heart.once() is not None and len(server.requests) == 1
    assert heart.once() is None
    now[0] += timedelta(days=1)
    note(home, "I prefer short answers.", now[0])
    assert heart.once() is not None and len(server.requests) == 2


def test_what_the_journal_has_put_off_is_worked_off(home: Path) -> None:
    here = settings(home)
    heart = Heartbeat(here, lambda: NOON)
    heart.once()
    with Memory(home, works_behind=False) as memory:
        memory.write_turn("We met on 3 May about the printer.", who="owner")

    def is_done() -> bool:
        heart.once()  # for no longer than SPARE_SECONDS at a time
        store = Store(home / "journal" / INDEX, readonly=True)
        try:
            return not [kind for kind in ("times", "episode") if store.due(kind, 1)]
        finally:
            store.close()

    waits_until(is_done)


IDLE = "auto: {allowed: yes, idle_minutes: 30, minutes: 60, cost_usd: 1.0}\n"


@pytest.fixture
def answers(scripted_server: Any) -> ScriptedServer:
    server: ScriptedServer = scripted_server(lambda body, number: Answer(text="[]"))
    return server


def test_autonomous_mode_begins_when_nothing_has_happened_for_a_while(
    home: Path, answers: ScriptedServer
) -> None:
    last = [time.monotonic()]
    idle = WhenIdle(settings(home, answers, IDLE), lambda: last[0])
    Tasks(home).add("Look around")
    assert not idle.once(threading.Event()) and answers.requests == []
    last[0] -= 31 * 60
    assert idle.once(threading.Event())
    assert "unchecked" in (home / "reports/R01_look-around.md").read_text()
    asked = len(answers.requests)
    assert not idle.once(threading.Event()), "the owner has done nothing since"
    assert len(answers.requests) == asked


def test_it_ends_when_the_owner_is_back(home: Path, scripted_server: Any) -> None:
    last = [time.monotonic() - 3600]

    def answer(body: dict[str, Any], number: int) -> Answer:
        last[0] = time.monotonic()
        return Answer(text="late", wait=30)

    idle = WhenIdle(settings(home, scripted_server(answer), IDLE), lambda: last[0])
    Tasks(home).add("Look around")
    began = time.monotonic()
    assert idle.once(threading.Event()) and time.monotonic() - began < 20
    assert not Ledger(home).attempts()[0].status, "it goes on the next time"


def test_without_leave_it_never_begins(home: Path, answers: ScriptedServer) -> None:
    Tasks(home)
    WhenIdle(settings(home, answers), lambda: -1e9, 0.01).run(threading.Event())
    assert answers.requests == []


def test_a_day_has_its_own_budget(home: Path, answers: ScriptedServer) -> None:
    here = settings(home, answers, IDLE)
    Tasks(home).add("Look around")
    ledger = Ledger(home)
    ledger.write("ended", number=1, run="r", status="done", cost=0.9995, seconds=1.0, report="")
    assert not WhenIdle(here, lambda: -1e9).once(threading.Event())
    ledger.write("ended", number=2, run="r", status="done", cost=0.0, seconds=3600.0, report="")
    assert not WhenIdle(settings(home, answers, IDLE.replace("1.0", "9")), lambda: -1e9).once(
        threading.Event()
    )
    assert answers.requests == []
