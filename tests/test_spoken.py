"""Check that what owner and agent say is in the journal, once, without secrets; a journal that
fails stops no run."""

import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.home import Session
from memory.journal.api import Memory
from memory.journal.originals import Journal
from memory.journal.sync import check
from runs.assemble import Options
from runs.control.bounds import AbsentOwner
from tests.driving import SpokenOwner, agent, bash, call, drive
from tests.machine import PATIENCE_SECONDS


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def settled() -> None:
    """Wait for what is written beside the run."""
    for thread in threading.enumerate():
        if thread.name == "spoken":
            thread.join(PATIENCE_SECONDS)


def said(home: Path) -> list[tuple[str, str, str]]:
    settled()
    journal = Journal(home)
    turns = [entry.turn for name in journal.sizes() for entry in journal.entries(name)]
    return [(turn.who, turn.text, turn.session) for turn in turns]


def test_a_run_leaves_the_task_and_the_answer(home: Path) -> None:
    worker = agent(home, [bash("echo tool chatter"), {"text": "It is done."}])
    (*_, ended) = drive(worker.start("look at the 打印机", Options(approve="all"), AbsentOwner()))
    assert said(home) == [("owner", "look at the 打印机", "main"), ("agent", "It is done.", "main")]
    with Memory(home, works_behind=False) as memory:
        turn = memory.turn(f"{ended['run']}-task")
        assert turn is not None
        assert turn.run == ended["run"]
        assert memory.overview()["turns"] == 2
    assert check(home) == []


def test_questions_and_answers_are_kept_too(home: Path) -> None:
    worker = agent(home, [call("ask_user", question="Which one?"), {"text": "The red one, then."}])
    drive(worker.start("buy a pen", Options(), SpokenOwner(answers=["red"])))
    assert [(who, text) for who, text, _ in said(home)] == [
        ("owner", "buy a pen"),
        ("agent", "Which one?"),
        ("owner", "red"),
        ("agent", "The red one, then."),
    ]


def test_a_resumed_run_writes_nothing_twice(home: Path) -> None:
    first = agent(home, [bash("echo one"), {"text": "Never asked."}])
    (*_, ended) = drive(first.start("count", Options(approve="all", max_turns=1), AbsentOwner()))
    assert ended["status"] == "limit"
    assert [text for _, text, _ in said(home)] == ["count"]
    again = agent(home, [bash("echo one"), {"text": "One."}])
    (*_, ended) = drive(
        again.resume(ended["run"], Options(approve="all"), AbsentOwner(), say="and go on")
    )
    assert ended["status"] == "done"
    assert sorted(text for _, text, _ in said(home)) == ["One.", "and go on", "count"]


def test_a_shared_session_is_written_under_its_own_name(home: Path) -> None:
    drive(
        agent(home, [{"text": "Hello all."}]).start(
            "hello", Options(session="shared:g1"), AbsentOwner()
        )
    )
    assert {session for _, _, session in said(home)} == {"shared:g1"}
    with Memory(home, Session("shared", "g2"), works_behind=False) as other:
        assert other.retrieve("hello", datetime.now(UTC)).results == []


def test_secrets_do_not_get_into_the_journal(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_API_KEY", "k3y-0123456789-abcdef")
    drive(
        agent(home, [{"text": "ok"}]).start("use k3y-0123456789-abcdef", Options(), AbsentOwner())
    )
    assert "k3y-0123456789" not in str(said(home))
    assert len(said(home)) == 2


def test_a_journal_that_cannot_be_written_stops_no_run_and_is_said_once(home: Path) -> None:
    worker = agent(home, [bash("sleep 0.5"), {"text": "Done."}])
    (home / "journal").rmdir()
    (home / "journal").write_text("a file in its place")
    events = drive(worker.start("work", Options(approve="all"), AbsentOwner()))
    assert events[-1]["status"] == "done"
    assert [event["type"] for event in events].count("journal_failed") == 1
