"""The model behind an endpoint, over real sockets: what comes back, what it costs, and what each
fault leads to."""

import email.utils
import json
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from config import ModelConfig, Price
from models.base import Event, Reply, Request
from models.endpoint import UNKNOWN_PRICE, EndpointModel
from models.errors import ModelUnavailable
from tests.drained import drained
from tests.machine import ran, slowness
from tests.rows import cases, rows
from tests.scripted_server import Answer, ScriptedServer, body_of, refused_url

KEY = "sk-live-0123456789abcdefghij"
TOOL = rows(__name__, "tool")[0]
CALL = {"name": "code_run", "args": {"script": "ls é"}, "id": "call_a"}


def ask(
    server: ScriptedServer | str,
    request: Request | None = None,
    waits: list[float] | None = None,
    **options: Any,
) -> tuple[list[Event], Reply]:
    """One reply of a fresh model, with its events; `waits` collects the pauses between attempts
    instead of sleeping."""
    return drive(model_for(server, waits, **options), request)


def model_for(
    server: ScriptedServer | str, waits: list[float] | None = None, **options: Any
) -> EndpointModel:
    config: dict[str, Any] = {"name": "main", "model": "m", "api_key": KEY}
    config["base_url"] = server if isinstance(server, str) else server.base_url
    for key in ("protocol", "price", "api_key", "base_url"):
        if key in options:
            config[key] = options.pop(key)
    collected: list[float] = [] if waits is None else waits
    return EndpointModel(ModelConfig(**config), wait=collected.append, **options)


def drive(model: EndpointModel, request: Request | None = None) -> tuple[list[Event], Reply]:
    asked = request or Request(1, [{"role": "user", "content": "hello"}], [TOOL])
    return drained(model.reply(asked))


def shown(events: list[Event]) -> str:
    """Return the text as it stands on a screen at the end."""
    text = ""
    for event in events:
        text = "" if event["type"] == "text_reset" else text + event.get("delta", "")
    return text


def chunk(delta: Any, finish: Any = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def call_chunk(**delta: Any) -> dict[str, Any]:
    return chunk({"tool_calls": [delta]})


# ---- a reply ----


def test_reply_brings_text_calls_and_usage() -> None:
    usage = {
        "prompt_tokens": 1200,
        "completion_tokens": 30,
        "prompt_tokens_details": {"cached_tokens": 1024},
    }
    with ScriptedServer([Answer("I look at it first. 你好", [CALL], usage)]) as server:
        events, reply = ask(server, price=Price(2.0, 0.5, 10.0))
        sent = server.requests[0]
    assert (reply.text, reply.finish, reply.kind, reply.model) == (
        "I look at it first. 你好",
        "stop",
        "openai",
        "main",
    )
    assert [(c.id, c.name, c.args) for c in reply.calls] == [
        ("call_a", "code_run", {"script": "ls é"})
    ]
    assert (reply.usage.input, reply.usage.cached, reply.usage.output) == (1200, 1024, 30)
    assert reply.usage.cost == pytest.approx((176 * 2.0 + 1024 * 0.5 + 30 * 10.0) / 1e6)
    assert shown(events) == reply.text
    assert len([e for e in events if e["type"] == "text"]) > 1
    assert sent.path == "/v1/chat/completions"
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.body["tools"] == [TOOL]
    assert sent.body["stream"] is True
    assert reply.seconds > 0


def test_requests_share_one_connection_and_stay_flat() -> None:
    """200 turns: one connection, and the client's own CPU per turn grows little beside the bytes
    that it sends."""
    with ScriptedServer(lambda body, number: Answer("ok", [CALL])) as server:
        model, messages, cpu = model_for(server), [{"role": "user", "content": "go"}], []
        for turn in range(1, 201):
            started = time.thread_time()
            _, reply = drive(model, Request(turn, messages, [TOOL], tail="anchor"))
            cpu.append(time.thread_time() - started)
            messages += [
                reply.message(),
                {"role": "tool", "tool_call_id": reply.calls[0].id, "content": "x" * 500},
            ]
        assert server.connections == 1
        assert len({recorded.connection for recorded in server.requests}) == 1
    assert (
        len({message.get("tool_call_id") for message in messages if message["role"] == "tool"})
        == 200
    )
    first, last = sorted(cpu[1:21])[10], sorted(cpu[-20:])[10]
    assert last - first < 0.003 * slowness(), (
        f"{first * 1e3:.2f} ms at first, {last * 1e3:.2f} ms at turn 200"
    )


# ---- what streams look like ----


@pytest.mark.parametrize(
    "raw",
    [
        'data:{"choices":[{"delta":{"content":"hé"}}]}\n\ndata:{"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n',
        ': keep-alive\r\n\r\nevent: x\r\nid: 1\r\ndata: {"choices":[{"delta":{"content":"hé"}}]}\r\n\r\ndata: [DONE]\r\n',
        'data: {"choices":[{"delta":{"content":"hé"}}]}\ndata: [DONE]',
        'data: {"choices":\ndata: [{"delta":{"content":"hé"},"finish_reason":"stop"}]}\n\n',
        '\ufeff  {"choices":[{"message":{"role":"assistant","content":"hé"},"finish_reason":"stop"}]}',
        'data: {"choices":[{"delta":{"content":"hé"},"finish_reason":"stop"}]}\n\n<garbage behind the end',
    ],
    ids=[
        "no space, no DONE",
        "CRLF and comments",
        "no blank lines",
        "over two lines",
        "one JSON object",
        "garbage behind",
    ],
)
@pytest.mark.parametrize("split", [0, 1, 3])
def test_stream_is_read_in_every_shape(raw: str, split: int) -> None:
    with ScriptedServer([Answer(raw=raw, split=split)]) as server:
        events, reply = ask(server)
        assert len(server.requests) == 1
    assert (reply.text, shown(events), reply.finish) == ("hé", "hé", "stop")


@pytest.mark.parametrize("how", ["chunked", "plain", "reset"])
def test_stream_cut_at_any_byte_is_retried(how: Any) -> None:
    """The same reply in the end, whole calls only, and the screen's text is the reply's."""
    good = Answer(chunks=[chunk({"content": "é 1"}), call_chunk(index=0, id="i", function={"name": "code_run", "arguments": '{"script": "rm x'}), call_chunk(index=0, function={"arguments": ' y"}'}), chunk({}, "tool_calls")])  # fmt: skip
    size = len(body_of(good))
    end = body_of(good).index(b'"tool_calls"}]}') + len(
        b'"tool_calls"}]}'
    )  # of the chunk with the finish reason
    with ScriptedServer([]) as server:
        model = model_for(server)
        for at in range(0, size, 1 if how == "chunked" else 5):
            cut = Answer(chunks=good.chunks, cut=at, how=how)
            server.script, server.requests = [cut, good], []
            events, reply = drive(model)
            assert [call.args for call in reply.calls] == [{"script": "rm x y"}], at
            assert shown(events) == reply.text == "é 1", at
            if how != "reset":  # a reset may overtake what was sent before it
                assert len(server.requests) == (1 if at >= end + (how == "chunked") else 2), at


@cases
def test_stream_that_breaks_on_the_server_is_asked_for_again(broken: dict[str, Any]) -> None:
    overloaded = Answer(chunks=[chunk({"content": "a"}), broken])
    with ScriptedServer([overloaded, Answer("b")]) as server:
        events, reply = ask(server)
        assert shown(events) == reply.text == "b"


@cases
def test_lasting_error_inside_the_stream_ends_it(said: dict[str, Any], words: str) -> None:
    with (
        ScriptedServer([Answer(chunks=[said])]) as server,
        pytest.raises(ModelUnavailable, match=words),
    ):
        ask(server)


# ---- calls ----


@cases
def test_calls_are_put_together(
    deltas: list[dict[str, Any]], expected: list[tuple[str, Any]]
) -> None:
    with ScriptedServer(
        [Answer(chunks=[*(call_chunk(**delta) for delta in deltas), chunk({}, "tool_calls")])]
    ) as server:
        _, reply = ask(server)
    assert [(call.name, call.args) for call in reply.calls] == list(map(tuple, expected))
    assert all(call.id for call in reply.calls)
    assert len({call.id for call in reply.calls}) == len(reply.calls)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ('{"script": "rm -rf /home/x', "the end is missing"),
        ('{"script": "a", ', "the end is missing"),
        ("[1, 2]", "not a list"),
        ("rm -rf x", "not valid JSON"),
        ("[" * 10_000, "nested deeper"),
        ('{"a":' * 10_000 + "1" + "}" * 10_000, "nested deeper"),
        ('{"a":' * 300 + "1" + "}" * 300, "nested deeper"),
        ("{'a':" * 300 + "1," + "}" * 300, "nested deeper"),
        ('{"a": 1e999}', "not a JSON number"),
        ('{"a": NaN}', "not a JSON number"),
        ('{"a": ' + "9" * 5_000 + "}", "not valid JSON"),
        ('{"a": ' + "9" * 50 + "}", "64 bits"),
        ("{'a': '" + "x" * 300_000 + "'}", "not valid JSON"),
    ],
)
def test_arguments_that_are_no_object_are_the_models_error(written: str, words: str) -> None:
    with ScriptedServer([Answer("", [{"name": "code_run", "args": written}])]) as server:
        _, reply = ask(server)
    call = reply.calls[0]
    assert call.args is None
    assert words in call.error
    assert len(call.raw) <= 2_000
    assert json.loads(reply.message()["tool_calls"][0]["function"]["arguments"]) == {}


def test_surrogates_and_nul_are_replaced_so_that_everything_can_be_written() -> None:
    delta = call_chunk(
        index=0,
        function={"name": "code\ud800run", "arguments": '{"a\\u0000": "\\ud800 \\ud83d\\ude00"}'},
    )
    raw = "".join(f"data: {json.dumps(c)}\n\n" for c in [chunk({"content": "\ud83d"}), chunk({"content": "\ude00 \udc00\0"}), delta, chunk({}, "stop")])  # fmt: skip
    with ScriptedServer([Answer(raw=raw)]) as server:
        events, reply = ask(server)
    assert shown(events) == reply.text == "\U0001f600 \ufffd\ufffd"
    assert reply.calls[0].args == {"a\ufffd": "\ufffd \U0001f600"}
    json.dumps(reply.event(1), ensure_ascii=False).encode("utf-8")


def test_cut_off_reply_marks_its_last_call_and_keeps_the_whole_ones() -> None:
    calls: list[dict[str, Any]] = [
        {"name": "code_run", "args": {"script": "ls"}},
        {"name": "code_run", "args": '{"script": "rm -rf /home/me/o'},
    ]
    with ScriptedServer([Answer("x", calls, finish="length")]) as server:
        _, reply = ask(server)
    assert reply.finish == "length"
    assert [call.args for call in reply.calls] == [{"script": "ls"}, None]
    assert "cut off" in reply.calls[1].error


@cases
def test_thoughts_are_told_by_the_marks_of_each_model(text: str, answer: str) -> None:
    with ScriptedServer([Answer(text)]) as server:
        events, reply = ask(server)
    assert shown(events) == reply.text == answer


@pytest.mark.parametrize(
    "name", ["functions.code_run:0", "code_run<|channel|>commentary", " code_run"]
)
def test_signs_of_a_template_around_a_name_are_left_out(name: str) -> None:
    tool = {"type": "function", "function": {"name": "code_run", "parameters": {}}}
    with ScriptedServer([Answer("", [{"name": name, "args": {}}])]) as server:
        _, reply = ask(server, Request(1, [{"role": "user", "content": "x"}], [tool]))
    assert reply.calls[0].name == "code_run"


@cases
def test_only_call_of_an_old_server_is_read(last: dict[str, Any]) -> None:
    with ScriptedServer([Answer(chunks=[chunk(last), chunk({}, "stop")])]) as server:
        _, reply = ask(server)
    assert [call.name for call in reply.calls] == ([] if "content" in last else ["a"])


# ---- usage and cost ----


@cases
def test_model_without_a_price_is_free_at_home_and_dear_elsewhere(
    base_url: str | None, is_free: bool
) -> None:
    model = EndpointModel(ModelConfig("main", "m", base_url=base_url))
    assert (model.price == UNKNOWN_PRICE) is not is_free
    assert (
        EndpointModel(ModelConfig("main", "m", base_url=base_url), counts_local=True).price
        == UNKNOWN_PRICE
    )
    free = ModelConfig("main", "m", base_url=base_url, price=Price(0.0, 0.0, 0.0))
    assert EndpointModel(free, counts_local=True).price == Price(0.0, 0.0, 0.0)


# ---- faults ----


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
def test_passing_statuses_are_retried(status: int) -> None:
    waits: list[float] = []
    with ScriptedServer([Answer(status=status)] * 4 + [Answer("ok")]) as server:
        events, reply = ask(server, waits=waits)
        assert server.connections == 1
    assert reply.text == "ok"
    assert len(waits) == 4
    assert waits == sorted(waits)
    assert [event["type"] for event in events][:4] == ["model_retry"] * 4


def test_endpoint_says_how_long_to_wait() -> None:
    waits: list[float] = []
    date = email.utils.formatdate(time.time() + 20, usegmt=True)
    headers = [
        {"retry-after": "7"},
        {"retry-after-ms": "1500"},
        {"retry-after": date},
        {"retry-after": "99999"},
    ]
    with ScriptedServer(
        [*(Answer(status=429, headers=h) for h in headers), Answer("ok")]
    ) as server:
        ask(server, waits=waits)
    assert [round(wait) for wait in waits] == [
        pytest.approx(s, abs=s * 0.11 + 1.1) for s in (7, 1.5, 20, 60)
    ]


@cases
def test_lasting_statuses_end_it_at_once_in_the_endpoints_words(
    status: int, message: str, advice: str
) -> None:
    waits: list[float] = []
    headers = {"Location": "https://elsewhere.example/v1"}
    with (
        ScriptedServer(
            [Answer(status=status, headers=headers, error={"message": message})] * 3
        ) as server,
        pytest.raises(ModelUnavailable) as caught,
    ):
        ask(server, waits=waits)
    text = str(caught.value)
    assert waits == []
    assert KEY not in text
    assert KEY[:12] not in text
    assert advice in text
    assert len(text.splitlines()) <= 2
    assert ("elsewhere.example" if status == 301 else message.split(KEY[:8])[0].strip()) in text


@pytest.mark.parametrize(
    "body",
    [
        b"<html><h1>Bad  gateway</h1>",
        b"",
        b"[]",
        b'{"detail": [{"msg": "no"}]}',
        b'{"error": 5}',
        b"\xff\xfe",
        b"[" * 50_000,
    ],
)
def test_error_bodies_of_any_shape_are_quoted(body: bytes) -> None:
    with (
        ScriptedServer([Answer(status=404, raw=body)] * 3) as server,
        pytest.raises(ModelUnavailable, match="main: 404: "),
    ):
        ask(server)


def test_refused_connection_fails_within_three_seconds() -> None:
    url, seconds = refused_url(), []
    for _ in range(3):
        started = time.monotonic()
        with pytest.raises(ModelUnavailable, match=r"no connection: .*refused") as caught:
            drive(EndpointModel(ModelConfig("local", "qwen", base_url=url)))
        seconds.append(time.monotonic() - started)
    assert min(seconds) < 3
    assert url in str(caught.value)
    assert "Start the server" in str(caught.value)


def test_something_that_is_no_http_is_an_error_not_a_crash() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def speak() -> None:
            for _ in range(5):
                connection, _ = listener.accept()
                with connection:
                    connection.recv(65_536)
                    connection.sendall(b"220 mail.example ESMTP\r\n")

        threading.Thread(target=speak, daemon=True).start()
        with pytest.raises(ModelUnavailable, match="the connection broke"):
            ask(f"http://127.0.0.1:{listener.getsockname()[1]}/v1")


@pytest.mark.parametrize("key", ["sk-…", "a b\nc", "ключ"])
def test_key_that_cannot_be_sent_is_named_but_not_shown(key: str) -> None:
    with ScriptedServer([]) as server, pytest.raises(ModelUnavailable, match="api_key") as caught:
        ask(server, api_key=key)
    assert key not in str(caught.value)


def test_address_is_shown_without_what_is_secret_in_it() -> None:
    url = refused_url().replace("http://", "http://me:secret@") + "?token=hidden"
    with pytest.raises(ModelUnavailable) as caught:
        ask(url)
    assert "secret" not in str(caught.value)
    assert "hidden" not in str(caught.value)


def test_query_of_an_address_stands_behind_the_path() -> None:
    with ScriptedServer([Answer("ok")]) as server:
        ask(f"{server.base_url}?api-version=1", protocol="chat")
        assert server.requests[0].path == "/v1/chat/completions?api-version=1"


def test_mutated_replies_raise_nothing_but_model_errors() -> None:
    """A few of what `scripts/fuzz_replies` sends by the ten thousand."""
    script = Path(__file__).resolve().parent.parent / "scripts" / "fuzz_replies"
    done = ran(sys.executable, str(script), "250", "7")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert done.stdout.startswith("250 mutated replies")
    assert done.stdout.rstrip().endswith("0 unhandled exceptions")
