"""Check what runs that ask to be remembered leave behind: real runs, the gate in between."""

from pathlib import Path
from typing import Any

import pytest

from learning.long_term import after_run
from learning.trace import read_trace
from memory.facts import FactStore
from memory.logs import read_events
from models.base import Event
from tests.driving import bash, call, run

TOOLS = "echo-free git version 2.39.5 in /usr/bin/git\nbackups lie in /srv/backups\n"


def finished(
    home: Path, *what: str, task: str = "look around", session: str = "main", lang: str = "en"
) -> str:
    """Return a run that saw TOOLS and a missing command, and was marked with `what`."""
    Path("tools.txt").write_text(TOOLS, "utf-8")
    marks = [call("start_long_term_update", what=text) for text in what]
    events = run(
        home,
        [bash("cat tools.txt"), bash("ffmpeg-nowhere -version"), *marks, "Done."],
        task=task,
        learns=False,
    )
    log = home / "runs" / events[0]["run"] / "log.jsonl"
    text = log.read_text("utf-8").replace('"session": "main"', f'"session": "{session}"', 1)
    log.write_text(text.replace('"lang": "en"', f'"lang": "{lang}"', 1), "utf-8")
    run_id: str = events[0]["run"]
    return run_id


def learn(home: Path, run_id: str, **more: Any) -> list[Event]:
    return after_run(read_trace(home, run_id), list(read_events(home, run_id)), home, **more)


def facts(home: Path) -> list[tuple[str, str, str]]:
    return [(fact.section, fact.text, fact.source) for fact in FactStore(home).all()]


def test_what_the_mark_says_and_a_result_shows_becomes_a_fact(home: Path) -> None:
    run_id = finished(
        home,
        "git 2.39.5 is at /usr/bin/git. Backups are in /srv/backups.\n- ffmpeg-nowhere is not installed",
    )
    learned = learn(home, run_id)
    assert [(event["type"], event["what"], event["status"]) for event in learned] == [
        ("learned", "fact", "stored")
    ] * 3
    assert facts(home) == [
        ("PATHS", "Backups are in /srv/backups", f"{run_id}:1"),
        ("TOOLS", "git 2.39.5 is at /usr/bin/git", f"{run_id}:1"),
        ("NEGATIVE", "ffmpeg-nowhere is not installed", f"{run_id}:2"),
    ]
    assert learned[0]["name"] == "git 2.39.5 is at /usr/bin/git" and run_id in learned[0]["reason"]
    assert FactStore(home).check() == []


@pytest.mark.parametrize(
    ("lang", "said"), [("en", "no result of the runs"), ("zh", "结果和请求里都没有")]
)
def test_what_no_result_shows_is_refused_with_its_reason(home: Path, lang: str, said: str) -> None:
    run_id = finished(home, "git 2.45.0 is at /usr/bin/git.", lang=lang)
    (learned,) = learn(home, run_id)
    assert (
        learned["status"] == "refused"
        and said in learned["reason"]
        and "2.45.0" in learned["reason"]
    )
    assert facts(home) == [] and not (home / "memory/global_mem.txt").exists()


def test_a_shared_session_leaves_nothing(home: Path) -> None:
    run_id = finished(home, "git 2.39.5 is at /usr/bin/git.", session="shared:team")
    learned = learn(home, run_id)
    assert [event["status"] for event in learned] == ["refused"] and facts(home) == []


def test_a_preference_is_kept_in_the_owners_words_alone(home: Path) -> None:
    task = "Read tools.txt. From now on I prefer reports in German."
    run_id = finished(home, "The owner prefers reports in German.", task=task)
    assert [event["status"] for event in learn(home, run_id)] == ["stored"]
    other = finished(home, "The owner prefers long walks in Norway.", task=task)
    assert [event["status"] for event in learn(home, other)] == ["refused"]
    assert [text for _, text, _ in facts(home)] == ["The owner prefers reports in German"]


def test_a_newer_value_replaces_the_older_one(home: Path) -> None:
    learn(home, finished(home, "The version of git is 2.39.5."))
    (old,) = FactStore(home).all()
    Path("tools.txt").write_text("git version 2.45.1\n", "utf-8")
    replies = [
        bash("cat tools.txt"),
        call("start_long_term_update", what="The version of git is 2.45.1."),
        "Done.",
    ]
    (learned,) = learn(home, run(home, replies, learns=False)[0]["run"])
    (new,) = FactStore(home).all()
    assert (
        learned["status"] == "stored" and new.supersedes == old.id and new.text.endswith("2.45.1")
    )
    assert FactStore(home).check() == []
