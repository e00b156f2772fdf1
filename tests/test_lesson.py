"""A recording becomes a procedure: typed in a stage, proven on the files as they were, replayed as
a transaction."""

import json
import os
import signal
import subprocess
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import LAUNCH, Finished
from tests.driving import bash, call
from tests.inside import command_line
from tests.machine import ran
from tests.screen import CTRL_C, Screen, waits_until

QUESTIONS = {
    "request": "request:",
    "values": "values:",
    "changes": "change with jan",
    "file": "file (was",
    "hello": "(was hello)",
    "right": "Right?",
}


@pytest.fixture
def world(staged: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home with two small worlds in it."""
    home = tmp_path / "owner"
    for name in ("jan", "feb"):
        (home / "sales").mkdir(parents=True, exist_ok=True)
        (home / "sales" / f"{name}.csv").write_text(f"b,{name}\na,{name}\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("SOPWITH_HOME", str(home / ".sopwith"))
    (home / ".sopwith").mkdir()
    return home


def sopwith(world: Path, *args: str) -> Finished:
    """Run a command to its end."""
    return Finished(*command_line(args, {}, world, ""))


class Teacher:
    """Somebody at `teach NAME --record`."""

    def __init__(self, world: Path, name: str = "sort-sales", *more: str) -> None:
        os.chdir(world)
        command = [*LAUNCH, "--lang", "en", "teach", name]
        self.screen = Screen([*command, *(more or ("--record",))], columns=120, rows=50)

    def records(self, *lines: str) -> None:
        """Type these lines and leave the shell."""
        self.does(*lines, "exit")

    def does(self, *lines: str) -> None:
        """Type these lines, each at its prompt."""
        for count, line in enumerate(lines):
            self.screen.until(partial(self._has_shown, count), f"for the prompt before {line}")
            self.screen.types(line + "\r")

    def answers(self, **answers: str) -> None:
        """Wait for each question, type its answer."""
        for question, text in answers.items():
            self.screen.waits_for_prompt(QUESTIONS[question])
            self.screen.types(text + "\r")

    def _has_shown(self, prompts: int) -> bool:
        return self.screen.raw.count("● rec".encode()) > prompts


def taught(world: Path) -> None:
    teacher = Teacher(world)
    teacher.records("cd ~/sales", "sort jan.csv > sorted-jan.csv")
    teacher.answers(
        request="sort ~/sales/jan.csv", values="", changes="", file="~/sales/feb.csv", right="y"
    )
    teacher.screen.waits_for("probation")
    assert teacher.screen.ends() == 0


def procedure(world: Path, name: str = "sort-sales") -> dict[str, Any]:
    text = (world / ".sopwith" / "sops" / name / "sop.yaml").read_text()
    found: dict[str, Any] = yaml.safe_load(text)
    return found


def test_what_was_learned_is_done_by_rote_and_held_before_anything_changes(world: Path) -> None:
    taught(world)
    said = procedure(world)
    assert "cd ~/sales" in said["run"]["script"]
    assert 'sort "$file"' in said["run"]["script"]
    assert said["expect"]["changes"] == {"new": ["{{file | parent}}/sorted-{{file | name}}"]}
    assert (world / "sales" / "sorted-jan.csv").read_text() == "a,jan\nb,jan\n"
    assert not (world / "sales" / "sorted-feb.csv").exists(), "a trial changes nothing"
    done = sopwith(world, "run", "--approve", "all", "sort ~/sales/feb.csv")
    assert done.code == 0, done.stderr
    assert (world / "sales" / "sorted-feb.csv").read_text() == "a,feb\nb,feb\n"
    gone = sopwith(world, "sops", "run", "sort-sales", "file=~/sales/mar.csv")
    assert gone.code == 1
    assert "There is no file" in gone.stderr and "Nothing was done" in gone.stderr
    (world / "sales" / "sorted-mar.csv").mkdir()
    (world / "sales" / "mar.csv").write_text("b\n")
    stopped = sopwith(world, "sops", "run", "sort-sales", "file=~/sales/mar.csv")
    assert stopped.code == 1 and "nothing was changed" in stopped.stderr
    (world / "sales" / "sorted-mar.csv").rmdir()
    (world / "sales" / "mar.csv").unlink()
    assert sorted(path.name for path in (world / "sales").iterdir()) == [
        "feb.csv",
        "jan.csv",
        "sorted-feb.csv",
        "sorted-jan.csv",
    ]


def test_ctrl_c_at_a_question_keeps_what_was_done_and_a_draft_to_go_on_with(world: Path) -> None:
    teacher = Teacher(world)
    teacher.records("cd ~/sales", "sort jan.csv > sorted-jan.csv")
    teacher.answers(request="sort ~/sales/jan.csv", values="", changes="")
    teacher.screen.waits_for_prompt("file (was")
    teacher.screen.types(CTRL_C)
    teacher.screen.waits_for("candidate")
    assert teacher.screen.ends() == 130
    assert (world / "sales" / "sorted-jan.csv").exists()
    again = Teacher(world, "sort-sales", "--lang", "en")
    again.answers(file="~/sales/feb.csv", right="y")
    again.screen.waits_for("probation")


def test_a_candidate_is_shown_when_it_is_asked_for_and_a_yes_proves_it(world: Path) -> None:
    teacher = Teacher(world)
    teacher.records("cd ~/sales", "sort jan.csv > sorted-jan.csv")
    teacher.answers(request="sort ~/sales/jan.csv", values="", changes="", file="later")
    teacher.screen.waits_for("candidate")
    alone = sopwith(world, "sort ~/sales/feb.csv")
    assert alone.code == 5 and "sops run sort-sales" in alone.stderr
    command = [*LAUNCH, "--lang", "en", "sort ~/sales/feb.csv"]
    asked = Screen(command, columns=120, rows=50)
    shown = asked.waits_for_prompt("number or answer")
    assert shown.count("1. sort-sales") == 1 and "+ ~/sales/sorted-feb.csv" in shown
    asked.types("1\r")
    asked.waits_for("probation")
    assert asked.ends() == 0
    (world / "sales" / "mar.csv").write_text("d\nc\n")
    done = sopwith(world, "sort ~/sales/mar.csv")
    assert done.code == 0, done.stderr
    assert (world / "sales" / "sorted-mar.csv").read_text() == "c\nd\n"


def test_short_answers_and_enter_teach_what_lies_at_hand(world: Path) -> None:
    teacher = Teacher(world)
    teacher.records("sort sales/jan.csv > sales/sorted-jan.csv")
    teacher.answers(request="yes", values="jan.csv")
    teacher.answers(values="", changes="", file="", right="")
    shown = teacher.screen.waits_for("probation")
    assert "feb.csv → it would change" in shown


def test_a_function_is_kept_once_and_a_taught_wording_is_no_note(world: Path) -> None:
    teacher = Teacher(world)
    teacher.records('told() { echo "$1" >> ~/sales/told.txt; }', "told hello")
    teacher.answers(request="write down that I hello", values="", hello="met Ann", right="")
    teacher.screen.waits_for("probation")
    assert procedure(world)["run"]["script"].count("told()") == 1
    assert sopwith(world, 'write down that I "saw Tom"').code == 0
    assert (world / "sales" / "told.txt").read_text() == "hello\nsaw Tom\n"


def test_a_command_that_pages_on_a_terminal_prints_and_leaves_no_trace(world: Path) -> None:
    git = "git -c user.name=Ann -c user.email=a@b.c"
    subprocess.run(
        f"{git} init -q; {git} commit -q --allow-empty -m Begun", shell=True, check=True, cwd=world
    )
    teacher = Teacher(world)
    teacher.records("git log --format=%s")
    teacher.answers(request="what was done here?", values="")
    shown = teacher.screen.waits_for("probation")
    assert "What you changed: nothing" in shown


def test_a_failed_line_and_a_look_are_left_out_when_the_same_is_done_without_them(
    world: Path,
) -> None:
    teacher = Teacher(world)
    teacher.records("cd ~/sales", "srot jan.csv", "cat jan.csv", "sort jan.csv > out.csv")
    teacher.answers(request="sort ~/sales/jan.csv", values="", file="~/sales/feb.csv", right="y")
    teacher.screen.waits_for("probation")
    script = procedure(world)["run"]["script"]
    assert "srot" not in script and "cat" not in script


def test_a_name_that_a_program_keeps_stays_relative_in_the_folder_of_its_file(world: Path) -> None:
    teacher = Teacher(world, "pack")
    teacher.records("cd ~/sales", "tar czf jan-$(date +%H%M%S).tgz jan.csv")
    teacher.answers(
        request="pack ~/sales/jan.csv", values="", changes="", file="~/sales/feb.csv", right="y"
    )
    teacher.screen.waits_for("probation")
    assert teacher.screen.ends() == 0
    assert sopwith(world, "pack ~/sales/feb.csv").code == 0
    [packed] = (world / "sales").glob("feb-*.tgz")
    listed = ran("tar", "tf", packed, check=True)
    assert listed.stdout == "feb.csv\n"


def test_a_secret_that_was_typed_keeps_it_a_draft(world: Path) -> None:
    teacher = Teacher(world)
    teacher.records("echo 'password=hunter2hunter2' > ~/p.txt")
    teacher.answers(request="write it down", values="")
    teacher.screen.waits_for("It holds a secret", "draft")
    assert teacher.screen.ends() == 0 and (world / "p.txt").exists()
    kept = world / ".sopwith"
    files = [path for path in kept.rglob("*") if path.is_file() and ".git" not in path.parts]
    assert not any(b"hunter2" in path.read_bytes() for path in files if "undo" not in path.parts)


def test_what_failed_throughout_teaches_nothing(world: Path) -> None:
    failed = Teacher(world, "nothing")
    failed.records("nosuch")
    failed.screen.waits_for("no command was recorded that an SOP could be made of")
    assert failed.screen.ends() == 1


@pytest.mark.parametrize("lines", [["mv jan.csv old-jan.csv", "exit"], ["mv jan.csv old-jan.csv"]])
def test_a_closed_terminal_keeps_a_draft_to_go_on_with(world: Path, lines: list[str]) -> None:
    teacher = Teacher(world)
    teacher.does("cd ~/sales", *lines)
    if lines[-1] == "exit":
        teacher.screen.waits_for_prompt("request:")
    else:
        teacher.screen.until(partial(teacher._has_shown, 2), "for the last prompt")
    os.kill(int(teacher.screen._child.pid or 0), signal.SIGHUP)
    waits_until(lambda: (world / ".sopwith/sops/sort-sales/SKILL.md").exists())
    assert (world / "sales" / "old-jan.csv").exists()
    again = Teacher(world, "sort-sales", "--lang", "en")
    again.answers(request="put jan.csv aside", values="", file="feb.csv", right="y")
    again.screen.waits_for("probation")


def test_an_sop_is_edited_renamed_removed_and_brought_back(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taught(world)
    monkeypatch.setenv("EDITOR", "sed -i s/pipefail/errexit/")
    assert "draft" in sopwith(world, "sops", "edit", "sort-sales").stdout
    monkeypatch.setenv("EDITOR", "sed -i s/run:/ran:/")
    broken = sopwith(world, "sops", "edit", "sort-sales")
    assert broken.code == 1 and "sop.yaml:" in broken.stderr, broken
    assert sopwith(world, "sops", "rollback", "sort-sales", "1").code == 0
    assert sopwith(world, "sops", "rename", "sort-sales", "sorted").code == 0
    assert sopwith(world, "sops", "remove", "sorted").code == 0
    assert sopwith(world, "sort ~/sales/feb.csv").code == 5
    assert sopwith(world, "sops", "rollback", "sorted").code == 0
    assert sopwith(world, "sort ~/sales/feb.csv").code == 0
    assert (world / "sales" / "sorted-feb.csv").exists()


def test_runs_of_a_model_become_one_procedure_without_their_detours(world: Path) -> None:
    runs = []
    for name, more in (("jan", [bash("sort ~/sales/jan.cvs > ~/sales/jan-s.csv")]), ("feb", [])):
        sort = bash(f"sort ~/sales/{name}.csv > ~/sales/{name}-s.csv")
        log = call("file_write", path="~/sales/log.txt", content=f"{name}\n", mode="append")
        replies = [bash("ls ~/sales"), *more, sort, log, "Sorted."]
        runs.append(_run_by_model(world, replies, f"sort the sales of {name}"))
    done = sopwith(world, "teach", "sort-sales", "--from-run", *runs)
    assert "probation" in done.stdout, done
    (world / "sales/mar.csv").write_text("b\na\n")
    assert sopwith(world, "sort the sales of mar").code == 0
    assert (world / "sales/mar-s.csv").read_text() == "a\nb\n"
    assert (world / "sales/log.txt").read_text() == "jan\nfeb\nmar\n"
    assert sopwith(world, "sort the sales of may").code == 1
    assert not (world / "sales/may-s.csv").exists()


def test_a_run_that_cannot_be_done_twice_stops_where_a_line_of_it_fails(world: Path) -> None:
    script = "cd ~/sales\nmv jan.csv jan.old\necho moved jan >> log.txt"
    run = _run_by_model(world, [bash(script), "Done."], "retire jan")
    said = ("--prove", "text=feb", "--request", "retire jan")
    done = sopwith(world, "teach", "retire", "--from-run", run, *said)
    assert "probation" in done.stdout, done
    assert sopwith(world, "retire mar").code == 1
    assert (world / "sales/log.txt").read_text() == "moved jan\n"
    (world / "sales/-x.csv").write_text("b\n")
    assert sopwith(world, "sops", "run", "retire", "text=-x").code == 0
    assert (world / "sales/-x.old").exists()


def test_what_a_model_looked_up_is_looked_up_again(world: Path) -> None:
    runs: list[str] = []
    for name, mail in (("Ann", "ann@x.example"), ("Bo", "bo@y.example")):
        with (world / "people.csv").open("a") as people:
            people.write(f"{name},{mail}\nCy {name},cy@z.example\n")
        look = bash(f"grep '^{name},' people.csv | cut -d, -f2")
        text = call("file_write", path=f"{name}.txt", content=f"To: {mail}\n")
        fix = call("file_patch", path="app.ini", old=f"to = {len(runs)}", new=f"to = {name}")
        (world / "app.ini").write_text(f"from = x\nto = {len(runs)}\n")
        runs.append(_run_by_model(world, [look, text, fix, "Done."], f"write to {name}"))
    assert "probation" in sopwith(world, "teach", "letter", "--from-run", *runs).stdout
    (world / "people.csv").write_text("Dee,d@w.example\n")
    assert sopwith(world, "write to Dee").code == 0
    assert (world / "Dee.txt").read_text() == "To: d@w.example\n"
    assert (world / "app.ini").read_text() == "from = x\nto = Dee\n"
    assert sopwith(world, "write to Zoe").code == 1 and not (world / "Zoe.txt").exists()


def _run_by_model(world: Path, replies: Sequence[Any], task: str) -> str:
    script = world / "replies.json"
    script.write_text(json.dumps(replies))
    config = world / ".sopwith" / "config.yaml"
    config.write_text(f"models:\n  - {{name: scripted, kind: scripted, model: {script}}}\n")
    done = sopwith(world, "run", "--no-rote", "--approve", "all", "--events", task)
    assert done.code == 0, done.stderr
    config.unlink()  # from here on there is no model
    return str(json.loads(done.stdout.splitlines()[0])["run"])


def test_a_try_reaches_no_daemon_by_its_socket(world: Path) -> None:
    from learning.prove import Ground

    seen = Ground.of([world / "sales"], world / ".sopwith", world).tried("ls -A /run; ls sales")
    assert (seen.code, seen.output.split()) == (0, ["feb.csv", "jan.csv"])
