"""Requests in other words: what must be found, what must be declined, and that no mutation of a request is misread."""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learning.request import Asked
from learning.rewording import understand
from learning.routing import Choice, choose, read_answer
from learning.slots import Where
from memory.sops.store import Sop, SopStore
from models.errors import ModelUnavailable
from models.offline import Card, Filled
from tests.routing_cases import ASKED, MORE_PAIRS, NEAR, PAIRS, pair_sops, sops, write_sop


@pytest.fixture(scope="module")
def twelve(tmp_path_factory: pytest.TempPathFactory) -> list[Sop]:
    found = sops(tmp_path_factory.mktemp("sops"))
    assert all(sop.runs_alone and not sop.problem for sop in found)
    return found


def _placed(value: Any) -> Any:
    """/w and /o stand for the working folder and the owner's home folder in the cases."""
    return os.path.normpath(value) if isinstance(value, str) and value.startswith("/") else value


def _choose(request: str, known: list[Sop], **more: Any) -> Choice:
    return choose(request, known, Path("/w"), Path("/o"), **more)


def test_paraphrases_are_right_or_declined_and_near_misses_are_declined(twelve: list[Sop]) -> None:
    outcomes: Counter[str] = Counter()
    wrong = []
    for request, name, parameters in ASKED:
        match = _choose(request, twelve).match
        if match is None:
            outcomes["declined"] += 1
            continue
        found = {key: _placed(value) for key, value in match.parameters.items()}
        if (match.sop.name, found) == (
            name,
            {key: _placed(value) for key, value in parameters.items()},
        ):
            outcomes[match.lane] += 1
        else:
            wrong.append((request, match.sop.name, match.parameters))
    taken = [
        (request, match.sop.name) for request in NEAR if (match := _choose(request, twelve).match)
    ]
    assert (wrong, taken) == ([], [])
    assert len(ASKED) >= 120 and len(NEAR) >= 40
    assert outcomes["rewording"] + outcomes["wordings"] >= 83, outcomes


@pytest.mark.parametrize(("pairs", "least"), [(PAIRS, 45), (MORE_PAIRS, 15)], ids=["first", "more"])
def test_what_asks_nobody_is_never_wrong(pairs: Any, least: int, tmp_path: Path) -> None:
    """Alone and among the others: what is something else is left alone, and what is meant has just its values."""
    store = pair_sops(tmp_path, pairs)
    taken, wrong, right = [], [], 0
    for number, (_, _, others, meant) in enumerate(pairs):
        own = next(sop for sop in store if sop.name == f"pair-{number}")
        for known in ([own], store):
            for request in others:
                match = _choose(request, known).match
                taken += [request] if match and match.sop is own else []
            for request, parameters in meant:
                match = _choose(request, known).match
                found = (
                    {key: _placed(value) for key, value in match.parameters.items()}
                    if match
                    else parameters
                )
                wrong += [(request, found)] if found != parameters else []
                right += match is not None and known == [own]
    assert (taken, wrong) == ([], []) and right >= least


def test_what_is_declined_is_nearly_always_a_hint_for_the_model(twelve: list[Sop]) -> None:
    declined = [
        (name, choice)
        for request, name, _ in ASKED
        if not (choice := _choose(request, twelve)).match
    ]
    hinted = [name in [sop.name for sop in choice.hints] for name, choice in declined]
    assert sum(hinted) >= 0.7 * len(declined)
    assert all(choice.decision == ("model" if choice.hints else "none") for _, choice in declined)


ADDED = {
    True: (
        *(
            "don't",
            "never",
            "how do I",
            "why did you",
            "if it rains",
            "undo",
            "remind me to",
            "pretend to",
        ),
        *(
            "tomorrow",
            "except b.csv",
            "and reboot",
            "every Monday",
            "but keep one",
            "to /tmp/x",
            "100",
            "'x'",
            "permanently",
        ),
        *("before Friday", "per customer", "with 5", "twice", "as root", "not", "only"),
    ),
    False: (
        "不要",
        "为什么",
        "每天",
        "撤销",
        "如果下雨就",
        "吗",
        "和 /tmp/y",
        "然后重启",
        "除了一个",
        "两次",
        "按大小",
        "的副本",
        "前 5 个",
    ),
}


def test_a_request_with_something_added_is_never_taken(twelve: list[Sop]) -> None:
    taken = []
    for request, _, _ in ASKED[::3]:
        is_english = request.isascii()
        base, blank = request.rstrip("?.？。"), " " if is_english else ""
        if _choose(request, twelve).match is None:
            continue
        for more in ADDED[is_english]:
            taken += [
                text
                for text in (f"{more}{blank}{base}", f"{base}{blank}{more}")
                if _choose(text, twelve).match
            ]
    assert taken == []


def test_swapped_values_are_never_swapped_back_or_forth(twelve: list[Sop]) -> None:
    for request in (
        "back up to ~/notes from /mnt/usb",
        "rename to a.txt b.txt",
        "from a.txt rename to b.txt",
    ):
        match = _choose(request, twelve).match
        assert match is None or match.parameters["target"].endswith("a.txt"), request


def _one(folder: Path, wordings: list[str], properties: str, effects: str = "local") -> list[Sop]:
    write_sop(
        folder / "sops", "thing", "Does it.", wordings, effects=effects, properties=properties
    )
    return SopStore(folder / "none", folder / "sops").all()


@pytest.mark.parametrize(
    ("wording", "request_text"),
    [
        ("convert csv file {file} to json", "convert json file a.json to csv"),
        (
            "copy rows from orders to invoices in {file}",
            "copy rows from invoices to orders in a.csv",
        ),
        ("delete file {file}", "delete folder ./a"),
        ("delete empty files in {file}", "delete files in ./a"),
        ("delete file {file}", "delete the folder ./a"),
        ("move files in {file} to trash", "move files to ./a"),
        ("show {file}", "a.csv"),
        ("list deleted files in {file}", "delete files in ./a"),
        ("delete files in {file}", "list deleted files in ./a"),
        ("filter {file} for errors", "filter out errors in ./a.csv"),
        ("back up {file}", "restore the backup ./a"),
    ],
)
def test_what_only_sounds_alike_is_declined(
    wording: str, request_text: str, tmp_path: Path
) -> None:
    known = _one(
        tmp_path,
        [wording],
        "file: {type: string, format: path}",
        "none" if wording[0] in "sl" else "local",
    )
    assert _choose(request_text, known).match is None


def test_two_values_of_one_type_need_words_that_tell_them_apart(tmp_path: Path) -> None:
    known = _one(
        tmp_path, ["compare {one} {other}"], "one: {type: integer}, other: {type: integer}"
    )
    assert _choose("please diff 3 4", known).match is None
    told = _one(
        tmp_path / "b",
        ["draw {one} dots by {other}"],
        "one: {type: integer}, other: {type: integer}",
    )
    match = _choose("draw by 4 the dots 3", told).match
    assert match is None or match.parameters == {"one": 3, "other": 4}


def test_two_sops_that_both_fit_decline(tmp_path: Path) -> None:
    for name in ("first", "second"):
        write_sop(
            tmp_path,
            name,
            "Counts.",
            ["count the rows in {file}"],
            properties="file: {type: string, format: path}",
        )
    assert (
        _choose(
            "tell me the number of rows in a.csv", SopStore(tmp_path / "none", tmp_path).all()
        ).match
        is None
    )


@pytest.mark.parametrize("status", ["draft", "candidate", "suspended"])
def test_what_does_not_run_alone_is_a_hint_at_most(status: str, tmp_path: Path) -> None:
    write_sop(tmp_path, "count-rows", "Counts the rows.", ["count the rows in {file}"], properties="file: {type: string, format: path}", status=status)  # fmt: skip
    choice = _choose("count the rows in a.csv", SopStore(tmp_path / "none", tmp_path).all())
    assert (choice.match, choice.decision, [sop.name for sop in choice.hints]) == (
        None,
        "model",
        ["count-rows"],
    )


def test_archived_and_quarantined_ones_are_nothing(tmp_path: Path) -> None:
    write_sop(tmp_path, "count-rows", "Counts the rows.", ["count the rows in {file}"], properties="file: {type: string, format: path}")  # fmt: skip
    skill = tmp_path / "count-rows" / "SKILL.md"
    text = skill.read_text("utf-8")
    for changed in (
        text.replace("active", "archived"),
        text.replace("active", "active, sopwith-quarantine: x"),
    ):
        skill.write_text(changed, encoding="utf-8")
        choice = _choose("count the rows in a.csv", SopStore(tmp_path / "none", tmp_path).all())
        assert (choice.decision, choice.candidates, choice.hints) == ("none", [], [])


# the model's lane


class Said:
    """A model that gives this answer and remembers what it was asked."""

    def __init__(self, answer: str) -> None:
        self.answer, self.asked = answer, list[tuple[str, str]]()

    def __call__(self, request: str, cards: str) -> str:
        self.asked.append((request, cards))
        return self.answer


def test_a_model_may_choose_what_rules_do_not_see(twelve: list[Sop]) -> None:
    said = Said('Sure.\n```json\n{"sop": "cancel-order", "parameters": {"order": 55}}\n```')
    match = _choose("have order 55 cancelled", twelve, ask_model=said).match
    assert match is not None and (match.lane, match.sop.name, match.parameters) == (
        "model",
        "cancel-order",
        {"order": 55},
    )
    assert len(said.asked) == 1 and "cancel-order: Cancels an order" in said.asked[0][1]
    assert said.asked[0][1].count("\n\n") <= 4  # five cards


@pytest.mark.parametrize(
    ("request_text", "answer"),
    [
        ("have order 55 cancelled", '{"sop": "none"}'),
        ("have order 55 cancelled", '{"sop": "cancel-order", "parameters": {"order": 56}}'),
        ("have order 55 cancelled", '{"sop": "cancel-order", "parameters": {}}'),
        (
            "have order 55 cancelled",
            '{"sop": "cancel-order", "parameters": {"order": 55, "force": true}}',
        ),
        ("have order 55 cancelled", '{"sop": "format-disk", "parameters": {}}'),
        ("have order 55 cancelled", '{"sop": "cancel-order", "parameters": [55]}'),
        ("have order 55 cancelled", "{" * 100_000),
        ("have order 55 cancelled", "cancel-order"),
        ("have order 55 cancelled", ""),
        ("have orders 55 and 56 cancelled", '{"sop": "cancel-order", "parameters": {"order": 55}}'),
        ("do not have order 55 cancelled", '{"sop": "cancel-order", "parameters": {"order": 55}}'),
        ("refund order 55", '{"sop": "cancel-order", "parameters": {"order": 55}}'),
        (
            "have order 55 cancelled tomorrow",
            '{"sop": "cancel-order", "parameters": {"order": 55}}',
        ),
        (
            "drop logs older than 3 weeks in /l",
            '{"sop": "delete-old-logs", "parameters": {"days": 3, "folder": "/l"}}',
        ),
        (
            "drop logs younger than 3 days in /l",
            '{"sop": "delete-old-logs", "parameters": {"days": 3, "folder": "/l"}}',
        ),
        (
            "恢复 ~/notes 到 /mnt",
            '{"sop": "backup-folder", "parameters": {"source": "~/notes", "target": "/mnt"}}',
        ),
    ],
)
def test_a_models_choice_passes_the_same_guards(
    request_text: str, answer: str, twelve: list[Sop]
) -> None:
    assert _choose(request_text, twelve, ask_model=Said(answer)).match is None


def test_a_model_that_cannot_be_reached_is_no_reason_to_stop(twelve: list[Sop]) -> None:
    def nobody(request: str, cards: str) -> str:
        raise ModelUnavailable("no route to host")

    assert _choose("have order 55 cancelled", twelve, ask_model=nobody).decision == "model"


def test_a_model_is_not_asked_when_rules_are_sure_or_nothing_is_near(twelve: list[Sop]) -> None:
    said = Said('{"sop": "none"}')
    assert _choose("please cancel the order 4711", twelve, ask_model=said).match
    assert _choose("qwertz uiop", twelve, ask_model=said).decision == "none"
    assert said.asked == []


def test_the_answer_of_a_model_is_read_strictly() -> None:
    assert read_answer('{"sop": "a", "parameters": {"n": 1}}') == Filled("a", {"n": 1}, 1.0)
    assert read_answer('{"sop": 3}') is None and read_answer('[{"sop": "a"}, {"sop": "b"}]') is None


class Guessing:
    """An offline filler that always takes the first card with these values."""

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        self.name, self.values, self.calls = name, values, 0

    def fill(self, request: str, cards: list[Card]) -> Filled | None:
        self.calls += 1
        return Filled(self.name, self.values, 0.9)


def test_the_offline_model_passes_the_guards_and_hears_english_only(twelve: list[Sop]) -> None:
    right, wrong = Guessing("order-status", {"order": 55}), Guessing("cancel-order", {"order": 55})
    match = _choose("at which status is order 55", twelve, offline=right).match
    assert match is not None and match.lane == "offline"
    for request in (
        "refund order 55",
        "postpone order 55",
        "cancel invoice 55",
        "expedite order 55",
    ):
        assert _choose(request, twelve, offline=wrong).match is None, request
    for request in (
        "examine the price of order 55",
        "examine the status of invoice 55",
        "examine order 55",
    ):
        assert _choose(request, twelve, offline=right).match is None, request
    calls = right.calls
    assert _choose("订单 55 到哪了", twelve, offline=right).match is None and right.calls == calls


# speed and strength


def test_five_hundred_sops_take_less_than_twenty_milliseconds(tmp_path: Path) -> None:
    verbs, things = ("read", "write", "list", "check", "count", "sort", "merge", "email"), ("report", "invoice", "photo", "ticket", "ledger", "recipe", "sensor", "podcast")  # fmt: skip
    for verb in verbs:
        for thing in things:
            for kind in ("weekly", "draft", "signed", "paid", "remote", "shared", "large", "final"):
                write_sop(tmp_path, f"{verb}-{kind}-{thing}", f"{verb}s the {kind} {thing} of a folder.", [f"{verb} the {kind} {thing} in {{folder}}", f"[{verb}|do] {kind} {thing} [in|from] {{folder}}"], properties="folder: {type: string, format: path}")  # fmt: skip
    known = SopStore(tmp_path / "none", tmp_path).all()
    assert len(known) > 500

    def seconds(request: str) -> float:
        started = time.process_time()
        _choose(request, known)
        return time.process_time() - started

    for request in (
        "please sort my paid invoice under /data",
        "what is the weather like",
        "请看看" + "长" * 400,
        "merge " * 150,
    ):
        assert min(seconds(request) for _ in range(5)) < 0.02, request


def test_what_changed_on_disk_is_found_by_its_new_words(tmp_path: Path) -> None:
    write_sop(tmp_path, "thing", "Does it.", ["polish the walrus"])
    assert _choose("my walruses", SopStore(tmp_path / "none", tmp_path).all()).hints
    path = tmp_path / "thing" / "sop.yaml"
    path.write_text(path.read_text("utf-8").replace("walrus", "otter"), encoding="utf-8")
    os.utime(path, ns=(1, 1))
    known = SopStore(tmp_path / "none", tmp_path).all()
    assert not _choose("my walruses", known).hints and _choose("my otters", known).hints


@settings(max_examples=300, deadline=None)
@given(
    text=st.text(
        alphabet=st.sampled_from(
            "cancel order 4711 back up ~/n to /m 把取消订单的里\"'`{}[]|$;.,#%\n"
        ),
        max_size=80,
    )
)
def test_no_request_upsets_the_lanes(text: str, twelve: list[Sop]) -> None:
    choice = _choose(text, twelve)
    assert (choice.match is not None) == (choice.decision == "rote")


@settings(max_examples=200, deadline=None)
@given(
    value=st.text(min_size=1, max_size=30).filter(
        lambda text: text.isprintable() and text.strip() and not set(text) & set('"“”„\\`')
    )
)
def test_a_quoted_value_arrives_as_it_was_written(value: str, twelve: list[Sop]) -> None:
    if len(value.lower()) != len(value) or value[0] in "~'":
        return
    sop = next(sop for sop in twelve if sop.name == "git-tag")
    asked = Asked.read(f'make a tag "{value}" in /srv/app')
    assert asked is not None and sop.procedure is not None
    found = understand(asked, sop.procedure, sop.name, Where(Path("/w"), Path("/o")))
    assert getattr(found, "values", {"version": value})["version"] == value
