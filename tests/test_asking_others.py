"""SOPs that ask others: tools of MCP servers and addresses of the web, taught by a run and done
again by rote."""

import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from handler import Approval
from learning.looks import hosts_of
from memory.sops import Sop, read_sop
from runs.assemble import Options
from runs.learning.teach import draft_of, lesson_from_run, refusals, store, trial
from runs.replaying.replaying import plan_calls
from tests.conftest import CHECKOUT
from tests.driving import SpokenOwner, agent, call, drive, put_sop, servers_up
from tests.rows import cases
from tests.site import Page, site
from tools.registry import all_tools
from tools.toolbox import Toolbox

SERVER = CHECKOUT / "tests" / "mcp_server.py"
SETTINGS = "mcp: {{servers: {{shop: {{command: [{python}, {server}, orders], env: {{PYTHONPATH: {checkout}, NOTES: {books}}}}}}}}}"
BOOKS = {
    "customers": [{"id": "C-7001", "name": "Ann Lee"}, {"id": "C-7002", "name": "Bo Chen"}],
    "products": [{"sku": "SKU-4100", "name": "oak lamp"}, {"sku": "SKU-4200", "name": "red chair"}],
    "orders": [],
}


@pytest.fixture
def books(home: Path, tmp_path: Path) -> Iterator[Path]:
    pytest.importorskip("mcp", reason="the extra mcp is not installed: scripts/setup --extra mcp")
    file = tmp_path / "books.json"
    file.write_text(json.dumps(BOOKS))
    with servers_up(home, settings(file)):
        yield file


def settings(books: Path) -> str:
    return SETTINGS.format(python=sys.executable, server=SERVER, checkout=CHECKOUT, books=books)


def taught(home: Path, said: str, name: str, run: str) -> Sop:
    """Return what `teach NAME --from-run RUN` stores."""
    there = agent(home, None, said)
    lesson = lesson_from_run(there, name, run)
    draft = draft_of(there, lesson)
    assert draft.is_settled, draft.problems
    assert not refusals(there, draft.files, is_draft=True)
    with trial(there, draft.files, name, lesson.cwd) as tried:
        return store(there, lesson, tried.files(), tried.sop.status, "learned from a run")


def orders(books: Path) -> list[tuple[str, str, int]]:
    return [
        (each["customer"], each["sku"], each["quantity"])
        for each in json.loads(books.read_text())["orders"]
    ]


def test_an_order_over_mcp_is_taught_once_and_taken_by_rote(home: Path, books: Path) -> None:
    yes = [Approval("once")]
    replies: list[Any] = [
        call("mcp_call", server="shop", tool="find_customer", args={"name": "Ann Lee"}),
        call("mcp_call", server="shop", tool="find_product", args={"name": "oak lamp"}),
        call("mcp_call", server="shop", tool="create_order", args={"customer": "C-7001", "sku": "SKU-4100", "quantity": 120}),
        "Ordered.",
    ]  # fmt: skip
    request = 'Order 120 pieces of "oak lamp" for "Ann Lee"'
    first = drive(
        agent(home, replies, settings(books)).start(
            request, Options(), SpokenOwner(approvals=[*yes])
        )
    )
    assert first[-1]["status"] == "done" and orders(books) == [("C-7001", "SKU-4100", 120)]

    sop = taught(home, settings(books), "order-pieces", first[0]["run"])
    assert sop.procedure and sop.procedure.effects == "external"
    plan, commit = (
        [step.tool for step in sop.procedure.steps if step.id.startswith(half)]
        for half in ("plan", "commit")
    )
    assert (plan, commit) == (["shop.find_customer", "shop.find_product"], ["shop.create_order"])

    values_then = json.loads((sop.folder / "evidence.json").read_text())["runs"][0]["values"]
    name_of = {str(value): name for name, value in values_then.items()}
    for n, (quantity, product, customer) in enumerate(
        [(250, "red chair", "Bo Chen"), (375, "oak lamp", "Ann Lee")]
    ):
        values = {
            name_of["120"]: quantity,
            name_of["oak lamp"]: product,
            name_of["Ann Lee"]: customer,
        }
        owner = SpokenOwner(approvals=[*yes])
        drive(agent(home, None, settings(books)).run_sop("order-pieces", values, Options(), owner))
        assert len(owner.shown) == 1 and of_sop(home, books).status == ("candidate", "probation")[n]

    there, owner = agent(home, None, settings(books)), SpokenOwner(approvals=[*yes])
    done = drive(there.start('Order 410 pieces of "red chair" for "Ann Lee"', Options(), owner))
    assert done[-1]["status"] == "done" and done[-1]["rote"] and done[-1]["model_calls"] == 0
    assert owner.shown[0].tool == "shop.create_order"  # what leaves this machine always asks
    assert orders(books)[1:] == [
        ("C-7002", "SKU-4200", 250),
        ("C-7001", "SKU-4100", 375),
        ("C-7001", "SKU-4200", 410),
    ]

    lost = drive(
        there.start('Order 410 pieces of "red chair" for "Cy Dow"', Options(), SpokenOwner())
    )
    assert lost[-1]["status"] == "failed" and "tool find_customer" in lost[-1]["result"]
    assert len(orders(books)) == 4


def of_sop(home: Path, books: Path) -> Sop:
    found = agent(home, None, settings(books)).sops.get("order-pieces")
    assert found
    return found


# addresses


@pytest.fixture
def pages() -> Iterator[str]:
    """Yield a site of this machine; each page says its own name."""
    with site(lambda asked: Page(f"the page {asked.path}", "text/plain")) as port:
        yield f"http://127.0.0.1:{port}"


def test_a_page_is_fetched_by_rote_once_a_run_has_shown_it(home: Path, pages: str) -> None:
    said = "safety: {private_hosts: [127.0.0.1]}"
    replies = [call("web_fetch", url=f"{pages}/lamps"), "the page /lamps"]
    first = drive(
        agent(home, replies, said).start(
            f"Show me the page {pages}/lamps", Options(), SpokenOwner()
        )
    )
    sop = taught(home, said, "show-page", first[0]["run"])
    assert sop.procedure and [step.id for step in sop.procedure.steps] == ["plan.1"]
    (name,) = sop.procedure.parameters
    for page in ("chairs", "tables"):  # what asks another program earns its status in sight
        drive(
            agent(home, None, said).run_sop(
                "show-page", {name: f"{pages}/{page}"}, Options(), SpokenOwner()
            )
        )
    done = drive(
        agent(home, None, said).start(f"show me the page {pages}/beds", Options(), SpokenOwner())
    )
    assert (done[-1]["status"], done[-1]["rote"], done[-1]["result"]) == (
        "done",
        True,
        "the page /beds",
    )


@cases
def test_a_plan_asks_only_whom_the_request_or_a_run_names(
    tool: str, args: dict[str, Any], reads: bool, home: Path, tmp_path: Path
) -> None:
    steps = (
        "plan: [{tool: web_fetch, args: {url: 'https://shop.example/{{page}}'}}]\nresult: done\n"
    )
    steps += "parameters: {type: object, properties: {page: {type: string}}}\n"
    sop = read_sop(put_sop(tmp_path, "look", steps), False)
    judge = plan_calls(
        Toolbox(all_tools()), partial(hosts_of, sop, "what is on https://news.example/top?")
    )
    assert (judge(tool, args) is None) is reads


def test_what_a_page_says_names_no_host(home: Path, pages: str) -> None:
    """A plan whose address comes out of a result stops before it asks."""
    put_sop(
        home,
        "follow",
        "plan:\n- {tool: code_run, args: {type: bash, script: 'printf http://%s evil.example/x'}, expect: {exit_code: 0}, save: {url: output}}\n"
        "- {tool: web_fetch, args: {url: '{{url}}'}, expect: {status: ok}}\nresult: done\n",
    )
    done = drive(agent(home, None).run_sop("follow", {}, Options(approve="all"), SpokenOwner()))
    assert (
        done[-1]["status"] == "failed"
        and "neither the request nor its runs name" in done[-1]["result"]
    )
