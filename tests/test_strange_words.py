"""The quick look says no only where the careful reading does; and it does say so of tasks that no SOP is about."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from learning.concepts import meaning, meanings
from learning.request import Asked
from learning.rewording import Understood, understand
from learning.routing import choose
from learning.slots import Where
from learning.strange_words import strange_word
from memory.sops.store import Sop, SopStore
from tests.conftest import CHECKOUT
from tests.routing_cases import ASKED, NEAR, sops

OTHER_TASKS = (
    "Count the parts of the archive one by one, and say how many there are.",
    "Refactor the parser in src/foo.py to use asyncio",
    "Which commit broke the tests?",
    "Summarise the notes of last week",
    "fix the failing test in tests/test_x.py",
    "translate this page to German",
)


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> list[Sop]:
    seeds = SopStore(CHECKOUT / "sops", tmp_path_factory.mktemp("home")).all()
    return [*sops(tmp_path_factory.mktemp("sops")), *(sop for sop in seeds if sop.runs_alone)]


OTHER_CHINESE = ("把 ~/notes 翻译一下", "帮我购买两张车票", "请解压 a.zip", "格式化我的硬盘")


@pytest.mark.parametrize("task", OTHER_CHINESE)
def test_a_chinese_verb_settles_it_too(task: str, known: list[Sop]) -> None:
    asked = Asked.read(task)
    assert asked is not None
    assert all(
        strange_word(asked, sop.procedure, sop.name)
        for sop in known
        if sop.procedure and sop.name == "order-status"
    )


def _said_otherwise(request: str) -> list[str]:
    """The request, and with each of its words replaced by each one that means the same."""
    words = request.split()
    swapped = [
        " ".join([*words[:at], other, *words[at + 1 :]])
        for at, mine in enumerate([meaning(word.lower()) for word in words])
        for other, things in meanings().items()
        if things & mine
    ]
    return [request, *swapped[::9]]


def test_no_request_that_is_understood_holds_a_strange_word(known: list[Sop]) -> None:
    refused = 0
    for request in [*(request for request, *_ in ASKED), *NEAR][::3]:
        for said in _said_otherwise(request):
            asked = Asked.read(said)
            for sop in known:
                if (
                    asked is None
                    or not sop.procedure
                    or not strange_word(asked, sop.procedure, sop.name)
                ):
                    continue
                found = understand(asked, sop.procedure, sop.name, Where(Path("/w"), Path("/o")))
                assert not isinstance(found, Understood), (said, sop.name)
                refused += 1
    assert refused > 1000


@pytest.mark.parametrize("task", OTHER_TASKS)
def test_another_task_is_declined_without_reading_the_wordings(
    task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("learning.rewording", "learning.ranking"):
        monkeypatch.setitem(sys.modules, module, None)  # to import it is an error
    choice = choose(task, SopStore(CHECKOUT / "sops", tmp_path / "none").all(), tmp_path, tmp_path)
    assert (choice.decision, choice.match, choice.hints) == ("none", None, [])
    assert all(candidate.why for candidate in choice.candidates) and len(choice.candidates) >= 4
