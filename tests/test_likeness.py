"""What a model may claim of a request: near misses are kept off whatever it answers, and what is meant gets through."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from learning.routing import choose
from learning.shape import fits, values_in
from memory.sops import Sop
from tests.routing_cases import NEAR_OF, near_sops

VALUE = re.compile(r'"[^"]*"|~/[\w./]+|[\w.]+@[\w.]+|\b\d+\b|price')


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> list[Sop]:
    return near_sops(tmp_path_factory.mktemp("near"))


def _filled(sop: Sop, request: str) -> dict[str, Any]:
    """The values of a request, in their order, for the parameters whose type they have."""
    assert sop.procedure is not None
    found: dict[str, Any] = {}
    values = VALUE.findall(request)
    for name, schema in sop.procedure.parameters.items():
        is_path, is_number = schema.get("format") == "path", schema["type"] == "integer"
        fit = next((v for v in values if v.startswith("~") == is_path and v.isdigit() == is_number), None)
        if fit is not None:
            values.remove(fit)
            found[name] = int(fit) if is_number else fit.strip('"')
    return found


def _claimed(request: str, sop: Sop, taught: list[Sop]) -> str:
    """The SOP that is done when a model claims that this one is meant; "" for none."""
    answer = json.dumps({"sop": sop.name, "parameters": _filled(sop, request)})
    match = choose(request, taught, Path("/w"), Path.home(), ask_model=lambda _, cards: answer).match
    return match.sop.name if match else ""


def test_no_near_miss_is_done_whatever_a_model_claims(taught: list[Sop]) -> None:
    by_name = {sop.name: sop for sop in taught}
    tried, taken = 0, []
    for number, (_, _, requests) in enumerate(NEAR_OF):
        for request in requests:
            tried += 1
            name = f"near-{number}"
            if _claimed(request, by_name[name], [by_name[name]]) or _claimed(request, by_name[name], taught) == name:
                taken.append(f"{name}: {request}")
    assert tried >= 150 and taken == []


@pytest.mark.parametrize(
    ("request_text", "number"),
    [
        ("store a backup of ~/a.txt in ~/b", 0),
        ("I'd like ~/a.txt to be copied to ~/b", 1),
        ("give me the row count of ~/a.csv", 2),
        ("~/a.csv 里有多少行数据", 2),
        ("can you tell me which file in ~/a is the oldest?", 3),
        ("files in ~/a older than 9 days should be deleted", 4),
        ("please have booking 77 cancelled", 8),
        ("麻烦把预订 77 取消一下", 8),
    ],
)
def test_a_model_gets_through_with_what_is_meant(request_text: str, number: int, taught: list[Sop]) -> None:
    sop = next(sop for sop in taught if sop.name == f"near-{number}")
    assert _claimed(request_text, sop, taught) == sop.name, [
        each.why for each in choose(request_text, [sop], Path("/w"), Path.home()).candidates
    ]


def test_values_are_told_by_their_looks(taught: list[Sop]) -> None:
    assert values_in('copy ~/a.txt and "b c" to https://x.example/y, 3 times') == ("path", "quoted", "url", "number")
    procedure = next(sop.procedure for sop in taught if sop.name == "near-4")
    assert procedure is not None
    assert fits(["number", "path"], procedure) and not fits(["path"], procedure)
    assert not fits(["number", "path", "path"], procedure) and not fits([], procedure)
