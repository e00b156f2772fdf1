"""Check that a look-up in a table becomes a step: the row that a value of the request names, or the
only one there is."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from learning.crystallise import Draft, crystallise
from learning.reach import goes_out, hosts_in, python_only_reads
from memory.runlog.evidence import Result
from tests.driving import bash
from tests.test_crystallise import World

PRODUCTS = [{"sku": "SKU-100", "name": "oak lamp"}, {"sku": "SKU-200", "name": "red chair"}]


@pytest.fixture
def world(home: Path) -> World:
    return World(home, Path.home(), Path.cwd())


@pytest.fixture
def desk(world: World) -> Path:
    folder = world.owner / "desk"
    folder.mkdir()
    _products(folder, PRODUCTS)
    for sku, quantity in (("SKU-100", 4711), ("SKU-200", 17), ("SKU-300", 815)):
        (folder / f"{sku}.json").write_text(json.dumps({"sku": sku, "quantity": quantity}))
    return folder


def _products(folder: Path, rows: list[dict[str, str]]) -> None:
    (folder / "products.json").write_text(json.dumps(rows))
    head = ",".join(rows[0]) if rows else "sku,name"
    (folder / "products.csv").write_text(
        "\n".join([head, *(",".join(row.values()) for row in rows)]) + "\n"
    )


def _teach(world: World, kind: str, **options: Any) -> Draft:
    calls = [bash(f"cat ~/desk/products.{kind}"), bash("cat ~/desk/SKU-100.json")]
    return world.teach('What is the quantity of "oak lamp"?', [*calls, "4711"], **options)


@pytest.mark.parametrize("kind", ["json", "csv"])
def test_the_row_that_the_request_names_is_found_again(kind: str, world: World, desk: Path) -> None:
    draft = _teach(world, kind)
    assert draft.is_settled, draft.problems
    name = next(iter(draft.content.parameters))
    _products(desk, [PRODUCTS[1], {"sku": "SKU-300", "name": "oak lamp stand"}, PRODUCTS[0]])
    assert world.replay(draft, {name: "red chair"}) == ("done", "17")
    status, why = world.replay(draft, {name: "blue lamp"})
    assert status != "done" and "no row whose name is 'blue lamp'" in why
    _products(desk, [*PRODUCTS, {"sku": "SKU-300", "name": "red chair"}])
    status, why = world.replay(draft, {name: "red chair"})
    assert status != "done" and "2 rows" in why


def test_a_row_that_nothing_names_is_not_guessed(world: World, desk: Path) -> None:
    calls = [bash("cat ~/desk/products.json"), bash("cat ~/desk/SKU-100.json")]
    draft = world.teach("What is the quantity of the lamp?", [*calls, "4711"])
    assert any("nothing says how it was chosen" in each for each in draft.problems)


def test_a_short_answer_that_is_a_field_needs_two_runs_or_its_name(
    world: World, desk: Path
) -> None:
    def run(name: str, sku: str, answer: str) -> Any:
        calls = [bash("cat ~/desk/products.json"), bash(f"cat ~/desk/{sku}.json")]
        return world.run(f'How many of "{name}" are there?', [*calls, answer])

    (desk / "SKU-100.json").write_text(json.dumps({"sku": "SKU-100", "quantity": 31}))
    traces = [run("oak lamp", "SKU-100", "31"), run("red chair", "SKU-200", "17")]
    one, both = (
        crystallise(each, "stock", owner_home=world.owner, agent_home=world.home)
        for each in (traces[0], traces)
    )
    assert any("worked out" in each for each in one.problems)
    assert both.is_settled, both.problems


def test_what_all_runs_were_asked_with_is_the_only_value_that_is_taken(world: World) -> None:
    traces = []
    for name in ("one", "two"):
        folder = world.owner / name
        folder.mkdir()
        (folder / "a.txt").write_text(name)
        calls = [bash(f"cat ~/{name}/*.txt > ~/{name}.all && wc -c ~/{name}.all"), "Merged."]
        traces.append(world.run(f"merge all .txt files in ~/{name} into ~/{name}.all", calls))
    draft = crystallise(traces, "merge", owner_home=world.owner, agent_home=world.home)
    assert [schema["enum"] for schema in draft.content.parameters.values() if "enum" in schema] == [
        [".txt"]
    ]


@pytest.mark.parametrize(
    ("request_", "script", "check"),
    [
        ("unpack ~/p.tar into ~/out", "tar -xf ~/p.tar -C ~/out", "| ( cd "),
        (
            "remove the old folders in ~/out",
            "cd ~/out && ls -d old* | xargs -r rmdir",
            'test -z "$(ls -d old*)"',
        ),
    ],
)
def test_what_was_unpacked_is_there_and_what_was_listed_is_gone(
    request_: str, script: str, check: str, world: World
) -> None:
    (world.owner / "out" / "old1").mkdir(parents=True)
    (world.owner / "p.txt").write_text("packed")
    subprocess.run(["tar", "-cf", "p.tar", "p.txt"], cwd=world.owner, check=True)
    draft = world.teach(request_, [bash(script), "Done."])
    assert draft.is_settled, draft.problems
    assert any(check in each["command"] for each in draft.content.checks), draft.content.checks


URLS = [
    ('urlopen("http://127.0.0.1:8080/jobs/7", timeout=5)', True),
    ('urlopen(f"http://localhost:8080/jobs/{n}")', True),
    ('urllib.request.urlopen("http://127.0.0.1:8080/jobs/7")', True),
    ('urlopen("http://127.0.0.1:8080/jobs/" + str(n))', True),
    ('urlopen("http://127.0.0.1:8080/jobs", data=b"x")', False),
    ('urlopen("http://127.0.0.1:8080/jobs", b"x")', False),
    ('urlopen(f"http://127.0.0.1{n}/jobs")', False),
    ('urlopen("https://example.org/jobs")', False),
    ("urlopen(address)", False),
    ('urlopen(urllib.request.Request("http://127.0.0.1:8080/", method="POST"))', False),
    ('urllib.request.urlretrieve("http://127.0.0.1:8080/", "x")', False),
    ('[u := urlopen, u("http://127.0.0.1:8080/", b"x")][1]', False),
]


@pytest.mark.parametrize(
    ("expression", "reads"),
    [
        ('requests.get("https://api.example.org/v1", params={"x": 1}, timeout=5).json()', True),
        ('requests.get(f"https://api.example.org/v1/{n}").text', True),
        ('requests.get(f"https://api.example.org{n}/v1").text', False),
        ('requests.get("https://example.com/").text', False),
        ('requests.get("https://api.example.org/v1", data="x").text', False),
        ('requests.post("https://api.example.org/v1").text', False),
        ('[r := requests, r.post("https://api.example.org/v1")]', False),
    ],
)
def test_a_get_from_a_host_that_the_request_names_reads(expression: str, reads: bool) -> None:
    script = f"import requests\nn = 1\nprint({expression})\n"
    assert python_only_reads(script, hosts_in("ask api.example.org for it")) is reads
    assert not python_only_reads(script)


@pytest.mark.parametrize(("expression", "reads"), URLS)
def test_asking_a_program_of_this_machine_reads_and_goes_out(expression: str, reads: bool) -> None:
    script = f"import urllib.request\nfrom urllib.request import urlopen\nn = 1\nprint({expression}.read())\n"
    assert python_only_reads(script) is reads
    asked = Result(1, "c", "code_run", {"type": "python", "script": script}, "ok", {}, "")
    assert goes_out(asked)
