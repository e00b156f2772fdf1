"""Notes distilled into MEMORY.md: what stays, what goes where, who may say it; with a model,
without, killed, twice."""

import json
import random
import subprocess
import sys
import time
import zipfile
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory import notes
from memory.change import undo
from memory.digest import DAYS, Digest, digest, entries
from memory.facts import FactStore
from memory.facts.store import FactConflict
from memory.history import BY_HAND, Repository
from memory.home import MAIN, Session
from memory.notes import Kind
from runs.heartbeat import memory_entries
from tests.conftest import CHECKOUT, CommandLine
from tests.rows import cases

NOW = datetime(2026, 2, 16, 9, 0).astimezone()
TODAY = NOW.date()
MEMORY = "MEMORY.md"
KILLS = 8
DIGESTER = """
import sys
from datetime import datetime
from pathlib import Path
from memory.digest import digest
print("ready", flush=True)
digest(Path(sys.argv[1]), datetime.fromisoformat(sys.argv[2]))
"""


def note(
    home: Path,
    text: str,
    kind: Kind = "preference",
    days_ago: int = 0,
    session: Session = MAIN,
    **of: Any,
) -> None:
    home.mkdir(parents=True, exist_ok=True)
    at = NOW - timedelta(days=days_ago)
    notes.add(
        home, text, kind=kind, session=session, run=of.get("run", ""), turn=of.get("turn", 0), at=at
    )


def by_hand(home: Path, text: str, days_ago: int = 0) -> Path:
    (home / "memory").mkdir(parents=True, exist_ok=True)
    path = home / f"memory/{TODAY - timedelta(days=days_ago)}.md"
    path.write_text(text, "utf-8")
    return path


def memory(home: Path) -> str:
    return (home / MEMORY).read_bytes().decode("utf-8")


def texts(home: Path) -> list[str]:
    return [entry.text for entry in entries(home) if not entry.by]


def subjects(home: Path) -> list[str]:
    return [commit.subject for commit in Repository(home).log()]


def never_asked(known: str, lines: str) -> str:
    raise AssertionError(f"a model was asked about {lines}")


# Kept


def test_what_the_owner_said_goes_to_its_section_with_date_and_source(home: Path) -> None:
    note(home, "I prefer tea", "preference", 2)
    note(home, "We decided to use Postgres for the shop", "decision", 1)
    note(home, "the lesson is: never deploy on a Friday", "lesson")
    note(home, "remember that the printer is on the second floor", "instruction")
    by_hand(
        home,
        "# 2026-02-12\n\n## Events\n- version 1.0 is out\n- had lunch\n- [ ] call the bank\n",
        4,
    )
    done = digest(home, NOW)
    assert done.by == "rules" and done.lines == 7 and done.refused == []
    assert [(each.category, each.text, each.day, each.source) for each in entries(home)] == [
        (
            "decision",
            "We decided to use Postgres for the shop",
            "2026-02-15",
            "memory/2026-02-15.md",
        ),
        ("lesson", "the lesson is: never deploy on a Friday", "2026-02-16", "memory/2026-02-16.md"),
        ("preference", "I prefer tea", "2026-02-14", "memory/2026-02-14.md"),
        ("milestone", "version 1.0 is out", "2026-02-12", "memory/2026-02-12.md"),
        ("instruction", "the printer is on the second floor", "2026-02-16", "memory/2026-02-16.md"),
    ]
    entry = next(each for each in entries(home) if each.category == "preference")
    assert (
        f"## Preferences\n\n- [2026-02-14] I prefer tea {{#{entry.id} memory/2026-02-14.md verbatim !4}}\n"
        in memory(home)
    )
    assert subjects(home)[0] == "digest: 5 added, 0 superseded, 0 said again (chosen by rules)"


def test_what_a_group_said_is_never_the_owners_memory(home: Path) -> None:
    note(home, "I prefer cake", session=Session.parse("shared:team"), run="20260216-090000-00000")
    assert digest(home, NOW, ask=never_asked).lines == 0
    assert not (home / MEMORY).exists()


@cases
def test_the_gate_keeps_out_what_may_not_be_kept(
    home: Path, text: str, kind: Kind, rule: str
) -> None:
    by_hand(home, f"## Events\n- {text}\n")
    done = digest(home, NOW)
    assert done.changes.added == [] and [why.rule for _, why in done.refused] == [rule]
    assert "hunter2secret99" not in str(done.refused)


# Nothing twice, nothing lost


def test_nothing_new_costs_nothing(home: Path) -> None:
    note(home, "I prefer tea")
    digest(home, NOW)
    before, commits = (home / MEMORY).stat().st_mtime_ns, subjects(home)
    again = digest(home, NOW + timedelta(days=1), ask=never_asked)
    assert (
        again == Digest()
        and (home / MEMORY).stat().st_mtime_ns == before
        and subjects(home) == commits
    )


def test_what_is_superseded_moves_with_a_pointer_to_what_replaced_it(home: Path) -> None:
    note(home, "I love tea", days_ago=2)
    digest(home, NOW)
    note(home, "I hate tea")
    note(home, "I love tea cakes")
    done = digest(home, NOW)
    old, new = next(iter(done.changes.replaced.items()))
    assert texts(home) == ["I hate tea", "I love tea cakes"]
    head, _, tail = memory(home).partition("## Superseded\n")
    assert (
        "I love tea {" not in head
        and tail.strip().endswith(f"verbatim !1}} → #{new}")
        and f"#{old} " in tail
    )
    assert memory_entries(home)[-1].category == "superseded"
    assert "\n\n\n" not in memory(home)
    (home / "memory/.digest.json").unlink()  # everything is looked at once more
    assert not digest(home, NOW).has_changed


# The owner's own lines


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_what_the_owner_wrote_stays_byte_for_byte(home: Path, end: str) -> None:
    home.mkdir(parents=True)
    mine = f"\ufeff# My memory{end}{end}free words {{#12345678 x}}{end}{end}## Preferences{end}* I love tea{end}{end}## Misc{end}last"
    (home / MEMORY).write_bytes(mine.encode())
    note(home, "I hate tea", days_ago=1)
    note(home, "remember that Ann is my dentist", "instruction")
    digest(home, NOW)
    after = memory(home)
    ours = [line for line in after.split(end) if line not in mine.split(end)]
    assert [line for line in after.split(end) if line in mine.split(end) and line] == [
        each for each in mine.split(end) if each
    ]
    assert len(ours) == 3 and ours[1] == "## To remember" and ("\r\n" in after) == (end == "\r\n")
    assert after.count("\n") == after.count(end)
    assert BY_HAND in subjects(home)


# With a model


def test_a_model_chooses_and_each_choice_must_quote_its_line(home: Path) -> None:
    note(home, "I love tea", days_ago=3)
    digest(home, NOW)
    (old,) = entries(home)
    note(home, "oh and by the way I prefer oolong over tea these days, as you know")
    note(home, "we decided to move to Leipzig", "decision")
    given = []

    def ask(known: str, lines: str) -> str:
        given.append((known, lines))
        good = {"category": "preference", "text": "Prefers oolong over tea", "line": "N1", "quote": "I prefer oolong over tea", "replaces": [f"#{old.id}"]}  # fmt: skip
        invented = good | {"text": "Prefers oolong from /opt/tea over tea"}
        misquoted = good | {"quote": "I hate oolong"}
        nonsense: list[Any] = [{"category": "x"}, 7, good | {"line": "N9"}, good | {"line": None}]
        return (
            "Here you are:\n```json\n"
            + json.dumps([good, invented, misquoted, *nonsense])
            + "\n```"
        )

    done = digest(home, NOW, ask=ask)
    assert done.by == "model" and [each.text for each in done.changes.added] == [
        "Prefers oolong over tea"
    ]
    assert (
        done.changes.replaced == {old.id: done.changes.added[0].id}
        and not done.changes.added[0].is_verbatim
    )
    assert sorted(why.rule for _, why in done.refused) == ["unproven", "unproven"]
    ((known, lines),) = given
    assert (
        f"#{old.id}" in known
        and "N1 [2026-02-16] oh and by the way" in lines
        and "I love tea" not in lines
    )


@pytest.mark.parametrize("reply", ["no json", "{}", "[1, 2", "[" * 5000])
def test_a_model_that_is_of_no_help_is_said_and_rules_choose(home: Path, reply: str) -> None:
    note(home, "I prefer tea")
    done = digest(home, NOW, ask=lambda known, lines: reply)
    assert done.by == "rules" and done.problem and texts(home) == ["I prefer tea"]


# When, and by whom


def test_killed_at_any_moment_the_next_digest_finishes_it(home: Path) -> None:
    for ago in range(1, DAYS):
        by_hand(
            home, "".join(f"- I prefer dish number {ago}0{number}\n" for number in range(5)), ago
        )
    by_hand(home, "- I prefer old things\n", 40)
    command = [sys.executable, "-c", DIGESTER, str(home), NOW.isoformat()]
    for number in range(KILLS):
        by_hand(home, f"## Insights\n- I prefer the drink number {number}00\n", days_ago=0)
        with subprocess.Popen(command, cwd=CHECKOUT, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None and process.stdout.readline() == b"ready\n"
            time.sleep(random.uniform(0, 0.15))
            process.kill()
    while digest(
        home, NOW
    ).is_busy:  # what was forked a moment before the kill still holds the lock
        time.sleep(0.02)
    dishes = {
        f"I prefer dish number {ago}0{number}" for ago in range(1, DAYS) for number in range(5)
    }
    assert sorted(text for text in texts(home) if "dish" in text) == sorted(dishes)
    assert f"I prefer the drink number {KILLS - 1}00" in texts(home)
    assert len({entry.id for entry in entries(home)}) == len(entries(home))
    history = Repository(home)
    assert history.commit_hand_edits([MEMORY]) is None and BY_HAND not in [
        commit.subject for commit in history.log(MEMORY)[:-1]
    ]
    day = TODAY - timedelta(days=40)
    assert (
        b"I prefer old things" in put_away(home, day) and not (home / f"memory/{day}.md").exists()
    )


# Old notes


def put_away(home: Path, day: date) -> bytes:
    """Return the notes of a day as they stand in the zip of its month."""
    with zipfile.ZipFile(home / f"memory/archive/{day:%Y-%m}.zip") as stored:
        return stored.read(f"{day}.md")


def test_old_notes_are_put_away_once(home: Path) -> None:
    for ago in (29, 30, 31, 45, 60):
        by_hand(home, f"- I prefer dish number {ago}00\n", ago)
    done = digest(home, NOW)
    assert [date.fromisoformat(Path(name).stem) for name in done.archived] == [
        TODAY - timedelta(days=ago) for ago in (60, 45, 31)
    ]
    assert [day.isoformat() for day in notes.days(home)] == ["2026-01-17", "2026-01-18"]
    for name in done.archived:
        assert b"I prefer dish number" in put_away(home, date.fromisoformat(Path(name).stem))
    name = done.archived[0]
    (home / name).write_bytes(put_away(home, date.fromisoformat(Path(name).stem)))
    assert digest(home, NOW).archived  # again: the same bytes stand in the zip once
    assert len(zipfile.ZipFile(home / "memory/archive/2025-12.zip").namelist()) == 1
    assert digest(home, NOW).archived == []


# memory undo


def test_undo_takes_back_digest_note_and_fact_from_the_last_on(home: Path) -> None:
    (home / "memory").mkdir(parents=True)
    store = FactStore(home)
    store.add("PATHS", "backups lie in /srv/backups", by_owner=True)
    note(home, "I love tea", days_ago=1)
    note(home, "I hate tea")
    digest(home, NOW)
    before = memory(home)
    (home / MEMORY).write_text(before.replace("# Memory\n", "# Memory\n\nmy own line\n"), "utf-8")
    assert undo(home).startswith("digest: 2 added, 1 superseded")
    assert "my own line" in memory(home) and entries(home) == []
    assert not digest(
        home, NOW, ask=never_asked
    ).has_changed  # what was taken back does not come back
    assert undo(home).startswith("note: I hate tea") and notes.read(home, TODAY, MAIN) == ""
    assert undo(home).startswith("note: I love tea")
    assert undo(home).startswith("facts: add") and store.all() == []
    with pytest.raises(FactConflict):
        undo(home)


# On the command line


def test_notes_are_distilled_from_the_command_line(cli: CommandLine, home: Path) -> None:
    assert cli("memory", "note", "I", "prefer", "tea").code == 0
    code, said, _ = cli("memory", "digest", "--lang", "zh")
    assert code == 0 and "I prefer tea" in said and "sopwith memory undo" in said
    code, said, _ = cli("memory", "digest", "--json")
    report = json.loads(said)
    assert report["added"] == [] and report["busy"] is False
    assert [(each["content"], each["category"]) for each in report["entries"]] == [
        ("I prefer tea", "preference")
    ]
    assert "MEMORY.md is unchanged" in cli("memory", "digest", "--now", "2026-02-16T09:00").stdout
    assert cli("memory", "digest", "--now", "soon").code == 2
    assert "digest: 1 added" in cli("memory", "undo").stdout and entries(home) == []
