"""A call that names a thing by its id alone: what was read says whether it is the thing that the
request speaks of."""

import json
from pathlib import Path
from typing import Any

import pytest

from config import SafetyConfig
from handler import Approval
from runs.assemble import Options
from safety.calls.record_match import records
from safety.gate import Ask, Gate
from tests.driving import SpokenOwner, agent, call, drive, of
from tests.rows import cases, rows

EVENTS = json.dumps(rows(__name__, "events"), ensure_ascii=False)
LINES = "- id: 7\n  title: Dentist appointment\n- id: 24\n  title: Retro\n"


@pytest.fixture
def gate() -> Gate:
    owner = Path("/home/mia")
    return Gate(SafetyConfig(), owner / ".sopwith", owner, owner)


@cases
def test_what_was_read_says_which_thing_is_meant(
    gate: Gate, request_: str, tool: str, args: dict[str, Any], read: str, wanted: str, why: str
) -> None:
    texts = {"events": [EVENTS], "lines": [LINES]}.get(read, [])
    ask = Ask(tool, args, (), (), "main", request_, ("tool",), read=lambda: texts)
    assert gate.decide(ask).decision == wanted, gate.decide(ask)


def test_a_text_in_a_record_is_no_record() -> None:
    found = records(f"[data]\n{EVENTS}\n[end]")
    assert [sorted(each.ids) for each in found] == [["7"], ["24"], ["31"]]
    assert "dentist" not in found[1].words and "lena" in found[1].words
    assert records('{"24": {"title": "Retro"}}')[0].ids == {"24"}
    assert records("no things here") == [] and records("[" * 100_000) == []


def test_in_a_run_the_gate_knows_what_a_server_has_told(home: Path, tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason="the SDK of MCP is missing: scripts/setup --extra mcp")
    from tests.test_mcp import settings

    (tmp_path / "events.json").write_text(EVENTS, "utf-8")
    cancels = [call("desk.cancel_event", event_id=id) for id in (7, 24)]
    replies = [call("desk.list_events"), *cancels, "Done."]
    started = agent(home, replies, settings(tmp_path)).start(
        "Cancel the dentist appointment.",
        Options(rote=False),
        SpokenOwner(approvals=[Approval("no")]),
    )
    ended = [(event["tool"], event["status"]) for event in of(drive(started), "tool_ended")]
    cancelled = [("desk.cancel_event", "ok"), ("desk.cancel_event", "refused")]
    assert ended == [("desk.list_events", "ok"), *cancelled]
