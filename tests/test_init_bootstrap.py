"""The first start: `init` asks who the owner is, in English and Chinese, and writes all of it or
nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from memory.workspace import lay_out, template
from tests.conftest import CommandLine
from tests.machine import ran
from tests.rows import cases
from tests.screen import CTRL_C, CTRL_D, ENTER, Screen
from ui.terminal import bootstrap


def ready(home: Path) -> None:
    """Make a home whose config.yaml is there already."""
    home.mkdir(parents=True)
    (home / "config.yaml").write_text("limits: {turns: 9}\n")


def git(home: Path, *args: str) -> str:
    return ran("git", "-C", str(home), *args, check=True).stdout


def test_in_english_the_answers_are_shown_and_written_and_the_file_goes_away(
    home: Path, at_terminal: Callable[..., Screen]
) -> None:
    ready(home)
    screen = at_terminal("init")
    for question, answer in (
        ("What shall I call you?", "Alex"),
        ("What do you do", "I run a bakery"),
        ("anything else", ""),
        ("How shall I speak", "short, in English"),
    ):
        screen.waits_for_prompt(question)
        screen.types(answer + ENTER)
    screen.waits_for_prompt(
        "OWNER.md  Called: Alex", "SPIRIT.md  How I speak to my owner: short", "Is that right?"
    )
    assert (home / "OWNER.md").read_text() == template("OWNER.md", "en")
    screen.types("well" + ENTER)
    screen.waits_for_prompt("Please say yes or no.")
    screen.types("yes" + ENTER)
    screen.waits_for("Written: OWNER.md, SPIRIT.md")
    assert screen.ends() == 0
    owner = (home / "OWNER.md").read_text()
    assert "- Called: Alex\n- Does: I run a bakery\n- Good to know:\n" in owner
    assert "- How I speak to my owner: short, in English" in (home / "SPIRIT.md").read_text()
    assert not (home / "BOOTSTRAP.md").exists()
    assert "first start" in git(home, "log", "-1", "--format=%s")
    assert "BOOTSTRAP.md" not in git(home, "ls-tree", "--name-only", "HEAD")
    assert git(home, "status", "--porcelain") == ""


@pytest.mark.parametrize("key", [CTRL_C, CTRL_D])
def test_who_leaves_in_between_is_asked_again(
    home: Path, at_terminal: Callable[..., Screen], key: str
) -> None:
    ready(home)
    screen = at_terminal("init")
    screen.waits_for_prompt("What shall I call you?")
    screen.types("Alex" + ENTER)
    screen.waits_for_prompt("What do you do")
    screen.types(key)
    screen.waits_for("Nothing was written")
    assert screen.ends() == 130
    assert (home / "OWNER.md").read_text() == template("OWNER.md", "en")
    again = at_terminal("init")
    again.waits_for("What shall I call you?")


def test_without_a_terminal_the_templates_are_left_and_it_is_said(
    home: Path, cli: CommandLine
) -> None:
    code, out, _ = cli("--lang", "zh", "init")
    assert code == 0 and "BOOTSTRAP" not in out and "OWNER.md, SPIRIT.md 还是最初的样子" in out
    assert (home / "OWNER.md").read_text() == template("OWNER.md", "zh") and (
        home / "BOOTSTRAP.md"
    ).exists()


class Spoken:
    """Somebody who gives these answers, then leaves."""

    def __init__(self, *answers: str) -> None:
        self.answers, self.asked = list(answers), list[str]()

    def __call__(self, prompt: str) -> str:
        self.asked.append(prompt)
        if not self.answers:
            raise EOFError
        return self.answers.pop(0)


@pytest.fixture
def laid_out(home: Path) -> Path:
    home.mkdir(parents=True)
    lay_out(home, "en")
    return home


def test_what_the_owner_wrote_is_changed_only_when_the_owner_agrees(laid_out: Path) -> None:
    (laid_out / "OWNER.md").write_text("# Me\n\nI am Alex.\n")
    assert bootstrap.play(laid_out, "en", Spoken("Sam", "", "", "short", "yes", "no"))
    assert (laid_out / "OWNER.md").read_text() == "# Me\n\nI am Alex.\n"
    assert "short" in (laid_out / "SPIRIT.md").read_text()
    (laid_out / "BOOTSTRAP.md").write_text(template("BOOTSTRAP.md", "en"))
    assert bootstrap.play(laid_out, "en", Spoken("Sam", "", "", "", "yes", "yes"))
    assert (laid_out / "OWNER.md").read_text() == "# Me\n\nI am Alex.\n- Called: Sam\n"


def test_leaving_at_the_last_question_writes_nothing(laid_out: Path) -> None:
    (laid_out / "OWNER.md").write_text("mine\n")
    assert not bootstrap.play(laid_out, "en", Spoken("Sam", "", "", "short", "yes"))
    assert (laid_out / "OWNER.md").read_text() == "mine\n" and (laid_out / "BOOTSTRAP.md").exists()
    assert (laid_out / "SPIRIT.md").read_text() == template("SPIRIT.md", "en")


@cases
def test_a_broken_file_is_told_and_the_shipped_questions_are_asked(
    laid_out: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (laid_out / "BOOTSTRAP.md").write_text(text)
    assert bootstrap.play(laid_out, "en", someone := Spoken("A", "", "", "", "yes"))
    assert "cannot be used" in capsys.readouterr().out and "call you" in someone.asked[0]


def test_it_is_played_once(laid_out: Path) -> None:
    assert bootstrap.play(laid_out, "en", Spoken("", "", "", "", "yes"))
    assert not bootstrap.prepare(laid_out, "en")
