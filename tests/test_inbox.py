"""The inbox: an entry is answered exactly once, by whoever is first."""

import subprocess
import sys
from pathlib import Path

import pytest

from memory.inbox import Answer, Entry, Inbox, InboxError, call_hash
from runs.assemble import Options
from runs.control.bounds import AbsentOwner
from tests.conftest import CHECKOUT, CommandLine
from tests.driving import agent, bash, call, drive


def question(run: str = "r1", id: str = "r1.3") -> Entry:
    return Entry(
        id,
        run,
        "question",
        "Which one?",
        ["a", "b"],
        call=call_hash("ask_user", {"question": "Which one?"}),
    )


def test_an_answer_reaches_exactly_the_call_that_asked(home: Path) -> None:
    inbox, entry = Inbox(home), question()
    inbox.add(entry)
    inbox.answer(inbox.get("r1.3"), Answer("answer", "b"))
    assert inbox.answer_for("r1", entry.call) == ("r1.3", Answer("answer", "b"))
    assert inbox.answer_for("r2", entry.call) is None
    assert inbox.answer_for("r1", call_hash("ask_user", {"question": "Another?"})) is None


def test_an_answered_entry_is_no_longer_open_and_cannot_be_answered_again(home: Path) -> None:
    inbox = Inbox(home)
    inbox.add(question())
    entry = inbox.get("r1.3")
    inbox.answer(entry, Answer("answer", "a"))
    assert inbox.list() == []
    with pytest.raises(InboxError, match="answered already"):
        inbox.answer(entry, Answer("answer", "b"))
    with pytest.raises(InboxError, match="answered already"):
        inbox.get("r1.3")
    inbox.remove("r1.3")
    assert inbox.answer_for("r1", entry.call) is None


def test_of_many_processes_one_answers(home: Path) -> None:
    Inbox(home).add(question())
    code = (
        "import sys; from pathlib import Path; from memory.inbox import Answer, Inbox, InboxError\n"
        "inbox = Inbox(Path(sys.argv[1])); entry = inbox._read('r1.3')\n"
        "try: inbox.answer(entry, Answer('answer', sys.argv[2]))\n"
        "except InboxError: sys.exit(1)"
    )
    command = [sys.executable, "-c", code, str(home)]
    racing = [subprocess.Popen([*command, str(n)], cwd=CHECKOUT) for n in range(6)]
    assert sorted(process.wait() for process in racing) == [0, 1, 1, 1, 1, 1]


def test_what_an_unattended_run_taught_waits_for_the_owner_with_its_command(
    home: Path, cli: CommandLine
) -> None:
    Path("~/a.txt").expanduser().write_text("x\n" * 3)
    Path("~/b.txt").expanduser().write_text("x\n" * 7)
    marked = call("start_long_term_update", what="counting lines")
    there = agent(home, [bash("wc -l < ~/a.txt"), marked, "3"])
    events = drive(there.start("Count the lines of ~/a.txt", Options(rote=False), AbsentOwner()))
    assert events[0]["attended"] is False
    [entry] = Inbox(home).list()
    assert entry.kind == "proposal" and entry.command.startswith("sopwith sops verify count-lines ")
    (home / "config.yaml").unlink()
    listed = cli("inbox", "list")
    assert entry.command in listed.stdout and entry.id in listed.stdout
    assert cli("inbox", "approve", entry.id).code != 0
    verified = cli(*entry.command.replace("=…", "=~/b.txt").split()[1:])
    assert verified.code == 0, verified
    assert Inbox(home).list() == []
