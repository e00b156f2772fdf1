"""Anthropic Messages: thinking blocks with their signatures go back as they came, and three marks
keep the prompt cached.

Source: the reference of POST /v1/messages; "Extended thinking: preserving thinking blocks"; "Prompt
caching".
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from config import ModelConfig
from models.base import Message, ToolCall
from models.streams.typed import count_of, list_of, record_of, text_of
from models.wires.answer import Answer, Call, Tokens
from models.wires.written import Asked, Fields, Wire

MAX_TOKENS = 16_000  # of one reply, where nothing is set: the field is required
_CACHED = {"cache_control": {"type": "ephemeral"}}
_MARK = b',"cache_control":{"type":"ephemeral"}}'
_EMPTY = {"type": "text", "text": "…"}


class Messages(Wire):
    """Fills in `Wire`."""

    name, path = "messages", "/messages"
    one_call: ClassVar[Fields] = {
        "tool_choice": {"type": "auto", "disable_parallel_tool_use": True}
    }

    def fields(self, config: ModelConfig) -> Fields:
        """See Wire."""
        most = self.manners.most_tokens or config.max_tokens or MAX_TOKENS
        return {
            "model": config.model,
            "stream": True,
            "max_tokens": min(most, config.max_tokens or most),
            "temperature": config.temperature,
        }

    def offer(self, asked: Asked) -> Fields:
        """See Wire."""
        found: Fields = {}
        system, _ = asked.parted()
        if system:
            found["system"] = [{"type": "text", "text": system, **_CACHED}]
        if tools := [_tool(function) for function in asked.functions]:
            found["tools"] = [*tools[:-1], {**tools[-1], **_CACHED}]
        return found

    def listed(self, asked: Asked) -> Iterable[bytes]:
        """See Wire. Roles must alternate, so the blocks of messages of one role are one message."""
        _, messages = asked.parted()
        pairs = list(zip(map(_role, messages), self.written(messages), strict=True))
        if pairs and pairs[-1][0] == "user":  # a thinking block takes no mark
            pairs[-1] = ("user", pairs[-1][1][:-1] + _MARK)
        pairs += [(_role(message), self.write(message)) for message in asked.tail]
        return _turns(pairs)

    def answer(self) -> Answer:
        """See Wire."""
        return MessagesAnswer()

    def items(self, message: Message) -> list[Fields]:
        """See Wire: the blocks of the message."""
        content = text_of(message.get("content"))
        text = [{"type": "text", "text": content}] if content.strip() else []
        images = [_image(image) for image in self.images(message)]
        if message["role"] == "tool":
            id_, shown = _id(message["tool_call_id"]), [*text, *images]
            return [{"type": "tool_result", "tool_use_id": id_, "content": shown or "…"}]
        calls = [_use(call) for call in message.get("tool_calls", ())]
        return [*text, *images, *calls] or [_EMPTY]


class MessagesAnswer(Answer):
    """Fills in `Answer`."""

    def __init__(self) -> None:
        super().__init__()
        self._blocks: dict[int, Fields] = {}
        self._uses: dict[int, Call] = {}  # blocks whose input comes in pieces

    def add(self, chunk: Fields) -> str:
        """See Answer."""
        step = _STEPS.get(str(chunk.get("type")))
        return step(self, chunk) if step else ""

    def counted(self) -> Tokens:
        """See Answer. The parts that the cache has read and stored are not in `input_tokens`."""
        usage = self._usage
        fresh = count_of(usage.get("input_tokens"))
        read = max(count_of(usage.get("cache_read_input_tokens")), 0)
        stored = max(count_of(usage.get("cache_creation_input_tokens")), 0)
        sent = fresh if fresh < 0 else fresh + read + stored
        return Tokens(sent, read, count_of(usage.get("output_tokens")), stored)

    def items(self, text: str, calls: Sequence[ToolCall], *, is_native: bool) -> list[Fields]:
        """See Answer."""
        return list(self._sent_back(iter(calls))) if is_native else []

    def _sent_back(self, calls: Iterator[ToolCall]) -> Iterator[Fields]:
        for place in sorted(self._blocks):
            block = self._settled(place)
            call = next(calls, None) if block.get("type") == "tool_use" else None
            if call is not None:
                block = {**block, "id": call.id, "name": call.name, "input": call.given}
            is_empty = block.get("type") == "text" and not str(block.get("text")).strip()
            if not is_empty:
                yield {key: value for key, value in block.items() if value is not None}

    def _settled(self, place: int) -> Fields:
        """Return a block whole: the input of a tool that the provider runs comes in pieces too."""
        block, use = self._blocks[place], self._uses.get(place)
        if use is None or not use.pieces:
            return block
        try:
            return {**block, "input": json.loads("".join(use.pieces))}
        except (ValueError, RecursionError):
            return block

    def _message(self, chunk: Fields) -> str:
        """Take the start of a stream, or the whole message."""
        is_whole = chunk["type"] == "message"
        message = chunk if is_whole else record_of(chunk.get("message"))
        self._count(message.get("usage"))
        shown = ""
        for place, block in enumerate(list_of(message.get("content"))):
            shown += self._begin({"index": place, "content_block": block})
        if is_whole:
            self._stopped(message)
            self._is_done = True
        return shown

    def _begin(self, chunk: Fields) -> str:
        block, place = chunk.get("content_block"), _place(chunk)
        if not isinstance(block, dict):
            return ""
        self._blocks[place] = dict(block)
        if "input" in block:
            self._begin_call(block, place)
        self.think(block.get("thinking"))
        return self.say(text_of(block.get("text"))) if block.get("type") == "text" else ""

    def _begin_call(self, block: Fields, place: int) -> None:
        id_, name = text_of(block.get("id")), text_of(block.get("name"))
        self._uses[place] = call = Call(id_, place, name, given=block["input"] or None)
        if block.get("type") == "tool_use":
            self._calls.append(call)

    def _delta(self, chunk: Fields) -> str:
        delta, block = record_of(chunk.get("delta")), self._blocks.get(_place(chunk))
        if block is None:
            return ""
        kind = str(delta.get("type"))
        if kind == "input_json_delta":
            return self._input(chunk, text_of(delta.get("partial_json")))
        if kind == "citations_delta":
            block["citations"] = [*list_of(block.get("citations")), delta.get("citation")]
            return ""
        return self._grow(block, kind.removesuffix("_delta"), delta)

    def _input(self, chunk: Fields, piece: str) -> str:
        use = self._uses.get(_place(chunk))
        if use is not None:
            use.pieces.append(self.fit(piece))
        return ""

    def _grow(self, block: Fields, key: str, delta: Fields) -> str:
        """Take a piece of a text, a thought or a signature."""
        piece = text_of(delta.get(key))
        if not piece or self.is_cut_off:
            return ""
        block[key] = text_of(block.get(key)) + piece
        if key == "text":
            return self.say(piece)
        self.think(piece)
        return ""

    def _end(self, chunk: Fields) -> str:
        self._count(chunk.get("usage"))
        self._stopped(record_of(chunk.get("delta")))
        return ""

    def _done(self, chunk: Fields) -> str:
        self._is_done = True
        return ""

    def _stopped(self, said: Fields) -> None:
        self._finish = text_of(said.get("stop_reason")) or self._finish

    def _count(self, usage: object) -> None:
        self._usage |= {key: v for key, v in record_of(usage).items() if v is not None}


_STEPS = {
    "message": MessagesAnswer._message,
    "message_start": MessagesAnswer._message,
    "content_block_start": MessagesAnswer._begin,
    "content_block_delta": MessagesAnswer._delta,
    "message_delta": MessagesAnswer._end,
    "message_stop": MessagesAnswer._done,
}


def _turns(pairs: Sequence[tuple[str, bytes]]) -> Iterator[bytes]:
    """Yield the messages; the first is the user's."""
    turns: list[tuple[str, list[bytes]]] = []
    if pairs and pairs[0][0] != "user":
        turns.append(("user", [json.dumps(_EMPTY).encode()]))
    for role, blocks in pairs:
        if not turns or turns[-1][0] != role:
            turns.append((role, []))
        turns[-1][1].append(blocks)
    for role, parts in turns:
        yield b'{"role":"%b","content":[%b]}' % (role.encode(), b",".join(parts))


def _role(message: Message) -> str:
    return "assistant" if message["role"] == "assistant" else "user"


def _id(given: str) -> str:
    """Return an id of a call as this protocol takes it: letters, digits, - and _."""
    return "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in given)


def _use(call: Mapping[str, Any]) -> Fields:
    function = call["function"]
    given = json.loads(function["arguments"])
    return {"type": "tool_use", "id": _id(call["id"]), "name": function["name"], "input": given}


def _tool(function: Mapping[str, Any]) -> Fields:
    shape = {"type": "object", "properties": {}} | record_of(function.get("parameters"))
    description = function.get("description", "")
    return {"name": function["name"], "description": description, "input_schema": shape}


def _image(image: tuple[str, str]) -> Fields:
    kind, data = image
    return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}


def _place(chunk: Fields) -> int:
    place = chunk.get("index")
    return place if isinstance(place, int) else 0
