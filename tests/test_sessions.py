"""Sessions, and what their readers give: a group has no way to what is the owner's."""

import json
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory import notes
from memory.facts import FactStore
from memory.files import Unreadable
from memory.home import MAIN, Session
from memory.reader import MAIN_FILES, SHARED_FILES, NotForThisSession, Reader, reader_for
from memory.sops import SopStore
from tests.conftest import CHECKOUT

TODAY = date(2026, 2, 15)
TEAM, OTHERS = Session.parse("shared:team"), Session.parse("shared:others")


@pytest.mark.parametrize(
    "text",
    [
        "Main",
        "MAIN",
        " main",
        "main ",
        "main\n",
        "",
        "owner",
        "shared",
        "shared:",
        "shared:a b",
        "shared:../x",
        "main:x",
        "shared:x:y",
        "shared:" + "a" * 81,
        "ｍａｉｎ",
        "SHARED:team",
        None,
        0,
        b"main",
        ["main"],
        True,
    ],
)
def test_whatever_is_unknown_is_a_shared_session_of_its_own(text: object) -> None:
    found = Session.parse(text)
    assert not found.is_main and found != TEAM and Session.parse(found.name) == found


@given(st.text())
def test_no_text_but_main_is_the_owner(text: str) -> None:
    found = Session.parse(text)
    assert found.is_main == (text == "main") and Session.parse(found.name) == found


def log(home: Path, run: str, session: object, task: str) -> None:
    folder = home / "runs" / run
    folder.mkdir(parents=True)
    events = [
        {"type": "run_started", "run": run, "at": "2026-02-15T10:00:00Z", "task": task, "session": session, "cwd": "/"},
        {"type": "run_ended", "run": run, "status": "done", "turns": 1, "model_calls": 1, "cost": 0.0, "sop": None, "rote": False},
    ]  # fmt: skip
    (folder / "log.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))


@pytest.fixture
def full(home: Path) -> Path:
    """Return a home in which the owner has something in every store, and so have two groups."""
    for name in MAIN_FILES:
        home.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("PRIVATE\n" if name not in SHARED_FILES else f"public {name}\n")
    FactStore(home).add("PREFERENCES", "PRIVATE fact about reports in German", by_owner=True)
    log(home, "20260215-100000-0001", "main", "PRIVATE task")
    log(home, "20260215-100000-0002", "shared:team", "team task")
    log(home, "20260215-100000-0003", "shared:others", "PRIVATE others")
    log(home, "20260215-100000-0004", None, "PRIVATE unknown")
    at = datetime(2026, 2, 15, 10, 0).astimezone()
    for session, text in ((MAIN, "PRIVATE note"), (TEAM, "team note"), (OTHERS, "PRIVATE theirs")):
        notes.add(home, text, kind="event", session=session, run="r", turn=1, at=at)
    notes.add(
        home,
        "PRIVATE of yesterday",
        kind="event",
        session=TEAM,
        run="r",
        turn=1,
        at=at - timedelta(days=1),
    )
    with (home / "memory/2026-02-15.md").open("a") as file:
        file.write("- PRIVATE by hand\n- PRIVATE (owner; shared:team)\n")
    return home


ASKED: tuple[Callable[[Reader], Any], ...] = (
    *(lambda reader, name=name: reader.text(name) for name in (*MAIN_FILES, "config.yaml", "memory/global_mem.txt", "../x")),
    lambda reader: reader.note(TODAY),
    lambda reader: reader.note(TODAY - timedelta(days=1)),
    lambda reader: reader.note(TODAY + timedelta(days=1)),
    lambda reader: reader.note_days(),
    lambda reader: reader.facts_index(),
    lambda reader: reader.facts(),
    lambda reader: reader.runs(),
    *(lambda reader, run=run: list(reader.events(run)) for run in ("20260215-100000-0001", "20260215-100000-0003", "no-run", "../runs/20260215-100000-0001")),
    lambda reader: reader.sop_headers(SopStore(CHECKOUT / "sops", Path("/nowhere")), "en", seeds=False),
)  # fmt: skip


def test_a_group_is_told_nothing_of_the_owner_or_of_others(full: Path) -> None:
    reader = reader_for(full, TEAM, TODAY)
    for number, asked in enumerate(ASKED):
        try:
            told = repr(asked(reader))
        except NotForThisSession as error:
            told = str(error)
        assert "PRIVATE" not in told, number


def test_a_group_reads_what_it_said_and_did_itself(full: Path) -> None:
    reader = reader_for(full, TEAM, TODAY)
    assert "team note" in reader.note(TODAY)
    assert [run.task for run in reader.runs()] == ["team task"]
    assert next(iter(reader.events("20260215-100000-0002")))["task"] == "team task"
    assert [reader.text(name).text for name in SHARED_FILES] == [
        f"public {name}\n" for name in SHARED_FILES
    ]
    assert any(line.startswith("largest-files") for line in reader.sop_headers(SopStore(CHECKOUT / "sops", full / "sops"), "en", seeds=True))  # fmt: skip


def test_a_run_of_others_and_one_that_is_not_there_are_refused_alike(full: Path) -> None:
    reader = reader_for(full, TEAM, TODAY)
    said = []
    for run in ("20260215-100000-0001", "20260215-100000-9999"):
        with pytest.raises(NotForThisSession) as caught:
            list(reader.events(run))
        said.append(str(caught.value).replace(run, "RUN"))
    assert said[0] == said[1]


def test_a_link_in_a_file_for_all_does_not_show_the_owners(full: Path) -> None:
    (full / "SPIRIT.md").unlink()
    (full / "SPIRIT.md").symlink_to("OWNER.md")
    with pytest.raises(Unreadable, match="a link"):
        reader_for(full, TEAM, TODAY).text("SPIRIT.md")
    assert reader_for(full, MAIN).text("SPIRIT.md").text == "PRIVATE\n"


def test_the_owner_reads_everything(full: Path) -> None:
    reader = reader_for(full, MAIN)
    assert all(
        text in reader.note(TODAY)
        for text in ("PRIVATE note", "PRIVATE by hand", "team note (shared:team)")
    )
    assert reader.note_days() == [TODAY - timedelta(days=1), TODAY]
    assert "German" in reader.facts_index() and len(reader.facts()) == 1
    assert [run.task for run in reader.runs()] == ["PRIVATE task"]
    assert list(reader.events("20260215-100000-0003"))
