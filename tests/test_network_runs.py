"""Holds a whole run whose script asks a host: closed, asked about, open for that call, and shown
afterwards."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from handler import Approval
from runs.assemble import Options
from sandbox.cells import levels
from tests.conftest import CommandLine
from tests.driving import SpokenOwner, agent, call, drive, of
from tests.site import Page, site

HOST = "api.example.com"


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Yield the port of HOST, which leads to this machine."""
    found = socket.getaddrinfo

    def look_up(host: Any, *args: Any, **more: Any) -> Any:
        return found("127.0.0.1" if host == HOST else host, *args, **more)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    with site(lambda asked: Page("hello")) as port:
        yield port


def test_a_host_is_closed_then_asked_about_then_open_and_shown(
    home: Path, port: int, cli: CommandLine, tmp_path: Path
) -> None:
    if levels.probe().name != "full":
        pytest.skip("there is no full sandbox here")
    work = tmp_path / "work"
    work.mkdir()
    (work / "fetch.sh").write_text(f"curl -sS http://{HOST}:{port}/\n")
    replies = [
        call("code_run", script="bash fetch.sh"),
        call("code_run", script="bash fetch.sh", hosts=[HOST]),
        "done",
    ]
    owner = SpokenOwner(approvals=[Approval("once")])
    settings = f'safety: {{private_hosts: ["{HOST}"], roots: ["{work}"]}}'
    started = agent(home, replies, settings).start(
        "run my script fetch.sh", Options(rote=False, cwd=work), owner
    )
    events = drive(started)
    closed, opened = of(events, "tool_ended")
    assert HOST in closed["data"]["network"]
    assert "hello" not in closed["data"]["output"]
    assert HOST in owner.shown[0].reason
    assert opened["data"]["output"] == "hello"
    shown = json.loads(cli("runs", "show", "last", "--network", "--json").stdout)
    assert [(row["host"], row["port"], row["state"]) for row in shown["network"]] == [
        (HOST, port, "refused"),
        (HOST, port, "closed"),
    ]
    assert HOST in cli("runs", "show", "last", "--network").stdout
