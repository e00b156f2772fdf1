"""An OpenAI-compatible endpoint that plays a fixed task of N turns, and notes when each request
came and was answered.

    python bench/endpoint.py                    prints its port, serves until its stdin closes

POST /DIALECT/TURNS/v1/chat/completions         DIALECT: "bare" (a tool `shell`) or "sopwith"
                                                (`code_run`, `ask_user`), with "-fat" behind it for
                                                outputs of FAT_LINES lines
GET  /records                                   what came since the last look, a JSON `Record` a
     line

It has no state of its own: the turn is told by the assistant messages in the request. A reply
leaves in one write, so that whatever a client does with it falls into the client's time, and is
built before the clock starts that counts.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from dataclasses import asdict, dataclass
from typing import Any

ASK_TURN = 30  # where Sopwith accepts only a question (architecture.md), its script asks one
ANSWER = "Go on until all parts are counted."
FAT_LINES = 26  # about 750 tokens
CHUNK_CHARS = 6  # of text or arguments in one event, about what endpoints send
TASK = "Count the parts of the archive one by one, and say how many there are."


@dataclass(frozen=True, slots=True)
class Step:
    """Hold what the model says in one turn, and what its tool will answer: the words that no loop
    can do without."""

    text: str
    tool: str = ""
    args: str = ""  # JSON
    output: str = ""


@dataclass(slots=True)
class Record:
    """One request: when it had come whole and when its reply had left (ns, CLOCK_MONOTONIC of this
    machine)."""

    path: str
    arrived: int
    body: str
    answered: int = 0


def step(dialect: str, turn: int, turns: int) -> Step:
    """Return the script: an `echo` that differs each turn, a question where Sopwith needs one, an
    answer in the last turn."""
    if turn >= turns:
        return Step(
            f"The archive has {turns - 1} parts, all of them counted and none of them damaged."
        )
    if dialect.startswith("sopwith") and turn == ASK_TURN:
        question = {
            "question": f"{turn - 1} parts are counted. Shall I go on?",
            "candidates": [ANSWER, "Stop here."],
        }
        return Step("", "ask_user", json.dumps(question), ANSWER)
    output = f"part {turn} of the archive: {1000 + 37 * turn % 911} bytes, checksum fine, seen {turn % 7} days ago"
    command = f"echo '{output}'"
    if dialect.endswith("-fat"):
        command = f"for n in $(seq {FAT_LINES}); do echo '{output}' $n; done"
    is_bare = dialect.startswith("bare")
    args = {"command" if is_bare else "script": command}
    return Step(
        f"Part {turn} comes next here.",
        "shell" if is_bare else "code_run",
        json.dumps(args),
        output,
    )


class Endpoint:
    """The server: a thread for each connection, connections are kept open."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = self._listening.getsockname()[1]
        self._records: list[Record] = []

    def serve(self) -> None:
        while True:
            connection, _ = self._listening.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._converse, args=(connection,), daemon=True).start()

    def _converse(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as incoming:
            while request_line := incoming.readline():
                method, path, _ = request_line.decode("ascii").split(" ", 2)
                length = 0
                while (line := incoming.readline()) not in (b"\r\n", b""):
                    name, _, value = line.partition(b":")
                    length = int(value) if name.lower() == b"content-length" else length
                body = incoming.read(length)
                arrived = time.monotonic_ns()
                if method == "POST" and path.endswith("/chat/completions"):
                    record = Record(path, arrived, body.decode("utf-8"))
                    self._records.append(record)
                    connection.sendall(_completion(path, body))
                    record.answered = time.monotonic_ns()
                else:
                    connection.sendall(self._report(path))

    def _report(self, path: str) -> bytes:
        if path != "/records":
            return b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"
        records, self._records = self._records, []
        body = "".join(json.dumps(asdict(record)) + "\n" for record in records).encode()
        return (
            b"HTTP/1.1 200 OK\r\ncontent-type: application/jsonl\r\ncontent-length: %d\r\n\r\n"
            % len(body)
            + body
        )


def _completion(path: str, body: bytes) -> bytes:
    """Return the next step of the script as a chunked stream of events."""
    _, dialect, turns, *_ = path.split("/")
    request = json.loads(body)
    turn = 1 + sum(message["role"] == "assistant" for message in request["messages"])
    now = step(dialect, turn, int(turns))
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": piece} for piece in _pieces(now.text)]
    if now.tool:
        call = {
            "index": 0,
            "id": f"call_{turn}",
            "type": "function",
            "function": {"name": now.tool, "arguments": ""},
        }
        deltas.append({"tool_calls": [call]})
        deltas += [
            {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}
            for piece in _pieces(now.args)
        ]
    chunks = [_chunk([{"index": 0, "delta": delta, "finish_reason": None}]) for delta in deltas]
    finish = "tool_calls" if now.tool else "stop"
    chunks.append(_chunk([{"index": 0, "delta": {}, "finish_reason": finish}]))
    said, asked = len(now.text + now.args) // 4, len(body) // 4  # rough: nobody pays for it
    chunks.append(
        _chunk(
            [], {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
        )
    )
    events = [b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks] + [
        b"data: [DONE]\n\n"
    ]
    head = (
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    )
    return head + b"".join(b"%x\r\n%b\r\n" % (len(event), event) for event in events) + b"0\r\n\r\n"


def _chunk(choices: list[dict[str, Any]], usage: dict[str, int] | None = None) -> dict[str, Any]:
    shape = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "scripted",
    }
    return shape | {"choices": choices, "usage": usage}


def _pieces(text: str) -> list[str]:
    return [text[start : start + CHUNK_CHARS] for start in range(0, len(text), CHUNK_CHARS)]


def main() -> None:
    endpoint = Endpoint()
    threading.Thread(target=endpoint.serve, daemon=True).start()
    print(endpoint.port, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
