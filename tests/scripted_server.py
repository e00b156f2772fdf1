"""A scripted OpenAI-compatible endpoint over real sockets, with faults on demand: for tests,
benches, and as a command.

    python tests/scripted_server.py --port 0 --script FILE     prints its base_url, serves until it
                                                               is stopped

A script is a list of answers (JSON or YAML: the fields of `Answer`); a function of the request's
body and its number serves as well. Every request is recorded with its headers, its body and the
number of its connection.
"""

import argparse
import json
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal, Self

PIECE = 20  # characters of text or arguments in one event


@dataclass(slots=True)
class Answer:
    """Hold what the server does with one request."""

    text: str = ""
    calls: list[dict[str, Any]] = field(
        default_factory=list
    )  # {"name", "args": object or text, "id"}
    usage: dict[str, Any] | None = field(
        default_factory=lambda: {"prompt_tokens": 100, "completion_tokens": 10}
    )
    finish: str | None = None  # None: "tool_calls" or "stop"
    chunks: list[Any] | None = None  # sent as events instead of text, calls, usage
    raw: bytes | str | None = None  # sent as the whole body instead
    streams: bool = True  # False: one JSON object
    done: bool = True  # [DONE] at the end
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    error: Any = None  # the error object of a status
    crlf: bool = False
    split: int = 0  # bytes in one write; 0: all at once
    drip: float = 0.0  # seconds between two writes
    wait: float = 0.0  # seconds before the first byte
    stall: int | None = None  # stops sending after so many bytes, and stays open
    cut: int | None = None  # ends the connection after so many bytes
    hang_up: bool = False  # closes the connection without a word
    how: Literal["chunked", "plain", "reset"] = (
        "chunked"  # plain: the end of the connection is the end of the body
    )


def asks(tool: str, /, *, id: str = "c1", **args: Any) -> Answer:
    """Return an answer that calls a tool."""
    return Answer(calls=[{"name": tool, "args": args, "id": id}])


def runs(script: str, id: str = "c1", type: str = "bash") -> Answer:
    """Return an answer that runs a script."""
    return asks("code_run", id=id, type=type, script=script)


def of_json(given: dict[str, Any] | str) -> Answer:
    """Return an answer from a script file: its fields, or just a text."""
    return Answer(text=given) if isinstance(given, str) else Answer(**given)


@dataclass(slots=True)
class Recorded:
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    connection: int
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        """The request as an object; read only when asked for, so that a bench does not measure
        it."""
        parsed: dict[str, Any] = json.loads(self.raw)
        return parsed


Script = Sequence[Answer] | Callable[[dict[str, Any], int], Answer]


class ScriptedServer:
    """Serves while its `with` block runs. `requests` is what came in, `connections` how many were
    opened."""

    def __init__(self, script: Script, port: int = 0) -> None:
        self.script = script
        self.requests: list[Recorded] = []
        self.connections = 0
        self.models: list[dict[str, Any]] = []  # that it lists
        self.stopped = threading.Event()
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.owner = self
        self.port: int = self._server.server_address[1]
        self.base_url = f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()

    def opened(self) -> int:
        """Count a connection; return its number."""
        with self._lock:
            self.connections += 1
            return self.connections

    def answer(self, request: Recorded) -> Answer:
        """Record a request and say what to do with it."""
        with self._lock:
            self.requests.append(request)
            number = len(self.requests) - 1
        if callable(self.script):
            return self.script(request.body, number)
        if number < len(self.script):
            return self.script[number]
        return Answer(
            status=410, error={"message": f"the script has only {len(self.script)} answers"}
        )


def events(answer: Answer) -> Iterator[Any]:
    """Yield the chunk objects of an answer, as the API streams them."""
    if answer.chunks is not None:
        yield from answer.chunks
        return
    yield _chunk({"role": "assistant", "content": ""})
    yield from (_chunk({"content": piece}) for piece in _pieces(answer.text))
    for index, call in enumerate(answer.calls):
        args = call.get("args", {})
        written = args if isinstance(args, str) else json.dumps(args, ensure_ascii=False)
        head = {
            "index": index,
            "id": call.get("id", f"call_{time.monotonic_ns()}_{index}"),
            "type": "function",
        }
        yield _chunk(
            {"tool_calls": [{**head, "function": {"name": call["name"], "arguments": ""}}]}
        )
        for piece in _pieces(written):
            yield _chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield _chunk({}, answer.finish or ("tool_calls" if answer.calls else "stop"))
    if answer.usage is not None:
        yield {
            "id": "scripted",
            "object": "chat.completion.chunk",
            "choices": [],
            "usage": answer.usage,
        }


def body_of(answer: Answer) -> bytes:
    """Return the body of an answer, before any fault."""
    if answer.raw is not None:
        return answer.raw if isinstance(answer.raw, bytes) else answer.raw.encode()
    if answer.status >= 400:
        return json.dumps({"error": answer.error or {"message": "scripted"}}).encode()
    if not answer.streams:
        return json.dumps(_whole(answer)).encode()
    end = "\r\n\r\n" if answer.crlf else "\n\n"
    lines = ["data: " + json.dumps(event, ensure_ascii=False) + end for event in events(answer)]
    return "".join([*lines, "data: [DONE]" + end] if answer.done else lines).encode(
        "utf-8", "surrogatepass"
    )


def refused_url() -> str:
    """Return a base_url on which nothing listens."""
    from tests.machine import free_port  # not above: this file is also started by its path

    return f"http://127.0.0.1:{free_port()}/v1"


def _pieces(text: str) -> Iterator[str]:
    size = max(PIECE, len(text) // 1000)
    return (text[start : start + size] for start in range(0, len(text), size))


def _chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "scripted",
        "object": "chat.completion.chunk",
        "model": "scripted",
        "choices": [choice],
    }


def _whole(answer: Answer) -> dict[str, Any]:
    calls = [
        {"id": call.get("id", f"call_{index}"), "type": "function", "function": {"name": call["name"], "arguments": json.dumps(call.get("args", {}))}}
        for index, call in enumerate(answer.calls)
    ]  # fmt: skip
    message = {"role": "assistant", "content": answer.text, "tool_calls": calls or None}
    choice = {
        "index": 0,
        "message": message,
        "finish_reason": answer.finish or ("tool_calls" if calls else "stop"),
    }
    return {
        "id": "scripted",
        "object": "chat.completion",
        "choices": [choice],
        "usage": answer.usage,
    }


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    owner: ScriptedServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a client that went away; show anything else, which is a defect of a script."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.connection_number = self.server.owner.opened()

    def log_message(self, format: str, *args: Any) -> None:
        """Stay silent."""

    def do_GET(self) -> None:
        """List the models, where there are some; keep the connection."""
        models = self.server.owner.models
        status, body = b"404 Not Found", b""
        if models:
            status, body = b"200 OK", json.dumps({"data": models}).encode()
        self.wfile.write(b"HTTP/1.1 %b\r\nContent-Length: %d\r\n\r\n%b" % (status, len(body), body))

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        recorded = Recorded(self.path, headers, self.connection_number, raw)
        answer = self.server.owner.answer(recorded)
        if answer.wait:
            self.server.owner.stopped.wait(answer.wait)
        self.close_connection = answer.hang_up
        if not answer.hang_up:
            self._send(answer, body_of(answer))

    def _send(self, answer: Answer, body: bytes) -> None:
        is_plain = answer.how == "plain"
        self.close_connection = is_plain or answer.cut is not None
        self.wfile.write(self._head(answer, is_plain))
        end = len(body) if answer.cut is None else answer.cut
        end = end if answer.stall is None else answer.stall
        size = answer.split or max(end, 1)
        for start in range(0, end, size):
            piece = body[start : min(start + size, end)]
            self.wfile.write(piece if is_plain else b"%x\r\n%s\r\n" % (len(piece), piece))
            if answer.drip and self.server.owner.stopped.wait(answer.drip):
                return
        if answer.stall is not None:
            self.server.owner.stopped.wait()
        elif answer.how == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif not is_plain and answer.cut is None:
            self.wfile.write(b"0\r\n\r\n")

    def _head(self, answer: Answer, is_plain: bool) -> bytes:
        streams = answer.streams and answer.status == 200
        fields = {"Content-Type": "text/event-stream" if streams else "application/json"}
        fields |= {"Connection": "close"} if is_plain else {"Transfer-Encoding": "chunked"}
        fields |= answer.headers
        lines = [
            f"HTTP/1.1 {answer.status} Scripted",
            *(f"{name}: {value}" for name, value in fields.items()),
        ]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()


def main() -> None:
    """Serve a script from a file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", type=Path, required=True)
    options = parser.parse_args()
    import yaml

    script = [of_json(given) for given in yaml.safe_load(options.script.read_text("utf-8"))]
    with ScriptedServer(script, options.port) as server:
        sys.stdout.write(f"{server.base_url}\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main()
