"""Check what becomes of an SOP after its runs: promoted, repaired, rolled back, suspended. Real
runs, real replays, real history."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from handler import Approval
from learning.calls import induce
from learning.cases import Case
from learning.repair import after_run, judge
from learning.verify import verify
from memory.logs import read_events
from memory.sops import Sop, Status, read_sop
from memory.sops.changing import SopChanges
from memory.sops.curve import SopStats
from models.base import Event
from runs.assemble import SEEDS, Options
from runs.control.bounds import AbsentOwner, ApprovingOwner
from tests.driving import SpokenOwner, agent, bash, drive, of
from tests.rows import cases

SKILL = "---\nname: {name}\ndescription: Counts words\n{front}---\n\nDo it.\n\n## Known failures\n\n- None yet.\n"
COUNT = """\
parameters: {type: object, properties: {folder: {type: string, format: path}, word: {type: string}}, required: [folder, word]}
wordings: ["count {word} in {folder}"]
effects: local
plan:
  - tool: code_run
    args: {type: bash, script: 'cd "$folder" && cat notes.txt | grep -c -- "$word"'}
    expect: {exit_code: 0}
    save: {count: output}
commit:
  - {tool: file_write, args: {path: "{{folder}}/count.txt", content: "{{count}}", mode: overwrite}}
result: "{{count}} lines with {{word}}"
checks: [{command: 'test -s "$folder/count.txt"'}]
"""
BROKEN = COUNT.replace("grep -c", "grep -c --no-such-option")


class Desk:
    """An agent, its store and what the tests do with them."""

    def __init__(self, home: Path, tmp_path: Path, replies: Any = None) -> None:
        self.home, self.there = home, agent(home, replies)
        self.changes = SopChanges(home, SEEDS)
        self.folders = [tmp_path / "owner" / name for name in ("one", "two", "three")]
        for number, folder in enumerate(self.folders, 1):
            folder.mkdir(exist_ok=True)
            (folder / "notes.txt").write_text("tea\n" * number + "milk\n" * 5, "utf-8")

    def sop(self) -> Sop:
        return read_sop(self.home / "sops" / "count", False)

    def store(self, steps: str, status: Status, *, learned: bool = True, front: str = "") -> Sop:
        files = {"SKILL.md": SKILL.format(name="count", front=front), "sop.yaml": steps}
        proven = Case("case-1", {"folder": str(self.folders[0]), "word": "tea"})
        files |= proven.files()
        if learned:
            files["evidence.json"] = json.dumps({"runs": [{"run": "20260101-000000-abcd"}]})
        return self.changes.write("count", files, reason="taught", status=status)

    def run(
        self, number: int = 0, word: str = "tea", owner: Any = None
    ) -> tuple[list[Event], list[Event]]:
        """One run of the SOP, and what was learned from it."""
        self.there.sops.reload()
        run = self.there.run_sop(
            "count",
            {"folder": str(self.folders[number]), "word": word},
            Options(),
            owner or ApprovingOwner(AbsentOwner()),
        )
        seen = drive(run)
        return list(read_events(self.home, run.id)), of(seen, "learned")

    def after(self, run: str, **more: Any) -> list[Event]:
        return after_run(
            list(read_events(self.home, run)),
            sops=self.there.sops,
            store=self.changes,
            stats=SopStats(self.home),
            attempt=self.there.attempt,
            **more,
        )


@pytest.fixture
def desk(home: Path, tmp_path: Path) -> Desk:
    return Desk(home, tmp_path)


def test_three_clean_runs_make_it_active(desk: Desk) -> None:
    desk.store(COUNT, "probation")
    for number in (0, 1):
        events, learned = desk.run(number)
        assert events[-1]["status"] == "done" and learned == [] and desk.sop().status == "probation"
    _, learned = desk.run(2)
    assert [
        (event["type"], event["what"], event["name"], event["status"]) for event in learned
    ] == [("learned", "sop", "count", "active")]
    assert desk.sop().status == "active" and desk.changes.history("count")[0].reason.startswith(
        "3 clean runs"
    )


def test_a_new_version_that_fails_its_first_use_is_rolled_back(desk: Desk) -> None:
    desk.store(COUNT, "active")
    desk.store(BROKEN, "active")
    events, learned = desk.run()
    assert events[-1]["status"] == "failed"
    assert learned[0]["status"] == "active" and "rolled back to version 1" in learned[0]["reason"]
    assert desk.sop().version == 3 and "notes.txt" in (desk.sop().folder / "sop.yaml").read_text(
        "utf-8"
    )
    assert desk.changes.history("count")[0].restores == 1
    assert desk.run()[0][-1]["status"] == "done"


@pytest.mark.parametrize(
    ("steps", "number", "word"),
    [
        (COUNT, 0, "coffee"),  # a value that never went well: grep finds none
        (COUNT.replace("notes.txt", "gone.txt"), 0, "tea"),  # a file that is not there
        (COUNT.replace("cat notes.txt |", "exit 66;"), 0, "tea"),  # it refuses its input itself
    ],
)
def test_what_the_input_or_the_world_is_to_blame_for_never_retires_it(
    desk: Desk, steps: str, number: int, word: str
) -> None:
    desk.store(steps, "active")
    for _ in range(3):
        events, learned = desk.run(number, word)
        assert events[-1]["status"] == "failed" and learned == []
    assert desk.sop().status == "active"


def test_without_an_older_version_two_failures_in_a_row_suspend_it(desk: Desk) -> None:
    desk.store(BROKEN, "active")
    assert desk.run()[1] == [] and desk.sop().status == "active"
    _, learned = desk.run()
    assert learned[0]["status"] == "suspended" and "2 failures in a row" in learned[0]["reason"]
    sop = desk.sop()
    assert sop.status == "suspended" and not sop.runs_alone
    body = sop.body("en")
    assert "version 1 was suspended: 2 failures in a row" in body and "None yet" not in body
    assert (sop.folder / "sop.yaml").exists() and desk.changes.history("count")[
        0
    ].status == "suspended"


def test_three_failures_of_the_last_ten_retire_it(desk: Desk) -> None:
    desk.store(COUNT, "active")
    outcomes = []
    for number in range(5):
        notes = desk.folders[0] / "notes.txt"
        notes.write_text(
            "tea\n" if number % 2 else "milk\n", "utf-8"
        )  # grep finds nothing: exit code 1
        outcomes.append([event["status"] for event in desk.run()[1]])
    assert outcomes == [[], [], [], [], ["suspended"]]
    assert "3 failures in the last 5 runs" in desk.sop().body("en")


@cases
def test_the_owners_own_sop_is_never_changed_unasked(desk: Desk, learned: bool, front: str) -> None:
    desk.store(BROKEN, "active", learned=learned, front=front)
    before = {path: path.read_bytes() for path in desk.sop().folder.rglob("*") if path.is_file()}
    desk.run()
    _, events = desk.run()
    assert [event["status"] for event in events] == ["proposed"] and "suspend it" in events[0][
        "reason"
    ]
    assert {
        path: path.read_bytes() for path in desk.sop().folder.rglob("*") if path.is_file()
    } == before


WIPE = """\
parameters: {type: object, properties: {folder: {type: string, format: path}, word: {type: string}}, required: [folder, word]}
effects: destructive
plan: [{tool: code_run, args: {type: bash, script: 'grep -c "$word" "$folder/notes.txt"'}, save: {n: output}}]
commit: [{tool: code_run, args: {type: bash, script: 'rm -r "$folder"'}, expect: {exit_code: 0}}]
result: "{{n}} lines gone"
checks: [{command: 'test ! -e "$folder"'}]
"""


@pytest.mark.parametrize(
    ("learned", "front"),
    [(True, ""), (False, 'metadata: {sopwith-source: "https://example.org/sops"}\n')],
)
def test_what_cannot_be_replayed_earns_its_status_in_runs_that_the_owner_confirms(
    desk: Desk, learned: bool, front: str
) -> None:
    desk.store(WIPE, "draft", learned=learned, front=front)
    assert desk.run(2)[1] == [] and desk.sop().status == "draft"  # --approve all: nobody looked
    for number, word, status in ((0, "tea", "candidate"), (1, "milk", "probation")):
        _, moved = desk.run(number, word, SpokenOwner(approvals=[Approval("once")]))
        assert [event["status"] for event in moved] == [status]
    assert desk.sop().status == "probation"


def test_a_repair_by_a_model_becomes_a_new_version_when_all_cases_pass(
    home: Path, tmp_path: Path
) -> None:
    desk = Desk(home, tmp_path)
    one, two, three = desk.folders
    desk.store(COUNT, "draft")
    for folder, word in ((one, "tea"), (two, "milk")):
        verify(
            desk.sop(),
            {"folder": str(folder), "word": word},
            attempt=desk.there.attempt,
            store=desk.changes,
        )
    assert desk.sop().status == "probation"
    mended = COUNT.replace('cat notes.txt | grep -c -- "$word"', 'cat notes.* | grep -c -- "$word"')
    (three / "notes.txt").rename(three / "notes.md")
    replies = [
        bash(f"cd {three} && cat notes.md | grep -c tea"),
        bash(f"echo 3 > {three}/count.txt"),
        {"text": "3 lines with tea"},
    ]
    desk.there = agent(home, replies)
    events, _ = desk.run(2)
    assert events[-1]["status"] == "done" and not events[-1]["rote"]

    def mend(traces: Any, name: str, values: Any) -> Any:
        draft = induce([traces], name, wanted=values)
        return replace(draft, files={**draft.files, "sop.yaml": mended}, problems=[])

    learned = desk.after(events[0]["run"], crystallise=mend)
    assert [event["status"] for event in learned] == ["probation"], learned
    sop = desk.sop()
    assert "notes.*" in (sop.folder / "sop.yaml").read_text("utf-8")
    assert len(list((sop.folder / "cases").glob("*.yaml"))) == 3
    assert desk.changes.history("count")[0].run == events[0]["run"]


def test_a_repair_of_the_owners_own_sop_is_shown_as_a_diff_and_not_made(desk: Desk) -> None:
    desk.store(COUNT, "probation", front="metadata: {sopwith-author: owner}\n")
    folder = desk.folders[2]
    (folder / "notes.txt").rename(folder / "notes.md")
    replies = [
        bash(f"cd {folder} && cat notes.md | grep -c tea"),
        bash(f"echo 3 > {folder}/count.txt"),
        {"text": "3 lines with tea"},
    ]
    desk.there = agent(desk.home, replies)
    events, _ = desk.run(2)
    assert events[-1]["status"] == "done" and not events[-1]["rote"]
    before = {path: path.read_bytes() for path in desk.sop().folder.rglob("*") if path.is_file()}

    def mend(traces: Any, name: str, values: Any) -> Any:
        draft = induce([traces], name, wanted=values)
        files = {**draft.files, "sop.yaml": COUNT.replace("notes.txt", "notes.md")}
        return replace(draft, files=files, problems=[])

    [proposed] = desk.after(events[0]["run"], crystallise=mend)
    assert (proposed["name"], proposed["status"]) == ("count", "proposed")
    changed = [
        line for line in proposed["diff"].splitlines() if line[0] in "+-" and "notes." in line
    ]
    assert [(line[0], "notes.md" in line) for line in changed] == [("-", False), ("+", True)]
    assert "evidence" not in proposed["diff"]
    assert {
        path: path.read_bytes() for path in desk.sop().folder.rglob("*") if path.is_file()
    } == before


def test_a_world_that_is_not_ready_is_not_held_against_it(desk: Desk) -> None:
    desk.store(COUNT.replace("effects:", "requires: {folders: [folder]}\neffects:"), "active")
    desk.folders[0] = desk.folders[0] / "gone"
    for _ in range(3):
        events, learned = desk.run()
        assert judge(events, desk.sop()).kind == "world" and learned == []
    assert desk.sop().status == "active"
