"""Anthropic Messages: thinking blocks with their signatures go back as they came, and three marks keep the prompt cached.

Source: the reference of POST /v1/messages; "Extended thinking: preserving thinking blocks"; "Prompt caching".
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from models.base import Message, ToolCall
from models.wires.answer import Answer, Call, Tokens, count, inside
from models.wires.written import Asked, Setting, Wire, as_json, with_list

MAX_TOKENS = 16_000  # of one reply, where nothing is set: the field is required
_CACHED = {"cache_control": {"type": "ephemeral"}}
_MARK = b',"cache_control":{"type":"ephemeral"}}'


class Messages(Wire):
    """Fills in `Wire`."""

    name, path = "messages", "/messages"

    def fields(self, setting: Setting) -> dict[str, Any]:
        """See Wire."""
        most = self.manners.most_tokens or setting.max_tokens or MAX_TOKENS
        return {
            "model": setting.model,
            "stream": True,
            "max_tokens": min(most, setting.max_tokens or most),
            "temperature": setting.temperature,
            **setting.reasoning,
            **setting.extra,
        }

    def body(self, asked: Asked) -> bytes:
        """See Wire."""
        fields, messages = dict(asked.fields), list(asked.messages)
        if messages and messages[0]["role"] == "system":
            fields["system"] = [{"type": "text", "text": messages[0]["content"], **_CACHED}]
            messages = messages[1:]
        if asked.tools:
            tools = [_tool(tool["function"]) for tool in asked.tools]
            fields["tools"] = [*tools[:-1], {**tools[-1], **_CACHED}]
            fields["tool_choice"] = {"type": "auto", "disable_parallel_tool_use": True}
        fields = {
            k: v for k, v in fields.items() if k not in self.manners.without and v is not None
        }
        stable = self.written(messages)
        pairs = [(_role(m), blocks) for m, blocks in zip(messages, stable, strict=True)]
        if pairs and pairs[-1][0] == "user":  # a thinking block takes no mark
            pairs[-1] = ("user", pairs[-1][1][:-1] + _MARK)
        pairs += [(_role(message), self.write(message)) for message in asked.tail]
        return with_list(fields, "messages", _turns(pairs))

    def answer(self) -> Answer:
        """See Wire."""
        return MessagesAnswer()

    def write(self, message: Message) -> bytes:
        """See Wire: the blocks of the message."""
        return b",".join(map(as_json, self.native(message) or self._blocks(message)))

    def _blocks(self, message: Message) -> list[dict[str, Any]]:
        content = message.get("content") or ""
        text = [{"type": "text", "text": content}] if content.strip() else []
        if message["role"] == "tool":
            id_ = message["tool_call_id"]
            return [{"type": "tool_result", "tool_use_id": _id(id_), "content": text or "…"}]
        calls = [_use(call) for call in message.get("tool_calls", ())]
        images = [_image(image) for image in self.images(message)]
        return [*text, *images, *calls] or [{"type": "text", "text": "…"}]


class MessagesAnswer(Answer):
    """Fills in `Answer`."""

    def __init__(self) -> None:
        super().__init__()
        self._blocks: dict[int, dict[str, Any]] = {}
        self._uses: dict[int, Call] = {}  # blocks whose input comes in pieces

    def add(self, chunk: dict[str, Any]) -> str:
        """See Answer."""
        step = _STEPS.get(str(chunk.get("type")))
        return step(self, chunk) if step else ""

    def counted(self) -> Tokens | None:
        """See Answer. The parts that the cache has read and stored are not in `input_tokens`."""
        usage = self._usage
        fresh, received = count(usage.get("input_tokens")), count(usage.get("output_tokens"))
        read = count(usage.get("cache_read_input_tokens")) or 0
        stored = count(usage.get("cache_creation_input_tokens")) or 0
        sent = -1 if fresh is None else fresh + read + stored
        return Tokens(sent, read, -1 if received is None else received, stored)

    def items(
        self, text: str, calls: Sequence[ToolCall], *, is_native: bool
    ) -> list[dict[str, Any]]:
        """See Answer."""
        if not is_native:
            return []
        rest, found = iter(calls), []
        for place in sorted(self._blocks):
            block = self._settled(place)
            call = next(rest, None) if block.get("type") == "tool_use" else None
            if call is not None:
                block = {**block, "id": call.id, "name": call.name, "input": call.args or {}}
            is_empty = block.get("type") == "text" and not str(block.get("text")).strip()
            if not is_empty:
                found.append({key: value for key, value in block.items() if value is not None})
        return found

    def _settled(self, place: int) -> dict[str, Any]:
        """A block whole: the input of a tool that the provider runs comes in pieces too."""
        block, use = self._blocks[place], self._uses.get(place)
        if use is None or not use.pieces:
            return block
        try:
            return {**block, "input": json.loads("".join(use.pieces))}
        except (ValueError, RecursionError):
            return block

    def _message(self, chunk: dict[str, Any]) -> str:
        """The start of a stream, or the whole message."""
        message = chunk.get("message") if chunk["type"] == "message_start" else chunk
        self._count(inside(message, "usage"))
        content = inside(message, "content")
        shown = ""
        for place, block in enumerate(content if isinstance(content, list) else []):
            shown += self._begin({"index": place, "content_block": block})
        if chunk["type"] == "message":
            self._stopped(message)
            self._is_done = True
        return shown

    def _begin(self, chunk: dict[str, Any]) -> str:
        block, place = chunk.get("content_block"), _place(chunk)
        if not isinstance(block, dict):
            return ""
        self._blocks[place] = dict(block)
        if "input" in block:
            given = block["input"] or None
            call = Call(
                str(block.get("id") or ""), place, str(block.get("name") or ""), given=given
            )
            self._uses[place] = call
            if block.get("type") == "tool_use":
                self._calls.append(call)
        self.think(block.get("thinking"))
        text = block.get("text") if block.get("type") == "text" else ""
        return self.say(text) if isinstance(text, str) else ""

    def _delta(self, chunk: dict[str, Any]) -> str:
        delta, block = chunk.get("delta"), self._blocks.get(_place(chunk))
        if not isinstance(delta, dict) or block is None:
            return ""
        kind = str(delta.get("type"))
        if kind == "input_json_delta":
            use = self._uses.get(_place(chunk))
            if use is not None:
                use.pieces.append(self.fit(str(delta.get("partial_json") or "")))
            return ""
        if kind == "citations_delta":
            block["citations"] = [*(block.get("citations") or ()), delta.get("citation")]
            return ""
        key = kind.removesuffix("_delta")
        piece = delta.get(key)
        if not isinstance(piece, str) or self.is_cut_off:
            return ""
        block[key] = str(block.get(key) or "") + piece
        if key == "text":
            return self.say(piece)
        self.think(piece)
        return ""

    def _end(self, chunk: dict[str, Any]) -> str:
        self._count(chunk.get("usage"))
        self._stopped(chunk.get("delta"))
        return ""

    def _done(self, chunk: dict[str, Any]) -> str:
        self._is_done = True
        return ""

    def _stopped(self, said: object) -> None:
        reason = inside(said, "stop_reason")
        self._finish = reason if isinstance(reason, str) else self._finish

    def _count(self, usage: object) -> None:
        if isinstance(usage, dict):
            self._usage |= {key: value for key, value in usage.items() if value is not None}


_STEPS = {
    "message": MessagesAnswer._message,
    "message_start": MessagesAnswer._message,
    "content_block_start": MessagesAnswer._begin,
    "content_block_delta": MessagesAnswer._delta,
    "message_delta": MessagesAnswer._end,
    "message_stop": MessagesAnswer._done,
}


def _turns(pairs: Sequence[tuple[str, bytes]]) -> list[bytes]:
    """The messages, the blocks of those behind each other of one role in one: roles must alternate, and the first is the
    user's."""
    turns: list[tuple[str, list[bytes]]] = []
    for role, blocks in pairs:
        if not turns and role != "user":
            turns.append(("user", [b'{"type":"text","text":"\xe2\x80\xa6"}']))
        if turns and turns[-1][0] == role:
            turns[-1][1].append(blocks)
        else:
            turns.append((role, [blocks]))
    return [
        b'{"role":"' + role.encode() + b'","content":[' + b",".join(blocks) + b"]}"
        for role, blocks in turns
    ]


def _role(message: Message) -> str:
    return "assistant" if message["role"] == "assistant" else "user"


def _id(given: str) -> str:
    """An id of a call as this protocol takes it: letters, digits, - and _."""
    return "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in given)


def _use(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call["function"]
    given = json.loads(function["arguments"])
    return {"type": "tool_use", "id": _id(call["id"]), "name": function["name"], "input": given}


def _tool(function: Mapping[str, Any]) -> dict[str, Any]:
    shape = function.get("parameters") or {"type": "object", "properties": {}}
    description = function.get("description", "")
    return {"name": function["name"], "description": description, "input_schema": shape}


def _image(image: tuple[str, str]) -> dict[str, Any]:
    kind, data = image
    return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}


def _place(chunk: dict[str, Any]) -> int:
    place = chunk.get("index")
    return place if isinstance(place, int) else 0
