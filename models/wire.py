"""The body of a request, as bytes. Each message is written once: what a turn costs does not grow with the history."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from models.base import Message

IMAGES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".gif": "image/gif",
}
MAX_IMAGE_BYTES = 5_000_000  # what endpoints take


def as_json(value: Any) -> bytes:
    """JSON in UTF-8; lone surrogates, which a tool may bring, become question marks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


class Wire:
    """Holds the written messages of the last request. A message that is the same object is not written again, so a
    message must not be changed once it is in the history; a new one takes its place.

    `joins` is set for a server that refuses a user message right behind a tool's or another user message: such a message
    is sent as a part of the one before it. `takes_images` is taken back for a model that refuses them: it reads their
    names alone."""

    def __init__(self) -> None:
        self.joins = False
        self.takes_images = True
        self.has_images = False  # the last request had some
        self._messages: list[Message] = []
        self._written: list[bytes] = []

    def body(
        self, fields: dict[str, Any], messages: Sequence[Message], tail: Sequence[Message] = ()
    ) -> bytes:
        """The fields of the request, then its messages; `tail` stands behind the history and is not remembered."""
        if self.joins:
            messages, tail = joined([*messages, *tail]), ()
        same = common_start(self._messages, messages)
        del self._messages[same:], self._written[same:]
        for message in messages[same:]:
            self._messages.append(message)
            self._written.append(
                as_json(self._with_images(message) if "images" in message else message)
            )
        written = b",".join([*self._written, *map(as_json, tail)])
        return as_json(fields)[:-1] + b',"messages":[' + written + b"]}"

    def leave_out_images(self) -> None:
        """From now on: what was written is written again."""
        self.takes_images = self.has_images = False
        self._messages, self._written = [], []

    def _with_images(self, message: Message) -> Message:
        """The message as an endpoint takes it: text and images as parts. A file that is gone or too large is left out."""
        plain = {key: value for key, value in message.items() if key != "images"}
        parts = [
            part for path in message["images"] if self.takes_images and (part := _image(Path(path)))
        ]
        if not parts:
            return plain
        self.has_images = True
        return plain | {"content": [{"type": "text", "text": message["content"]}, *parts]}


def _image(path: Path) -> dict[str, Any] | None:
    try:
        data = path.read_bytes() if path.stat().st_size <= MAX_IMAGE_BYTES else b""
    except OSError:
        return None
    kind = IMAGES.get(path.suffix.lower())
    if not data or not kind:
        return None
    return {
        "type": "image_url",
        "image_url": {"url": f"data:{kind};base64,{base64.b64encode(data).decode()}"},
    }


def joined(messages: Sequence[Message]) -> list[Message]:
    """The messages with each user message at the end of the tool's or user's text before it."""
    found: list[Message] = []
    for message in messages:
        before = found[-1] if found else {}
        if message["role"] == "user" and before.get("role") in ("tool", "user"):
            found[-1] = {**before, "content": f"{before['content']}\n\n{message['content']}"}
        else:
            found.append(message)
    return found


def common_start(old: Sequence[Message], new: Sequence[Message]) -> int:
    """How many messages at the start are the very same objects."""
    for number, (one, other) in enumerate(zip(old, new, strict=False)):
        if one is not other:
            return number
    return min(len(old), len(new))
