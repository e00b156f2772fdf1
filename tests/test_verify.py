"""How an SOP earns its status: real tries in a stage, through loop, handler, gate and run log."""

import multiprocessing
import os
import time
from pathlib import Path
from typing import Any

import pytest

from learning.cases import read_cases
from learning.prove import Ground
from learning.verify import Verdict, prove, verify
from memory.logs import run_ids
from memory.sops.changing import SopChanges
from runs.assemble import SEEDS, Agent
from runs.learning.lesson_files import stored
from runs.learning.turning import turned
from tests.driving import agent
from tests.machine import PATIENCE_SECONDS
from tests.rows import cases

SKILL = "---\nname: {name}\ndescription: Lists a folder into a file\n---\n\nDo it.\n"
LIST_INTO = """\
parameters: {type: object, properties: {folder: {type: string, format: path}, word: {type: string}}, required: [folder, word]}
wordings: ["list files with {word} in {folder}"]
effects: local
plan:
  - tool: code_run
    args: {type: bash, script: 'cd "$folder" && ls | grep -v list.txt | grep -- "$word" || true'}
    expect: {exit_code: 0}
    save: {found: lines}
commit:
  - {tool: file_write, args: {path: "{{folder}}/list.txt", content: "{{found | lines}}\\n", mode: overwrite}, expect: {status: ok}}
result: "{{found | count}} files with {{word}}: {{found | join}}"
checks: [{command: 'test -f "$folder/list.txt"'}]
"""
OUTSIDE = """\
parameters: {type: object, properties: {folder: {type: string, format: path}}, required: [folder]}
effects: EFFECTS
plan: [{tool: code_run, args: {type: bash, script: 'ls "$folder"'}, save: {n: lines}}]
commit: [{tool: code_run, args: {type: bash, script: 'rm -rf "$folder"'}}]
result: done
"""


MAKES = """\
parameters: {type: object, properties: {folder: {type: string, format: path}}, required: [folder]}
wordings: ["list {folder}"]
effects: local
commit: [{tool: code_run, args: {type: bash, script: 'cd "$folder" && ls > list.txt'}}]
result: done
checks: [{command: 'test -s "$folder/list.txt"'}]
"""


class Shelf:
    """An SOP in a store, and two folders with other files in them."""

    def __init__(self, home: Path, tmp_path: Path) -> None:
        self.home, self.changes = home, SopChanges(home, SEEDS)
        self.there: Agent = agent(home, None)
        self.folders = [tmp_path / "owner" / name for name in ("one", "two")]
        fruits = (("apple", "apple pie", "pear"), ("plum", "cherry plum", "kiwi"))
        for folder, names in zip(self.folders, fruits, strict=True):
            folder.mkdir()
            for name in names:
                (folder / name).write_text(name, "utf-8")

    def put(self, steps: str, expect: str = "", **values: Any) -> None:
        case = "parameters: {" + ", ".join(f"{k}: {v}" for k, v in values.items()) + "}\n" + expect
        files = {"SKILL.md": SKILL.format(name="fruit"), "sop.yaml": steps}
        self.changes.write("fruit", files | {"cases/case-1.yaml": case}, reason="taught")

    def verify(self, **values: Any) -> Verdict:
        self.there.sops.reload()
        sop = self.there.sop("fruit")
        given = {key: str(value) for key, value in values.items()}
        return verify(sop, given or None, attempt=self.there.attempt, store=self.changes)


@pytest.fixture
def shelf(home: Path, tmp_path: Path) -> Shelf:
    return Shelf(home, tmp_path)


def test_the_way_from_draft_to_probation_leaves_the_files_alone(shelf: Shelf) -> None:
    one, two = shelf.folders
    shelf.put(LIST_INTO, folder=one, word="apple")
    first = shelf.verify()
    assert (first.status_before, first.status_after, first.passed) == ("draft", "candidate", True)
    second = shelf.verify(folder=two, word="plum")
    assert (second.status_after, second.passed) == ("probation", True), second.reason
    shelf.there.sops.reload()
    stored = shelf.there.sop("fruit")
    assert stored.status == "probation" and stored.runs_alone
    known = read_cases(stored.folder)
    assert [case.name for case in known] == ["case-1", "case-2"]
    assert known[1].expect["result"] == "2 files with plum: cherry plum, plum"
    assert known[1].expect["produced"] == {f"{two}/list.txt": "new"}
    assert not (one / "list.txt").exists() and not (two / "list.txt").exists()
    assert run_ids(shelf.home) == []


@cases
def test_a_case_written_by_hand_must_hold_as_it_stands(
    shelf: Shelf, expect: str, says: str
) -> None:
    shelf.put(LIST_INTO, f"expect: {expect}\n", folder=shelf.folders[0], word="apple")
    [tried] = shelf.verify().cases
    assert tried.passed is not bool(says) and tried.reason.startswith(says), tried.reason


def test_inputs_that_are_gone_are_nobodys_fault(shelf: Shelf) -> None:
    one, two = shelf.folders
    shelf.put(LIST_INTO, folder=one, word="apple")
    assert shelf.verify(folder=two, word="plum").status_after == "probation"
    one.rename(one.with_name("gone"))
    again = shelf.verify()
    assert again.passed and [result.passed for result in again.cases] == [None, True]
    assert again.status_after == "probation"


@pytest.mark.parametrize(
    ("steps", "values", "says"),
    [
        (LIST_INTO, {"folder": 1, "word": "apple"}, "word is the same as in the first set"),
        (LIST_INTO, {"folder": 0, "word": "pear"}, "folder is the same as in the first set"),
        (LIST_INTO[: LIST_INTO.index("checks:")], {"folder": 1, "word": "plum"}, "no check looks"),
        (
            LIST_INTO.replace("{{found | count}}", "3").replace("{{found | lines}}", "x"),
            {"folder": 1, "word": "quark"},
            "proves nothing",
        ),
    ],
)
def test_a_second_set_that_proves_nothing_keeps_it_a_candidate(
    shelf: Shelf, steps: str, values: dict[str, Any], says: str
) -> None:
    steps = steps.replace(": {{found | join}}", "") if says == "proves nothing" else steps
    word = "xyz" if says == "proves nothing" else "apple"
    shelf.put(steps, folder=shelf.folders[0], word=word)
    verdict = shelf.verify(folder=shelf.folders[values["folder"]], word=values["word"])
    assert verdict.status_after == "candidate" and says in verdict.reason


def test_a_failing_check_fails_the_case(shelf: Shelf) -> None:
    shelf.put(LIST_INTO.replace("test -f", "test ! -f"), folder=shelf.folders[0], word="apple")
    verdict = shelf.verify()
    assert not verdict.passed and verdict.status_after == "draft" and "exit code" in verdict.reason


def test_a_case_that_fails_takes_the_status_away(shelf: Shelf) -> None:
    one, two = shelf.folders
    shelf.put(LIST_INTO, folder=one, word="apple")
    shelf.verify(folder=two, word="plum")
    path = shelf.home / "sops" / "fruit" / "sop.yaml"
    path.write_text(path.read_text("utf-8").replace("ls |", "lx |").replace("|| true", ""), "utf-8")
    verdict = shelf.verify()
    assert not verdict.passed and verdict.status_after == "suspended"
    shelf.there.sops.reload()
    assert not shelf.there.sop("fruit").runs_alone


def test_trash_in_a_try_leaves_the_real_files_and_the_real_trash_alone(
    home: Path, tmp_path: Path
) -> None:
    there, box = agent(home, None), tmp_path / "owner" / "old"
    box.mkdir()
    for name, days in (("a", 50), ("b", 100), ("c", 1)):
        (box / name).write_text(name, "utf-8")
        os.utime(box / name, (time.time() - days * 86400,) * 2)
    values = {"folder": str(box), "days": 30}
    verdict = prove(there.sop("clean-old-files"), values, attempt=there.attempt)
    outcome = verdict.cases[0].outcome
    assert verdict.passed and outcome, verdict.reason
    assert outcome.produced == {f"{box}/a": "gone", f"{box}/b": "gone"}
    assert "2 files" in outcome.result
    assert sorted(path.name for path in box.iterdir()) == ["a", "b", "c"]
    assert not list((home / "trash").iterdir())


@pytest.mark.parametrize("effects", ["external", "destructive"])
def test_an_effect_that_cannot_be_undone_is_not_tried(shelf: Shelf, effects: str) -> None:
    shelf.put(OUTSIDE.replace("EFFECTS", effects), folder=shelf.folders[0])
    verdict = shelf.verify()
    assert not verdict.passed and verdict.status_after == "draft"
    assert "runs that you confirm" in verdict.reason


def _verify_in_process(home: str, values: dict[str, str], queue: Any) -> None:
    there, store = agent(Path(home), None), SopChanges(Path(home), SEEDS)
    verdict = verify(there.sop("fruit"), values, attempt=there.attempt, store=store)
    queue.put((verdict.status_after, verdict.passed, verdict.reason))


def test_two_processes_may_verify_at_once(shelf: Shelf) -> None:
    one, two = shelf.folders
    shelf.put(LIST_INTO, folder=one, word="apple")
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    given = [(str(shelf.home), {"folder": str(two), "word": w}, queue) for w in ("plum", "kiwi")]
    workers = [context.Process(target=_verify_in_process, args=args) for args in given]
    for worker in workers:
        worker.start()
    found = [queue.get(timeout=PATIENCE_SECONDS) for _ in workers]
    for worker in workers:
        worker.join()
    assert [(status, passed) for status, passed, _ in found] == [("probation", True)] * 2, found
    words = {case.parameters["word"] for case in read_cases(shelf.home / "sops" / "fruit")}
    assert words == {"apple", "plum", "kiwi"}


def test_steps_of_shell_that_make_files_are_proven_and_become_one_script(shelf: Shelf) -> None:
    one, two = shelf.folders
    shelf.put(MAKES, folder=one)
    assert shelf.verify(folder=two).status_after == "probation"
    ground = Ground.of([shelf.home.parent], shelf.home, one)
    shelf.there.sops.reload()
    lesson = turned(shelf.there.sop("fruit"), ground)
    assert lesson is not None and lesson.status() == "probation"
    sop, _ = stored(shelf.there, lesson, "probation", "turned")
    assert sop.procedure is not None and sop.procedure.steps[0].is_staged
    assert sop.procedure.steps[0].expect["changes"] == {"new": ["{{folder}}/list.txt"]}
    assert shelf.verify().passed and not (two / "list.txt").exists()
