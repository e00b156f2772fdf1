"""The command line as a process of its own: what it prints, where, in which language, and how it
ends."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CHECKOUT, LAUNCH, CommandLine
from tests.driving import bash, call
from tests.machine import PATIENCE_SECONDS, Hold, ran
from tests.rows import cases, rows
from tests.screen import scripted, waits_until
from ui import words
from ui.arguments import build_parser, with_command
from ui.command import RUN_OPTIONS, SCREENS, declared_in, first_words

PATHS = [*SCREENS, *(word for word in first_words() if word not in SCREENS)]


def ask(question: str, *candidates: str) -> dict[str, Any]:
    return call("ask_user", question=question, candidates=list(candidates))


def trash(path: Path) -> dict[str, Any]:
    return call("file_trash", paths=[str(path)])


# Texts that can be said.


@pytest.mark.parametrize("path", SCREENS)
def test_every_command_is_declared_in_its_screen(path: str) -> None:
    command = declared_in(SCREENS[path], path)
    assert command.path == path
    assert command.run.__module__ == SCREENS[path]


@pytest.mark.parametrize(("lang", "examples"), [("en", "examples:"), ("zh", "示例：")])
def test_help_on_every_level(lang: str, examples: str, capsys: pytest.CaptureFixture[str]) -> None:
    words.use(lang)
    parser = build_parser()
    for path in ("", *PATHS):
        with pytest.raises(SystemExit) as end:
            parser.parse_args([*path.split(), "--help"])
        said = capsys.readouterr().out
        assert end.value.code == 0
        assert f"{examples}\n  sopwith" in said, path
        assert "--home DIR" in said and "--lang en|zh" in said, path
        assert all(option.flag in said for option in RUN_OPTIONS) or path not in ("run", "chat")


@cases
def test_a_first_word_that_is_no_command_is_a_task(said: list[str], meant: list[str]) -> None:
    assert with_command(said) == meant


@cases
def test_bad_usage_is_two_lines_at_most(
    cli: CommandLine, args: tuple[str, ...], names: str
) -> None:
    code, out, err = cli(*args)
    assert code == 2 and out == "" and names in err
    assert len(err.splitlines()) <= 2 and err.startswith("sopwith: ")


def test_home_and_debug_stand_before_or_behind(cli: CommandLine, tmp_path: Path) -> None:
    for args in (
        ["--home", "h1", "runs", "list", "--json"],
        ["runs", "list", "--json", "--home", "h1"],
    ):
        assert json.loads(cli(*args).stdout) == {"runs": []}
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.yaml").write_text("limits: {turns: many}\n")
    for args in (
        ["--home", str(tmp_path / "broken"), "runs", "list"],
        ["runs", "--home", str(tmp_path / "broken"), "list"],
    ):
        code, _, err = cli(*args)
        assert code == 2 and "config.yaml, line 1: limits.turns" in err


# How fast it starts.


def loaded(*args: str) -> set[str]:
    """Return the modules that a command imports."""
    done = ran(sys.executable, "-X", "importtime", str(CHECKOUT / "launch.py"), *args)
    return {
        line.rpartition("|")[2].strip()
        for line in done.stderr.splitlines()
        if line.startswith("import time:")
    }


HEAVY = set(rows(__name__, "heavy"))


@pytest.mark.parametrize("args", [("--help",), ("--lang", "zh", "runs", "--help")])
def test_help_loads_no_screen(args: tuple[str, ...]) -> None:
    assert loaded(*args) & (HEAVY | {"yaml", "handler", "runs"}) == set()


def test_a_replay_in_a_pipe_loads_nothing_heavy(tmp_path: Path) -> None:
    names = loaded("sops", "run", "largest-files", f"folder={tmp_path}")
    assert "replay.rote" in names
    assert names & HEAVY == set()


# Runs.


def test_a_task_by_rote_answers_on_stdout(cli: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "cwd" / "big.bin").write_bytes(b"x" * 300_000)
    code, out, err = cli("Which files take the most space in", str(tmp_path / "cwd") + "?")
    assert code == 0 and "big.bin" in out
    assert (
        "by rote: largest-files" in err
        and "by rote, no model call" in err
        and "\x1b" not in out + err
    )


def test_nobody_to_do_it_is_exit_5_and_two_lines(cli: CommandLine) -> None:
    code, out, err = cli("write a poem")
    assert code == 5 and out == "" and len(err.splitlines()) == 2 and "OPENAI_API_KEY" in err


def test_a_question_waits_in_the_inbox_and_its_answer_goes_on(cli: CommandLine, home: Path) -> None:
    scripted(home, [ask("Which colour?", "red", "blue"), "Painted."])
    code, out, err = cli("paint it")
    assert code == 3 and out == "" and "Which colour?" in err and "inbox list" in err
    listed = json.loads(cli("inbox", "list", "--json").stdout)["inbox"]
    assert [entry["text"] for entry in listed] == ["Which colour?"]
    assert "inbox answer " + listed[0]["id"] in cli("inbox", "list").stdout
    code, out, _ = cli("inbox", "answer", listed[0]["id"], "2")
    assert code == 0 and out == "Painted.\n"
    assert "← blue" in cli("runs", "show", "last").stdout
    assert cli("inbox", "list").stdout == "nothing waits for you\n"
    assert cli("inbox", "answer", listed[0]["id"], "1").code == 2


@pytest.mark.parametrize(
    ("approve", "is_there", "code"), [("ask", True, 3), ("never", True, 0), ("all", False, 0)]
)
def test_approve_says_who_allows(
    cli: CommandLine, home: Path, tmp_path: Path, approve: str, is_there: bool, code: int
) -> None:
    file = tmp_path / "cwd" / "old.txt"
    file.write_text("old")
    scripted(home, [trash(file), "Tidied."])
    assert cli("tidy up", "--approve", approve).code == code
    assert file.exists() == is_there


@pytest.mark.parametrize(("word", "is_there"), [("approve", False), ("deny", True)])
def test_leave_given_in_the_inbox_holds_for_that_call(
    cli: CommandLine, home: Path, tmp_path: Path, word: str, is_there: bool
) -> None:
    file = tmp_path / "cwd" / "old.txt"
    file.write_text("old")
    scripted(home, [trash(file), "Tidied."])
    assert cli("tidy up").code == 3
    entry = json.loads(cli("inbox", "list", "--json").stdout)["inbox"][0]
    assert str(file) in cli("inbox", "list").stdout
    code, out, err = cli("inbox", word, entry["id"])
    assert (code, out) == (0, "Tidied.\n") and file.exists() == is_there, err


def test_limits_end_with_4_and_failures_with_1(cli: CommandLine, home: Path) -> None:
    scripted(home, [bash(f"echo {number}") for number in range(9)])
    code, out, err = cli("count", "--max-turns", "2")
    assert code == 4 and out == "" and "limit reached" in err
    last = json.loads(cli("runs", "list", "--json").stdout)["runs"][0]["run"]
    assert f"sopwith runs resume {last}" in err
    scripted(home, [bash("echo same")] * 9)
    assert cli("count").code == 1


def test_runs_are_listed_shown_and_read_by_machines(cli: CommandLine, home: Path) -> None:
    scripted(
        home, [bash("echo found it", "I look.\n<summary>looked</summary>"), "It is **there**."]
    )
    cli("find it")
    scripted(home, [])
    cli("lose it")
    runs = json.loads(cli("runs", "list", "--json").stdout)["runs"]
    assert [run["task"] for run in runs] == ["lose it", "find it"]
    known = ["run", "task", "status", "started", "turns", "model_calls", "cost", "sop", "rote"]
    assert set(known) <= runs[0].keys()
    listed = cli("runs", "list").stdout.splitlines()
    assert [line.split("\t")[1] for line in listed] == ["no_model", "done"]
    assert len(cli("runs", "list", "--limit", "1").stdout.splitlines()) == 2
    trace = cli("runs", "show", runs[1]["run"]).stdout
    assert re.search(
        r"I look\.\n  → code_run echo found it\n  ✓ code_run .*\n    found it\n", trace
    )
    assert "summary" not in trace and "It is **there**." in trace
    whole = json.loads(cli("runs", "show", runs[1]["run"][:-1], "--json").stdout)
    assert whole["events"][-1]["status"] == "done"


def start(*args: str) -> subprocess.Popen[str]:
    none, pipe = subprocess.DEVNULL, subprocess.PIPE
    return subprocess.Popen([*LAUNCH, *args], stdin=none, stdout=pipe, stderr=pipe, text=True)


def test_output_that_cannot_be_written_is_said_in_plain_words(home: Path) -> None:
    with Path("/dev/full").open("w") as full:
        words = [sys.executable, str(CHECKOUT / "launch.py"), "run", "what can you do?"]
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == "sopwith: Cannot write: No space left on device."
    assert len(done.stderr.splitlines()) == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_run_and_its_tool(home: Path, cli: CommandLine, number: int) -> None:
    hold = Hold()
    scripted(home, [bash(hold.command), "Done."])
    process = start("wait")
    hold.reached()
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert (
        process.returncode == 130 and out == "" and "runs resume" in err and "Traceback" not in err
    )
    hold.left()
    assert json.loads(cli("runs", "list", "--json").stdout)["runs"][0]["status"] == "cancelled"


def test_a_run_that_works_is_spoken_to_and_cancelled(home: Path, cli: CommandLine) -> None:
    hold = Hold()
    scripted(home, [bash(hold.command), bash("sleep 60"), "Done."])
    process = start("wait")
    hold.reached()
    assert cli("runs", "steer", "last", "only", "2025").code == 0
    assert "still running" in cli("runs", "show", "last").stdout
    hold.release()
    waits_until(
        lambda: words.say("run.steered", text="only 2025") in cli("runs", "show", "last").stdout
    )
    waits_until(lambda: "sleep 60" in cli("runs", "show", "last").stdout)
    assert cli("runs", "cancel", "last").code == 0
    assert process.wait(PATIENCE_SECONDS) == 130
    process.communicate()
    code, _, err = cli("runs", "steer", "last", "more")
    assert code == 1 and "runs resume" in err
    code, _, err = cli("runs", "cancel", "last")
    assert code == 1 and "already ended" in err
    scripted(home, [bash("true"), bash("true"), "Done after all."])
    assert cli("runs", "resume", "last").stdout == "Done after all.\n"


# SOPs, doctor, init.


def test_sops_are_listed_shown_and_run(cli: CommandLine, tmp_path: Path) -> None:
    listed = {sop["name"]: sop for sop in json.loads(cli("sops", "list", "--json").stdout)["sops"]}
    assert {"name", "status", "version", "description", "runs", "rote_rate"} <= listed[
        "largest-files"
    ].keys()
    assert not any("problem" in sop for sop in listed.values()), listed
    (tmp_path / "cwd" / "a.txt").write_text("a")
    code, out, _ = cli("sops", "run", "largest-files", "folder=.")
    assert code == 0 and "a.txt" in out
    listed = {sop["name"]: sop for sop in json.loads(cli("sops", "list", "--json").stdout)["sops"]}
    assert (listed["largest-files"]["runs"], listed["largest-files"]["rote_rate"]) == (1, 1.0)
    assert "sopwith sops run largest-files" in cli("sops", "show", "largest-files").stdout
    shown = json.loads(cli("sops", "show", "largest-files", "--json").stdout)
    assert "folder" in shown["parameters"]["properties"]
    english, chinese = (
        cli("--lang", lang, "sops", "show", "largest-files").stdout for lang in ("en", "zh")
    )
    assert english != chinese and re.search("[一-鿿]", chinese)
    assert cli("sops", "run", "largest-files", "folder=/nowhere/at/all").code != 0
