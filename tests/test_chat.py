"""A conversation, in a pipe and on a terminal: steering, stopping, questions, slash commands, going
on later."""

import json
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from models.base import Event
from tests.conftest import CommandLine
from tests.driving import bash, call
from tests.machine import Hold
from tests.screen import CTRL_C, CTRL_D, ENTER, Screen, scripted, waits_until
from tests.scripted_server import Answer, Recorded, ScriptedServer
from ui import words
from ui.terminal.chat import SLASHES


def logs(home: Path) -> list[list[Event]]:
    """Return the events of each run, the first run first."""
    files = sorted(home.glob("runs/*/log.jsonl"), key=lambda file: file.stat().st_mtime)
    return [[json.loads(line) for line in file.read_text().splitlines()] for file in files]


Opener = Callable[..., Screen]


@pytest.fixture
def chat(home: Path, at_terminal: Opener) -> Opener:
    """Open `launch.py chat ARGS` on terminals, and close them."""

    def open_(*args: str, **options: Any) -> Screen:
        screen = at_terminal("chat", *args, **options)
        screen.waits_for("›")
        return screen

    return open_


@pytest.fixture
def endpoint(home: Path) -> Iterator[list[Recorded]]:
    """Yield an endpoint that answers every task with its number; what it was asked."""
    asked: list[Recorded] = []

    def answer(request: Any, number: int) -> Answer:
        return Answer(text=f"Answer {number + 1}.")

    with ScriptedServer(answer) as server:
        home.mkdir(parents=True)
        model = {"name": "main", "model": "m", "base_url": server.base_url, "api_key": "k"}
        (home / "config.yaml").write_text(
            json.dumps({"models": [model, {**model, "name": "other", "model": "o"}]})
        )
        asked = server.requests
        yield asked


def words_sent(request: Recorded) -> str:
    return json.dumps(request.body["messages"], ensure_ascii=False)


# In a pipe.


def test_each_line_is_a_task_that_knows_the_ones_before(
    cli: CommandLine, endpoint: list[Recorded]
) -> None:
    code, out, _ = cli("chat", stdin="paint it red\n\nnow blue\n")
    assert (code, out) == (0, "Answer 1.\nAnswer 2.\n")
    assert "paint it red" in words_sent(endpoint[1]) and "Answer 1." in words_sent(endpoint[1])


def test_slash_commands_work_in_a_pipe(cli: CommandLine, endpoint: list[Recorded]) -> None:
    said = "walrus\n/new\nzebra\n/model other\nthree\n/help\n/zzzzzz\n/quit\nfour\n"
    code, out, err = cli("chat", stdin=said)
    assert code == 0 and err.count("✓") == 0
    assert "walrus" not in words_sent(endpoint[1]) and "zebra" in words_sent(endpoint[2])
    assert endpoint[2].body["model"] == "o" and len(endpoint) == 3
    assert "there is no /zzzzzz; /help" in out
    assert all(f"/{each}" in out for each in SLASHES)


def test_a_conversation_goes_on_later(
    cli: CommandLine, endpoint: list[Recorded], home: Path
) -> None:
    cli("chat", stdin="first\n")
    cli("chat", "--continue", stdin="second\n")
    cli("chat", "--continue", stdin="third\n")
    assert all(word in words_sent(endpoint[2]) for word in ("first", "second", "third"))
    run = logs(home)[0][0]["run"]
    cli("chat", "--resume", run, stdin="fourth\n")
    assert "first" in words_sent(endpoint[3]) and "second" not in words_sent(endpoint[3])
    assert cli("chat", "--resume", "nope", stdin="").code == 2


def test_what_goes_wrong_does_not_end_the_conversation(cli: CommandLine, home: Path) -> None:
    scripted(home, ["Done."])
    code, out, err = cli("chat", stdin="/resume nope\ntask\n")
    assert code == 0 and out == "Done.\n" and "sopwith runs list" in err


# On a terminal.


def test_tasks_one_after_the_other_and_out(
    chat: Opener, endpoint: list[Recorded], home: Path
) -> None:
    screen = chat()
    screen.types("paint it 红色" + ENTER)
    screen.waits_for("Answer 1.", "1 turn")
    screen.types("now blue" + ENTER)
    screen.waits_for("Answer 2.")
    screen.types(CTRL_D)
    assert screen.ends() == 0
    assert screen.text().count("Answer 1.") == 1 and screen.text().count("› now blue") == 1
    assert "paint it 红色" in words_sent(endpoint[1]) and screen.shows_cursor()
    history = home / "chat_history"
    assert "now blue" in history.read_text() and history.stat().st_mode & 0o777 == 0o600


def test_typing_while_it_works_steers_it(chat: Opener, home: Path) -> None:
    hold = Hold()
    scripted(home, [bash(hold.command), bash("true"), "Done."])
    screen = chat()
    screen.types("work" + ENTER)
    hold.reached()
    screen.waits_for("code_run")
    screen.types("only the year 2025" + ENTER)
    screen.waits_for("› only the year 2025")
    hold.release()
    screen.waits_for(words.say("run.steered", text="only the year 2025"), "Done.")
    screen.types("/quit" + ENTER)
    assert screen.ends() == 0
    steered = [event for event in logs(home)[0] if event["type"] == "steered"]
    assert [event["text"] for event in steered] == ["only the year 2025"]
    assert len(logs(home)) == 1


def test_what_is_said_too_late_becomes_the_next_task(
    chat: Opener, home: Path, tmp_path: Path
) -> None:
    go_on, there = tmp_path / "go", tmp_path / "there"
    with ScriptedServer(lambda request, number: late(number, go_on, there)) as server:
        home.mkdir(parents=True)
        model = {"name": "main", "model": "m", "base_url": server.base_url, "api_key": "k"}
        (home / "config.yaml").write_text(json.dumps({"models": [model]}))
        screen = chat()
        screen.types("first" + ENTER)
        waits_until(there.exists)
        screen.types("and then this" + ENTER)
        screen.waits_for("› and then this")
        go_on.touch()
        screen.waits_for("Answer 0", "Answer 1")
        screen.types(CTRL_D)
        assert screen.ends() == 0
    assert [log[0]["task"] for log in logs(home)] == ["first", "and then this"]


def late(number: int, go_on: Path, there: Path) -> Answer:
    """Return the first answer comes when it is allowed to."""
    there.touch()
    waits_until(go_on.exists)
    return Answer(text=f"Answer {number}")


def test_ctrl_c_stops_the_turn_and_not_the_program(chat: Opener, home: Path) -> None:
    hold = Hold()
    scripted(home, [bash(hold.command), "Done."])
    screen = chat()
    screen.types("work" + ENTER)
    hold.reached()
    screen.types(CTRL_C)
    screen.waits_for("stopped", "runs resume")
    hold.left()
    screen.types(CTRL_C)
    screen.until(lambda: told_how_to_leave(screen) == 1, "to be told how to leave")
    screen.types("/resume" + ENTER)
    screen.waits_for("Done.")
    screen.types(CTRL_D)
    assert screen.ends() == 0


def told_how_to_leave(screen: Screen) -> int:
    """How often, the line at the beginning apart."""
    return screen.text().split("\n").count("Ctrl-D leaves")


def test_ctrl_c_twice_at_an_empty_line_leaves(chat: Opener, home: Path) -> None:
    scripted(home, ["Done."])
    screen = chat()
    screen.types(CTRL_C)
    screen.until(lambda: told_how_to_leave(screen) == 1, "to be told how to leave")
    screen.types("work" + ENTER)  # what is sent in between begins the count anew
    screen.waits_for("Done.", "1 turn")
    screen.types(CTRL_C)
    screen.until(lambda: told_how_to_leave(screen) == 2, "to be told once more")
    screen.types(CTRL_C)
    assert screen.ends() == 0


@pytest.mark.parametrize(("is_working", "number"), [(True, signal.SIGTERM), (False, signal.SIGHUP)])
def test_sigterm_leaves_with_the_terminal_as_it_was(
    chat: Opener, home: Path, is_working: bool, number: signal.Signals
) -> None:
    hold = Hold()
    scripted(home, [bash(hold.command), "Done."])
    screen = chat()
    if is_working:
        screen.types("work" + ENTER)
        hold.reached()
    screen.kills(number)
    assert screen.ends() == 130
    assert screen.shows_cursor()


def test_questions_are_answered_on_the_line(chat: Opener, home: Path, tmp_path: Path) -> None:
    file = tmp_path / "cwd" / "old.txt"
    file.write_text("old")
    question = {"question": "Which colour?", "candidates": ["red", "blue"]}
    trash = call("file_trash", paths=[str(file)])
    scripted(home, [call("ask_user", **question), trash, "Painted."])
    screen = chat("--lang", "zh")
    screen.types("刷漆" + ENTER)
    screen.waits_for("Which colour?", "2. blue", "编号或回答")
    screen.types("2" + ENTER)
    screen.waits_for("允许吗？")
    screen.types("1" + ENTER)
    screen.waits_for("Painted.")
    screen.types(CTRL_D)
    assert screen.ends() == 0 and not file.exists()
    assert [event["text"] for event in logs(home)[0] if event["type"] == "answered"] == ["blue"]


# Without a model.


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    for name, lines in (("one.txt", "a\n"), ("two.txt", "a\nb\n")):
        (tmp_path / "desk" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "desk" / name).write_text(lines)
    return tmp_path / "desk"


@pytest.mark.parametrize(
    ("answer", "left"), [("y", "a\n"), ("2", "a\nhello\n"), ("", "a\nhello\n")]
)
def test_undo_in_a_conversation_takes_back_after_a_yes(
    chat: Opener, desk: Path, answer: str, left: str
) -> None:
    screen = chat("--cwd", str(desk))
    screen.types("add hello to one.txt" + ENTER)
    screen.waits_for("1 changed")
    screen.types("oops, undo that" + ENTER)
    screen.waits_for(words.say("answers.undo_question"), "one.txt", "2. no")
    screen.types(answer + ENTER)
    screen.waits_for("back as it was" if answer == "y" else words.say("undo.conflicts"))
    assert (desk / "one.txt").read_text() == left
    screen.types("exit" + ENTER)
    assert screen.ends() == 0


def test_undo_takes_back_what_was_remembered_last(chat: Opener, desk: Path, home: Path) -> None:
    screen = chat("--cwd", str(desk))
    screen.types("add hello to one.txt" + ENTER)
    screen.waits_for("1 changed")
    time.sleep(1.1)  # history counts in seconds
    screen.types("remember that my sister is Clara" + ENTER)
    screen.waits_for("Noted")
    screen.types("undo that" + ENTER)
    screen.waits_for(words.say("answers.undo_question"), "my sister is Clara", "2. no")
    screen.types("y" + ENTER)
    screen.waits_for("Undone: note")
    assert (desk / "one.txt").read_text() == "a\nhello\n"
    assert "Clara" not in "".join(each.read_text() for each in (home / "memory").glob("2*.md"))
    screen.types("exit" + ENTER)
    assert screen.ends() == 0


def test_undo_where_nobody_is_there_says_the_command(cli: CommandLine, desk: Path) -> None:
    assert cli("run", "add hello to one.txt", cwd=desk).code == 0
    assert "sopwith undo" in cli("run", "undo", cwd=desk).stdout
    assert (desk / "one.txt").read_text() == "a\nhello\n"
