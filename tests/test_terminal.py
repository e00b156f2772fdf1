"""Check what a run looks like: on a terminal, narrow and wide, in both languages; and that nothing
foreign takes it over."""

import io
import json
import re
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from handler import Confirmation
from models.base import Event
from tests.conftest import CHECKOUT, CommandLine
from tests.driving import bash, call
from tests.machine import Hold
from tests.rows import cases
from tests.screen import CTRL_C, CTRL_D, ENTER, Screen, scripted, waits_until
from text.sentences import catalogue
from ui import words
from ui.lists import make_console
from ui.sanitise import clean
from ui.terminal.owner import TerminalOwner
from ui.terminal.terminal import TerminalScreen, visible_text
from ui.terminal.text_screen import PlainScreen


def event(type: str, **fields: Any) -> Event:
    return {"type": type, "run": "20261121-222220-3f9a", "at": "2026-11-21T22:22:20.000Z", **fields}


def ended(status: str = "done", result: str = "", **fields: Any) -> Event:
    usual = {
        "turns": 2,
        "model_calls": 2,
        "tokens": {"input": 5200, "cached": 4096, "output": 310},
        "cost": 0.0123,
    }
    return event(
        "run_ended",
        status=status,
        result=result,
        **{**usual, "seconds": 8.2, "rote": False, **fields},
    )


def called() -> Event:
    return event("model_called", turn=1, model="m", kind="openai", seconds=1.0, tokens={}, cost=0.0)


def tool(status: str = "ok", data: Any = None, name: str = "code_run", **args: Any) -> list[Event]:
    args = args or {"type": "bash", "script": "ls -la"}
    return [
        event("tool_started", turn=1, call="c", tool=name, args=args),
        event("tool_ended", turn=1, call="c", tool=name, status=status, seconds=0.3, data=data),
    ]


def shown(*events: Event, columns: int = 80, attended: bool = True) -> str:
    """Return what the events leave on a terminal."""
    page = io.StringIO()
    console = make_console(file=page, width=columns, force_terminal=True, color_system=None)
    screen = TerminalScreen(console, live=False, attended=attended)
    for each in events:
        screen.show(each)
    return re.sub(r"\x1b\[[0-9;]*m", "", page.getvalue())


# Words.


def test_both_languages_say_the_same_things() -> None:
    english, chinese = catalogue("en"), catalogue("zh")
    assert english.keys() == chinese.keys()
    for key in english:
        assert _blanks(english[key]) == _blanks(chinese[key]), key


def _blanks(sentence: str | list[str]) -> set[str]:
    texts = [sentence] if isinstance(sentence, str) else sentence
    found = [{name for _, name, _, _ in string.Formatter().parse(text) if name} for text in texts]
    assert all(
        each - {"n", "files"} == found[-1] - {"n", "files"} for each in found
    )  # one may be a word: "a line", "{n} lines"
    return found[-1]


def test_a_question_that_its_owner_is_asked_is_not_shown_twice(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = {"type": "asked", "run": "r", "id": "r.0", "turn": 1, "question": "Which one?"}
    PlainScreen(attended=True).show(asked)
    assert capsys.readouterr().err == ""
    PlainScreen().show(asked)
    assert "Which one?" in capsys.readouterr().err


def test_chinese_is_chinese() -> None:
    same = {key for key, text in catalogue("zh").items() if text == catalogue("en")[key]}
    assert {
        key
        for key in same
        if not re.match(
            r"cmd\..*example|arg\.|doctor.fix|usage.bad|help.command_name|column.sop|mcp.serves|error.lines",
            key,
        )
    } == set()


def test_every_sentence_that_is_said_is_there() -> None:
    files = [CHECKOUT / "launch.py", *(CHECKOUT / "ui").rglob("*.py")]
    said = {
        key
        for file in files
        for key in re.findall(r"""say\(\s*["']([\w.-]+)["'][,)]""", file.read_text())
    }
    assert said - catalogue("en").keys() == set() and len(said) > 80


# Foreign text.


@cases
def test_foreign_text_cannot_steer_the_terminal(foreign: str, safe: str) -> None:
    assert clean(foreign) == safe


def test_an_escape_in_two_pieces_does_not_pass() -> None:
    text = shown(event("text", delta="a\x1b"), event("text", delta="[2Jb\n\n"), called())
    assert text.split() == ["ab"]


def test_what_only_the_agent_reads_is_not_shown() -> None:
    code = "```\n<summary>stays</summary>\n```\n"
    text = f"<think>\nhm\n\n</think>\nI look.\n<summary>looks</summary>\n\n{code}"
    assert visible_text(text).split() == ["I", "look.", *code.split()]
    for end in range(len(text)):
        tail = visible_text(text[:end])
        assert not any(each in tail for each in ("hm", "looks", "<th"))


# The terminal.


def test_a_run_is_told_in_lines() -> None:
    text = shown(
        event("run_started", task="t", models=["m"]),
        event("turn_started", turn=1),
        event("text", delta="I look **first**.\n<summary>look</summary>\n"),
        called(),
        *tool(data={"output": "x", "exit_code": 0}),
        event("something_new", turn=1),
        event("turn_started", turn=2),
        event("text", delta="All *done*."),
        called(),
        ended(result="All *done*."),
    )
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    assert lines[0] == "I look first."
    assert lines[1] == "✓ code_run ls -la 0.3 s"
    assert lines[2] == "All done."  # once: it has been streamed
    assert lines[3:] == [
        "2 turns · 2 model calls · 1,104 + 4,096 cached → 310 tokens · $0.0123 · 8.2 s"
    ]


def test_a_replay_is_named_and_its_end_says_no_model_call() -> None:
    text = shown(
        event("rote", sop="largest-files", version=1, step="plan.1", state="started", reason=""),
        *tool(),
        event("rote", sop="largest-files", version=1, step="plan.1", state="matched", reason=""),
        event("rote", sop="largest-files", version=1, step="plan.2", state="started", reason=""),
        *tool(),
        ended(result="Seven files.", rote=True, model_calls=0),
    )
    assert text.count("by rote: largest-files 1\n") == 1
    assert "code_run [plan.2] ls -la" in text
    assert text.splitlines()[-1] == "by rote, no model call · 8.2 s"


@cases
def test_a_call_that_goes_wrong_says_why(status: str, data: Any, said: str) -> None:
    assert said in shown(*tool(status, data))


def test_changes_are_shown_as_a_diff_that_is_cut() -> None:
    change = "@@ -1 +1 @@\n-old\n+新的\x1b[2J\n" + "+more\n" * 100
    text = shown(*tool(data={"path": "a", "diff": change}, name="file_patch", path="a"))
    assert "  -old" in text and "  +新的\n" in text and "more lines" in text
    assert text.count("+more") < 70


def test_a_broken_stream_starts_over() -> None:
    text = shown(
        event("turn_started", turn=1),
        event("text", delta="Half of\n\nan ans\n"),
        event("text_reset"),
        event("text", delta="The answer."),
        called(),
        ended(result="The answer."),
    )
    assert "it starts over" in text and text.count("The answer.") == 1 and "an ans" not in text


@pytest.mark.parametrize("kind", ["terminal", "pipe"])
def test_a_setback_that_ends_the_run_is_said_once(
    kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    setback = event("model_failed", turn=1, model="main", reason="401 wrong key")
    events = [setback, ended("no_model", "main: 401 wrong key", turns=0)]
    if kind == "terminal":
        text = shown(*events)
    else:
        screen = PlainScreen()
        for each in events:
            screen.show(each)
        text = capsys.readouterr().err
    assert text.count("401 wrong key") == 1


@pytest.mark.parametrize("columns", [40, 80, 380])
def test_lines_fit_the_terminal(columns: int) -> None:
    from rich.cells import cell_len

    script = "find ~/下载 -type f | sort 下载文件夹下载文件夹下载文件夹 " * 20
    text = shown(
        *tool(script=script, type="bash"),
        *tool("error", "坏了 " * 100),
        ended(result="答案"),
        columns=columns,
    )
    assert max(cell_len(line) for line in text.splitlines()) <= columns
    first = text.splitlines()[0]
    assert first.endswith(" 0.3 s") and cell_len(first) >= columns - 4


# The owner.


def owner(*lines: str) -> tuple[TerminalOwner, io.StringIO]:
    page = io.StringIO()
    left = list(lines)

    def read_line(prompt: str) -> str:
        if not left:
            raise EOFError
        return left.pop(0)

    console = make_console(file=page, width=60)
    return TerminalOwner(console, read_line, lambda: None, read_line), page


def test_a_question_takes_numbers_and_words() -> None:
    for said, meant in (("2", "blue"), ("green", "green"), ("3", "3"), ("", None)):
        someone, page = owner(said)
        assert someone.ask("r.1", "Which [b]one[/b]?", ["red", "blue"]) == meant
        assert "Which [b]one[/b]?" in page.getvalue() and "2. blue" in page.getvalue()
    assert owner()[0].ask("r.1", "Which?", []) is None


def test_what_is_neither_yes_nor_no_is_asked_again_and_stays_a_no() -> None:
    decision, page = ask_leave("rm -r build", "yes but only the zips", "ok")
    assert decision == "once" and page.count("Answer 1, 2 or 3") == 1
    decision, page = ask_leave("rm -r build", "maybe", "12", "hm")
    assert decision == "no" and page.count("Answer 1, 2 or 3") == 2


def ask_leave(preview: str, *lines: str) -> tuple[str, str]:
    someone, page = owner(*lines)
    approval = someone.confirm(
        Confirmation("r.1", "code_run", {}, "deletes files", "delete", preview)
    )
    assert approval is not None
    return approval.decision, page.getvalue()


# The whole program on a terminal.


Opener = Callable[..., Screen]


@pytest.mark.parametrize("columns", [40, 380])
def test_a_run_on_a_terminal(at_terminal: Opener, home: Path, columns: int) -> None:
    hold = Hold()
    slow = f"for n in 1 2; do printf '\\033]0;evil\\007step %s 下载\\n' $n; done; {hold.command}"
    scripted(home, [bash(slow, "I look **first**."), "# Answer\n\nAll *fine*. 中文也行。"])
    screen = at_terminal("look at it", columns=columns)
    screen.waits_for("I look first.", "step 2 下载", "code_run")
    hold.release()
    assert screen.ends() == 0
    text = screen.text()
    assert "✓ code_run" in text and "All fine. 中文也行。" in text and "2 turns" in text
    assert text.count("All fine.") == 1 and "step 2" not in text and screen.title != "evil"
    assert screen.shows_cursor()


@pytest.mark.parametrize(("lang", "asked"), [("en", "allow?"), ("zh", "允许吗？")])
def test_leave_is_asked_at_the_terminal(
    at_terminal: Opener, home: Path, lang: str, asked: str
) -> None:
    answers = {"a": "1\r", "b": "\r", "c": "no, keep it\r", "d": CTRL_D}
    files = {name: Path(f"old-{name}.txt").resolve() for name in answers}
    for file in files.values():
        file.write_text("old")
    trash = [call("file_trash", paths=[str(file)]) for file in files.values()]
    scripted(home, [*trash, "Tidied."])
    screen = at_terminal("tidy up", "--lang", lang)
    for name, keys in answers.items():
        screen.waits_for_prompt(files[name].name, asked)
        screen.types(keys)
    assert screen.ends() == 0 and re.findall("[✓⊘]", screen.text())[:4] == list("✓⊘⊘⊘")
    assert [name for name, file in files.items() if file.exists()] == ["b", "c", "d"]
    assert "keep it" in screen.text() and "Tidied." in screen.text()


def test_ctrl_c_stops_the_tool_and_the_run_goes_on_as_told(at_terminal: Opener, home: Path) -> None:
    hold = Hold()
    scripted(home, [bash(hold.command), bash("echo 6 > only"), "Only six."])
    screen = at_terminal("count")
    hold.reached()
    screen.types(CTRL_C)
    screen.waits_for("Say what to do instead")
    hold.left()
    screen.types("only six" + ENTER)
    assert screen.ends() == 0
    assert (
        words.say("run.steered", text="only six") in screen.text() and "Only six." in screen.text()
    )


def test_a_skipped_question_says_that_and_nothing_else(at_terminal: Opener, home: Path) -> None:
    screen = at_terminal("which program eats all of my memory these days")
    screen.waits_for_prompt("none of these", "number or answer:")
    screen.types(ENTER)
    assert screen.ends() == 130
    assert words.say("ask.skipped") in screen.text() and "inbox" not in screen.text()


def test_a_terminal_that_closes_stops_the_run_and_nothing_is_done(
    at_terminal: Opener, home: Path, tmp_path: Path, cli: CommandLine
) -> None:
    file = tmp_path / "cwd" / "old.txt"
    file.write_text("old")
    screen = at_terminal("delete old.txt")
    screen.waits_for_prompt("allow?")
    screen.hangs_up()

    def ended() -> list[str]:
        return [each["status"] for each in json.loads(cli("runs", "list", "--json").stdout)["runs"]]

    waits_until(lambda: ended() == ["cancelled"])
    assert file.exists()


def test_keys_pressed_before_the_question_are_no_answer(
    at_terminal: Opener, home: Path, tmp_path: Path
) -> None:
    file = tmp_path / "cwd" / "old.txt"
    file.write_text("old")
    trash = {"calls": [{"name": "file_trash", "args": {"paths": [str(file)]}}]}
    hold = Hold()
    scripted(home, [bash(hold.command), trash, "Tidied."])
    screen = at_terminal("tidy up")
    hold.reached()
    screen.types("1" + ENTER)
    hold.release()
    screen.waits_for_prompt("allow?")
    screen.types(ENTER)
    assert screen.ends() == 0 and file.exists()


def test_init_asks_and_writes_what_was_said(at_terminal: Opener, home: Path) -> None:
    screen = at_terminal("init")
    screen.waits_for("Which model service")
    screen.types("4" + ENTER)
    screen.types("nonsense" + ENTER)
    screen.waits_for("try again")
    for line in ("http://127.0.0.1:9/v1", "small", "MY_KEY"):
        screen.types(line + ENTER)
    screen.waits_for("What shall I call you?")
    screen.types(ENTER * 4 + "yes" + ENTER)
    assert screen.ends() == 0 and "export MY_KEY=" in screen.text()
    said = (home / "config.yaml").read_text()
    assert 'base_url: "http://127.0.0.1:9/v1"' in said and "api_key: ${MY_KEY}" in said
