"""Calls that models write as text: two dozen dialects, streamed at any cut, and answers that only
show one."""

import json
from typing import Any

import pytest

from models.dialects import offer_of, only_announces, parse
from models.wires.visible import Visible
from tests.providers import DIALECTS as FIRST
from tests.providers import MORE_DIALECTS
from tests.rows import cases, rows

DIALECTS = FIRST | MORE_DIALECTS
TOOLS: list[dict[str, Any]] = rows(__name__, "tools")
OFFER = offer_of(TOOLS)
ARGS = {"type": "bash", "script": "ls -la | grep '2 > 1' # é", "timeout": 5}


# Calls without a mark around them: one, in lines of its own.
UNMARKED = {"bare", "called", "gemma", "llama4", "react"}


@pytest.mark.parametrize("prose", ["", "I look at the files first.\n", "Let me check. "])
@pytest.mark.parametrize("name", DIALECTS)
def test_call_is_read(name: str, prose: str) -> None:
    if name in UNMARKED:
        prose = prose.rstrip(" ") + "\n" if prose else ""
    text = prose + DIALECTS[name]("code_run", ARGS)
    around, calls = parse(text, OFFER)
    assert [(call.name, call.args) for call in calls] == [("code_run", ARGS)]
    assert around == prose.strip()


@pytest.mark.parametrize("name", sorted(DIALECTS.keys() - UNMARKED))
def test_two_calls_are_two(name: str) -> None:
    write = DIALECTS[name]
    text = f"{write('code_run', ARGS)}\n{write('file_read', {'path': 'a.txt'})}"
    assert [call.name for call in parse(text, OFFER)[1]] == ["code_run", "file_read"]


@cases
@pytest.mark.parametrize("name", sorted(DIALECTS.keys()))
def test_call_that_is_only_shown_is_no_call(name: str, frame: str) -> None:
    text = frame.replace("{}", DIALECTS[name]("code_run", ARGS))
    assert parse(text, OFFER)[1] == []


@pytest.mark.parametrize("name", DIALECTS)
def test_no_cut_of_the_stream_shows_more_than_the_text_has(name: str) -> None:
    text = "I look.\n" + DIALECTS[name]("code_run", ARGS)
    for size in (1, 3, 7, 50):
        visible, shown = Visible(), ""
        for at in range(0, len(text), size):
            shown += visible.feed(text[at : at + size])
        assert text.startswith(shown)
        assert shown + visible.rest() == text


@cases
def test_call_that_is_slightly_broken_is_read(text: str) -> None:
    calls = parse(text.replace("</s>", ""), OFFER)[1]
    assert [(c.name, c.args) for c in calls] == [("code_run", {"type": "bash", "script": "ls"})]


@cases
def test_answer_that_only_announces_is_told(text: str, is_one: bool) -> None:
    assert only_announces(text) is is_one


def test_other_tools_json_in_an_answer_stays_text() -> None:
    text = json.dumps({"name": "Ada", "arguments": {"for": 1, "against": 2}})
    assert parse(text, OFFER) == (text, [])
