"""What a model may claim of a request: near misses are kept off whatever it answers, and what is meant gets through."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from learning.routing import choose
from learning.shape import fits, values_in
from memory.sops.store import Sop, SopStore
from tests.routing_cases import NEAR_OF, near_sops, pair_sops, write_sop

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
        fit = next(
            (v for v in values if v.startswith("~") == is_path and v.isdigit() == is_number), None
        )
        if fit is not None:
            values.remove(fit)
            found[name] = int(fit) if is_number else fit.strip('"')
    return found


def _claimed(request: str, sop: Sop, taught: list[Sop]) -> str:
    """The SOP that is done when a model claims that this one is meant; "" for none."""
    answer = json.dumps({"sop": sop.name, "parameters": _filled(sop, request)})
    match = choose(
        request, taught, Path("/w"), Path.home(), ask_model=lambda _, cards: answer
    ).match
    return match.sop.name if match else ""


def test_no_near_miss_is_done_whatever_a_model_claims(taught: list[Sop]) -> None:
    by_name = {sop.name: sop for sop in taught}
    tried, taken = 0, []
    for number, (_, _, requests) in enumerate(NEAR_OF):
        for request in requests:
            tried += 1
            name = f"near-{number}"
            if (
                _claimed(request, by_name[name], [by_name[name]])
                or _claimed(request, by_name[name], taught) == name
            ):
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
def test_a_model_gets_through_with_what_is_meant(
    request_text: str, number: int, taught: list[Sop]
) -> None:
    sop = next(sop for sop in taught if sop.name == f"near-{number}")
    assert _claimed(request_text, sop, taught) == sop.name, [
        each.why for each in choose(request_text, [sop], Path("/w"), Path.home()).candidates
    ]


def test_values_are_told_by_their_looks(taught: list[Sop]) -> None:
    assert values_in('copy ~/a.txt and "b c" to https://x.example/y, 3 times') == (
        "path",
        "quoted",
        "url",
        "number",
    )
    procedure = next(sop.procedure for sop in taught if sop.name == "near-4")
    assert procedure is not None
    assert fits(["number", "path"], procedure) and not fits(["path"], procedure)
    assert not fits(["number", "path", "path"], procedure) and not fits([], procedure)


ANTONYMS = [  # what an SOP is asked for by, and what is not that
    ("cancel the order {number}", "reopen the order 77"),
    ("cancel the order {number}", "uncancel the order 77"),
    ("open ticket {number}", "reopen ticket 77"),
    ("publish post {number}", "unpublish post 77"),
    ("publish post {number}", "republish post 77"),
    ("connect device {number}", "disconnect device 77"),
    ("assign ticket {number}", "reassign ticket 77"),
    ("approve invoice {number}", "disapprove invoice 77"),
    ("activate card {number}", "deactivate card 77"),
    ("取消订单 {number}", "恢复订单 77"),
    ("取消订单 {number}", "撤销取消订单 77"),
    ("发布文章 {number}", "取消发布文章 77"),
]


@pytest.mark.parametrize(("wording", "request_text"), ANTONYMS)
def test_the_opposite_is_never_done_whatever_a_model_claims(
    wording: str, request_text: str, tmp_path: Path
) -> None:
    (sop,) = _taught(tmp_path / "sops", (wording,), "external")
    assert _claimed(wording.replace("{number}", "77"), sop, [sop]) == sop.name
    assert _claimed(request_text, sop, [sop]) == ""


def test_adding_to_an_archive_is_not_making_one(tmp_path: Path) -> None:
    (sop,) = _taught(
        tmp_path / "sops",
        ("pack {folder} into {target}", "create an archive {target} of {folder}"),
        "local",
    )
    assert _claimed("pack ~/a into ~/b.zip", sop, [sop]) == sop.name
    assert _claimed("add ~/a to the archive ~/b.zip", sop, [sop]) == ""


def _taught(folder: Path, wordings: tuple[str, ...], effects: str) -> list[Sop]:
    return pair_sops(folder, [(wordings, effects, (), ())])


def test_what_can_be_one_thing_only_is_filled_in_when_it_is_said(tmp_path: Path) -> None:
    write_sop(tmp_path / "sops", "merge-texts", "Merges.", ["merge all {ending} files in {folder} into {target}"],
        properties="ending: {type: string, enum: [.txt]}, folder: {type: string, format: path}, target: {type: string, format: path}",
        effects="local")  # fmt: skip
    known = SopStore(tmp_path / "none", tmp_path / "sops").all()
    answer = json.dumps(
        {"sop": "merge-texts", "parameters": {"folder": "~/a", "target": "~/b.txt"}}
    )

    def done(request: str) -> bool:
        return (
            choose(request, known, Path("/w"), Path.home(), ask_model=lambda _, cards: answer).match
            is not None
        )

    assert done("please combine every .txt file in ~/a into ~/b.txt")
    assert not done("please combine every .md file in ~/a into ~/b.txt")


@pytest.mark.parametrize(
    ("said", "ending"), [("rtf", ".rtf"), (".rtf", ".rtf"), ("old", None), ("key", None)]
)
def test_an_ending_may_be_said_without_its_dot_unless_it_is_a_word(
    said: str, ending: str | None, tmp_path: Path
) -> None:
    write_sop(tmp_path / "sops", "tidy", "Moves.", ["move all {ending} files from {folder} to {target}"],
        properties="ending: {type: string, pattern: '^[.]'}, folder: {type: string, format: path}, target: {type: string, format: path}",
        effects="local")  # fmt: skip
    known = SopStore(tmp_path / "none", tmp_path / "sops").all()
    match = choose(f"move all {said} files from ~/a to ~/b", known, Path("/w"), Path.home()).match
    assert (match.parameters["ending"] if match else None) == ending
