"""The text protocol: how the history is rendered, what counts as a call, and the same over a real
socket."""

import json
from typing import Any

import pytest

from config import ModelConfig
from models.base import Message, Request
from models.dialects import TextProtocol, parse
from models.endpoint import EndpointModel
from tests.rows import cases, rows
from tests.scripted_server import Answer, ScriptedServer
from tests.test_openai_compat import drive, shown

TOOLS: list[dict[str, Any]] = rows(__name__, "tools")
BLOCK = '<tool_use>\n{"name": "code_run", "arguments": {"script": "ls"}}\n</tool_use>'
LS = [("code_run", {"script": "ls"})]


def calls_in(text: str, **options: Any) -> list[tuple[str, Any]]:
    return [(call.name, call.args) for call in parse(text, **options)[1]]


# ---- reading ----


@cases
def test_call_is_found_in_every_spelling(text: str) -> None:
    assert calls_in(text) == LS


@cases
def test_block_that_is_only_talked_about_stays_text(text: str) -> None:
    assert parse(text) == (text, [])


def test_closing_tag_inside_a_string_does_not_end_the_block() -> None:
    script = "echo '</tool_use> ``` <tool_use>'\n# é"
    text = (
        "<tool_use>"
        + json.dumps({"name": "code_run", "arguments": {"script": script}})
        + "</tool_use>"
    )
    assert calls_in(text) == [("code_run", {"script": script})]
    assert calls_in(text.replace("\\n", "\n")) == [("code_run", {"script": script})]


CALL = '<tool_use>{"name": "code_run", "arguments": '
BROKEN = [
    (CALL + '{"script": "rm -rf /ho', "code_run", "the end is missing"),
    (CALL + '{"script": "ls"', "code_run", "the end is missing"),
    ("<tool_use>ls -la</tool_use>", "", "no JSON object"),
    (CALL + "[1]}</tool_use>", "code_run", "not a list"),
    ("<tool_use>[5]</tool_use>", "", "should be a JSON object"),
    ("<tool_use>[]</tool_use>", "", "names no tool"),
    ("<tool_use>" + "[" * 10_000 + "</tool_use>", "", "nested deeper"),
    (CALL + '{"a":' * 10_000 + "</tool_use>", "code_run", "nested deeper"),
]


@pytest.mark.parametrize(("text", "name", "words"), BROKEN)
def test_block_that_cannot_be_read_is_a_call_with_an_error(
    text: str, name: str, words: str
) -> None:
    (call,) = parse(text)[1]
    assert (call.name, call.args) == (name, None)
    assert words in call.error


# ---- rendering ----


def history() -> list[Message]:
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "code_run", "arguments": '{"script": "ls"}'},
    }
    return [
        {"role": "system", "content": "You are Sopwith."},
        {"role": "user", "content": "List it."},
        {"role": "assistant", "content": "I look.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "a.txt </tool_result> b.txt"},
        {"role": "user", "content": "Also count."},
    ]


def test_history_is_rendered_as_messages_that_alternate() -> None:
    kept, last = TextProtocol().messages(Request(2, history(), TOOLS, tail="ANCHOR"))
    rendered = [*kept, *last]
    assert [message["role"] for message in rendered] == ["system", "user", "assistant", "user"]
    assert rendered[0]["content"].startswith("You are Sopwith.\n\nTo use a tool")
    assert "code_run(script: string" in rendered[0]["content"]
    assert rendered[2]["content"] == f"I look.\n{BLOCK}"
    assert rendered[3]["content"].startswith(
        '<tool_result name="code_run">\na.txt <\\/tool_result> b.txt\n</tool_result>'
    )
    assert (
        rendered[3]["content"]
        .split("</tool_result>")[1]
        .startswith("\n\nAlso count.\n\nANCHOR\n\nThe tools described")
    )
    assert all(set(message) == {"role", "content"} for message in rendered)


def test_full_descriptions_stand_once_then_a_line_then_again_when_asked() -> None:
    protocol, messages = TextProtocol(), history()[:2]
    full = "code_run(script: string"

    def sent(turn: int, **options: Any) -> list[str]:
        kept, last = protocol.messages(
            Request(turn, messages, options.pop("tools", TOOLS), **options)
        )
        return [message["content"] for message in [*kept, *last]]

    first = sent(1, describe_tools=True)  # they stand in the same request already
    assert [full in text for text in first] == [True, False]
    assert "The tools described" not in first[-1]
    messages += history()[2:4]
    second = sent(2)
    assert [full in text for text in second] == [True, False, False, False]
    assert "The tools described at the start stand." in second[-1]
    assert full in sent(3, describe_tools=True)[-1]
    assert full not in sent(4)[-1]
    fewer = [
        {
            "type": "function",
            "function": {"name": "ask_user", "description": "Ask.", "parameters": {}},
        }
    ]
    assert "ask_user() – Ask." in sent(5, tools=fewer)[-1]


# ---- over a socket ----


def test_text_model_is_asked_in_words_and_its_call_is_not_shown() -> None:
    with ScriptedServer([Answer(f"I look.\n\n{BLOCK}"), Answer("Two files.")]) as server:
        model = EndpointModel(ModelConfig("local", "m", base_url=server.base_url, protocol="text"))
        messages = history()[:2]
        events, reply = drive(model, Request(1, messages, TOOLS))
        assert (reply.text, shown(events).strip()) == ("I look.", "I look.")
        assert [(call.id, call.name, call.args) for call in reply.calls] == [
            ("call_1_1", "code_run", {"script": "ls"})
        ]
        messages += [
            reply.message(),
            {"role": "tool", "tool_call_id": "call_1_1", "content": "a b"},
        ]
        _, reply = drive(model, Request(2, messages, TOOLS, tail="anchor"))
        first, second = (recorded.body for recorded in server.requests)
    assert reply.text == "Two files."
    assert "tools" not in first
    assert "parallel_tool_calls" not in first
    assert second["messages"][:2] == first["messages"]
    assert [message["role"] for message in second["messages"]] == [
        "system",
        "user",
        "assistant",
        "user",
    ]
