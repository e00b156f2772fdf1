"""The three protocols over a socket: streams cut at every byte, odd replies, what goes back to
whom, servers that refuse."""

import copy
import json
from typing import Any

import pytest

from config import ModelConfig
from models.base import Event, Message, Reply, Request, ToolCall
from models.endpoint import EndpointModel
from models.errors import ContextTooLong, ModelUnavailable
from tests.providers import FAMILIES, PATHS, SAYS, SIGNED, Family, Provider, refusal
from tests.scripted_server import Answer, ScriptedServer, body_of
from tests.test_openai_compat import TOOL, drive

START: list[Message] = [{"role": "user", "content": "go"}]
NAMES = {
    "chat": "deepseek, thinking",
    "responses": "openai, responses alone",
    "messages": "anthropic",
}


def model_at(base_url: str, wire: Any = "auto", **fields: Any) -> EndpointModel:
    config = ModelConfig("main", "m", base_url=base_url, api_key="sk-key", protocol=wire, **fields)
    return EndpointModel(config, wait=lambda seconds: None)


def first_of(wire: str) -> Answer:
    return SAYS[wire](copy.deepcopy(FAMILIES[NAMES[wire]]), 1)


@pytest.mark.parametrize("wire", PATHS)
def test_stream_cut_at_every_byte_ends_in_the_same_reply(wire: str) -> None:
    good = first_of(wire)
    size = len(body_of(good))
    with ScriptedServer([]) as server:
        model = model_at(server.base_url, wire)
        for at in range(size):
            cut = Answer(chunks=good.chunks, done=good.done, cut=at)
            server.script, server.requests = [cut, good], []
            _, reply = drive(model, Request(1, START, [TOOL]))
            assert [call.args for call in reply.calls] == [{"type": "bash", "script": "echo one"}]
            assert reply.native is not None


@pytest.mark.parametrize("wire", PATHS)
def test_plain_json_is_a_reply_too(wire: str) -> None:
    usage = {"input_tokens": 5, "output_tokens": 2}
    whole: dict[str, dict[str, Any]] = {
        "chat": {"choices": [{"message": {"content": "hé"}}]},
        "responses": {"object": "response", "output": [{"type": "message", "content": [{"type": "output_text", "text": "hé"}]}], "usage": usage},
        "messages": {"type": "message", "content": [{"type": "text", "text": "hé"}], "stop_reason": "end_turn", "usage": usage},
    }  # fmt: skip
    with ScriptedServer([Answer(raw=json.dumps(whole[wire]), streams=False)]) as server:
        _, reply = drive(model_at(server.base_url, wire), Request(1, START))
    assert (reply.text, reply.finish) == ("hé", "stop")


@pytest.mark.parametrize("wire", PATHS)
def test_reply_comes_back_from_the_log_as_it_was(wire: str) -> None:
    with ScriptedServer([first_of(wire)]) as server:
        _, reply = drive(model_at(server.base_url, wire), Request(1, START, [TOOL]))
    event: Event = json.loads(json.dumps(reply.event(1)))
    assert Reply.from_event(event).message() == reply.message()
    assert Reply.from_event({**event, "redacted": True}).native is None


@pytest.mark.parametrize("wire", PATHS)
def test_another_model_reads_the_words_and_no_signature(wire: str) -> None:
    with ScriptedServer([first_of(wire)]) as server:
        _, reply = drive(model_at(server.base_url, wire), Request(1, START, [TOOL]))
    result = {"role": "tool", "tool_call_id": reply.calls[0].id, "content": "one"}
    for other in PATHS:
        with ScriptedServer([SAYS[other](copy.deepcopy(FAMILIES[NAMES[other]]), 3)]) as server:
            there: Any = other
            config = ModelConfig("b", "another", base_url=server.base_url, protocol=there)
            drive(EndpointModel(config), Request(2, [*START, reply.message(), result], [TOOL]))
            sent = server.requests[0].raw.decode()
        assert "echo one" in sent and '"one"' in sent
        for attached in ("signature", "reasoning_content", 'encrypted_content":', "native"):
            assert attached not in sent.replace('"include":["reasoning.encrypted_content"]', "")


def test_two_hundred_calls_are_sent_back_with_two_hundred_results() -> None:
    calls = [{"name": "code_run", "args": {"script": str(n)}, "id": f"c{n}"} for n in range(200)]
    with ScriptedServer([Answer("", calls), Answer("ok")]) as server:
        model = model_at(server.base_url, "chat")
        _, reply = drive(model, Request(1, START, [TOOL]))
        results = [{"role": "tool", "tool_call_id": c.id, "content": "x"} for c in reply.calls]
        drive(model, Request(2, [*START, reply.message(), *results], [TOOL]))
        sent = server.requests[1].body["messages"]
    assert len(reply.calls) == len(sent[1]["tool_calls"]) == len(sent) - 2 == 200


@pytest.mark.parametrize("wire", PATHS)
def test_arguments_split_inside_a_character_are_whole(wire: str) -> None:
    raw = body_of(first_of(wire)).replace(b"echo one", "écho 一 😀".encode())
    with ScriptedServer([Answer(raw=raw, split=1)]) as server:
        _, reply = drive(model_at(server.base_url, wire), Request(1, START, [TOOL]))
    assert reply.calls[0].args == {"type": "bash", "script": "écho 一 😀"}


THOUGHT: dict[str, dict[str, Any]] = {
    "chat": {"choices": [{"message": {"content": "", "reasoning_content": "hm"}, "finish_reason": "stop"}]},
    "responses": {"object": "response", "status": "completed", "output": [{"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}]},
    "messages": {"type": "message", "content": [{"type": "thinking", "thinking": "hm", "signature": "sig"}], "stop_reason": "end_turn"},
}  # fmt: skip
UNKNOWN: dict[str, dict[str, Any]] = {
    "responses": {"object": "response", "status": "completed", "output": [{"type": "dream_call", "id": "d_1", "of": ["x"]}, {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}]}]},
    "messages": {"type": "message", "content": [{"type": "dream", "of": ["x"]}, {"type": "text", "text": "hi"}], "stop_reason": "end_turn"},
}  # fmt: skip


@pytest.mark.parametrize("wire", THOUGHT)
def test_thoughts_alone_are_no_text_and_can_go_back(wire: str) -> None:
    assert _two_turns(wire, THOUGHT[wire]) == ("", [])


@pytest.mark.parametrize("wire", UNKNOWN)
def test_item_of_a_type_that_nobody_knows_is_passed_over(wire: str) -> None:
    assert _two_turns(wire, UNKNOWN[wire]) == ("hi", [])


def _two_turns(wire: str, whole: dict[str, Any]) -> tuple[str, list[ToolCall]]:
    """Return what a reply says; it goes back in a second request."""
    raw = json.dumps(whole)
    with ScriptedServer([Answer(raw=raw, streams=False), first_of(wire)]) as server:
        model = model_at(server.base_url, wire)
        _, reply = drive(model, Request(1, START, [TOOL]))
        _, second = drive(model, Request(2, [*START, reply.message(), *START], [TOOL]))
    assert second.calls
    return reply.text, reply.calls


def test_error_behind_the_end_is_an_error() -> None:
    chunks = [
        {"choices": [{"delta": {"content": "half"}, "finish_reason": "stop"}]},
        {"error": {"message": "Provider returned error", "code": 502}},
    ]
    with ScriptedServer([Answer(chunks=chunks), Answer("whole")]) as server:
        assert drive(model_at(server.base_url), Request(1, START))[1].text == "whole"


def test_filter_is_an_ending_of_its_own() -> None:
    said = {"message": "The response was filtered", "code": "content_filter"}
    with ScriptedServer([Answer(status=400, error=said)]) as server:
        _, reply = drive(model_at(server.base_url, "chat"), Request(1, START))
        assert (reply.finish, len(server.requests)) == ("filter", 1)
        assert "was filtered" in reply.text


def test_expired_signature_is_left_out_once() -> None:
    family = Family("claude-x", ("messages",), (lambda body: refusal("messages.1.content.0: Invalid `signature` in `thinking` block") if "signature" in json.dumps(body) else None,), SIGNED, is_echoed=False)  # fmt: skip
    with Provider(family) as provider:
        model = EndpointModel(ModelConfig("m", "claude-x", base_url=provider.base_url))
        _, reply = drive(model, Request(1, START, [TOOL]))
        result = {"role": "tool", "tool_call_id": reply.calls[0].id, "content": "one"}
        _, second = drive(model, Request(2, [*START, reply.message(), result], [TOOL]))
        assert second.calls
        assert len(provider.refused) == 1


def test_request_that_would_be_cut_is_refused_with_the_setting() -> None:
    with ScriptedServer([]) as server:
        model = model_at(server.base_url, "chat", context_tokens=2000)
        with pytest.raises(ContextTooLong, match="OLLAMA_CONTEXT_LENGTH") as caught:
            drive(model, Request(1, [{"role": "user", "content": "word " * 4000}]))
        assert caught.value.window == 2000
        assert server.requests == []


def test_settings_reach_the_body_in_the_words_of_the_protocol() -> None:
    bodies = {}
    for wire in PATHS:
        with ScriptedServer([first_of(wire)]) as server:
            model = model_at(server.base_url, wire, reasoning="low", max_tokens=900, temperature=0.5, extra={"top_k": 7}, headers={"X-Mine": "1"})  # fmt: skip
            drive(model, Request(1, START, [TOOL]))
            assert server.requests[0].headers["x-mine"] == "1"
            bodies[wire] = server.requests[0].body
    assert {body["top_k"] for body in bodies.values()} == {7}
    assert (bodies["chat"]["max_tokens"], bodies["chat"]["reasoning_effort"]) == (900, "low")
    assert bodies["responses"]["max_output_tokens"] == 900
    assert bodies["responses"]["reasoning"] == {"effort": "low"}
    assert bodies["messages"]["thinking"]["type"] == "enabled"


def test_calls_that_responses_tell_in_other_ways_are_read_and_go_back() -> None:
    said = {"name": "code_run", "call_id": "call_1", "id": "x_1"}
    custom = {**said, "type": "custom_tool_call", "input": '{"script": "ls"}'}
    begun = {**said, "type": "function_call", "arguments": ""}
    whole = {"type": "response.completed", "response": {"output": []}}
    ways: list[list[dict[str, Any]]] = [
        [{"type": "response.output_item.done", "output_index": 0, "item": custom}],
        [
            {"type": "response.output_item.added", "output_index": 0, "item": begun},
            {"type": "response.function_call_arguments.done", "output_index": 0, "arguments": custom["input"]},
        ],
    ]  # fmt: skip
    for chunks in ways:
        with ScriptedServer([Answer(chunks=[*chunks, whole], done=False)]) as server:
            _, reply = drive(model_at(server.base_url, "responses"), Request(1, START, [TOOL]))
        assert reply.calls == [ToolCall("call_1", "code_run", {"script": "ls"})]
        (item,) = (reply.native or {})["items"]
        assert (item["type"], item["arguments"]) == ("function_call", custom["input"])


def test_refusal_that_ends_as_an_answer_is_a_filter() -> None:
    chunks = [{"choices": [{"delta": delta, "finish_reason": finish}]} for delta, finish in (({"refusal": "I can't."}, None), ({}, "stop"))]  # fmt: skip
    with ScriptedServer([Answer(chunks=chunks)]) as server:
        _, reply = drive(model_at(server.base_url, "chat"), Request(1, START))
    assert (reply.text, reply.finish) == ("I can't.", "filter")


def test_short_key_stays_inside_of_words() -> None:
    with ScriptedServer(
        [Answer(status=401, error={"message": "none of the keys is known"})]
    ) as server:
        config = ModelConfig("m", "m", base_url=server.base_url, api_key="none", protocol="chat")
        with pytest.raises(ModelUnavailable, match="none of the keys"):
            drive(EndpointModel(config), Request(1, START))


def test_rate_limit_headers_say_how_long() -> None:
    waits: list[float] = []
    headers = {"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6s"}
    limited = Answer(status=429, headers=headers, error={"message": "slow down"})
    with ScriptedServer([limited, Answer("ok")]) as server:
        config = ModelConfig("m", "m", base_url=server.base_url)
        drive(EndpointModel(config, wait=waits.append), Request(1, START))
    assert [round(wait) for wait in waits] in ([6], [7])


def test_broken_generation_is_the_models_mistake() -> None:
    said = {"message": "Failed to call a function.", "code": "tool_use_failed", "failed_generation": "{\"name\": \"code_run\", \"arguments\": {\"foo\": 1}}"}  # fmt: skip
    with ScriptedServer([Answer(status=400, error=said)]) as server:
        _, reply = drive(model_at(server.base_url, "chat"), Request(1, START, [TOOL]))
    assert reply.calls == [ToolCall("call_1_1", "code_run", {"foo": 1})]
