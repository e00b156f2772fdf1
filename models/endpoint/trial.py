"""Try a model for real: a tool call, its result sent back, an answer; caching, thoughts, images."""

from __future__ import annotations

import base64
import tempfile
import time
from collections.abc import Generator
from math import inf
from pathlib import Path
from typing import NamedTuple

from config import ModelConfig
from models.base import Event, Message, Reply, Request
from models.endpoint.model import EndpointModel
from models.errors import ModelError

PIXEL = base64.b64decode(  # a red square of 16 x 16
    "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR4nGP4z8BAEiJN9aiGUQ1DSgMAkPn/AVEYtXwAAAAASUVORK5CYII="
)
NAME = "read_meter"
TOOL = {
    "type": "function",
    "function": {
        "name": NAME,
        "description": "Read the meter of a room.",
        "parameters": {
            "type": "object",
            "properties": {"room": {"type": "string"}},
            "required": ["room"],
        },
    },
}
SYSTEM = "You read meters with the tool read_meter, and say what it shows. " * 90  # to be cached
TASK = "What does the meter of the kitchen show? Read it, then say the number."
READING = "4711"


class Finding(NamedTuple):
    """One line of a trial: True works, False does not, None says nothing."""

    what: str
    ok: bool | None
    detail: str


def try_model(config: ModelConfig, seconds: float = inf) -> Generator[Finding, None, None]:
    """Ask the model; yield each finding as it comes. A model that cannot be asked is one
    finding."""
    model = EndpointModel(config, max_retries=1)
    deadline = time.monotonic() + seconds
    system: Message = {"role": "system", "content": SYSTEM}
    messages = [system, {"role": "user", "content": TASK}]
    try:
        first, _ = _asked(model, Request(1, messages, [TOOL], deadline=deadline))
        is_right = [(call.name, call.args is None) for call in first.calls[:1]] == [(NAME, False)]
        protocol = "text" if model.manners.is_text else model.manners.wire
        yield Finding("call", is_right, protocol if is_right else first.text[:80])
        if not is_right:
            return
        messages += [first.message(), *_results(first)]
        second, pieces = _asked(model, Request(2, messages, [TOOL], deadline=deadline))
        yield Finding("answer", READING in second.text.replace(",", ""), second.text[:80])
        yield Finding("stream", pieces > 1, f"{pieces} pieces")
        cached, sent = second.usage.cached, second.usage.input
        yield Finding("cache", cached > 0 or None, f"{cached} of {sent} tokens")
        yield Finding("reasoning", bool(first.native) or None, _kinds(first))
        yield _image(model)
    except ModelError as error:
        yield Finding("asked", False, str(error))


def _results(reply: Reply) -> list[Message]:
    return [{"role": "tool", "tool_call_id": call.id, "content": READING} for call in reply.calls]


def _image(model: EndpointModel) -> Finding:
    """Show it a red square."""
    with tempfile.TemporaryDirectory(prefix="sopwith-") as folder:
        path = Path(folder, "square.png")
        path.write_bytes(PIXEL)
        question = "Which colour is this square? One word."
        message: Message = {"role": "user", "content": question, "images": [str(path)]}
        reply, _ = _asked(model, Request(1, [message]))
    if not model.manners.takes_images:
        return Finding("images", None, "it takes none")
    return Finding("images", "red" in reply.text.lower(), reply.text[:80])


def _kinds(reply: Reply) -> str:
    """Return what the provider attached, by the names of its keys and items."""
    items = reply.native["items"] if reply.native else []
    kinds = {str(item.get("type")) for item in items if "type" in item}
    kinds |= {key for item in items if "type" not in item for key in item}
    return ", ".join(sorted(kinds - {"role", "content", "tool_calls", "None"}))


def _asked(model: EndpointModel, request: Request) -> tuple[Reply, int]:
    """Return the reply, and in how many pieces its text came."""
    answering, pieces = model.reply(request), 0
    while True:
        try:
            event: Event = next(answering)
        except StopIteration as end:
            return end.value, pieces
        pieces += event["type"] == "text"
