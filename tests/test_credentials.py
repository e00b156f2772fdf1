"""Credentials that the config names: tools use them by name, and nobody reads them."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench.redaction import spellings
from config import SafetyConfig
from handler import Owner
from models.base import Event
from runs.assemble import Options
from runs.control.bounds import AbsentOwner
from safety.gate import Ask, Gate
from tests.driving import SpokenOwner, agent, bash, call, drive
from tests.rows import cases

VALUE = "walnut-Harbour_73q"


@pytest.fixture
def lent(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CRM", VALUE)  # a name that does not sound like a secret
    return home


def events_of(
    home: Path, replies: list[Any], owner: Owner, task: str, session: str = "main"
) -> list[Event]:
    made = agent(home, replies, "safety: {credentials: [CRM, NOT_SET]}")
    return drive(made.start(task, Options(rote=False, session=session), owner))


def test_a_script_has_it_and_nothing_shows_it(lent: Path) -> None:
    replies = [
        bash('[ ${#CRM} = 18 ] && echo has-it; printf "%s\\n" "$CRM"; printf %s "$CRM" | base64; printf %s "$CRM" | xxd -p; printf %s "$CRM" | rev; echo'),
        call("code_run", type="bash", script='[ "$OTHER" = "Bearer $CRM" ] && echo filled-in', env={"OTHER": "Bearer ${CRM}"}),
        call("code_run", type="python", script="import os, urllib.parse as u\nprint(u.quote(os.environ['CRM'], safe=''))\nprint(os.environ['CRM'].upper())"),
        "done",
    ]  # fmt: skip
    events = events_of(lent, replies, SpokenOwner(), "who am I there?")
    said = json.dumps(events, ensure_ascii=False)
    assert "has-it" in said and "filled-in" in said and "[CRM]" in said
    kept = {
        str(path): path.read_bytes()
        for path in lent.rglob("*")
        if path.is_file() and path.name != "config.yaml"
    }
    kept["events"] = said.encode()
    found = [
        (where, name)
        for where, data in kept.items()
        for name, text in spellings(VALUE).items()
        if text.encode() in data
    ]
    assert found == []


@cases
def test_sending_one_where_the_request_does_not_name_is_confirmed(
    tmp_path: Path, script: str, request_text: str, decision: str, why: str
) -> None:
    settings = SafetyConfig(credentials=("CRM",), confirm=())
    gate = Gate(settings, tmp_path / ".sopwith", tmp_path, tmp_path / "work")
    ask = Ask(
        "code_run", {"type": "bash", "script": script}, ("execute",), (), "main", request_text
    )
    assert gate.decide(ask).decision == decision, why


def test_unattended_and_shared_runs_have_none(lent: Path) -> None:
    absent = events_of(lent, [bash('echo "length=${#CRM}."'), "done"], AbsentOwner(), "count")
    assert "length=0." in json.dumps(absent)
    code = "import os; print('held:', 'CRM' in os.environ)"
    shared = events_of(
        lent,
        [call("code_run", type="python", script=code), "done"],
        SpokenOwner(),
        "count",
        "shared:group",
    )
    assert "held: True" not in json.dumps(shared)
