"""The body of a request, as bytes. Each message is written once: what a turn costs does not grow with the history."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, ClassVar

from models.base import Message
from models.history import common_start
from models.images import encoded
from models.wires.answer import Answer
from models.wires.manners import Manners

SHORT_ID_CHARS = 9


@dataclass(slots=True)
class Asked:
    """Hold what goes into a body: `fields` are the settings, in the words of the wire."""

    fields: dict[str, Any]
    messages: Sequence[Message]
    tail: Sequence[Message] = ()
    tools: Sequence[Mapping[str, Any]] = ()
    schema: Mapping[str, Any] | None = None


@dataclass(slots=True)
class Setting:
    """The owner's settings that every protocol has, each under a name of its own."""

    model: str
    max_tokens: int | None = None
    temperature: float | None = None
    reasoning: Mapping[str, Any] = field(default_factory=dict)  # fields, ready to send
    extra: Mapping[str, Any] = field(default_factory=dict)


class Wire(ABC):
    """One protocol. Holds the written messages of the last request; one that is the same object is not written again, so
    a message must not be changed once it is in the history. `by` names who answers: what another one attached is
    rewritten as plain text."""

    name: ClassVar[str]
    path: ClassVar[str]

    def __init__(self, manners: Manners, by: str) -> None:
        self.manners, self.by = manners, by
        self.has_images = False  # the last request had some
        self._messages: list[Message] = []
        self._written: list[bytes] = []

    @abstractmethod
    def fields(self, setting: Setting) -> dict[str, Any]:
        """The settings as this protocol names them."""

    @abstractmethod
    def body(self, asked: Asked) -> bytes:
        """The body of the post."""

    @abstractmethod
    def answer(self) -> Answer:
        """Return what puts the reply together."""

    @abstractmethod
    def write(self, message: Message) -> bytes:
        """One message, or the items that it becomes, as bytes; several are parted by commas."""

    def forget(self) -> None:
        """Write everything again with the next request: the manners have changed."""
        self._messages, self._written, self.has_images = [], [], False

    def written(self, messages: Sequence[Message]) -> list[bytes]:
        """Each message as bytes."""
        same = common_start(self._messages, messages)
        del self._messages[same:], self._written[same:]
        for message in messages[same:]:
            self._messages.append(message)
            self._written.append(self.write(message))
        return self._written

    def native(self, message: Message) -> list[dict[str, Any]] | None:
        """The provider's own items of a reply, when they came from the same one and may go back."""
        kept = message.get("native")
        if not kept or not self.manners.natives or kept["by"] != self.by:
            return None
        unread = self.manners.unread
        items: list[dict[str, Any]] = kept["items"]
        return [{k: v for k, v in item.items() if k not in unread} for item in items]

    def images(self, message: Message) -> list[tuple[str, str]]:
        """The images of a message as media type and base64; none for a model that takes none."""
        if not self.manners.takes_images:
            return []
        found = [image for path in message.get("images", ()) if (image := encoded(path))]
        self.has_images = self.has_images or bool(found)
        return found

    def call_id(self, given: str) -> str:
        """The id of a call as this server takes it."""
        is_short = len(given) == SHORT_ID_CHARS and given.isalnum()
        if is_short or not self.manners.short_ids:
            return given
        return blake2b(given.encode("utf-8", "replace"), digest_size=8).hexdigest()[:SHORT_ID_CHARS]


def as_json(value: Any) -> bytes:
    """JSON in UTF-8; lone surrogates, which a tool may bring, become question marks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def with_list(fields: Mapping[str, Any], key: str, items: Sequence[bytes]) -> bytes:
    """The fields, and one more that is a list of what is written already."""
    return (
        as_json(fields)[:-1]
        + b',"'
        + key.encode()
        + b'":['
        + b",".join(filter(None, items))
        + b"]}"
    )
