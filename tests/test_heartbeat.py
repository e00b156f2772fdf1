"""The heartbeat: once a day, at no cost when there is nothing to do."""

import os
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import config
from config import Config
from memory.home import MAIN
from memory.logs import run_ids
from memory.notes import add
from runs.heartbeat import Heartbeat
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
