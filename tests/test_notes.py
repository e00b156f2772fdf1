"""Daily notes: what is said is there at once, whole, with its source, and each session reads its
own."""

import subprocess
import sys
from datetime import date, datetime
from pathlib import Path

import pytest

from memory import notes
from memory.files import Unreadable
from memory.history import Repository
from memory.home import MAIN, Session
from memory.notes import Kind
from tests.conftest import CHECKOUT
from tests.rows import cases

AT = datetime(2026, 2, 15, 14, 3).astimezone()
DAY = date(2026, 2, 15)
TEAM = Session.parse("shared:team")


def add(
    home: Path, text: str, kind: Kind = "event", session: Session = MAIN, lang: str = "en"
) -> Path:
    home.mkdir(parents=True, exist_ok=True)
    return notes.add(home, text, kind=kind, session=session, run="run-1", turn=3, at=AT, lang=lang)


def test_what_the_owner_wrote_by_hand_stays_and_is_recorded_first(home: Path) -> None:
    (home / "memory").mkdir(parents=True)
    by_hand = "my own words, no line end"
    (home / "memory/2026-02-15.md").write_text(by_hand)
    text = add(home, "said").read_text()
    assert text.startswith(by_hand + "\n") and "said" in text
    log = Repository(home).log("memory/2026-02-15.md")
    assert [commit.subject for commit in log] == ["note: said", "edited by hand"]
    assert "Sopwith-Run: run-1" in log[0].message
    assert Repository(home).content(log[1].id, "memory/2026-02-15.md") == by_hand.encode()


@cases
def test_no_text_can_pretend_to_come_from_another_session(home: Path, text: str) -> None:
    add(home, text, session=TEAM)
    (one,) = notes.entries(home, DAY, MAIN)
    assert one.session == TEAM and "\x1b" not in one.text
    assert len(notes.entries(home, DAY, TEAM)) == 1
    assert notes.entries(home, DAY, Session.parse("shared:others")) == []


def test_a_group_reads_its_own_entries_and_no_others(home: Path) -> None:
    add(home, "PRIVATE", session=MAIN)
    add(home, "PRIVATE too", session=Session.parse("shared:others"))
    add(home, "ours\nin two lines", session=TEAM)
    with (home / "memory/2026-02-15.md").open("a") as file:
        file.write("- PRIVATE by hand\n  PRIVATE below\nPRIVATE prose\n")
    assert notes.read(home, DAY, TEAM) == "- 14:03 ours\n  in two lines"
    shown = notes.read(home, DAY, MAIN)
    assert (
        "<!--" not in shown and "PRIVATE by hand" in shown and "in two lines (shared:team)" in shown
    )


def test_what_cannot_be_read_is_not_written_over(home: Path) -> None:
    (home / "memory").mkdir(parents=True)
    (home / "memory/2026-02-15.md").write_bytes(b"caf\xe9\n")
    with pytest.raises(Unreadable, match="not UTF-8"):
        add(home, "said")
    assert (home / "memory/2026-02-15.md").read_bytes() == b"caf\xe9\n"


def test_two_processes_lose_nothing(home: Path) -> None:
    home.mkdir(parents=True)
    code = (
        "import sys; from pathlib import Path; from datetime import datetime; from memory.notes import daily as notes\n"
        "from memory.home.sessions import MAIN\n"
        "for n in range(15): notes.add(Path(sys.argv[1]), f'{sys.argv[2]}{n} said', kind='event', session=MAIN, run='r', turn=n,"
        " at=datetime(2026, 2, 15).astimezone())"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", code, str(home), name], cwd=CHECKOUT)
        for name in ("a", "b")
    ]
    assert [each.wait() for each in started] == [0, 0]
    said = {one.text for one in notes.entries(home, DAY, MAIN)}
    assert said == {f"{name}{n} said" for name in ("a", "b") for n in range(15)}
    assert len(Repository(home).log()) == 30
