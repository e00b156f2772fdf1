"""Check what a replay is stopped by before it writes: an uncovered request, a world
that cannot take it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from handler import Owner
from memory.sops.changing import SopChanges
from models.base import Event
from runs.assemble import SEEDS, Options
from runs.control.bounds import AbsentOwner, ApprovingOwner
from tests.driving import agent, drive, of
from tests.rows import cases

SKILL = (
    "---\nname: {name}\ndescription: test\nmetadata: {{sopwith-status: active}}\n---\n\nDo it.\n"
)
WRITE = """\
parameters: {type: object, properties: {folder: {type: string, format: path}}, required: [folder]}
effects: local
plan:
  - {tool: code_run, args: {type: bash, script: 'ls "$folder"'}, expect: {exit_code: 0}, save: {found: lines}}
commit:
  - {tool: file_write, args: {path: "{{folder}}/list.txt", content: "{{found | lines}}", mode: overwrite}}
result: done
checks: [{command: 'test -f "$folder/list.txt"'}]
"""


def _run(
    home: Path,
    steps: str,
    parameters: dict[str, Any],
    evidence: dict[str, Any] | None = None,
    owner: Owner | None = None,
) -> list[Event]:
    """Return the SOP run by rote through the whole agent; the owner allows what is asked."""
    there = agent(home, None)
    files = {"SKILL.md": SKILL.format(name="demo"), "sop.yaml": steps}
    if evidence is not None:
        files["evidence.json"] = json.dumps(evidence)
    SopChanges(home, SEEDS).write("demo", files, reason="test")
    there.sops.reload()
    return drive(
        there.run_sop("demo", parameters, Options(), ApprovingOwner(owner or AbsentOwner()))
    )


def _stop(events: list[Event]) -> tuple[str, str, str]:
    """Step, kind and reason of a replay that stopped."""
    stopped = [event for event in of(events, "rote") if event["state"] == "diverged"]
    assert len(stopped) == 1, events[-1]
    return stopped[0]["step"], stopped[0]["kind"], stopped[0]["reason"]


def _wrote(events: list[Event]) -> bool:
    return any(
        event["step"].startswith("commit") and event["state"] == "started"
        for event in of(events, "rote")
    )


@pytest.fixture
def box(tmp_path: Path) -> Path:
    folder = tmp_path / "owner" / "box"
    folder.mkdir()
    (folder / "a").write_text("a", "utf-8")
    return folder


REPORTED = """\
parameters: {type: object, properties: {folder: {type: string, format: path}}, required: [folder]}
effects: local
plan:
  - {tool: code_run, args: {type: bash, script: 'cat "$folder/report.json"'}, expect: {exit_code: 0, matches: '"version": 1'}, save: {names: json.items, count: json.total}}
commit:
  - {tool: file_write, args: {path: "{{folder}}/list.txt", content: "{{names | lines}}", mode: overwrite}}
result: done
"""


@cases
def test_output_that_changed_is_caught_before_a_write(
    home: Path, box: Path, report: Any, blamed: str, says: str
) -> None:
    if report is not None:
        (box / "report.json").write_text(json.dumps(report), "utf-8")
    _, kind, reason = _stop(events := _run(home, REPORTED, {"folder": str(box)}))
    assert (
        (says in reason, kind) == (True, blamed)
        and not _wrote(events)
        and not (box / "list.txt").exists()
    )


def test_a_plan_may_not_write(home: Path, box: Path) -> None:
    steps = WRITE.replace(
        "plan:\n", 'plan:\n  - {tool: file_write, args: {path: "{{folder}}/x", content: x}}\n'
    )
    _, _, reason = _stop(events := _run(home, steps, {"folder": str(box)}))
    assert (
        "a plan only reads" in reason
        and not (box / "x").exists()
        and not of(events, "tool_started")
    )


def test_a_file_that_went_away_after_the_plan_stops_all_writes(home: Path, box: Path) -> None:
    steps = """\
parameters: {type: object, properties: {folder: {type: string, format: path}}, required: [folder]}
effects: local
plan:
  - {tool: code_run, args: {type: bash, script: 'ls -d "$folder"/*'}, save: {found: lines}}
  - {tool: code_run, args: {type: bash, script: 'rm "$folder/a"'}}
commit:
  - {tool: file_write, args: {path: "{{folder}}/list.txt", content: x}}
  - {tool: file_trash, args: {paths: "{{found}}"}}
result: done
"""
    (box / "b").write_text("b", "utf-8")
    step, kind, reason = _stop(_run(home, steps, {"folder": str(box)}))
    assert (step, kind) == ("commit.1", "world") and f"there is no {box}/a" in reason
    assert (box / "b").exists() and not (box / "list.txt").exists()


def test_room_for_all_writes_is_looked_for_before_the_first(
    home: Path, box: Path, small_disk: Path
) -> None:
    big = "x" * 1_500_000
    steps = """\
parameters: {type: object, properties: {folder: {type: string, format: path}, text: {type: string, format: path}}}
effects: local
plan:
  - {tool: code_run, args: {type: bash, script: 'cat "$text"'}, save: {found: output}}
commit:
  - {tool: file_write, args: {path: "{{folder}}/1", content: "{{found}}"}}
  - {tool: file_write, args: {path: "{{folder}}/2", content: "{{found}}"}}
  - {tool: file_write, args: {path: "{{folder}}/3", content: "{{found}}"}}
result: done
"""
    (box / "big").write_text(big, "utf-8")
    _, kind, reason = _stop(
        _run(home, steps, {"folder": str(small_disk), "text": str(box / "big")})
    )
    assert (
        kind == "world"
        and "bytes free" in reason
        and [each.name for each in small_disk.iterdir()] in ([], [".sopwith-undo"])
    )


THREE = WRITE.replace(
    "commit:", "  - {tool: code_run, args: {type: bash, script: 'sleep 0.3'}}\n" * 2 + "commit:"
)


@cases
def test_a_plan_that_took_too_much_stops_before_the_first_write(
    home: Path,
    box: Path,
    budget: Any,
    more_seconds: float,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("learning.guards.SECONDS_MORE", more_seconds)
    events = _run(home, THREE, {"folder": str(box)}, {"budget": budget})
    assert _wrote(events) is not bool(reason)
    if reason:
        step, kind, said = _stop(events)
        assert (step, kind, re.sub(r"^\d+ s,", "1 s,", said)) == ("commit.1", "budget", reason)
