"""Calls that models write as text: two dozen dialects, streamed at any cut, and answers that only show one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from models.dialects import offer_of, only_announces, parse
from models.wires.visible import Visible
from tests.providers import DIALECTS as FIRST
from tests.providers import MORE_DIALECTS

DIALECTS = FIRST | MORE_DIALECTS
TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "code_run",
            "parameters": {
                "type": "object",
                "properties": {
                    "type": {"type": "string"},
                    "script": {"type": "string"},
                    "timeout": {"type": "integer"},
                },
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "file_read",
            "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
        },
    },
]
OFFER = offer_of(TOOLS)
ARGS = {"type": "bash", "script": "ls -la | grep '2 > 1' # é", "timeout": 5}


@pytest.mark.parametrize("prose", ["", "I look at the files first.\n", "Let me check. "])
@pytest.mark.parametrize("name", DIALECTS)
def test_call_is_read(name: str, prose: str) -> None:
    if name in ("bare", "llama4", "gemma", "react"):
        prose = prose.rstrip(" ") + "\n" if prose else ""
    text = prose + DIALECTS[name]("code_run", ARGS)
    around, calls = parse(text, OFFER)
    assert [(call.name, call.args) for call in calls] == [("code_run", ARGS)]
    assert around == prose.strip()


@pytest.mark.parametrize("name", sorted(DIALECTS.keys() - {"bare", "llama4", "react", "gemma"}))
def test_two_calls_are_two(name: str) -> None:
    write = DIALECTS[name]
    text = f"{write('code_run', ARGS)}\n{write('file_read', {'path': 'a.txt'})}"
    assert [call.name for call in parse(text, OFFER)[1]] == ["code_run", "file_read"]


@pytest.mark.parametrize(
    "frame",
    [
        "A call looks like this:\n```\n{}\n```\nThe server reads it.",
        "For example:\n```xml\n{}\n```",
        "In this dialect the model writes\n\n```json\n{}\n```\n\nand waits for the result.",
        "Such models write `{}` when they want a tool.",
        "The format is as follows:\n{}",
        "```python\nprompt = '''{}'''\n```\nThat is how the template does it.",
        "The model answers with {} and the server runs it.",
    ],
)
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


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call>\n{'name': 'code_run', 'arguments': {'type': 'bash', 'script': 'ls',}}\n</tool_call>",
        '<tool_call>\n{"name": "code_run", "arguments": {"type": "bash", "script": "ls"}\n</tool_call>',
        '<tool_call>\n{"name": "code_run", "arguments": {"type": "bash", "script": "ls"}}',
        "<tool_call>\n<function=code_run>\n<parameter=type>\nbash\n</parameter>\n<parameter=script>\nls\n</function>\n</tool_call>",
        '[TOOL_CALLS] [{"name": "code_run", "arguments": {"type": "bash", "script": "ls"}}]</s>',
        '<|python_tag|>{"type": "function", "name": "code_run", "parameters": {"type": "bash", "script": "ls"}}',
        '```json\n{"name": "code_run", "arguments": {"type": "bash", "script": "ls"}}\n```',
        '<tool_call>{"name": "code_run", "arguments": "{\\"type\\": \\"bash\\", \\"script\\": \\"ls\\"}"}</tool_call>',
    ],
)
def test_call_that_is_slightly_broken_is_read(text: str) -> None:
    calls = parse(text.replace("</s>", ""), OFFER)[1]
    assert [(c.name, c.args) for c in calls] == [("code_run", {"type": "bash", "script": "ls"})]


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("I'll now list the files.", True),
        ("Let me check the folder first.", True),
        ("我先查看一下文件。", True),
        ("The folder holds three files.", False),
        ("Done. Let me know if you need more.", False),
        ("I will remind you tomorrow at nine.", False),
        ("Shall I list the files? I will do it at once.", False),
    ],
)
def test_answer_that_only_announces_is_told(text: str, is_one: bool) -> None:
    assert only_announces(text) is is_one


def test_other_tools_json_in_an_answer_stays_text() -> None:
    text = json.dumps({"name": "Ada", "arguments": {"for": 1, "against": 2}})
    assert parse(text, OFFER) == (text, [])
