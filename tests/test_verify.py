"""How an SOP earns its status: real replays in scratch copies, through loop, handler, gate and run log."""

from __future__ import annotations

import multiprocessing
import os
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from learning.cases import read_cases
from learning.scratch import MAX_BYTES, ScratchError, scratch_copy
from learning.verify import ReplayResult, Verdict, prove, verify
from memory.logs import run_ids
from memory.sops import Sop
from memory.sops.changing import SopChanges
from runs.assemble import SEEDS, Agent
from tests.driving import agent
from tests.machine import PATIENCE_SECONDS

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
CASE = "parameters: {{folder: {folder}, word: {word}}}\n"


def _store(
    home: Path, name: str, steps: str, cases: dict[str, str] | None = None
) -> tuple[Agent, SopChanges, Sop]:
    there = agent(home, None)
    changes = SopChanges(home, SEEDS)
    sop = changes.write(
        name,
        {"SKILL.md": SKILL.format(name=name), "sop.yaml": steps, **(cases or {})},
        reason="taught",
    )
    return there, changes, sop


def _again(
    there: Agent, changes: SopChanges, name: str, values: dict[str, Any] | None = None
) -> Verdict:
    there.sops.reload()
    return verify(there.sop(name), values, replay=there.replay, store=changes)


@pytest.fixture
def boxes(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders with other files in them."""
    for name, files in (
        ("one", ("apple", "apple pie", "pear")),
        ("two", ("plum", "cherry plum", "kiwi")),
    ):
        (tmp_path / "owner" / name).mkdir()
        for file in files:
            (tmp_path / "owner" / name / file).write_text(file, "utf-8")
    return tmp_path / "owner" / "one", tmp_path / "owner" / "two"


def test_the_way_from_draft_to_probation(home: Path, boxes: tuple[Path, Path]) -> None:
    one, two = boxes
    there, changes, sop = _store(
        home, "list-into", LIST_INTO, {"cases/case-1.yaml": CASE.format(folder=one, word="apple")}
    )
    assert sop.status == "draft"
    first = verify(sop, None, replay=there.replay, store=changes)
    assert (first.status_before, first.status_after, first.passed) == ("draft", "candidate", True)
    second = _again(there, changes, "list-into", {"folder": str(two), "word": "plum"})
    assert (second.status_after, second.passed) == ("probation", True), second.reason
    there.sops.reload()
    stored = there.sop("list-into")
    assert stored.status == "probation" and stored.runs_alone
    known = read_cases(stored.folder)
    assert [case.name for case in known] == ["case-1", "case-2"]
    assert known[1].expect["result"] == "2 files with plum: cherry plum, plum"
    assert list(known[1].expect["produced"]) == [f"{two}/list.txt"] and known[1].expect[
        "steps"
    ] == ["ok", "ok", "ok"]
    assert not (one / "list.txt").exists() and not (two / "list.txt").exists()
    assert [entry.status for entry in changes.history("list-into")][:3] == [
        "probation",
        "candidate",
        "draft",
    ]
    assert changes.history("list-into")[0].run in run_ids(home)


@pytest.mark.parametrize(
    ("expect", "says"),
    [
        ("{status: failed}", "status: expected"),
        ("{result: '9 files with apple'}", "result: expected"),
        ("{status: done}", ""),
    ],
)
def test_a_case_written_by_hand_must_hold_as_it_stands(
    home: Path, boxes: tuple[Path, Path], expect: str, says: str
) -> None:
    case = CASE.format(folder=boxes[0], word="apple") + f"expect: {expect}\n"
    there, changes, sop = _store(home, "list-into", LIST_INTO, {"cases/case-1.yaml": case})
    [tried] = verify(sop, None, replay=there.replay, store=changes).cases
    assert tried.passed is not bool(says) and tried.reason.startswith(says), tried.reason
    written = (home / "sops/list-into/cases/case-1.yaml").read_text("utf-8")
    assert (written == case) is bool(says)


def test_cases_pass_on_another_day_when_the_inputs_are_gone(
    home: Path, boxes: tuple[Path, Path]
) -> None:
    one, two = boxes
    there, changes, sop = _store(
        home, "list-into", LIST_INTO, {"cases/case-1.yaml": CASE.format(folder=one, word="apple")}
    )
    verify(sop, {"folder": str(two), "word": "plum"}, replay=there.replay, store=changes)
    for path in one.iterdir():
        path.unlink()
    one.rmdir()
    again = _again(there, changes, "list-into")
    assert again.passed and [result.passed for result in again.cases] == [True, True]
    assert again.status_after == "probation"


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"word": "apple"}, "word is the same as in the first set"),
        ({"word": "pear", "folder": "one"}, "folder is the same as in the first set"),
    ],
)
def test_a_second_set_must_differ_in_every_value(
    home: Path, boxes: tuple[Path, Path], values: dict[str, str], says: str
) -> None:
    one, two = boxes
    there, changes, sop = _store(
        home, "list-into", LIST_INTO, {"cases/case-1.yaml": CASE.format(folder=one, word="apple")}
    )
    given = {"folder": str(two), **values}
    given["folder"] = str(one) if given["folder"] == "one" else given["folder"]
    verdict = verify(sop, given, replay=there.replay, store=changes)
    assert verdict.status_after == "candidate" and says in verdict.reason
    there.sops.reload()
    assert len(read_cases(there.sop("list-into").folder)) == 1


def test_a_second_set_with_the_same_outcome_proves_nothing(
    home: Path, boxes: tuple[Path, Path]
) -> None:
    one, two = boxes
    there, changes, sop = _store(
        home, "list-into", LIST_INTO, {"cases/case-1.yaml": CASE.format(folder=one, word="xyz")}
    )
    verdict = verify(sop, {"folder": str(two), "word": "quark"}, replay=there.replay, store=changes)
    assert verdict.status_after == "candidate" and "proves nothing" in verdict.reason


def test_an_sop_that_ignores_its_parameters_is_not_proven(
    home: Path, boxes: tuple[Path, Path]
) -> None:
    one, two = boxes
    steps = "parameters: {type: object, properties: {folder: {type: string, format: path}}, required: [folder]}\nplan: [{tool: code_run, args: {type: bash, script: 'echo 3 files'}, save: {n: output}}]\nresult: '{{n}} in {{folder}}'\n"
    there, changes, sop = _store(
        home, "count", steps, {"cases/case-1.yaml": f"parameters: {{folder: {one}}}\n"}
    )
    verdict = verify(sop, {"folder": str(two)}, replay=there.replay, store=changes)
    assert verdict.status_after == "candidate" and "proves nothing" in verdict.reason


def test_what_changes_something_unchecked_stays_a_candidate(
    home: Path, boxes: tuple[Path, Path]
) -> None:
    one, two = boxes
    steps = LIST_INTO[: LIST_INTO.index("checks:")]
    there, changes, sop = _store(
        home, "list-into", steps, {"cases/case-1.yaml": CASE.format(folder=one, word="apple")}
    )
    verdict = verify(sop, {"folder": str(two), "word": "plum"}, replay=there.replay, store=changes)
    assert verdict.status_after == "candidate" and "no check looks at it" in verdict.reason


def test_a_check_that_holds_before_the_change_proves_nothing(
    home: Path, boxes: tuple[Path, Path]
) -> None:
    one, two = boxes
    weak = re.sub(r"(?s)checks:.*", "checks:\n- {command: 'test -d \"$folder\"'}\n", LIST_INTO)
    assert weak != LIST_INTO
    there, changes, _ = _store(
        home, "list-into", weak, {"cases/case-1.yaml": CASE.format(folder=one, word="apple")}
    )
    verdict = _again(there, changes, "list-into", {"folder": str(two), "word": "plum"})
    assert verdict.status_after == "candidate" and "prove nothing" in verdict.reason


def test_a_failing_check_fails_the_case(home: Path, boxes: tuple[Path, Path]) -> None:
    one, _ = boxes
    steps = LIST_INTO.replace("test -f", "test ! -f")
    there, changes, sop = _store(
        home, "list-into", steps, {"cases/case-1.yaml": CASE.format(folder=one, word="apple")}
    )
    verdict = verify(sop, None, replay=there.replay, store=changes)
    assert not verdict.passed and verdict.status_after == "draft" and "exit code" in verdict.reason
    assert not (one / "list.txt").exists()


def test_a_case_that_fails_takes_the_status_away(home: Path, boxes: tuple[Path, Path]) -> None:
    one, two = boxes
    there, changes, sop = _store(
        home, "list-into", LIST_INTO, {"cases/case-1.yaml": CASE.format(folder=one, word="apple")}
    )
    verify(sop, {"folder": str(two), "word": "plum"}, replay=there.replay, store=changes)
    path = home / "sops" / "list-into" / "sop.yaml"
    path.write_text(path.read_text("utf-8").replace("ls |", "ls | sort -r |"), "utf-8")
    verdict = _again(there, changes, "list-into")
    assert (
        not verdict.passed
        and verdict.status_after == "suspended"
        and "case case-1: result: expected" in verdict.reason
    )
    there.sops.reload()
    assert not there.sop("list-into").runs_alone


OUTSIDE = """\
parameters: {type: object, properties: {folder: {type: string, format: path}}, required: [folder]}
effects: local
plan: [{tool: code_run, args: {type: bash, script: 'ls "$folder"'}, save: {n: lines}}]
commit: [COMMIT]
checks: [{command: 'true'}]
result: done
"""


@pytest.mark.parametrize(
    "commit",
    [
        "{tool: file_write, args: {path: TARGET, content: x}}",
        "{tool: code_run, args: {type: bash, script: 'echo x > TARGET'}}",
        '{tool: code_run, args: {type: python, script: \'open(chr(47).join("TARGET".split("/")), "w").write("x")\'}}',
    ],
)
def test_what_would_write_outside_of_its_copy_never_passes(
    home: Path, boxes: tuple[Path, Path], commit: str
) -> None:
    one, two = boxes
    target = two.parent / "leaked"
    steps = OUTSIDE.replace("COMMIT", commit.replace("TARGET", str(target)))
    there, changes, sop = _store(
        home, "leak", steps, {"cases/case-1.yaml": f"parameters: {{folder: {one}}}\n"}
    )
    verdict = verify(sop, None, replay=there.replay, store=changes)
    assert not verdict.passed and verdict.status_after == "draft"
    if target.exists():  # the gate did not see it: then the listing did
        assert str(target) in verdict.reason
    else:
        assert (
            "was not allowed" in verdict.reason or "got error" in verdict.reason
        )  # the gate, or the sandbox


def test_trash_in_a_copy_leaves_the_real_files_and_the_real_trash_alone(
    home: Path, tmp_path: Path
) -> None:
    there = agent(home, None)
    box = tmp_path / "owner" / "old"
    box.mkdir()
    for name, days in (("a", 50), ("b", 100), ("c", 1)):
        (box / name).write_text(name, "utf-8")
        os.utime(box / name, (time.time() - days * 86400,) * 2)
    verdict = prove(
        there.sop("clean-old-files"), {"folder": str(box), "days": 30}, replay=there.replay
    )
    assert verdict.passed, verdict.reason
    outcome = verdict.cases[0].outcome
    assert (
        outcome
        and outcome.produced == {f"{box}/a": "gone", f"{box}/b": "gone"}
        and "2 files" in outcome.result
    )
    assert sorted(path.name for path in box.iterdir()) == ["a", "b", "c"]
    assert not list((home / "trash").iterdir())


@pytest.mark.parametrize("effects", ["external", "destructive"])
def test_what_cannot_be_undone_is_not_replayed(
    home: Path, boxes: tuple[Path, Path], effects: str
) -> None:
    one, _ = boxes
    steps = OUTSIDE.replace("effects: local", f"effects: {effects}").replace(
        "COMMIT", "{tool: code_run, args: {type: bash, script: 'rm -rf \"$folder\"'}}"
    )
    there, changes, sop = _store(
        home, "wipe", steps, {"cases/case-1.yaml": f"parameters: {{folder: {one}}}\n"}
    )
    before = run_ids(home)
    verdict = verify(sop, None, replay=there.replay, store=changes)
    assert (
        not verdict.passed
        and verdict.status_after == "draft"
        and "runs that you confirm" in verdict.reason
    )
    assert run_ids(home) == before


def test_a_folder_that_is_gone_is_nobodys_fault(home: Path, tmp_path: Path) -> None:
    steps = LIST_INTO.replace("effects:", "requires: {folders: [folder]}\neffects:")
    gone = tmp_path / "owner" / "gone"
    there, changes, sop = _store(
        home, "list-into", steps, {"cases/case-1.yaml": CASE.format(folder=gone, word="a")}
    )
    verdict = verify(sop, None, replay=there.replay, store=changes)
    assert (
        not verdict.passed and verdict.cases[0].passed is None and verdict.status_after == "draft"
    )
    assert "There is no folder" in verdict.reason and str(gone) in verdict.reason


def _verify_in_process(home: str, name: str, values: dict[str, str], queue: Any) -> None:
    there = agent(Path(home), None)
    verdict = verify(
        there.sop(name), values, replay=there.replay, store=SopChanges(Path(home), SEEDS)
    )
    queue.put((verdict.status_after, verdict.passed, verdict.reason))


def test_two_processes_may_verify_at_once(home: Path, boxes: tuple[Path, Path]) -> None:
    one, two = boxes
    _, changes, _ = _store(
        home, "list-into", LIST_INTO, {"cases/case-1.yaml": CASE.format(folder=one, word="apple")}
    )
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    values = [{"folder": str(two), "word": "plum"}, {"folder": str(two), "word": "kiwi"}]
    workers = [
        context.Process(target=_verify_in_process, args=(str(home), "list-into", v, queue))
        for v in values
    ]
    for worker in workers:
        worker.start()
    found = [queue.get(timeout=PATIENCE_SECONDS) for _ in workers]
    for worker in workers:
        worker.join()
    assert [(status, passed) for status, passed, _ in found] == [("probation", True)] * 2, found
    words = {case.parameters["word"] for case in read_cases(home / "sops" / "list-into")}
    assert words == {"apple", "plum", "kiwi"}
    versions = [entry.version for entry in changes.history("list-into")]
    assert versions == sorted(versions, reverse=True)


# scratch copies


PATH = {"folder": {"type": "string", "format": "path"}}


def test_a_copy_keeps_modes_times_and_links_and_lets_none_of_them_out(tmp_path: Path) -> None:
    box, outside = tmp_path / "box", tmp_path / "outside"
    (box / "sub").mkdir(parents=True)
    outside.write_text("real", "utf-8")
    (box / "run.sh").write_text("x", "utf-8")
    (box / "run.sh").chmod(0o750)
    os.utime(box / "run.sh", (1_600_000_000, 1_600_000_000))
    os.link(box / "run.sh", box / "twin")
    (box / "sub" / "inside").symlink_to("../run.sh")
    (box / "out").symlink_to(outside)
    with scratch_copy({"folder": str(box)}, PATH, tmp_path) as copy:
        there = Path(copy.parameters["folder"])
        assert (there / "run.sh").stat().st_mode & 0o777 == 0o750
        assert (there / "run.sh").stat().st_mtime == 1_600_000_000
        assert (there / "sub" / "inside").is_symlink() and (there / "sub" / "inside").read_text(
            "utf-8"
        ) == "x"
        assert (there / "out").is_symlink() and not (there / "out").exists()
        (there / "twin").write_text("changed", "utf-8")
        (there / "new").write_text(f"see {there}/run.sh", "utf-8")
        assert copy.touched() == []
        assert set(copy.produced()) == {str(box / "twin"), str(box / "new")}
        assert copy.back(str(there / "new")) == str(box / "new")
        folder = copy.folder
    assert (box / "twin").read_text("utf-8") == "x" and outside.read_text("utf-8") == "real"
    assert not folder.exists()


def test_what_is_too_large_is_refused_before_the_first_byte(tmp_path: Path) -> None:
    box = tmp_path / "box"
    box.mkdir()
    with (box / "big").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with (
        pytest.raises(ScratchError, match="too large"),
        scratch_copy({"folder": str(box)}, PATH, tmp_path),
    ):
        pass


def test_a_change_beside_the_real_folder_is_seen(tmp_path: Path) -> None:
    box = tmp_path / "box"
    box.mkdir()
    with scratch_copy({"folder": str(box)}, PATH, tmp_path) as copy:
        (tmp_path / "beside").write_text("x", "utf-8")
        (box / "in").write_text("x", "utf-8")
        assert copy.touched() == [str(tmp_path / "beside"), str(box / "in")]


def test_inputs_too_large_to_keep_are_tried_as_they_are_today(
    home: Path, boxes: tuple[Path, Path]
) -> None:
    one, two = boxes
    (one / "apple big").write_text("x" * 300_000, "utf-8")
    there, changes, sop = _store(
        home,
        "list-into",
        LIST_INTO,
        {"cases/case-1.yaml": CASE.format(folder=one, word="apple") + "expect: {status: done}\n"},
    )
    verify(sop, {"folder": str(two), "word": "plum"}, replay=there.replay, store=changes)
    (one / "apple two").write_text("y", "utf-8")
    again = _again(there, changes, "list-into")
    assert again.passed and again.status_after == "probation" and not again.files
    assert [case.fixture is None for case in read_cases(home / "sops" / "list-into")] == [
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("touch", "passed", "says"),
    [
        (
            lambda box, n: (box.parent / "mail.txt").write_text("x") if n == 1 else None,
            None,
            "mail.txt; try again",
        ),
        (
            lambda box, n: (box.parent / f"mail{n}.txt").write_text("x"),
            None,
            "the world changed during the replay",
        ),
        (
            lambda box, n: (box.parent / "mail.txt").write_text(str(n)),
            False,
            "outside the copy changed",
        ),
    ],
)
def test_what_another_program_does_beside_the_copy_is_not_held_against_the_sop(
    touch: Callable[[Path, int], None],
    passed: bool | None,
    says: str,
    home: Path,
    boxes: tuple[Path, Path],
) -> None:
    there, _, sop = _store(
        home,
        "list-into",
        LIST_INTO,
        {"cases/case-1.yaml": CASE.format(folder=boxes[0], word="pear")},
    )
    tries: list[Path] = []

    def replay(tried: Sop, parameters: Mapping[str, Any], cwd: Path, root: Path) -> ReplayResult:
        tries.append(root)
        done = there.replay(tried, parameters, cwd, root)
        touch(boxes[0], len(tries))
        return done

    result = prove(sop, None, replay=replay).cases[0]
    assert result.passed is passed and says in result.reason, result.reason
    assert len(tries) >= 2
