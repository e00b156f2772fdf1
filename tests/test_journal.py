"""The originals of the journal: what was written comes back exactly, whoever stops, fills the disk
or edits them."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory.journal.lock import JournalBusy, WriterLock
from memory.journal.originals import Journal, file_of
from memory.journal.turns import Turn
from tests.rows import cases, rows

AT = datetime(2026, 2, 1, 23, 30, 5, 123456, tzinfo=UTC)
TEXTS = rows(__name__, "texts")


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    (tmp_path / "journal").mkdir()
    return Journal(tmp_path)


def turn(text: str, id: str = "t1", **more: Any) -> Turn:
    return Turn(id, "main", "owner", text, AT)._replace(**more)


def test_every_text_comes_back_exactly(journal: Journal) -> None:
    written = [journal.append([turn(text, f"t{number}")])[0] for number, text in enumerate(TEXTS)]
    entries = list(journal.entries("2026-02-01.md"))
    assert [entry.turn for entry in entries] == written
    assert [entry.turn.text for entry in entries] == TEXTS
    assert all(entry.is_sound and not entry.is_torn and not entry.below for entry in entries)


@cases
def test_the_day_is_that_of_the_speaker(timezone: str, day: str) -> None:
    assert file_of(turn("x", timezone=timezone)) == f"{day}.md"


def test_what_the_owner_writes_between_turns_is_told_apart_and_kept(journal: Journal) -> None:
    journal.append([turn("first")])
    path = journal.folder / "2026-02-01.md"
    with path.open("a") as file:
        file.write("A remark of mine.\n\n## and a heading")
    journal.append([turn("second", "t2")])
    first, second = journal.entries(path.name)
    assert (first.turn.text, first.is_sound, first.below) == (
        "first",
        True,
        "A remark of mine.\n\n## and a heading",
    )
    assert (second.turn.text, second.is_sound, second.below) == ("second", True, "")


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"was said", b"was never said"), (b"second line\n", b""), (b'"hash": "', b'"hash": "0')],
    ids=["other words", "a line less", "another hash"],
)
def test_a_turn_that_was_edited_is_noticed(journal: Journal, old: bytes, new: bytes) -> None:
    journal.append([turn("what was said\nsecond line\nthird line"), turn("after it", "t2")])
    path = journal.folder / "2026-02-01.md"
    path.write_bytes(path.read_bytes().replace(old, new, 1))
    entries = list(journal.entries(path.name))
    assert [entry.is_sound for entry in entries] == [False, True]
    assert entries[1].turn.text == "after it"


def test_a_file_that_is_cut_anywhere_gives_the_turns_before_the_cut(journal: Journal) -> None:
    texts = ["first", "two\nlines\n", "# third"]
    journal.append([turn(text, f"t{number}") for number, text in enumerate(texts)])
    path = journal.folder / "2026-02-01.md"
    data = path.read_bytes()
    for cut in range(len(data)):
        path.write_bytes(data[:cut])
        entries = list(journal.entries(path.name))
        sound = [entry.turn.text for entry in entries if entry.is_sound]
        assert sound == texts[: len(sound)]
        assert all(entry.is_torn for entry in entries[len(sound) :])
        assert len(entries) <= len(sound) + 1


def test_bytes_that_are_no_text_spoil_one_turn_only(journal: Journal) -> None:
    journal.append([turn("first"), turn("second", "t2")])
    path = journal.folder / "2026-02-01.md"
    path.write_bytes(path.read_bytes().replace(b"first", b"\xff\xfe\x00"))
    assert [entry.is_sound for entry in journal.entries(path.name)] == [False, True]


def test_who_waits_too_long_for_the_lock_is_told(tmp_path: Path) -> None:
    (tmp_path / "journal").mkdir()
    with WriterLock(tmp_path / "journal"), pytest.raises(JournalBusy, match="another process"):
        Journal(tmp_path, WriterLock(tmp_path / "journal", wait_seconds=0.05)).append([turn("x")])
    assert not (tmp_path / "journal" / "2026-02-01.md").exists()
