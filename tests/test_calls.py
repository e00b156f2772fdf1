"""Several runs share lists, loops, constants that must hold, texts; found by comparing, tried with
the replay's reader."""

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
from tests.rows import cases, rows

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
    about = (Path("/tmp"), "en", "done", answer, results, "2026-11-22T10:00:00Z")
    return Trace(f"20261122-1000{len(request):02d}-aaaa", request, *about, None)


ORDERS: list[dict[str, Any]] = rows(__name__, "orders")


def close_all(
    customer: str, orders: list[dict[str, Any]], asked: str = "close the open orders of"
) -> Trace:
    closes: Answers = [
        ("shop.close_order", {"id": each["id"]}, {"id": each["id"], "state": "closed"})
        for each in orders
        if each["state"] == "open"
    ]
    read = ("shop.list_orders", {"customer": customer}, orders)
    return trace(f"{asked} {customer}", [read, *closes])


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


def test_fields_that_pick_the_same_rows_must_agree_later() -> None:
    def tickets(*told: tuple[str, str, int]) -> list[dict[str, Any]]:
        return [{"id": each, "state": state, "level": level} for each, state, level in told]

    asked = "tidy up for"
    known = tickets(("T-1", "open", 2), ("T-2", "open", 2), ("T-3", "shut", 1))
    runs = [close_all("Ann", known, asked), close_all("Bo", known[1:], asked)]
    procedure = induce(runs, "close-all").procedure()
    same = tickets(("T-7", "shut", 3), ("T-8", "open", 2))
    assert retrace(procedure, Run.read(close_all("Cy", same, asked)), {"customer": "Cy"}) == ""
    other = tickets(("T-8", "open", 2), ("T-9", "open", 4))
    why = retrace(procedure, Run.read(close_all("Di", other, asked)), {"customer": "Di"})
    assert "level" in why and "T-9" in why


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


def use(box: str, kind: str, state: int, left: int, sku: str = "") -> Trace:
    def found(state: int, left: int) -> dict[str, Any]:
        rows = [
            {"part": f"P-{kind}", "kind": kind, "state": state, "left": left},
            {"part": "P-0", "kind": "nut", "state": 9, "left": 9},
        ]
        return {"box": box, "parts": rows, "stock": [{"sku": sku or kind}]}

    read = ("store.get_box", {"box": box})
    calls: Answers = [
        (*read, found(state, left)),
        ("store.use_part", {"part": f"P-{kind}", "sku": kind}, "ok"),
        (*read, found(state + 1, left - 1)),
    ]
    return trace(f"use a {kind} of {box}", calls)  # fmt: skip


@cases
def test_a_row_must_be_as_it_was_before_it_was_changed(
    state: int, left: int, sku: str, why: str
) -> None:
    draft = induce([use("B-1", "bolt", 1, 5), use("B-2", "pipe", 1, 2)], "use-part")
    assert draft.is_settled, draft.problems
    other = Run.read(use("B-3", "rod", state, left, sku))
    said = retrace(draft.procedure(), other, {"box": "B-3", "kind": "rod"})
    assert said == "" if not why else why in said


def pack(order: str, lines: list[dict[str, Any]]) -> Trace:
    picks: Answers = [
        ("lots.pick", {"order": order, "lot": each["lot"], "qty": each["qty"]}, "ok")
        for each in lines
    ]
    return trace(f"pack {order}", [("lots.get_order", {"order": order}, {"lines": lines}), *picks])


def test_several_fields_of_each_row_are_given_to_a_call() -> None:
    rows = [{"lot": f"L{n}", "qty": n + 4, "sku": f"S{n}"} for n in range(5)]
    draft = induce([pack("SO-1", rows[:2]), pack("SO-22", rows[2:3])], "pack")
    assert draft.is_settled, draft.problems
    args = {"order": "{{order}}", "lot": "{{item.lot}}", "qty": "{{item.qty}}"}
    assert draft.content.commit[0].args == args
    assert retrace(draft.procedure(), Run.read(pack("SO-3", rows)), {"order": "SO-3"}) == ""


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


def rent(kind: str, item: str, who: str, rows: list[tuple[str, str, str | None]]) -> Trace:
    items = [{"number": key, "kind": own, "rented_to": by} for key, own, by in rows]
    calls: Answers = [
        ("school.list_items", {}, items),
        (
            "school.rent",
            {"number": item, "who": who},
            {"number": item, "kind": kind, "rented_to": who},
        ),
    ]
    return trace(f"rent a {kind} to {who}", calls)


def test_a_row_is_picked_by_what_is_empty_and_not_looked_for_when_it_is_not() -> None:
    rows = [("V-1", "violin", "Bo"), ("V-2", "violin", None), ("C-1", "cello", None)]
    draft = induce([rent("violin", "V-2", "Ida", rows), rent("cello", "C-1", "Tom", rows)], "rent")
    assert draft.is_settled, draft.problems
    assert draft.content.plan[0].save == {"number": "json[kind=kind & rented_to=''].number"}
    assert draft.content.checks == []  # that row is no longer found
    taken = Run.read(rent("violin", "V-1", "Zoe", rows[:1]))
    assert "no row" in retrace(draft.procedure(), taken, {"kind": "violin", "who": "Zoe"})


def cancel(who: str, day: str, lessons: list[tuple[str, str]]) -> Trace:
    rows = [{"id": key, "day": on} for key, on in lessons]
    cancels: Answers = [("school.cancel", {"id": key}, "ok") for key, on in lessons if on == day]
    read = ("school.list_lessons", {"teacher": who}, rows)
    return trace(f"{who} is ill on {day}", [read, *cancels])


def test_one_word_of_a_request_picks_all_rows() -> None:
    weeks = [[("L-1", "Friday"), ("L-2", "Monday"), ("L-3", "Friday")], [("L-4", "Monday"), ("L-5", "Sunday"), ("L-6", "Monday")]]  # fmt: skip
    runs = [cancel("Ann", "Friday", weeks[0]), cancel("Bo", "Monday", weeks[1])]
    draft = induce(runs, "ill")
    assert draft.is_settled, draft.problems
    assert draft.content.plan[0].save == {"ids": "all json[day=day].id"}
    values = {"teacher": "Cy", "day": "Sunday"}
    assert retrace(draft.procedure(), Run.read(cancel("Cy", "Sunday", weeks[1])), values) == ""


def park(parcel: str, town: str, box: str, extra: Answers) -> Trace:
    boxes = [{"box": box, "free": True}, {"box": "B-0", "free": False}]
    calls: Answers = [
        ("post.mark", {"parcel": parcel}, {"parcel": parcel, "state": "marked"}),
        ("post.list_boxes", {"town": town}, boxes),
        *extra,
        ("post.park", {"parcel": parcel, "box": box}, "ok"),
    ]
    return trace(f"park {parcel} in {town}", calls)


@pytest.mark.parametrize("extra", [[], [("post.get_weather", {}, {"sky": "grey"})]])
def test_a_read_behind_the_first_write_is_a_step_where_something_needs_it(extra: Answers) -> None:
    runs = [park("P-1", "Hull", "B-7", extra), park("P-22", "York", "B-9", extra)]
    draft = induce(runs, "park")
    assert draft.is_settled, draft.problems
    assert [step.tool for step in draft.content.commit] == ["post.mark", "post.list_boxes", "post.park"]  # fmt: skip
    values = {"parcel": "P-3", "town": "Goole"}
    assert retrace(draft.procedure(), Run.read(park("P-3", "Goole", "B-4", extra)), values) == ""


def where(parcel: str, to: str, depot: str, city: str) -> Trace:
    calls: Answers = [
        ("post.get_parcel", {"parcel": parcel}, {"to": to, "depot": depot}),
        ("post.get_depot", {"depot": depot}, {"city": city}),
    ]
    return trace(f"where is {parcel}", calls, f"It is in {city}.")


def test_two_answers_that_say_the_same_must_agree_later() -> None:
    draft = induce([where("P-1", "Hull", "D-1", "Hull"), where("P-22", "York", "D-22", "York")], "where")  # fmt: skip
    assert draft.is_settled, draft.problems
    same, other = where("P-3", "Bath", "D-3", "Bath"), where("P-4", "Goole", "D-4", "Hull")
    assert retrace(draft.procedure(), Run.read(same), {"parcel": "P-3"}) == ""
    assert "Goole" in retrace(draft.procedure(), Run.read(other), {"parcel": "P-4"})


def test_a_word_between_commas_may_be_of_several_words() -> None:
    def send(to: str, city: str, code: str) -> Trace:
        args = {"street": to, "city": city, "code": code}
        return trace(f"send it to {to}, {city}, {code}", [("post.send", args, "ok")])

    runs = [send("14 Mill Lane", "Leeds", "LS1 4DY"), send("3 Abbey Road", "York", "YO1 7H")]
    wording = "send it to {street:words}, {city:words}, {code:words}"
    assert induce(runs, "send").content.wordings == [wording]


ROWS = {"one": {"size": "M", "kind": {"color": "red", "fit": "slim"}}, "two": {"size": "L", "kind": {"color": "blue", "fit": "slim"}}}  # fmt: skip


@cases
def test_rows_are_picked_by_what_they_say(
    extractor: str, values: Mapping[str, Any], found: Any
) -> None:
    read = parse(extractor)
    assert read is not None
    try:
        assert picked(ROWS, read, values) == found
    except ValueError as error:
        assert str(found) in str(error)


@cases
def test_what_a_script_does_on_a_page_is_read_as_data_or_not_at_all(script: str, acts: Any) -> None:
    assert calls_in(script) == (acts and [(name, args) for name, args in acts])
