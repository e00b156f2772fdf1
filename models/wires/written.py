"""Write the body of a request, as bytes. Each message is written once: what a turn costs does not
grow with the history."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, ClassVar

from config import ModelConfig
from models.base import Message, common_start, joined
from models.images import encoded
from models.wires.answer import Answer

SHORT_ID_CHARS = 9
Fields = dict[str, Any]


@dataclass(slots=True)
class Asked:
    """Hold what goes into a body: `fields` are the settings, in the words of the wire."""

    fields: Fields
    messages: Sequence[Message]
    tail: Sequence[Message] = ()
    tools: Sequence[Mapping[str, Any]] = ()
    schema: Mapping[str, Any] | None = None

    @property
    def functions(self) -> list[Mapping[str, Any]]:
        """Return the functions of the tools."""
        return [tool["function"] for tool in self.tools]

    def parted(self) -> tuple[str, Sequence[Message]]:
        """Return the system prompt that stands first, and the messages behind it."""
        first = self.messages[0] if self.messages else {"role": ""}
        if first["role"] != "system":
            return "", self.messages
        return first["content"], self.messages[1:]


class Wire(ABC):
    """One protocol. Holds the written messages of the last request; one that is the same object is
    not written again, so a message must not be changed once it is in the history. `by` names who
    answers: what another one attached is rewritten as plain text."""

    name: ClassVar[str]
    path: ClassVar[str]
    list_key: ClassVar[str] = "messages"
    one_call: ClassVar[Fields] = {"parallel_tool_calls": False}  # what asks for one call a turn

    def __init__(self, manners: Manners, by: str) -> None:
        self.manners, self.by = manners, by
        self.has_images = False  # the last request had some
        self._messages: list[Message] = []
        self._written: list[bytes] = []

    @abstractmethod
    def fields(self, config: ModelConfig) -> Fields:
        """Return the settings that every protocol has, as this one names them."""

    @abstractmethod
    def offer(self, asked: Asked) -> Fields:
        """Return the other fields: tools, the shape of the answer, the system prompt."""

    @abstractmethod
    def answer(self) -> Answer:
        """Return what puts the reply together."""

    @abstractmethod
    def items(self, message: Message) -> list[Any]:
        """Return the items that a message becomes."""

    def body(self, asked: Asked) -> bytes:
        """Return the body of the post."""
        kept = {
            key: value
            for key, value in {**asked.fields, **self.offer(asked)}.items()
            if value is not None and key not in self.manners.without
        }
        return with_list(kept, self.list_key, self.listed(asked))

    def listed(self, asked: Asked) -> Iterable[bytes]:
        """Return the messages as bytes, the tail last."""
        if self.manners.joins or not self.manners.has_system:
            messages = [*asked.messages, *asked.tail]
            return self.written(joined(messages, has_system=self.manners.has_system))
        return [*self.written(asked.messages), *map(self.write, asked.tail)]

    def write(self, message: Message) -> bytes:
        """Return one message, or the items that it becomes, as bytes; several are parted by
        commas."""
        return b",".join(map(as_json, self.native(message) or self.items(message)))

    def forget(self) -> None:
        """Write everything again with the next request: the manners have changed."""
        self._messages, self._written, self.has_images = [], [], False

    def written(self, messages: Sequence[Message]) -> list[bytes]:
        """Return each message as bytes."""
        same = common_start(self._messages, messages)
        del self._messages[same:], self._written[same:]
        for message in messages[same:]:
            self._messages.append(message)
            self._written.append(self.write(message))
        return self._written

    def native(self, message: Message) -> list[dict[str, Any]]:
        """Return the provider's own items of a reply, when they came from the same one and may go
        back."""
        kept = message.get("native")
        if not kept or not self.manners.natives or kept["by"] != self.by:
            return []
        unread = self.manners.unread
        return [{k: v for k, v in item.items() if k not in unread} for item in kept["items"]]

    def images(self, message: Message) -> list[tuple[str, str]]:
        """Return the images of a message as media type and base64; none for a model that takes
        none."""
        if not self.manners.takes_images:
            return []
        found = [image for path in message.get("images", ()) if (image := encoded(path))]
        self.has_images = self.has_images or bool(found)
        return found

    def call_id(self, given: str) -> str:
        """Return the id of a call as this server takes it."""
        is_short = len(given) == SHORT_ID_CHARS and given.isalnum()
        if is_short or not self.manners.short_ids:
            return given
        return blake2b(given.encode("utf-8", "replace"), digest_size=8).hexdigest()[:SHORT_ID_CHARS]


def as_json(value: Any) -> bytes:
    """Return JSON in UTF-8; lone surrogates, which a tool may bring, become question marks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def with_list(fields: Fields, key: str, items: Iterable[bytes]) -> bytes:
    """Return the fields, and one more that is a list of what is written already."""
    listed = b",".join(filter(None, items))
    return b'%b,"%b":[%b]}' % (as_json(fields)[:-1], key.encode(), listed)


@dataclass(slots=True)
class Manners:
    """Plain marks; each wire looks at those that concern it."""

    wire: str = "chat"
    is_text: bool = False  # tools are described in words
    joins: bool = False  # no user message stands behind a tool's or another user message
    has_system: bool = True  # a system message is taken
    short_ids: bool = False  # ids of calls are nine letters and digits
    takes_images: bool = True
    takes_schema: bool = True
    natives: bool = True  # the provider's own items are sent back
    needs: str = ""  # the key that each assistant message must have
    signs: bool = False  # the first call of a message needs a signature
    max_tokens: str = "max_tokens"  # the name of that field, in chat
    reasoning: str = "effort"  # the style of that setting (assets/models/reasoning.json)
    most_tokens: int = 0  # of one reply, as the server said; 0: not said
    without: set[str] = field(default_factory=set)  # fields that are not sent
    unread: set[str] = field(default_factory=set)  # keys of items that are not sent back
