"""The journal's index and its way in: found in both languages, nothing lost, nothing twice, each
session for itself."""

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.home import MAIN, Session
from memory.journal.api import Memory
from memory.journal.lock import JournalError, JournalTooNew
from memory.journal.store import INDEX, VERSION, Episode, Store, text_hash
from memory.journal.sync import check, rebuild
from memory.journal.turns import Turn
from tests.conftest import CHECKOUT
from tests.machine import ran
from tests.rows import cases, rows
from text.words import asked

AT = datetime(2026, 2, 4, 9, 0, tzinfo=UTC)
TALK = rows(__name__, "talk")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "index.sqlite3")
    yield store
    store.close()


def turns(texts: Sequence[str] = TALK, session: str = "main", start: datetime = AT) -> list[Turn]:
    return [
        Turn(
            f"{session}-{number}",
            session,
            ("owner", "agent")[number % 2],
            text,
            start + timedelta(minutes=number),
        )
        for number, text in enumerate(texts)
    ]


@cases
def test_words_are_found_in_every_script(store: Store, query: str, first: int) -> None:
    numbers = store.add(turns())
    ranks = store.keyword_ranks(asked(query))
    assert ranks[0][0] == numbers[first]
    assert all(score > 0 for _, score in ranks)


@cases
def test_syntax_in_a_question_is_just_text(store: Store, query: str) -> None:
    store.add(turns())
    assert isinstance(store.keyword_ranks(asked(query)), list)
    assert store.count() == len(TALK)


def test_a_store_for_one_session_gives_nothing_of_others(store: Store, tmp_path: Path) -> None:
    mine = store.add(turns(["the printer of the group"], "shared:g1"))
    others = store.add(turns()) + store.add(turns(["another group's printer"], "shared:g2"))
    members = store.put_episode(Episode(0, "main", AT, AT, AT, AT, "the printer"), others)
    store.put_embeddings(
        "m",
        {text_hash(text): b"\0" * 4 for text in (*TALK, "the printer of the group", "the printer")},
    )
    shared = Store(tmp_path / "index.sqlite3", only="shared:g1")
    assert shared.count() == 1 == len(shared.numbers())
    assert shared.count("main") == 0
    assert [number for number, _ in shared.keyword_ranks(asked("printer"))] == mine
    assert shared.keyword_ranks(asked("printer"), session="main") == []
    assert shared.turns([*others, *mine]).keys() == set(mine)
    assert shared.turns(others, "main") == {}
    assert shared.number("main", "main-0") is None
    assert shared.turns_between(None, None) == mine
    assert shared.neighbours(others[1]) == []
    assert [number for number, _ in shared.embeddings("m")] == mine
    assert (shared.episodes(), shared.episodes([members]), shared.members(members)) == ([], [], [])
    assert shared.without_episode("main") == []
    with pytest.raises(ValueError, match="shared:g1"):
        shared.add(turns(["for the owner"]))
    shared.close()


def test_an_index_of_a_newer_version_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "journal" / INDEX
    path.parent.mkdir()
    with sqlite3.connect(path) as database:
        database.execute(f"PRAGMA user_version = {VERSION + 1}")
    before = path.read_bytes()
    for readonly in (False, True):
        with pytest.raises(JournalTooNew, match="newer Sopwith"):
            Store(path, readonly=readonly)
    with pytest.raises(JournalTooNew):
        Memory(tmp_path)
    assert path.read_bytes() == before


# the way in


def memory(home: Path, session: Session = MAIN) -> Memory:
    return Memory(home, session, works_behind=False)


def index(home: Path) -> Store:
    return Store(home / "journal" / INDEX, readonly=True)


def test_secrets_are_hidden_before_anything_is_written(tmp_path: Path) -> None:
    with Memory(
        tmp_path, redact=lambda text: text.replace("hunter2", "[hidden]"), works_behind=False
    ) as journal:
        journal.write_turn("the password is hunter2", who="owner")
    kept = b"".join(path.read_bytes() for path in (tmp_path / "journal").iterdir())
    assert b"[hidden]" in kept
    assert b"hunter2" not in kept


def test_a_line_without_its_row_is_taken_in_once(tmp_path: Path) -> None:
    with memory(tmp_path) as journal:
        journal.write_turn("first", who="owner", at=AT, id="a")
    saved = tmp_path / "saved"
    shutil.copy(tmp_path / "journal" / INDEX, saved)
    with memory(tmp_path) as journal:
        journal.write_turn("second, whose row a power cut took", who="owner", at=AT, id="b")
    shutil.copy(saved, tmp_path / "journal" / INDEX)
    assert [problem.key for problem in check(tmp_path)] == ["journal_no_row"]
    with memory(tmp_path) as journal:
        assert journal.turn("b") is not None
        journal.write_turn("second", who="owner", at=AT, id="b")
    assert check(tmp_path) == []
    assert index(tmp_path).count() == 2


@pytest.mark.parametrize("cut", [7, 20, 60, 120, 200])
def test_a_torn_end_is_set_aside_and_the_next_turn_is_sound(tmp_path: Path, cut: int) -> None:
    with memory(tmp_path) as journal:
        journal.write_turn("first", who="owner", at=AT, id="a")
    path = tmp_path / "journal" / "2026-02-04.md"
    whole = path.read_bytes()
    with memory(tmp_path / "other") as journal:
        journal.write_turn("line\n" * 40, who="owner", at=AT, id="torn")
    torn = (tmp_path / "other" / "journal" / "2026-02-04.md").read_bytes().partition(b"\n\n")[2]
    path.write_bytes(whole + torn[: len(torn) - cut] if cut < 60 else whole + torn[:cut])
    with memory(tmp_path) as journal:
        journal.write_turn("after it", who="owner", at=AT, id="b")
    assert check(tmp_path) == []
    assert [turn.id for turn in index(tmp_path).turns(index(tmp_path).numbers()).values()] == [
        "a",
        "b",
    ]
    (aside,) = (tmp_path / "journal" / "torn").iterdir()
    assert torn.startswith(aside.read_bytes())


def test_what_was_edited_or_lost_is_told(tmp_path: Path) -> None:
    with memory(tmp_path) as journal:
        for number in range(3):
            journal.write_turn(
                f"turn {number}", who="owner", at=AT + timedelta(days=number), id=f"t{number}"
            )
    folder = tmp_path / "journal"
    edited = folder / "2026-02-04.md"
    edited.write_text(edited.read_text().replace("turn 0", "turn zero"))
    (folder / "2026-02-06.md").unlink()
    lost = folder / "2026-02-05.md"
    lost.write_text(lost.read_text() + "my own words")
    found = {(problem.key, problem.about.split()[0]) for problem in check(tmp_path)}
    assert found == {("journal_edited", "t0"), ("journal_no_original", "t2")}
    with memory(tmp_path) as journal:  # the owner's hand is nothing that stops the agent
        journal.write_turn("later", who="owner", at=AT, id="t3")
    assert {(problem.key, problem.about.split()[0]) for problem in check(tmp_path)} == found
    assert "turn zero" in edited.read_text()
    assert "my own words" in lost.read_text()


def test_the_index_is_made_anew_from_the_originals(tmp_path: Path) -> None:
    with memory(tmp_path) as journal:
        written = journal.write(turns() + turns(["in the group"], "shared:g1"))
    before = index(tmp_path)
    held = list(before.turns(before.numbers()).values())
    before.close()
    for end in ("", "-wal", "-shm"):
        (tmp_path / "journal" / f"{INDEX}{end}").unlink(missing_ok=True)
    (tmp_path / "journal" / INDEX).write_bytes(b"no database at all")
    with memory(tmp_path) as journal:
        assert "cannot be used" in journal.problem
        journal.write_turn("while it is damaged", who="owner", at=AT, id="late")
    assert rebuild(tmp_path) == len(written) + 1
    after = index(tmp_path)
    anew = list(after.turns(after.numbers()).values())
    assert [turn for turn in anew if turn.id != "late"] == held
    assert check(tmp_path) == []


def test_four_processes_write_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    (tmp_path / "journal").mkdir()
    code = (
        "import sys; from pathlib import Path; from memory.journal.api import Memory\n"
        "m = Memory(Path(sys.argv[1]), works_behind=False)\n"
        "for n in range(40): print(m.write_turn('text of ' + sys.argv[2], who='owner', id=f'{sys.argv[2]}-{n}').id)\n"
        "m.close(); sys.exit(m.problem or 0)"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    writers = [
        subprocess.Popen(
            [*command, str(number)],
            cwd=CHECKOUT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]
    said = [writer.communicate() for writer in writers]
    assert [error for _, error in said] == ["", "", "", ""]
    acknowledged = {id for out, _ in said for id in out.split()}
    assert len(acknowledged) == 160
    assert index(tmp_path).count() == 160
    assert check(tmp_path) == []


def test_killed_at_any_moment_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    crashed = ran(sys.executable, str(CHECKOUT / "scripts" / "crash_journal"), "6", str(tmp_path))
    assert crashed.returncode == 0, crashed.stdout + crashed.stderr


@pytest.mark.disk("400k")
def test_a_full_disk_is_said_and_leaves_the_journal_sound(small_disk: Path) -> None:
    kept = []
    with memory(small_disk) as journal, pytest.raises(JournalError, match="No space left"):
        for number in range(200):
            kept.append(journal.write_turn("x" * 20_000, who="owner", id=f"t{number}").id)
    assert len(kept) > 1
    ran("mount", "-o", "remount,size=8m", small_disk, check=True)
    with memory(small_disk) as journal:
        assert journal.problem == ""
        assert all(journal.turn(id) for id in kept)
    assert check(small_disk) == []
