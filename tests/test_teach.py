"""`teach` as its owner uses it: on a terminal, in a pipe, after a run; what is stored, what is not, and what is said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memory.home.repository import Repository
from memory.runlog.log import find_run, list_runs, run_ids
from memory.sops.store import Sop, SopStore
from tests.conftest import CHECKOUT, CommandLine
from tests.driving import bash, call
from tests.screen import CTRL_C, CTRL_D, Screen, scripted

SEEDS = CHECKOUT / "sops"
ENTER = "\r"
DAY = 86_400


def stored(home: Path, name: str) -> Sop | None:
    """The SOP of this name, if the owner has one."""
    sop = SopStore(SEEDS, home / "sops").get(name)
    return sop if sop is not None and not sop.is_seed else None


def sops_of(home: Path) -> list[str]:
    return sorted(sop.name for sop in SopStore(SEEDS, home / "sops").all() if not sop.is_seed)


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """The owner's home with Downloads (two old files, one new) and tmp (one of a hundred days, one of twenty)."""
    owner = tmp_path / "owner"
    for name, days in {
        "Downloads/a.log": 40,
        "Downloads/b.log": 2,
        "Downloads/old/c.zip": 99,
        "tmp/x": 100,
        "tmp/y": 20,
    }.items():
        path = owner / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
        os.utime(path, (time.time() - days * DAY,) * 2)
    (owner / ".bashrc").write_text("PS1='$ '\n")
    os.chdir(owner)
    return owner


class Teaching:
    """`teach NAME …` on a terminal, with somebody at the keys."""

    def __init__(self, *args: str, lang: str = "en") -> None:
        self.screen = Screen.of_cli("--lang", lang, "teach", *args, columns=110, rows=60)

    def does(self, *lines: str) -> None:
        """Types command lines into the recorded shell."""
        self.screen.waits_for("● rec $")
        for line in lines:
            seen = self.prompts() + 1
            self.screen.types(line + ENTER)
            self.screen.until(partial(self._has_shown, seen), f"for the prompt after {line!r}")
        self.screen.types("exit" + ENTER)

    def prompts(self) -> int:
        """How many prompts the recorded shell has shown."""
        return self.screen.raw.count(b"\x1b[0m$ ")

    def _has_shown(self, prompts: int) -> bool:
        return self.prompts() >= prompts

    def answers(self, question: str, keys: str) -> None:
        """Waits for a question and types the answer."""
        self.screen.waits_for_prompt(question)
        self.screen.types(keys)

    def ends(self) -> tuple[int, str]:
        return self.screen.ends(60), self.screen.text()


@pytest.fixture
def teaching() -> Iterator[Any]:
    opened: list[Teaching] = []

    def start(*args: str, **options: Any) -> Teaching:
        opened.append(Teaching(*args, **options))
        return opened[-1]

    yield start
    for each in opened:
        each.screen.close()


DELETE = "find ~/Downloads -type f -mtime +30 -delete"


# By doing.


def test_a_demonstration_becomes_an_sop_that_is_done_by_rote(
    teaching: Any, folders: Path, home: Path, cli: CommandLine
) -> None:
    there = teaching("old-files", "--record")
    there.does("ls Downloads | head -1 | cat >/dev/null", "find ~/Downloads -typ f", DELETE)
    there.answers("Enter to go on", ENTER)
    there.answers("values:", ENTER)
    there.answers("request:", "tidy up files older than 30 days in ~/Downloads" + ENTER)
    there.answers("folder (was ~/Downloads)", "~/tmp" + ENTER)
    there.answers("days (was 30)", "90" + ENTER)
    code, text = there.ends()
    assert code == 0, text
    assert "~/Downloads  → folder" in text and "→ days" in text
    assert "changes  file_trash" in text and "checks" in text
    assert "1 would be gone: ~/tmp/x" in text and (folders / "tmp/x").exists(), (
        "the replay was on a copy"
    )
    assert "Stored: old-files 1 · probation" in text
    sop = stored(home, "old-files")
    assert sop is not None and (sop.status, sop.version) == ("probation", 1)
    assert sop.procedure is not None and set(sop.procedure.parameters) == {"folder", "days"}
    code, out, err = cli("--approve", "all", "tidy up files older than 90 days in ~/tmp")
    assert code == 0 and "old-files" in err, err
    assert not (folders / "tmp/x").exists() and (folders / "tmp/y").exists() and "1" in out
    assert json.loads(cli("runs", "list", "--json").stdout)["runs"][0]["rote"] is True


def test_what_a_replay_would_change_is_asked_for(
    teaching: Any, folders: Path, home: Path, cli: CommandLine
) -> None:
    there = teaching("old-files", "--record")
    there.does(DELETE)
    there.answers("Enter to go on", ENTER)
    there.answers("values:", ENTER)
    there.answers("request:", "tidy up files older than 30 days in ~/Downloads" + ENTER)
    there.answers("folder (was", "~/tmp" + ENTER)
    there.answers("days (was", "90" + ENTER)
    assert there.ends()[0] == 0
    code, _, err = cli("tidy up files older than 90 days in ~/tmp")
    assert code == 3 and (folders / "tmp/x").exists() and "inbox" in err


def test_values_are_renamed_left_out_and_added(teaching: Any, folders: Path, home: Path) -> None:
    there = teaching("old-files", "--record")
    there.does("grep -c log ~/Downloads/a.log | head -n 4")
    there.answers("Enter to go on", ENTER)
    there.answers("values:", "1 what" + ENTER)
    there.answers("→ what", "99" + ENTER)
    there.answers("not understood: 99", "2" + ENTER)
    there.answers("(always the same)", "2 what" + ENTER)
    there.answers("what cannot be a name here", "2 file" + ENTER)
    there.screen.waits_for("→ file")
    there.answers("values:", CTRL_C)
    assert there.ends()[0] == 130 and sops_of(home) == []


def test_later_leaves_a_candidate_that_is_not_done_by_rote(
    teaching: Any, folders: Path, home: Path, cli: CommandLine
) -> None:
    there = teaching("old-files", "--record")
    there.does(DELETE)
    there.answers("Enter to go on", ENTER)
    there.answers("values:", ENTER)
    there.answers("request:", "tidy up files older than 30 days in ~/Downloads" + ENTER)
    there.answers("folder (was", "later" + ENTER)
    code, text = there.ends()
    assert cli("sops", "disable", "clean-old-files").code == 0, "the seed that does the same"
    sop = stored(home, "old-files")
    assert (
        code == 0
        and sop is not None
        and sop.status == "candidate"
        and "sopwith sops verify old-files" in text
    )
    assert cli("--approve", "all", "tidy up files older than 90 days in ~/tmp").code == 5
    assert (folders / "tmp/x").exists()
    code, out, _ = cli("sops", "verify", "old-files", "folder=~/tmp", "days=90")
    assert code == 0 and "candidate → probation" in out
    assert cli("--approve", "all", "tidy up files older than 90 days in ~/tmp").code == 0
    assert not (folders / "tmp/x").exists()


def test_a_request_must_name_every_value(teaching: Any, folders: Path, home: Path) -> None:
    there = teaching("old-files", "--record")
    there.does(DELETE)
    there.answers("Enter to go on", ENTER)
    there.answers("values:", ENTER)
    there.answers("request:", "tidy up ~/Downloads" + ENTER)
    there.answers("it does not name 30", "tidy up {folder}: older than {days} days" + ENTER)
    there.answers("folder (was", "~/tmp" + ENTER)
    there.answers("days (was", "soon" + ENTER)
    there.answers("must be", "~/tmp" + ENTER)
    there.answers("days (was", "90" + ENTER)
    assert there.ends()[0] == 0


def test_the_same_values_prove_nothing(teaching: Any, folders: Path, home: Path) -> None:
    there = teaching("old-files", "--record")
    there.does(DELETE)
    there.answers("Enter to go on", ENTER)
    there.answers("values:", ENTER)
    there.answers("request:", ENTER)
    there.answers("folder (was", "~/Downloads" + ENTER)
    there.answers("days (was", "90" + ENTER)
    there.answers("must differ in every value", ENTER)
    code, text = there.ends()
    sop = stored(home, "old-files")
    assert code == 0 and sop is not None and sop.status == "candidate", text


@pytest.mark.parametrize("keys", [CTRL_C, CTRL_D])
@pytest.mark.parametrize("stage", range(5))
def test_leaving_at_any_question_stores_nothing(
    teaching: Any, folders: Path, home: Path, stage: int, keys: str, cli: CommandLine
) -> None:
    if stage == 0 and keys == CTRL_D:
        pytest.skip("Ctrl-D there means: as it is")
    there = teaching("old-files", "--record")
    there.does(DELETE)
    steps = [
        ("Enter to go on", ENTER),
        ("values:", ENTER),
        ("request:", "tidy files older than 30 days in ~/Downloads" + ENTER),
        ("folder (was", "~/tmp" + ENTER),
        ("days (was", keys),
    ]
    for question, answer in steps[:stage]:
        there.answers(question, answer)
    there.answers(steps[stage][0], keys)
    code, text = there.ends()
    run = next(run for run in list_runs(home) if run.task == "teach old-files").run
    assert code == 130 and f"sopwith teach old-files --from-run {run}" in text
    assert sops_of(home) == [] and not list((home / "sops").glob(".new-*"))
    assert (
        cli("teach", "old-files", "--from-run", "last", "--prove", "folder=~/tmp", "days=90").code
        == 0
    )
    sop = stored(home, "old-files")
    assert sop is not None and sop.status == "probation"


def test_the_whole_in_chinese(teaching: Any, folders: Path, home: Path, cli: CommandLine) -> None:
    there = teaching("old-files", "--record", lang="zh")
    there.screen.waits_for("● 录制 $")
    seen = there.prompts() + 1
    there.screen.types(DELETE + ENTER)
    there.screen.until(lambda: there.prompts() >= seen, "for the prompt")
    there.screen.types("exit" + ENTER)
    there.answers("按回车继续", ENTER)
    there.answers("取值：", ENTER)
    there.answers("要求：", "把 ~/Downloads 里超过 30 天的文件移走" + ENTER)
    there.answers("folder（原为", "~/tmp" + ENTER)
    there.answers("days（原为", "90" + ENTER)
    code, text = there.ends()
    assert code == 0 and "已保存：old-files 1 · probation" in text and "将移走 1 项" in text
    assert cli("--lang", "zh", "--approve", "all", "把 ~/tmp 里超过 90 天的文件移走").code == 0
    assert not (folders / "tmp/x").exists()


def test_a_name_that_is_taken_is_asked_about_first(
    teaching: Any, folders: Path, home: Path
) -> None:
    there = teaching("clean-old-files", "--record")
    there.answers("came with Sopwith", "n" + ENTER)
    code, text = there.ends()
    assert code == 1 and "already" in text and run_ids(home) == []


def test_a_recording_in_which_nothing_succeeded_teaches_nothing(
    teaching: Any, folders: Path, home: Path
) -> None:
    there = teaching("old-files", "--record")
    there.does("ls /nowhere/at/all", "false")
    code, text = there.ends()
    assert code == 1 and "nothing to learn from" in text and sops_of(home) == []


def test_what_cannot_be_done_twice_is_proven_by_two_other_sets(
    teaching: Any, folders: Path, home: Path, cli: CommandLine
) -> None:
    for name in (
        "in/one.txt",
        "in/two.txt",
        "more/three.txt",
        "more/four.txt",
        "out1/-",
        "out2/-",
        "out3/-",
    ):
        (folders / name).parent.mkdir(exist_ok=True)
        (folders / name).write_text(name)
    there = teaching("file-away", "--record")
    there.does("mv ~/in/one.txt ~/out1/")
    there.answers("Enter to go on", ENTER)
    there.answers("values:", ENTER)
    there.answers("request:", "file away ~/in/one.txt into ~/out1" + ENTER)
    there.answers("cannot be repeated", "")
    there.answers("file (was", "~/in/two.txt" + ENTER)
    there.answers("folder (was", "~/out2" + ENTER)
    there.answers("1 would be gone: ~/in/two.txt", "")
    there.answers("file (was", "~/more/three.txt" + ENTER)
    there.screen.until(
        lambda: there.screen.text().count("folder (was") == 2, "for the second question"
    )
    there.answers("folder (was", "~/out3" + ENTER)
    code, text = there.ends()
    assert code == 0 and "Stored: file-away 1 · probation" in text, text
    assert (folders / "in/two.txt").exists() and (folders / "more/three.txt").exists()
    assert cli("--approve", "all", "file away ~/more/four.txt into ~/out1").code == 0
    assert (folders / "out1/four.txt").read_text() == "more/four.txt"


def test_without_values_it_is_asked_for_in_plain_words(
    teaching: Any, folders: Path, home: Path, cli: CommandLine
) -> None:
    there = teaching("processors", "--record")
    there.does("nproc")
    there.answers("Enter to go on", ENTER)
    there.screen.waits_for("No value was found")
    there.answers("values:", ENTER)
    there.answers("request:", "how many processors does this machine have" + ENTER)
    code, text = there.ends()
    assert code == 0 and "probation" in text, text
    code, out, _ = cli("How many processors does this machine have?")
    assert code == 0 and int(out) >= 1


# From a run.


def counted(home: Path, cli: CommandLine, *more: Any) -> str:
    """A run of the scripted model that counts lines; its id."""
    scripted(home, [bash("wc -l < ~/a.txt"), *more, "3"])
    for name, lines in (("a", 3), ("b", 7), ("c", 5)):
        Path(f"~/{name}.txt").expanduser().write_text("x\n" * lines)
    assert cli("Count the lines of ~/a.txt").code == 0
    (home / "config.yaml").unlink()
    return find_run(home, "last")


def test_a_run_becomes_an_sop_without_questions(home: Path, cli: CommandLine) -> None:
    counted(home, cli)
    code, out, err = cli("teach", "count-lines", "--from-run", "last", "--prove", "file=~/b.txt")
    assert (code, err) == (0, ""), err
    assert (
        "Stored: count-lines 1 · probation" in out and 'sopwith "count the lines of ~/b.txt"' in out
    )
    assert cli("Count the lines of ~/c.txt").stdout == "5\n"
    entries = json.loads(cli("sops", "history", "count-lines", "--json").stdout)["history"]
    assert [entry["status"] for entry in entries] == ["probation"] and entries[0]["run"] in run_ids(
        home
    )


def test_without_other_values_a_run_makes_a_candidate(home: Path, cli: CommandLine) -> None:
    counted(home, cli)
    code, out, _ = cli("teach", "count-lines", "--from-run", "last")
    sop = stored(home, "count-lines")
    assert (
        code == 0
        and sop is not None
        and sop.status == "candidate"
        and "sopwith sops verify count-lines file=…" in out
    )
    assert cli("Count the lines of ~/c.txt").code == 5


def test_values_that_do_not_prove_it_are_said(home: Path, cli: CommandLine) -> None:
    counted(home, cli)
    code, out, _ = cli("teach", "count-lines", "--from-run", "last", "--prove", "file=~/none.txt")
    sop = stored(home, "count-lines")
    assert code == 0 and "none.txt" in out and sop is not None and sop.status == "candidate"
    code, out, _ = cli("sops", "verify", "count-lines", "nofile=~/b.txt")
    assert code == 2


def test_a_taken_name_needs_a_word(home: Path, cli: CommandLine) -> None:
    run = counted(home, cli)
    assert cli("teach", "count-lines", "--from-run", run).code == 0
    code, _, err = cli("teach", "count-lines", "--from-run", run, "--prove", "file=~/b.txt")
    assert code == 1 and "--new-version" in err
    assert (
        cli(
            "teach", "count-lines", "--from-run", run, "--prove", "file=~/b.txt", "--new-version"
        ).code
        == 0
    )
    sop = stored(home, "count-lines")
    assert sop is not None and (sop.version, sop.status) == (2, "probation")
    assert cli("sops", "rollback", "count-lines").code == 0
    sop = stored(home, "count-lines")
    assert sop is not None and (sop.version, sop.status) == (3, "candidate")


def test_what_an_sop_does_already_is_not_taught_again(home: Path, cli: CommandLine) -> None:
    run = counted(home, cli)
    assert cli("teach", "count-lines", "--from-run", run, "--prove", "file=~/b.txt").code == 0
    code, _, err = cli("teach", "lines", "--from-run", run, "--prove", "file=~/b.txt")
    assert (
        code == 1
        and "count-lines (probation) does exactly this already" in err
        and sops_of(home) == ["count-lines"]
    )


def test_two_teachings_of_one_name_at_once(home: Path, cli: CommandLine) -> None:
    run = counted(home, cli)
    command = [
        sys.executable,
        str(CHECKOUT / "launch.py"),
        "teach",
        "count-lines",
        "--from-run",
        run,
        "--prove",
        "file=~/b.txt",
    ]
    both = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    ends = [(each.communicate(timeout=120), each.returncode) for each in both]
    assert sorted(code for _, code in ends) == [0, 1], ends
    lost = next(said[1] for said, code in ends if code == 1)
    assert "changed in the meantime" in lost or "already" in lost
    sop = stored(home, "count-lines")
    assert sop is not None and (sop.version, sop.status, sop.problem) == (1, "probation", None)


@pytest.mark.parametrize("name", ["Old Files", "a--b", "-x-", "x" * 65, "../up", "名字"])
def test_a_bad_name_is_refused_before_anything_happens(
    home: Path, cli: CommandLine, name: str
) -> None:
    code, _, err = cli("teach", "--from-run", "last", "--", name)
    assert code == 2 and "cannot be the name of an SOP" in err and len(err.splitlines()) == 2


def test_one_source_is_needed(cli: CommandLine) -> None:
    for more in ([], ["--record", "--from-run", "last"]):
        code, _, err = cli("teach", "old-files", *more)
        assert code == 2 and "--from-file" in err
    code, _, err = cli("teach", "old-files", "--record")
    assert code == 1 and "needs a terminal" in err
    assert cli("teach", "old-files", "--from-run", "last").code in (1, 2), "there is no run yet"
    code, _, err = cli("teach", "old-files", "--from-file", "none.md")
    assert code == 2 and "there is no file" in err


def test_a_run_without_calls_teaches_nothing(home: Path, cli: CommandLine) -> None:
    scripted(home, ["Good morning."])
    assert cli("Say good morning").code == 0
    code, _, err = cli("teach", "greeting", "--from-run", "last")
    assert code == 1 and "made no calls" in err and sops_of(home) == []


def test_a_failed_check_of_the_old_version_keeps_the_new_one_out(
    home: Path, cli: CommandLine, tmp_path: Path
) -> None:
    run = counted(home, cli)
    assert cli("teach", "count-lines", "--from-run", run, "--prove", "file=~/b.txt").code == 0
    steps = tmp_path / "other.yaml"
    steps.write_text(
        "parameters: {type: object, properties: {file: {type: string, format: path}}, required: [file]}\n"
        "plan: [{tool: code_run, args: {type: bash, script: 'wc -c < \"$file\"'}, expect: {exit_code: 0}, save: {n: output}}]\n"
        "result: '{{n}}'\n"
    )
    code, _, err = cli(
        "teach",
        "count-lines",
        "--from-file",
        str(steps),
        "--new-version",
        "--values",
        "file=~/c.txt",
    )
    assert code == 1 and "does not do any more what it did" in err
    sop = stored(home, "count-lines")
    assert sop is not None and sop.version == 1


# By itself.


def test_a_marked_run_is_learned_from_by_itself(home: Path, cli: CommandLine) -> None:
    scripted(
        home, [bash("wc -l < ~/a.txt"), call("start_long_term_update", what="counting lines"), "3"]
    )
    Path("~/a.txt").expanduser().write_text("x\n" * 3)
    code, out, _err = cli("run", "--events", "Count the lines of ~/a.txt")
    events = [json.loads(line) for line in out.splitlines()]
    learned = [event for event in events if event["type"] == "learned" and event["what"] == "sop"]
    assert code == 0 and [(event["name"], event["status"]) for event in learned] == [
        ("count-lines", "candidate")
    ]
    assert (
        events[-1]["type"] == "run_ended"
        and "at" in learned[0]
        and learned[0]["run"] == events[0]["run"]
    )
    sop = stored(home, "count-lines")
    assert sop is not None and sop.status == "candidate" and sop.procedure is not None
    assert [step.tool for step in sop.procedure.steps] == ["code_run"], "the mark is no step"
    assert Repository(home).problem is None and list_runs(home)[0].run == events[0]["run"], (
        "trials are not listed"
    )
    assert cli("runs", "show", "last").stdout.count("Count the lines of ~/a.txt") >= 1
    (home / "config.yaml").unlink()
    for name, lines in (("b", 4), ("c", 5)):
        Path(f"~/{name}.txt").expanduser().write_text("x\n" * lines)
    assert cli("sops", "verify", "count-lines", "file=~/b.txt").code == 0
    assert cli("Count the lines of ~/c.txt").stdout == "5\n"
    assert json.loads(cli("runs", "list", "--json").stdout)["runs"][0]["rote"] is True


def test_a_marked_run_whose_answer_nothing_proves_is_at_most_a_draft(
    home: Path, cli: CommandLine
) -> None:
    scripted(
        home,
        [
            bash("wc -l < ~/a.txt"),
            call("start_long_term_update", what="counting"),
            "About a dozen, I think.",
        ],
    )
    Path("~/a.txt").expanduser().write_text("x\n" * 3)
    code, out, _ = cli("run", "--events", "Estimate the lines of ~/a.txt")
    events = [event for event in map(json.loads, out.splitlines()) if event["type"] == "learned"]
    learned = [event for event in events if event["what"] == "sop"]
    assert code == 0 and [event["status"] for event in learned] in (["draft"], ["refused"])
    assert all(
        sop is None or sop.status == "draft"
        for sop in (stored(home, name) for name in sops_of(home))
    )


def test_a_run_without_a_mark_teaches_nothing_by_itself(home: Path, cli: CommandLine) -> None:
    counted(home, cli)
    assert sops_of(home) == [] and len(run_ids(home)) == 1


def test_a_shared_session_is_not_learned_from(home: Path, cli: CommandLine) -> None:
    scripted(home, [call("start_long_term_update", what="secrets"), "Done."])
    assert cli("run", "--session", "shared:team", "Keep this").code in (0, 1)
    assert sops_of(home) == []


# From a text.


def test_a_how_to_becomes_an_sop(home: Path, cli: CommandLine) -> None:
    Path("howto.md").write_text("# Count words of <FILE>\n\n1. Count: `wc -w < <FILE>`\n")
    for name, words in (("a", 3), ("b", 7)):
        Path(f"{name}.txt").write_text("x " * words)
    code, out, _ = cli(
        "teach",
        "words",
        "--from-file",
        "howto.md",
        "--values",
        "file=a.txt",
        "--prove",
        "file=b.txt",
    )
    assert code == 0 and "Stored: words 1 · probation" in out
    assert cli("count words of b.txt").stdout == "7\n"


def test_a_check_of_the_owner_proves_what_a_text_changes(home: Path, cli: CommandLine) -> None:
    Path("note.md").write_text("# Note a word\n\n1. Add it: `echo <WORD> >> <FILE>`\n")
    for name in ("one", "two", "three"):
        Path(name).mkdir()
    said = ("--check", 'grep -q -- "$word" "$file"', "--request", "note {word} in {file}")
    given = ("--values", "word=tea", "file=one/a.txt", "--prove", "word=milk", "file=two/b.txt")
    code, out, err = cli("teach", "note-word", "--from-file", "note.md", *said, *given)
    assert code == 0 and "probation" in out, out + err
    assert not Path("one/a.txt").exists() and not Path("two/b.txt").exists()
    assert cli("note honey in three/c.txt").code == 0
    assert Path("three/c.txt").read_text() == "honey\n"


def test_what_changes_something_needs_a_check(home: Path, cli: CommandLine) -> None:
    Path("steps.md").write_text("# Put a stamp into <FILE>\n\n1. Write it: `tee <FILE>`\n")
    code, out, _ = cli("teach", "stamp", "--from-file", "steps.md")
    sop = stored(home, "stamp")
    assert code == 0 and sop is not None and sop.status == "draft" and "has no check" in out


@pytest.mark.parametrize(
    "text", ["", "\x00\x01", "Dear diary, nothing was done today.\n", "plan: [{tool: \n"]
)
def test_a_text_without_steps_teaches_nothing(home: Path, cli: CommandLine, text: str) -> None:
    Path("text.yaml" if "plan" in text else "text.md").write_text(text)
    code, _, err = cli(
        "teach", "nothing", "--from-file", "text.yaml" if "plan" in text else "text.md"
    )
    assert code == 1 and err.startswith("sopwith: ") and sops_of(home) == []


def test_a_secret_in_a_text_is_not_kept(home: Path, cli: CommandLine) -> None:
    Path("deploy.sh").write_text(
        "#!/bin/bash\ncurl -H 'Authorization: Bearer ghp_abcdefghijklmnopqrstuvwxyz0123456789' https://example.org\n"
    )
    code, _, err = cli("teach", "deploy", "--from-file", "deploy.sh")
    assert code == 1 and "may not be kept" in err and "ghp_" not in err and sops_of(home) == []


# The owner's commands.


def test_disable_and_enable(home: Path, cli: CommandLine) -> None:
    run = counted(home, cli)
    assert cli("teach", "count-lines", "--from-run", run, "--prove", "file=~/b.txt").code == 0
    assert "is disabled" in cli("sops", "disable", "count-lines").stdout
    assert cli("Count the lines of ~/c.txt").code == 5
    assert "probation" in cli("sops", "enable", "count-lines").stdout
    assert cli("Count the lines of ~/c.txt").stdout == "5\n"
    assert [
        entry["status"]
        for entry in json.loads(cli("sops", "history", "count-lines", "--json").stdout)["history"]
    ] == [
        "probation",
        "archived",
        "probation",
    ]


def test_a_seed_can_be_disabled_too(home: Path, cli: CommandLine) -> None:
    assert cli("sops", "disable", "largest-files").code == 0
    assert cli("largest files in .").code == 5
    code, out, err = cli("sops", "run", "largest-files", "folder=.")
    assert (code, out) == (2, "") and "sopwith sops enable largest-files" in err
    assert cli("sops", "enable", "largest-files").code == 0
    assert cli("largest files in .").code == 0


def test_verify_tells_machines_what_it_found(home: Path, cli: CommandLine) -> None:
    run = counted(home, cli)
    assert cli("teach", "count-lines", "--from-run", run).code == 0
    said = json.loads(cli("sops", "verify", "count-lines", "file=~/b.txt", "--json").stdout)
    assert (said["passed"], said["status_before"], said["status"]) == (
        True,
        "candidate",
        "probation",
    )
    assert [case["passed"] for case in said["cases"]] == [True, True]
    Path("~/d.txt").expanduser().unlink(missing_ok=True)
    code, out, _ = cli("sops", "verify", "count-lines", "file=~/d.txt")
    assert code == 1 and "d.txt" in out


def test_export_and_import_go_together(home: Path, cli: CommandLine, tmp_path: Path) -> None:
    run = counted(home, cli)
    assert cli("teach", "count-lines", "--from-run", run, "--prove", "file=~/b.txt").code == 0
    assert cli("sops", "export", "count-lines", str(tmp_path / "out.zip")).code == 0
    other = ("--home", str(tmp_path / "other"))
    assert cli(*other, "sops", "import", str(tmp_path / "out.zip"), "--yes").code == 0
    assert cli(*other, "Count the lines of ~/c.txt").code == 5, "quarantine"
    assert cli(*other, "sops", "enable", "count-lines").code == 0
    assert cli(*other, "Count the lines of ~/c.txt").code == 5, "a draft"
    assert cli(*other, "sops", "verify", "count-lines").code == 0
    assert cli(*other, "sops", "verify", "count-lines", "file=~/c.txt").code == 0
    assert cli(*other, "Count the lines of ~/b.txt").stdout == "7\n"


def test_what_find_files_needs_is_said(cli: CommandLine) -> None:
    code, _, err = cli("sops", "run", "find-files")
    assert (
        code == 1
        and "Say what to look for: name=…, kind=… or text=…" in err
        and "exit code" not in err
    )
