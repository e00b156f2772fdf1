"""What a successful request adds to an SOP's wordings: typed slots only, nothing twice, nothing with a rest."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path
from typing import Any

import pytest

from learning.learned_wordings import FILE, MOST, add, learned, typed, with_learned
from learning.routing import choose, route
from learning.slots import Where
from memory.sops.store import Sop, SopStore
from tests.routing_cases import sops, write_sop

WHERE = Where(Path("/w"), Path("/o"))


@pytest.fixture
def twelve(tmp_path: Path) -> list[Sop]:
    return sops(tmp_path / "sops")


def _sop(known: list[Sop], name: str) -> Sop:
    return next(sop for sop in known if sop.name == name)


def _learn(
    home: Path, known: list[Sop], name: str, request: str, values: dict[str, Any]
) -> str | None:
    sop = _sop(known, name)
    assert sop.procedure is not None
    return add(
        home,
        sop,
        request,
        sop.procedure.bind(values, WHERE.cwd),
        "20261121-222220-k3f9",
        WHERE,
        known,
    )


@pytest.mark.parametrize(
    ("name", "request_text", "values", "wording"),
    [
        ("cancel-order", "Please call off order 55!", {"order": 55}, "call off order {order}"),
        ("cancel-order", "订单 55 不用做了", {"order": 55}, "订单 {order} 不用做了"),
        (
            "csv-to-json",
            "turn ~/Sales.csv into JSON",
            {"file": "/o/Sales.csv"},
            "turn {file} into json",
        ),
        (
            "backup-folder",
            "stash ~/notes away at /mnt/usb",
            {"source": "/o/notes", "target": "/mnt/usb"},
            "stash {source} away at {target}",
        ),
        (
            "git-tag",
            "put tag 'beta two' on the repo /srv/app",
            {"version": "beta two", "folder": "/srv/app"},
            "put tag {version:quoted} on the repo {folder}",
        ),
        (
            "resize-image",
            "make a.png eight pixels wide",
            {"image": "/w/a.png", "width": 8},
            "make {image} {width} pixels wide",
        ),
    ],
)
def test_a_success_adds_its_wording_and_finds_it_again(
    name: str,
    request_text: str,
    values: dict[str, Any],
    wording: str,
    twelve: list[Sop],
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    assert route(request_text, twelve, *_places()) is None
    assert _learn(home, twelve, name, request_text, values) == wording
    match = route(request_text, with_learned(twelve, home), *_places())
    assert match is not None and match.sop.name == name
    kept = json.loads((home / "sops" / FILE).read_text("utf-8"))
    assert not any(str(value) in kept["wording"] for value in values.values() if str(value) != "8")
    assert kept["run"] == "20261121-222220-k3f9"


def _places() -> tuple[Path, Path]:
    return WHERE.cwd, WHERE.owner_home


def test_another_request_of_a_learned_wording_is_found_with_other_values(
    twelve: list[Sop], tmp_path: Path
) -> None:
    _learn(tmp_path, twelve, "cancel-order", "call off order 55", {"order": 55})
    match = choose("please call off order 99", with_learned(twelve, tmp_path), *_places()).match
    assert match is not None and (match.lane, match.parameters) == ("wordings", {"order": 99})


@pytest.mark.parametrize(
    ("name", "request_text", "values"),
    [
        ("cancel-order", "cancel order 55", {"order": 55}),  # known
        ("cancel-order", "Please cancel the order 55.", {"order": 55}),  # nearly known
        ("cancel-order", "call off order 55 and 56", {"order": 55}),  # a rest
        ("cancel-order", "call off order 56", {"order": 55}),  # another value
        ("cancel-order", "call it off", {"order": 55}),  # the value is not said
        ("cancel-order", "55", {"order": 55}),  # no word of its own
        ("cancel-order", "call off order {order} 55", {"order": 55}),
        ("cancel-order", "call off order 55 " + "very " * 60 + "soon", {"order": 55}),
        ("backup-folder", "stash /a at /a", {"source": "/a", "target": "/a"}),  # which is which?
        (
            "delete-old-logs",
            "list files larger than 7 MB in /l",
            {"days": 7, "folder": "/l"},
        ),  # another SOP's wording
    ],
)
def test_what_would_not_lead_back_is_not_added(
    name: str, request_text: str, values: dict[str, Any], twelve: list[Sop], tmp_path: Path
) -> None:
    assert _learn(tmp_path, twelve, name, request_text, values) is None
    assert learned(tmp_path) == {}


def test_nothing_is_added_twice_or_nearly_twice(twelve: list[Sop], tmp_path: Path) -> None:
    assert _learn(tmp_path, twelve, "cancel-order", "call off order 55", {"order": 55})
    assert (
        _learn(tmp_path, twelve, "cancel-order", "Call off the order 77, please", {"order": 77})
        is None
    )
    assert learned(tmp_path) == {"cancel-order": ["call off order {order}"]}


def test_an_sop_has_enough_wordings_at_forty(twelve: list[Sop], tmp_path: Path) -> None:
    for number in range(MOST + 3):
        word = chr(97 + number // 26) + chr(97 + number % 26) + "q"
        added = _learn(tmp_path, twelve, "cancel-order", f"{word} order 55", {"order": 55})
        assert (added is not None) == (number < MOST)
    assert len(learned(tmp_path)["cancel-order"]) == MOST


def test_broken_lines_and_wordings_of_other_parameters_are_passed_over(
    twelve: list[Sop], tmp_path: Path
) -> None:
    path = tmp_path / "home" / "sops" / FILE
    path.parent.mkdir(parents=True)
    lines = [
        '{"sop": "cancel-order", "wording": "drop order {order}"}',
        "{",
        "[]",
        '{"sop": 3, "wording": "x"}',
    ]
    lines += [
        '{"sop": "cancel-order", "wording": "drop order {number}"}',
        '{"sop": "gone", "wording": "x y"}',
        '{"sop": "cancel-',
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    extended = _sop(with_learned(twelve, tmp_path / "home"), "cancel-order").procedure
    assert extended is not None and [w.text for w in extended.wordings][2:] == [
        "drop order {order}"
    ]
    assert _learn(tmp_path / "home", twelve, "cancel-order", "call off order 55", {"order": 55})
    assert (
        learned(tmp_path / "home")["cancel-order"][-1] == "call off order {order}"
    )  # behind a torn line


def _add_many(home: Path, folder: Path, who: int) -> None:
    known = SopStore(folder, folder / "none").all()
    for number in range(8):
        _learn(
            home, known, "cancel-order", f"{'xyz'[who]}{chr(97 + number)}k order 55", {"order": 55}
        )


def test_three_processes_add_side_by_side_and_lose_nothing(
    twelve: list[Sop], tmp_path: Path
) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [
        context.Process(target=_add_many, args=(tmp_path, tmp_path / "sops", who))
        for who in range(3)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert len(learned(tmp_path)["cancel-order"]) == 24


def test_text_alone_has_no_wordings(tmp_path: Path) -> None:
    write_sop(tmp_path, "thing", "Does it.", ["do it"])
    (tmp_path / "thing" / "sop.yaml").unlink()
    (sop,) = SopStore(tmp_path, tmp_path / "none").all()[-1:]
    assert typed("do it now", sop, {}, WHERE) is None
