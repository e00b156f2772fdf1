"""The facts on a real disk: patches through the gate, the index in step, whoever writes, is killed,
edits by hand, undoes."""

import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memory.evidence import Pointer, read_record
from memory.facts import Fact, FactRefused, FactStore
from memory.facts.lines import FACTS, INDEX, MAX_INDEX_LINES, index
from memory.history import BY_HAND, Repository, RepositoryError
from memory.undo import undo
from tests.conftest import CHECKOUT
from tests.driving import bash, run
from tests.machine import PATIENCE_SECONDS

KILLS = 20
WRITER = """
import sys
from pathlib import Path
from memory.facts import FactStore
store = FactStore(Path(sys.argv[1]))
for number in range(int(sys.argv[2]), int(sys.argv[3])):
    print(number, store.add("PATHS", f"shelf {number} is /srv/shelf/{number}", by_owner=True).id, flush=True)
"""
SHELVES = 'for n in $(seq 1 60); do echo "shelf $n is /srv/shelf/$n"; done; echo git 2.39.5; echo git 2.45.1'


@pytest.fixture
def proof(home: Path) -> Pointer:
    """Return a result of a real run that shows the shelves and two versions of git."""
    record = read_record(home, run(home, [bash(SHELVES), "Done."])[0]["run"])
    assert record is not None
    return record.pointer(record.results[0])


def add(store: FactStore, text: str, *evidence: Pointer, section: str = "PATHS") -> Fact:
    run = evidence[0].run if evidence else ""
    return store.add(section, text, evidence, run=run, by_owner=not evidence)


def test_a_fact_is_stored_with_its_source_in_one_commit_that_names_the_run(
    home: Path, proof: Pointer
) -> None:
    store = FactStore(home)
    fact = add(store, "shelf 3 is /srv/shelf/3", proof)
    text = (home / FACTS).read_text("utf-8")
    assert re.fullmatch(
        rf"\[PATHS\]\n- shelf 3 is /srv/shelf/3 \{{#{fact.id} \d{{4}}-\d\d-\d\d {proof.run}:1={proof.hash}\}}\n",
        text,
    )
    assert (home / INDEX).read_text("utf-8") == "[PATHS]\n- shelf 3 is /srv/shelf/3\n"
    newest, *older = Repository(home).log("memory")
    assert older == [] and f"Sopwith-Run: {proof.run}" in newest.message
    assert (
        store.all() == [fact] and FactStore(home).check() == [] and fact.source == f"{proof.run}:1"
    )
    assert (home / FACTS).stat().st_mode & 0o077 == 0


def test_what_a_call_wrote_before_the_result_proves_nothing(home: Path) -> None:
    said = "the backup disk holds 731 films"
    replies = [bash(f"x='{said}'"), bash(f"sort <<< '{said}'"), "Done."]
    record = read_record(home, run(home, replies, learns=False)[0]["run"])
    assert record is not None
    with pytest.raises(FactRefused):
        add(FactStore(home), said, record.pointer(record.results[1]), section="TOOLS")


def test_what_the_gate_refuses_leaves_everything_as_it_was(home: Path, proof: Pointer) -> None:
    store = FactStore(home)
    add(store, "shelf 3 is /srv/shelf/3", proof)
    before = (home / FACTS).read_bytes(), Repository(home).head()
    with pytest.raises(FactRefused, match=r"\[unproven\].*/srv/shelf/99") as refused:
        add(store, "shelf 99 is /srv/shelf/99", proof)
    assert [each.rule for each in refused.value.refusals] == ["unproven"]
    with pytest.raises(FactRefused, match=r"\[duplicate\].*shelf 3 is"):
        add(store, "Shelf 3 is /srv/shelf/3.", proof)
    with pytest.raises(FactRefused, match="evidence"):
        store.add("PATHS", "shelf 4 is /srv/shelf/4")
    assert (
        before == ((home / FACTS).read_bytes(), Repository(home).head())
        and FactStore(home).check() == []
    )


def test_lines_by_hand_are_the_owners_and_get_an_id_with_the_next_change(
    home: Path, proof: Pointer
) -> None:
    (home / "memory").mkdir(parents=True, exist_ok=True)
    (home / FACTS).write_text(
        "# mine\n[PREFERENCES]\n- reports in German\n\n[GARDEN]\n- the shed is locked\n", "utf-8"
    )
    store = FactStore(home)
    assert next((fact.text, fact.source, fact.id) for fact in store.all()) == (
        "reports in German",
        "owner",
        "",
    )
    assert any("GARDEN" in line for line in FactStore(home).check())
    add(store, "shelf 3 is /srv/shelf/3", proof)
    assert [commit.subject for commit in Repository(home).log(FACTS)][1] == BY_HAND
    assert all(fact.id and fact.day for fact in store.all()) and len(store.all()) == 3


def test_check_finds_what_is_wrong(home: Path, proof: Pointer) -> None:
    store = FactStore(home)
    fact = add(store, "shelf 3 is /srv/shelf/3", proof)
    good = (home / FACTS).read_text("utf-8")
    log = home / "runs" / proof.run / "log.jsonl"
    whole = log.read_text("utf-8")
    wrong = {
        "twice": good + good.splitlines()[1] + "\n",
        "supersedes": good.replace("}", " supersedes:#ffffff}"),
        "run": good.replace(proof.run, "20200101-000000-abc12"),
        "changed": good.replace(proof.hash, "0" * 16),
        "section": good.replace("[PATHS]", "[PLACES]"),
        "index": good.replace("shelf 3", "shelf three"),
        "reprobe": good.replace("[PATHS]", "[NEGATIVE]"),
    }
    for what, text in wrong.items():
        (home / FACTS).write_text(text, "utf-8")
        assert (
            FactStore(home).check() != [] and FactStore(home).check("zh") != FactStore(home).check()
        ), what
    (home / FACTS).write_text(good, "utf-8")
    assert FactStore(home).check() == []
    log.write_text(whole.replace("/srv/shelf/3", "/srv/shelf/33", 1), "utf-8")
    assert [fact.id in line and proof.run in line for line in FactStore(home).check()] == [True]
    log.write_text(whole, "utf-8")
    (home / INDEX).write_text("[PATHS]\n- something else\n", "utf-8")
    assert len(FactStore(home).check()) == 1
    add(store, "shelf 4 is /srv/shelf/4", proof)
    assert FactStore(home).check() == []


def test_the_index_has_at_most_thirty_lines_and_counts_the_rest() -> None:
    facts = [
        Fact("PATHS", f"shelf {number}", id=f"{number:06}", day="2026-11-21")
        for number in range(40)
    ]
    lines = index(facts).splitlines()
    assert len(lines) == MAX_INDEX_LINES and lines[-1] == "… +12: memory/global_mem.txt"


# Undo


def test_undo_leaves_what_the_owner_wrote_since(home: Path, proof: Pointer) -> None:
    store = FactStore(home)
    add(store, "shelf 3 is /srv/shelf/3", proof)
    (home / FACTS).write_text(
        (home / FACTS).read_text("utf-8") + "\n[PREFERENCES]\n- short answers\n", "utf-8"
    )
    undo(home)
    assert [fact.text for fact in store.all()] == ["short answers"] and FactStore(
        home
    ).check() == []


# Several writers, kills, a full disk


def writer(home: Path, first: int, end: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(home), str(first), str(end)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, cwd=CHECKOUT, text=True, env={**os.environ}
    )


def test_writers_at_once_lose_nothing(home: Path) -> None:
    home.mkdir(parents=True)
    writers = [writer(home, 100 * number, 100 * number + 8) for number in range(3)]
    said = [each.communicate(timeout=PATIENCE_SECONDS)[0].splitlines() for each in writers]
    assert [each.returncode for each in writers] == [0, 0, 0]
    ids = {line.split()[1] for lines in said for line in lines}
    assert (
        len(ids) == 24
        and {fact.id for fact in FactStore(home).all()} == ids
        and FactStore(home).check() == []
    )
    assert len(Repository(home).log(FACTS)) == 24


def kill_writers(home: Path, times: int) -> int:
    """Kills a writer again and again at random moments; returns how many facts it had said were
    stored."""
    acknowledged: set[str] = set()
    for number in range(times):
        process = writer(home, number * 1000, number * 1000 + 900)
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(random.uniform(0, 0.15))
        process.send_signal(signal.SIGKILL)
        lines = [first, *process.stdout.read().splitlines(keepends=True)]
        process.wait()
        process.stdout.close()
        acknowledged |= {line.split()[1] for line in lines if line.endswith("\n")}
        here = {fact.id for fact in FactStore(home).all()}
        assert acknowledged <= here, f"lost after {number} kills: {acknowledged - here}"
    FactStore(home).add("PATHS", "the last shelf is /srv/shelf/last", by_owner=True)
    assert FactStore(home).check() == []
    subjects = [commit.subject for commit in Repository(home).log(FACTS)]
    assert BY_HAND not in subjects, "what a kill interrupted was taken for the owner's own"
    assert len(subjects) == len(FactStore(home).all())
    return len(acknowledged)


def test_a_kill_loses_nothing_that_was_stored(home: Path) -> None:
    home.mkdir(parents=True)
    assert kill_writers(home, KILLS) >= KILLS


def test_a_full_disk_leaves_the_facts_as_they_were(small_disk: Path) -> None:
    home = small_disk / "home"
    home.mkdir()
    store = FactStore(home)
    add(store, "shelf 1 is /srv/shelf/1")
    with pytest.raises((OSError, RepositoryError)), (small_disk / "filler").open("wb") as filler:
        for number in range(2, 100):
            with contextlib.suppress(OSError):
                while True:
                    os.write(filler.fileno(), b"x" * 4096)
            add(store, f"shelf {number} is /srv/shelf/{number}")
    before = [fact.text for fact in store.all()]
    (small_disk / "filler").unlink()
    add(store, "shelf 500 is /srv/shelf/500")
    assert [fact.text for fact in store.all()] == [
        *before,
        "shelf 500 is /srv/shelf/500",
    ] and FactStore(home).check() == []


# Screens


def memory(name: str, home: Path, lang: str = "en", **args: object) -> int:
    from argparse import Namespace

    import config
    from ui import words
    from ui.memory import memory as screen

    words.use(lang)
    settings = config.load(home, "zh" if lang == "zh" else "en", dict(os.environ))
    code: int = getattr(screen, name)(Namespace(**args), settings)
    return code


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_screen_shows_takes_back_and_checks(
    home: Path, proof: Pointer, lang: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        memory("facts", home, lang, json=False) == 0
        and memory("check", home, lang, json=False) == 0
    )
    fact = add(FactStore(home), "shelf 3 is /srv/shelf/3", proof)
    capsys.readouterr()
    assert memory("facts", home, lang, json=True) == 0
    (told,) = json.loads(capsys.readouterr().out)["facts"]
    known = {"id": fact.id, "section": "PATHS", "text": fact.text, "day": fact.day, "due": False}
    assert told == known | {"source": f"{proof.run}:1", "supersedes": None, "reprobe": None}
    assert memory("facts", home, lang, json=False) == 0
    assert fact.id in capsys.readouterr().out
    (home / INDEX).write_text("", "utf-8")
    assert memory("check", home, lang, json=True) == 1
    assert len(json.loads(capsys.readouterr().out)["problems"]) == 1
    assert memory("undo", home, lang) == 0 and fact.text in capsys.readouterr().out
    assert FactStore(home).all() == []


def test_the_owner_says_a_fact(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home.mkdir(parents=True)
    assert memory("add_note", home, text=["[preferences]", "reports", "in", "German"]) == 0
    assert [(fact.section, fact.source) for fact in FactStore(home).all()] == [
        ("PREFERENCES", "owner")
    ]
    from ui.memory.memory import MemoryUsage

    with pytest.raises(MemoryUsage, match=r"\[secret\]"):
        memory("add_note", home, text=["[CREDENTIALS] the NAS password is hunter2secret"])
    with pytest.raises(MemoryUsage, match=r"临时"):
        memory("add_note", home, "zh", text=["[PATHS] 报告在 /tmp/x/y"])
    with pytest.raises(MemoryUsage):
        memory("add_note", home, text=[" "])
    assert memory("add_note", home, text=["call", "the", "plumber"]) == 0
    (note,) = (home / "memory").glob("????-??-??.md")
    assert (
        "call the plumber <!-- sopwith session=main run=- turn=0 kind=instruction -->"
        in note.read_text("utf-8")
    )
