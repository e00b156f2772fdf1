"""Which value of a request is which parameter, told by what the SOP was taught with: looks, endings, names of columns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from learning.habits import habits
from learning.near import Near, near
from learning.slots import Where
from memory.sops.store import Sop, SopStore
from tests.routing_cases import write_sop

TEXT = "{type: string, minLength: 1}"
PATH = "{type: string, format: path}"
Values = dict[str, Any]


class Taught:
    """An owner's folder with SOPs that have cases."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sops: list[Sop] = []

    def sop(
        self,
        wording: str,
        kinds: dict[str, str],
        cases: Sequence[tuple[Values, dict[str, str]]],
        **more: str,
    ) -> None:
        """`cases`: values, and the texts of the files that were there then."""
        name = f"sop-{len(self.sops)}"
        properties = ", ".join(f"{each}: {kind}" for each, kind in kinds.items())
        write_sop(
            self.folder / "sops",
            name,
            "Does it.",
            [wording],
            effects=more.get("effects", "local"),
            properties=properties,
        )
        place = self.folder / "sops" / name
        if requires := more.get("requires"):
            (place / "sop.yaml").write_text(
                (place / "sop.yaml").read_text("utf-8") + f"requires: {requires}\n", "utf-8"
            )
        (place / "cases").mkdir()
        for number, (values, texts) in enumerate(cases):
            (place / "cases" / f"c{number}.yaml").write_text(
                json.dumps({"parameters": values, "expect": {}}), "utf-8"
            )
            fixture = {
                path: {"kind": "file", "age": 1, "mode": 420, "text": text}
                for path, text in texts.items()
            }
            (place / "cases" / f".c{number}.fixture.json").write_text(json.dumps(fixture), "utf-8")
        self.sops = SopStore(self.folder / "none", self.folder / "sops").all()

    def file(self, name: str, text: str = "") -> str:
        (self.folder / name).write_text(text, "utf-8")
        return str(self.folder / name)

    def shown(self, request: str) -> list[Near]:
        return near(request, self.sops, Where(self.folder, self.folder))


@pytest.fixture
def taught(tmp_path: Path) -> Taught:
    return Taught(tmp_path)


def sums(taught: Taught) -> str:
    cases = [
        (
            {"word": "points", "group": "shop", "file": "/x/a.csv"},
            {"/x/a.csv": "shop,points\neast,3\n"},
        ),
        (
            {"word": "weight", "group": "city", "file": "/x/b.csv"},
            {"/x/b.csv": "city,name,weight\nrome,Ann,3\n"},
        ),
    ]
    kinds = {"word": TEXT, "group": TEXT, "file": PATH}
    taught.sop(
        "add up {word} by {group} in {file}",
        kinds,
        cases,
        effects="none",
        requires="{files: [file]}",
    )
    return taught.file("t.csv", "name,colour,price\nAnn,red,3\n")


@pytest.mark.parametrize(
    "request_text",
    [
        "give me the sum of price by colour from {}",
        "what is the total price per colour in {}?",
        "sum price for each colour in {}",
        "按 colour 汇总 {} 里的 price",
        "计算 {} 中每个 colour 的 price 总和",
    ],
)
def test_a_word_is_a_column_where_the_file_has_it(taught: Taught, request_text: str) -> None:
    file = sums(taught)
    assert [each.parameters for each in taught.shown(request_text.format(file))] == [
        {"word": "price", "group": "colour", "file": file}
    ]


@pytest.mark.parametrize(
    "request_text", ["give me the sum of size by colour from {}", "how much price is there in {}?"]
)
def test_no_value_is_made_up(taught: Taught, request_text: str) -> None:
    assert taught.shown(request_text.format(sums(taught))) == []


def replacing(taught: Taught) -> str:
    cases = [({"old": "tea", "new": "milk", "file": "/x/a.txt"}, {"/x/a.txt": "tea and tea\n"})]
    taught.sop("replace {old:quoted} with {new:quoted} in {file}", {"old": TEXT, "new": TEXT, "file": PATH}, cases, requires="{files: [file]}")  # fmt: skip
    return taught.file("n.txt", "one pear and one plum\n")


@pytest.mark.parametrize(
    ("request_text", "is_shown"),
    [
        ('change "pear" to "fig" everywhere in {}', True),
        ('in {}, replace each "pear" by "fig"', True),
        ('every "pear" in {} should become "fig"', True),
        ('把 {} 里的 "pear" 都替换成 "fig"', True),
        ('substitute "fig" for "pear" in {}', False),  # either may be meant
        (
            'replace "fig" with "pear" in {}',
            None,
        ),  # what is there says one thing, and the owner the other
    ],
)
def test_what_comes_of_it_is_never_taken_for_what_was(
    taught: Taught, request_text: str, is_shown: bool | None
) -> None:
    file = replacing(taught)
    found = [each.parameters for each in taught.shown(request_text.format(file))]
    if is_shown is None:
        assert found in ([], [{"old": "fig", "new": "pear", "file": file}])
    else:
        assert found == ([{"old": "pear", "new": "fig", "file": file}] if is_shown else [])


def test_of_two_files_the_ending_tells_which_is_made(taught: Taught) -> None:
    cases = [({"file": "/x/a.csv", "target": "/x/b.json"}, {"/x/a.csv": "a\n"}), ({"file": "/y/c.csv", "target": "/y/d.json"}, {"/y/c.csv": "b\n"})]  # fmt: skip
    taught.sop(
        "convert {file} to {target}",
        {"file": PATH, "target": PATH},
        cases,
        requires="{files: [file]}",
    )
    file, target = taught.file("in.csv"), taught.file("out.json")
    for request in (f"make a JSON file {target} out of {file}", f"turn {file} into JSON, {target}"):
        assert [each.parameters for each in taught.shown(request)] in (
            [],
            [{"file": file, "target": target}],
        ), request
    assert taught.shown(f"turn {file} into JSON, {target}")


def test_what_is_moved_passed_over_or_added_is_said(taught: Taught) -> None:
    file = replacing(taught)
    [found] = taught.shown(f'change "pear" to "fig" throughout in {file}')
    assert {"throughout", "to"} <= set(found.passed_over)
    taught.sop(
        "delete the branches of {repo} that are merged into main",
        {"repo": PATH},
        [],
        requires="{folders: [repo]}",
    )
    (taught.folder / "repo").mkdir()
    [found] = taught.shown(f"remove the merged branches in {taught.folder}/repo")
    assert found.added == ("main",)
    assert taught.shown(f"merge the branches of {taught.folder}/repo into main") == []


def test_broken_cases_say_nothing(taught: Taught) -> None:
    sums(taught)
    sop = taught.sops[0]
    assert habits(sop).names == {("word", "file"), ("group", "file")}
    (sop.folder / "cases" / "c0.yaml").write_text("{", "utf-8")
    (sop.folder / "cases" / "new.yaml").touch()
    assert habits(sop).names == frozenset()
