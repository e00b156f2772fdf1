"""A model may write the script of what was worked out: over a real endpoint, and checked by code
alone."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from learning.calls import induce
from learning.judged import with_script
from learning.trace import Trace, read_trace
from runs.assemble import Options
from runs.learning import teach as teaching
from tests.conftest import CommandLine
from tests.driving import SpokenOwner, agent, call, drive, servers_up
from tests.scripted_server import Answer, ScriptedServer
from tests.shop.data import database
from tests.test_desk import settings

pytest.importorskip("mcp", reason="the extra mcp is not installed: scripts/setup --extra mcp")
GOOD = """import json


def plan(p):
    found = yield {"tool": "desk.get_order_details", "args": {"order_id": p["order_id"]}}
    items = sorted(json.loads(found["data"]["output"])["items"], key=lambda item: item["price"])
    if not items:
        return {"stop": "the order holds nothing"}
    return {"dearest": items[-1]["item_id"], "way": json.loads(found["data"]["output"])["payment_history"][0]["payment_method_id"]}


def commit(p, plan):
    args = {"order_id": p["order_id"], "item_ids": [plan["dearest"]], "payment_method_id": plan["way"]}
    yield {"tool": "desk.return_delivered_order_items", "args": {"order_id": args["order_id"], "item_ids": args["item_ids"], "payment_method_id": args["payment_method_id"]}}
    return "The dearest item can go back."
"""
CHEAPEST = GOOD.replace("items[-1]", "items[0]")
HARD = GOOD.replace('p["order_id"]}}\n    items', '"#W20248050"}}\n    items')
WRITES = GOOD.replace("desk.get_order_details", "desk.cancel_pending_order")
BROKEN = "def plan(p:\n    yield {}\n"


def dearest() -> list[tuple[str, list[Any], str]]:
    """Return delivered orders of two items with the calls that give the dearest of them back."""
    found = []
    for number, order in database()["orders"].items():
        if order["status"] == "delivered" and len(order["items"]) > 1:
            item = max(order["items"], key=lambda each: each["price"])
            way = order["payment_history"][0]["payment_method_id"]
            args = {"order_id": number, "item_ids": [item["item_id"]], "payment_method_id": way}
            calls = [
                call("desk.get_order_details", order_id=number),
                call("desk.return_delivered_order_items", **args),
                "The dearest item can go back.",
            ]
            found.append((f"give back the dearest item of order {number}", calls, item["item_id"]))
    return found


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield the books of a desk whose server is up."""
    folder = tmp_path_factory.mktemp("desk")
    with servers_up(folder / "home", settings(folder / "books.json")):
        yield folder / "books.json"


def run(home: Path, books: Path, request: str, replies: Any) -> str:
    books.write_text(json.dumps(database()), "utf-8")
    from handler import Approval

    owner = SpokenOwner(approvals=[Approval("once")] * 9)
    begun = agent(home, replies, settings(books)).start(request, Options(rote=False), owner)
    events = drive(begun)
    assert events[-1]["status"] == "done", events[-1]
    return str(events[0]["run"])


@pytest.fixture
def traces(home: Path, books: Path) -> list[Trace]:
    return [
        read_trace(home, run(home, books, request, calls)) for request, calls, _ in dearest()[:2]
    ]


def replies(*texts: str) -> Any:
    return lambda body, number: Answer(text=f"```python\n{texts[min(number, len(texts) - 1)]}```")


RULES = [
    (HARD, "KeyError"),
    (WRITES, "KeyError"),
    (BROKEN, "not Python"),
    (CHEAPEST, "and the run did"),
    ("def plan(p):\n    yield from ()\n", "it must return the result"),
    ("import requests\n" + GOOD, "requests"),
    (GOOD.replace("if not items", "if items"), "the order holds nothing"),
    (GOOD, ""),
    ("", "cannot be read"),
]


def test_each_rule_drops_a_script_that_breaks_it_after_two_tries(traces: list[Trace]) -> None:
    draft = induce(traces, "dearest")
    assert draft.problems and "item_id" in draft.problems[0]
    for source, why in RULES:
        told: list[list[str]] = []

        def write(
            brief: str, wrong: Sequence[str], source: str = source, told: list[list[str]] = told
        ) -> str:
            told.append(list(wrong))
            return source

        made = with_script(draft, traces, write)
        assert made.is_settled == (not why) == ("scripts/run.py" in made.files), (
            source,
            made.notes,
        )
        if why:
            assert len(told) == 2 and told[0] == [] and why in " ".join(told[1]), (why, told)
            assert any("was not taken" in note for note in made.notes)


def test_from_the_terminal_a_model_writes_it_and_it_is_done_for_another_order(
    home: Path, books: Path, cli: CommandLine
) -> None:
    runs = [run(home, books, request, calls) for request, calls, _ in dearest()[:2]]
    config = home / "config.yaml"
    with ScriptedServer(replies(CHEAPEST, GOOD)) as server:
        config.write_text(
            f"{settings(books)}\nmodels: [{{name: main, model: m, base_url: '{server.base_url}'}}]"
        )
        taught = cli("teach", "dearest", "--from-run", *runs)
        assert taught.code == 0 and "probation" in taught.stdout, taught.stdout + taught.stderr
        assert "and the run did" in str(server.requests[1].body)
    config.write_text(settings(books), "utf-8")
    request, _, item = dearest()[2]
    number = request.split()[-1]
    books.write_text(json.dumps(database()), "utf-8")
    done = cli("sops", "run", "dearest", f"order_id={number}", "--approve", "all")
    assert done.code == 0, done.stdout + done.stderr
    assert json.loads(books.read_text("utf-8"))["orders"][number]["return_items"] == [item]


def test_without_a_model_it_stays_a_draft_that_says_what_is_missing(
    home: Path, traces: list[Trace]
) -> None:
    there = agent(home, None)
    lesson = teaching.lesson_from_run(there, "dearest", *[trace.run for trace in traces])
    draft = teaching.draft_of(there, lesson)
    assert teaching.earned(draft)[0] == "draft"
    assert "steps cannot say how" in draft.problems[0]
