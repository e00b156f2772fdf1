"""Check which SOP serves a request: exact wordings are done, all else is shown with its values, a
model's pick is checked."""

import cProfile
import json
import pstats
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learning.route import Match, Remembered, Where, choose, exact_match
from learning.route.choosing import Choice
from learning.route.picking import AskModel
from learning.route.typed import read
from memory.sops import Sop, SopStore
from tests.routing_cases import ASKED, NEAR, SEEDS_ASKED, SEEDS_DECLINED, sops, write_sop
from tests.rows import cases

SEEDS = SopStore(Path(__file__).parents[1] / "sops", Path("/nowhere")).all()
HERE = Where(Path("/w"), Path("/o"))


def exact(request: str, known: list[Sop] = SEEDS, where: Where = HERE) -> Match | None:
    return exact_match(request, [sop for sop in known if sop.runs_alone], where)


def chosen(request: str, known: list[Sop] = SEEDS, ask_model: AskModel | None = None) -> Choice:
    return choose(request, known, Path("/w"), Path("/o"), ask_model=ask_model)


def one(folder: Path, name: str, wordings: list[str], **more: Any) -> Sop:
    write_sop(folder, name, "What was learned.", wordings, **more)
    return next(sop for sop in SopStore(folder / "none", folder).all() if sop.name == name)


def picking(name: str, **values: Any) -> AskModel:
    return lambda request, cards: json.dumps({"sop": name, "parameters": values})


# collections, scored as a whole


def test_most_requests_for_the_seeds_are_done() -> None:
    done = 0
    for request, name, values in SEEDS_ASKED:
        match = exact(request)
        is_right = match and match.sop.name == name and values.items() <= match.parameters.items()
        done += bool(is_right)
    assert done >= 0.9 * len(SEEDS_ASKED)


def test_no_near_miss_is_done(tmp_path: Path) -> None:
    known = sops(tmp_path)
    assert [text for text in NEAR if exact(text, known)] == []
    assert [text for text in SEEDS_DECLINED if exact(text)] == []


def test_requests_in_other_words_are_shown_with_their_values(tmp_path: Path) -> None:
    known, found = sops(tmp_path), Counter[str]()
    for request, name, values in ASKED:
        choice = chosen(request, known)
        first = choice.candidates[0] if choice.candidates else None
        same = first is not None and all(
            str(first.parameters.get(key)).rpartition("/")[2] == str(value).rpartition("/")[2]
            for key, value in values.items()
        )
        is_right = first is not None and first.name == name and same
        found["right" if is_right else "wrong" if choice.match else "other"] += 1
    assert found["wrong"] == 0
    assert found["right"] >= 0.85 * len(ASKED)


# exact wordings


@cases
def test_only_proven_sops_run_without_a_model(status: str, runs: bool, tmp_path: Path) -> None:
    sop = one(tmp_path, "tea", ["make tea"], status=status)
    assert (exact("make tea", [sop]) is not None) is runs


def test_two_sops_for_one_request_are_shown_unless_one_takes_more_values(tmp_path: Path) -> None:
    plain = one(tmp_path, "plain", ["brew tea"])
    rival = one(tmp_path, "rival", ["brew tea", "brew [green|] tea"])
    assert exact("brew tea", [plain, rival]) is None
    assert {each.sop.name for each in chosen("brew tea", [plain, rival]).shown} == {
        "plain",
        "rival",
    }
    kinds = "kind: {type: string, enum: [tea]}"
    fuller = one(tmp_path, "fuller", ["brew {kind}"], properties=kinds)
    match = exact("brew tea", [plain, rival, fuller])
    assert match and match.sop.name == "fuller"


@cases
def test_politeness_case_and_articles_change_nothing(request_: str, tmp_path: Path) -> None:
    match = exact(request_, sops(tmp_path))
    assert match and match.parameters == {"order": 7}


@cases
def test_a_slot_takes_only_what_its_type_allows(
    text: str, schema: dict[str, Any], value: Any
) -> None:
    assert read(text, schema, "", HERE) == value


@settings(max_examples=200, deadline=None)
@given(
    st.text(st.sampled_from("délete files oldr than 30 天里把的~/x\"'“”… \n{}[]|$`"), max_size=80)
)
def test_no_request_upsets_the_choice(text: str) -> None:
    match = chosen(text).match
    assert match is None or match.sop.runs_alone


def test_texts_that_commas_tell_apart_do_not_run_together(tmp_path: Path) -> None:
    kinds = "street: {type: string}, city: {type: string}, code: {type: string}"
    wording = "send it to {street:words}, {city}, {code:words}"
    sop = one(tmp_path, "send", [wording], properties=kinds)
    match = exact("send it to 5 The Green, Hull, HU4 3AB", [sop])
    assert match and match.parameters == {
        "street": "5 The Green",
        "city": "Hull",
        "code": "HU4 3AB",
    }
    assert exact("send it to 5 The Green, Market Weighton, YO43 3AB", [sop]) is None


# what is shown


def test_what_is_left_over_or_missing_is_said(tmp_path: Path) -> None:
    known = sops(tmp_path)
    left = chosen("cancel order 4711 and 4712", known).shown[0]
    assert left.unused == ["4712"] and left.parameters == {"order": 4711}
    assert chosen("cancel the order please, quickly", known).shown[0].missing == ["order"]


# a model's pick


def test_a_pick_that_only_reads_is_done_when_its_values_stand_in_the_request(
    tmp_path: Path,
) -> None:
    choice = chosen(
        "in what state is order 812", sops(tmp_path), picking("order-status", order=812)
    )
    assert choice.match and choice.match.lane == "model"
    assert choice.match.parameters == {"order": 812}


@pytest.mark.parametrize(
    ("request_", "value"),
    [("in what state is order 812", 813), ("in what state are order 812 and order 77", 812)],
)
def test_a_pick_with_another_value_or_a_value_left_over_is_dropped(
    request_: str, value: int, tmp_path: Path
) -> None:
    choice = chosen(request_, sops(tmp_path), picking("order-status", order=value))
    assert choice.match is None and choice.pick is None


@pytest.mark.parametrize(
    "request_", ["in what state is order 812 not", "did order 812 get a status"]
)
def test_a_pick_for_a_negated_or_past_request_is_shown_first(request_: str, tmp_path: Path) -> None:
    choice = chosen(request_, sops(tmp_path), picking("order-status", order=812))
    assert choice.match is None and choice.pick


def test_a_pick_that_writes_is_shown_first(tmp_path: Path) -> None:
    known = sops(tmp_path)
    for request, name, values in ASKED:
        choice = chosen(request, known, picking(name, **values))
        writes = name not in ("order-status", "filter-csv", "count-rows", "large-files")
        assert not (writes and choice.match and choice.match.lane == "model"), request


def test_a_model_that_takes_everything_does_no_near_miss_that_writes(tmp_path: Path) -> None:
    known = sops(tmp_path)
    for request in NEAR:
        shown = chosen(request, known).shown
        for each in shown:
            choice = chosen(request, known, picking(each.sop.name, **each.parameters))
            procedure = each.sop.procedure
            assert choice.match is None or (procedure and procedure.effects == "none"), request


class ByMeaning:
    """An embedder that knows two meanings: to call something off, and all else."""

    name = "two meanings"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], *, is_awaited: bool = False) -> Any:
        self.asked += texts
        return np.array(
            [[1.0, 0.0] if "cancel" in text or "mind" in text else [0.0, 1.0] for text in texts],
            np.float32,
        )


def test_a_pick_may_share_no_word_with_the_request(tmp_path: Path) -> None:
    known, cards = sops(tmp_path), list[str]()

    def pick(request: str, shortlist: str) -> str:
        cards.append(shortlist)
        return picking("cancel-order", order=4711)(request, shortlist)

    request = "changed my mind about 4711"
    meaning = ByMeaning()
    found = choose(request, known, Path("/w"), Path("/o"), ask_model=pick, embedder=lambda: meaning)
    assert "cancel-order" in cards[0]
    assert found.match is None and found.pick and found.pick.parameters == {"order": 4711}
    again = ByMeaning()
    choose(request, known, Path("/w"), Path("/o"), embedder=lambda: again)
    assert len(again.asked) == 1  # the vectors of the SOPs were kept


# what is remembered


def test_a_yes_makes_the_same_words_exact_with_other_values(tmp_path: Path) -> None:
    known, remembered = sops(tmp_path / "sops"), Remembered(tmp_path)
    cancel = next(sop for sop in known if sop.name == "cancel-order")
    wording = remembered.add("call off order 55", cancel, {"order": 55}, "r1", HERE)
    assert wording == "call off order {order}"
    match = exact("Please call off order 99", remembered.with_wordings(known))
    assert match and match.parameters == {"order": 99}
    assert remembered.add("call off order 55", cancel, {"order": 55}, "r2", HERE) is None


def test_a_wording_with_a_value_that_no_parameter_takes_is_not_kept(tmp_path: Path) -> None:
    known, remembered = sops(tmp_path / "sops"), Remembered(tmp_path)
    cancel = next(sop for sop in known if sop.name == "cancel-order")
    assert remembered.add("call off orders 55 and 56", cancel, {"order": 55}, "r", HERE) is None
    assert remembered.add("call off order 55", cancel, {"order": 56}, "r", HERE) is None


def test_a_no_is_remembered(tmp_path: Path) -> None:
    known, remembered = sops(tmp_path / "sops"), Remembered(tmp_path)
    shown = chosen("call off order 55", known).shown
    assert not remembered.is_refused("call off order 55", shown[0])
    remembered.refuse("call off order 55", shown, "r")
    assert remembered.is_refused("call off order 55", shown[0])


def test_a_wording_of_the_owner_goes_before_a_seed_that_takes_more_of_it(tmp_path: Path) -> None:
    own = one(
        tmp_path,
        "count-words",
        ["how many words are in {file}"],
        properties="file: {type: string, format: path}",
    )
    match = exact("how many words are in ~/a.txt", [*SEEDS, own])
    assert match and match.sop.name == "count-words"


# the cost


@pytest.mark.parametrize(
    "request_",
    ["Which files take the most space in ~/Downloads?", "please sort reporta of wordaa in /x"],
)
def test_routing_among_five_hundred_sops_takes_ten_milliseconds(
    request_: str, tmp_path: Path
) -> None:
    folder = "folder: {type: string, format: path}"
    for n in range(60):
        said = f"the report{chr(97 + n % 26)} word{chr(97 + n // 10)}{chr(97 + n % 10)}"
        verbs = ("read", "write", "list", "check", "count", "sort")
        wordings = [f"{verb} {said} in {{folder}}" for verb in verbs]
        write_sop(tmp_path, f"sop-{n}", "What was learned.", wordings, properties=folder)
    many = [*SEEDS, *(SopStore(tmp_path / "none", tmp_path).all() * 9)]
    assert len(many) > 500
    chosen(request_, many)
    profile = cProfile.Profile()
    profile.runcall(chosen, request_, many)
    counted: dict[object, tuple[int, ...]] = vars(pstats.Stats(profile))["stats"]
    # 15,200 and 15,000 calls; 31,700 and 34,100 of them took 5.5 ms, and 10 on a slow machine
    assert sum(calls for _, calls, *_ in counted.values()) < 20_000
