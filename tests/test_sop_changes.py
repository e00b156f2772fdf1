"""The write side of the SOPs on a real disk: whole or not at all, whoever writes, reads, is killed,
or runs out of room."""

import json
import os
import random
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from memory.history import contents_of
from memory.sops import Sop, SopError, SopStore, contract_of, read_sop
from memory.sops.changing import SopChanges, SopConflict
from tests.conftest import CHECKOUT

KILLS = 30
SKILL = "---\nname: {name} # ours\ndescription: number {number}\n---\n\nNumber {number}.\n"
STEPS = """parameters: {{type: object, properties: {{n: {{type: integer, default: {number}}}}}}}
plan:
  - {{tool: code_run, args: {{type: python, script: {{file: scripts/run.py}}}}}}
result: "{number}"
"""
WRITER = """
import sys
from pathlib import Path
from memory.sops.changing import SopChanges
from tests.test_sop_changes import files
changes = SopChanges(Path(sys.argv[1]), Path(sys.argv[1]) / "seeds")
first, times, name = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
for number in range(first, first + times):
    print(number, changes.write(name, files(name, number), reason=f"number {number}").version, flush=True)
"""


def files(name: str, number: int) -> dict[str, str | bytes]:
    """Return an SOP all of whose files say the same number."""
    return {
        "SKILL.md": SKILL.format(name=name, number=number),
        "sop.yaml": STEPS.format(number=number),
        "scripts/run.py": f"#!/usr/bin/env python3\nprint({number})\n",
        "evidence.json": json.dumps({"runs": [{"run": "20261121-222220-3f9a", "turns": [number]}]}),
        "references/trace-1.jsonl": f"{number}\n" * 2000,
    }


def numbers(sop: Sop) -> set[int]:
    """Return the numbers that what was read of an SOP says: one, when it was read whole."""
    assert sop.problem is None and sop.procedure is not None
    script = str(sop.procedure.steps[0].args["script"])
    said = [
        sop.description.removeprefix("number "),
        sop.procedure.result["en"],
        script.split("(")[1].strip(")\n"),
    ]
    return {int(text) for text in said}


@pytest.fixture
def changes(home: Path) -> SopChanges:
    home.mkdir(parents=True)
    return SopChanges(home, home.parent / "seeds")


def seed(home: Path, name: str, number: int = 0) -> Path:
    folder = home.parent / "seeds" / name
    for path, text in files(name, number).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(str(text), "utf-8")
    return folder


def leftovers(home: Path) -> list[str]:
    return [entry.name for entry in (home / "sops").iterdir() if entry.name.startswith(".new-")]


def test_a_new_sop_is_version_1_with_its_contract(home: Path, changes: SopChanges) -> None:
    sop = changes.write(
        "old-files", files("old-files", 1), reason="taught", run="20261121-222220-3f9a"
    )
    assert (sop.version, sop.status, sop.folder) == (1, "draft", home / "sops/old-files")
    assert sop.metadata["sopwith-contract"] == contract_of(sop.folder)
    assert (sop.folder / "scripts/run.py").stat().st_mode & 0o111
    assert "name: old-files # ours\n" in (sop.folder / "SKILL.md").read_text("utf-8")
    assert {
        path: content.data
        for path, content in contents_of(sop.folder).items()
        if path != "SKILL.md"
    } == {
        path: str(text).encode()
        for path, text in files("old-files", 1).items()
        if path != "SKILL.md"
    }
    assert leftovers(home) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"SKILL.md": "no front matter"}, "front matter"),
        ({"SKILL.md": "---\nname: other\ndescription: d\n---\n"}, "name"),
        ({"SKILL.md": "---\nname: [x\n---\n"}, "not YAML"),
        ({"SKILL.md": b"---\nname: x\ndescription: \xff\n---\n"}, "UTF-8"),
        (
            {"SKILL.md": "---\nname: x\ndescription: d\nmetadata: {sopwith-status: great}\n---\n"},
            "great",
        ),
        ({"sop.yaml": "plan: [\n"}, r"sop\.yaml:\d"),
        (
            {"sop.yaml": "plan: [{tool: code_run, args: {script: {file: scripts/gone.py}}}]\n"},
            "gone",
        ),
        ({"../x": "1"}, "no path"),
        ({"/etc/x": "1"}, "no path"),
        ({"a//b": "1"}, "no path"),
        ({"a\nb": "1"}, "no path"),
        ({"scripts": "1"}, "both a file and a folder"),
        ({"a.md": "\ud800"}, "half a character"),
        ({"big.bin": b"x" * 50_000_001}, "at most"),
        ({"x" * 300: "1"}, "longer than 200"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_the_store_is_as_it_was(
    home: Path, changes: SopChanges, change: dict[str, str | bytes], message: str
) -> None:
    changes.write("x", files("x", 1), reason="taught")
    before = contents_of(home / "sops/x")
    with pytest.raises(SopError, match=f"(?i){message}") as error:
        changes.write("x", {**files("x", 2), **change}, reason="wrong")
    assert ".new-" not in str(error.value)
    assert contents_of(home / "sops/x") == before
    assert leftovers(home) == []
    assert len(changes.history("x")) == 1


def test_a_change_built_on_an_older_version_is_a_conflict(changes: SopChanges) -> None:
    changes.write("x", files("x", 1), reason="taught", expects_version=0)
    changes.write("x", files("x", 2), reason="taught", expects_version=1)
    for expected in (0, 1, 3):
        with pytest.raises(SopConflict, match="version 2"):
            changes.write("x", files("x", 3), reason="late", expects_version=expected)
    assert changes.write("x", files("x", 3), reason="in time", expects_version=2).version == 3


# seeds


def test_changing_a_seed_makes_a_copy_that_shadows_it(home: Path, changes: SopChanges) -> None:
    folder = seed(home, "x")
    before = contents_of(folder)
    sop = changes.write("x", files("x", 1), reason="learned more", expects_version=1)
    assert sop.version == 2 and not sop.is_seed
    assert contents_of(folder) == before
    found = SopStore(home.parent / "seeds", home / "sops").get("x")
    assert found is not None and numbers(found) == {1}
    assert numbers(changes.rollback("x")) == {0}  # the seed's own files are in the history
    assert [entry.version for entry in changes.history("x")] == [3, 2, 1]


# rollback and hand edits


def test_a_rollback_is_a_new_version_with_the_older_files(changes: SopChanges) -> None:
    for number in (1, 2, 3):
        changes.write("x", files("x", number), reason=f"number {number}")
    changes.set_status("x", "active", "proven")
    sop = changes.rollback("x", reason="failed its first use", run="r9")
    assert (sop.version, sop.status, numbers(sop)) == (4, "draft", {2})
    newest = changes.history("x")[0]
    assert (newest.restores, newest.reason, newest.run) == (2, "failed its first use", "r9")
    assert numbers(changes.rollback("x")) == {1}  # further back, not to what was left
    assert numbers(changes.rollback("x", to=3)) == {3}
    assert changes.history("x")[0].status == "active"
    assert [entry.version for entry in changes.history("x")] == [6, 5, 4, 3, 3, 2, 1]


# crashes


def test_killed_at_any_moment_the_old_or_the_new_is_there(home: Path, changes: SopChanges) -> None:
    """Kill a writer again and again, half of the times with its git; look at the store after
    each."""
    number, dice = 1, random.Random(3)
    for kill in range(KILLS):
        command = [sys.executable, "-c", WRITER, str(home), str(number), "100000", "x"]
        writer = subprocess.Popen(command, cwd=CHECKOUT, stdout=subprocess.PIPE, process_group=0)
        assert writer.stdout is not None
        said = writer.stdout.readline()
        time.sleep(dice.uniform(0, 0.4))
        if kill % 2:
            os.killpg(writer.pid, signal.SIGKILL)
        writer.kill()
        said += writer.communicate()[0]
        sop = read_sop(home / "sops/x", False)
        last, version = (int(word) for word in said[: said.rindex(b"\n")].split(b"\n")[-1].split())
        [found] = numbers(sop)  # read whole
        assert sop.version >= version and found >= last, "what was acknowledged is lost"
        number = last + 2
    final = changes.write("x", files("x", 0), reason="afterwards")
    assert [entry.version for entry in changes.history("x")] == list(range(final.version, 0, -1))
    assert leftovers(home) == []


# export


def test_an_export_holds_the_sop_and_nothing_else(
    home: Path, changes: SopChanges, tmp_path: Path
) -> None:
    sop = changes.write("x", {**files("x", 1), "assets/empty": ""}, reason="one")
    (sop.folder / ".env").write_text("TOKEN=1")
    (sop.folder / "scripts/__pycache__").mkdir()
    (sop.folder / "scripts/__pycache__/run.pyc").write_bytes(b"x")
    (sop.folder / "out").symlink_to("/etc/passwd")
    (sop.folder / "also.md").symlink_to("SKILL.md")
    made = changes.export("x", tmp_path / "folder")
    assert made == tmp_path / "folder/x" and numbers(read_sop(made, False)) == {1}
    assert sorted(contents_of(made)) == sorted([*files("x", 1), "also.md", "assets/empty"])
    assert str(home) not in "".join(content.data.decode() for content in contents_of(made).values())
    archives = [changes.export("x", tmp_path / f"{number}.zip") for number in (1, 2)]
    assert archives[0].read_bytes() == archives[1].read_bytes()
    with zipfile.ZipFile(archives[0]) as archive:
        assert archive.namelist() == [f"x/{path}" for path in sorted(contents_of(made))]
        assert "20261121-222220-3f9a" in archive.read("x/evidence.json").decode()


def test_what_was_edited_by_hand_has_lost_its_proof_until_it_is_taken_back(
    home: Path, changes: SopChanges
) -> None:
    changes.write("x", files("x", 1), reason="one", status="active")
    script = home / "sops/x/scripts/run.py"
    proven = script.read_text("utf-8")
    script.write_text("print(99)\n", "utf-8")
    sop = SopStore(home / "none", home / "sops").get("x")
    assert (
        sop
        and sop.is_edited
        and sop.status == "draft"
        and not sop.runs_alone
        and sop.was == "active"
    )
    back = changes.rollback("x", to=1)
    assert (back.status, back.is_edited, script.read_text("utf-8")) == ("active", False, proven)
    assert changes.history("x")[1].reason == "edited by hand"  # and what was edited is not lost
