"""Episodes: what belongs together is grouped, the scene has its time, the summary is made of what
was said."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.journal import episodes
from memory.journal.episodes import grouped, scene, summary
from memory.journal.store import Store
from memory.journal.turns import Turn
from text.time import TimeRange

START = datetime(2026, 2, 1, 9, tzinfo=UTC)
BREAD = "the dough of the bread rises in the oven"
CAR = "my car needs tyres and brakes at the garage"


def turn(
    minute: float,
    text: str,
    who: str = "owner",
    importance: int = 5,
    spoken: tuple[TimeRange, ...] = (),
) -> Turn:
    """Something said so many minutes after the start."""
    at = START + timedelta(minutes=minute)
    return Turn(f"m{minute}", "main", who, text, at, importance=importance, mentioned=spoken)


def test_a_long_silence_ends_an_episode() -> None:
    assert grouped([]) == []
    turns = [turn(at, text) for at, text in ((0, BREAD), (5, CAR), (10, BREAD), (200, BREAD))]
    assert grouped(turns) == [[0, 1, 2], [3]]


def test_scene_is_the_time_that_is_spoken_of_else_when_it_was_said() -> None:
    day = timedelta(days=1)
    last_week = TimeRange(START - 7 * day, START - 6 * day, "last Sunday")
    ages = TimeRange(START - 2000 * day, START, "since 2020")
    assert scene([turn(0, "a", spoken=(last_week, ages)), turn(1, "b")]) == (
        START - 7 * day,
        START - 6 * day,
    )
    assert scene([turn(0, "a", spoken=(ages,)), turn(1, "b")]) == (
        START,
        START + timedelta(minutes=1),
    )
    assert scene([turn(0, "a", spoken=(TimeRange(None, START, "until now"),))]) == (START, START)


def test_summary_is_made_of_sentences_that_were_said() -> None:
    turns = [
        turn(0, "Hello! The bread needs flour."),
        turn(1, "Which flour does the bread need?", "Bo"),
        turn(2, "The bread needs rye flour. Bye."),
    ]
    said = summary(turns)
    assert "owner: The bread needs rye flour." in said
    assert "?" not in said
    assert len(summary([turn(0, "词" * 5000)])) <= 400
    assert summary([turn(0, "Really?")]) == "Really?"


def test_who_speaks_does_not_wait_for_the_grouping_and_two_processes_group_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one groups, another one writes and groups; every turn is in exactly one episode."""
    store, other = Store(tmp_path / "m.sqlite3"), Store(tmp_path / "m.sqlite3")
    store.add(
        Turn(f"t{n}", "main", "owner", f"tea {n}", START + timedelta(minutes=n)) for n in range(30)
    )
    grouping = episodes.grouped
    entered: list[bool] = []

    def slow(turns: Sequence[Turn]) -> list[list[int]]:
        if not entered:
            entered.append(True)
            with other.writing():  # would wait for ever if the lock was held
                other.add(
                    [Turn("late", "main", "owner", "tea again", START + timedelta(minutes=31))]
                )
            episodes.update(other, ["main"])
        return grouping(turns)

    monkeypatch.setattr(episodes, "grouped", slow)
    episodes.update(store, ["main"])
    assert store.without_episode("main") == []
    members = [number for episode in store.episodes() for number in store.members(episode.number)]
    assert sorted(members) == sorted(store.numbers()) and len(store.numbers()) == 31
    store.close()
    other.close()
