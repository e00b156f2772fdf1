"""How a request comes to a replay, to a model that is told of an SOP, or to neither: whole runs over a real endpoint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runs.assemble import Agent, Options
from runs.control.owners import AbsentOwner
from tests.driving import agent, drive, of
from tests.scripted_server import Answer

SKILL = """---
name: {name}
description: Counts the lines of the invoices of a customer.
metadata: {{sopwith-status: {status}}}
---
Count them with wc, and mind the header line.
"""
STEPS = """\
parameters: {type: object, properties: {folder: {type: string, format: path}}, required: [folder]}
wordings: ["count the invoice lines in {folder}"]
plan:
  - {tool: code_run, args: {script: 'cat "$folder"/*.csv | wc -l'}, expect: {exit_code: 0}, save: {lines: output}}
result: "{{lines}} invoice lines"
"""


@pytest.fixture
def invoices(tmp_path: Path) -> Path:
    folder = tmp_path / "invoices"
    folder.mkdir()
    (folder / "a.csv").write_text("1\n2\n3\n")
    return folder


def with_sop(home: Path, server: Any, status: str = "active") -> Agent:
    folder = home / "sops" / "invoice-lines"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL.format(name="invoice-lines", status=status))
    (folder / "sop.yaml").write_text(STEPS)
    return agent(home, None, f"models: [{{name: main, model: m, base_url: '{server.base_url}'}}]")


def test_a_known_wording_costs_no_call(home: Path, invoices: Path, scripted_server: Any) -> None:
    server = scripted_server([])
    run = with_sop(home, server).start(
        f"Count the invoice lines in {invoices}", Options(), AbsentOwner()
    )
    ended = drive(run)[-1]
    assert ended["result"] == "3 invoice lines" and ended["rote"] and ended["model_calls"] == 0
    assert server.requests == []


def test_a_request_in_other_words_costs_one_call_that_is_counted(
    home: Path, invoices: Path, scripted_server: Any
) -> None:
    choice = {"sop": "invoice-lines", "parameters": {"folder": str(invoices)}}
    server = scripted_server([Answer(text=json.dumps(choice))])
    task = f"give me a count of invoice lines for {invoices}"
    events = drive(with_sop(home, server).start(task, Options(), AbsentOwner()))
    if len(server.requests) == 0:  # the rules alone have understood it
        assert events[-1]["rote"] and events[-1]["model_calls"] == 0
        return
    assert of(events, "model_called")[0]["turn"] == 0
    assert (
        events[-1]["result"] == "3 invoice lines"
        and events[-1]["rote"]
        and events[-1]["model_calls"] == 1
    )


def test_a_request_about_something_else_costs_no_call_more(
    home: Path, scripted_server: Any
) -> None:
    server = scripted_server([Answer(text="Roses are red.")])
    events = drive(
        with_sop(home, server).start("Write a poem about roses", Options(), AbsentOwner())
    )
    assert len(server.requests) == 1 and events[-1]["result"] == "Roses are red."
    assert "mind the header line" not in json.dumps(server.requests[0].body)


def test_what_may_not_run_alone_yet_is_told_to_the_model(
    home: Path, invoices: Path, scripted_server: Any
) -> None:
    server = scripted_server([Answer(text="4 of them.")])
    task = f"Count the invoice lines in {invoices}"
    events = drive(with_sop(home, server, "candidate").start(task, Options(), AbsentOwner()))
    assert "mind the header line" in json.dumps(server.requests[0].body)
    assert events[-1]["model_calls"] == 1 and not events[-1]["rote"]


def test_an_endpoint_that_cannot_choose_does_not_stop_the_run(
    home: Path, invoices: Path, scripted_server: Any
) -> None:
    server = scripted_server([Answer(text="no idea"), Answer(text="I did it by hand.")])
    task = f"Somebody should look how many invoice lines came in, over in {invoices}, and say it in rhyme"
    events = drive(with_sop(home, server).start(task, Options(), AbsentOwner()))
    assert events[-1]["status"] == "done" and len(server.requests) <= 2
