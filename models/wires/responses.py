"""OpenAI Responses, without anything kept by the provider: the items of a reply, encrypted
reasoning too, go back as they came.

Source: the reference of POST /v1/responses; "Reasoning models: keeping reasoning items in context".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from config import ModelConfig
from models.base import Message, ToolCall
from models.streams.typed import count_of, record_of, records_of, text_of
from models.wires.answer import Answer, Call, Tokens
from models.wires.written import Asked, Fields, Wire, as_json

_CALL = "function_call"


class Responses(Wire):
    """Fills in `Wire`."""

    name, path, list_key = "responses", "/responses", "input"

    def fields(self, config: ModelConfig) -> Fields:
        """See Wire."""
        return {
            "model": config.model,
            "stream": True,
            "store": False,
            "include": ["reasoning.encrypted_content"],
            "max_output_tokens": config.max_tokens,
            "temperature": config.temperature,
        }

    def offer(self, asked: Asked) -> Fields:
        """See Wire."""
        found: Fields = {"instructions": asked.parted()[0] or None}
        if asked.tools:
            found["tools"] = [
                {"type": "function", "strict": False, **each} for each in asked.functions
            ]
        if asked.schema is not None and self.manners.takes_schema:
            shape = {"type": "json_schema", "name": "reply", "schema": asked.schema, "strict": True}
            found["text"] = {"format": shape}
        return found

    def listed(self, asked: Asked) -> Iterable[bytes]:
        """See Wire."""
        return super().listed(replace(asked, messages=asked.parted()[1]))

    def answer(self) -> Answer:
        """See Wire."""
        return ResponsesAnswer()

    def items(self, message: Message) -> list[Fields]:
        """See Wire."""
        role, content = message["role"], text_of(message.get("content"))
        if role == "assistant":
            said = [_said(content)] if content else []
            return [*said, *map(self._call, message.get("tool_calls", ()))]
        shown: Any = content
        if images := self.images(message):
            shown = [{"type": "input_text", "text": content}, *map(_image, images)]
        if role == "tool":
            id_ = self.call_id(message["tool_call_id"])
            return [{"type": "function_call_output", "call_id": id_, "output": shown}]
        return [{"role": role, "content": shown}]

    def _call(self, call: Mapping[str, Any]) -> Fields:
        function = call["function"]
        id_, arguments = self.call_id(call["id"]), function["arguments"]
        return {"type": _CALL, "call_id": id_, "name": function["name"], "arguments": arguments}


class ResponsesAnswer(Answer):
    """Fills in `Answer`."""

    def __init__(self) -> None:
        super().__init__()
        self._items: dict[int, Fields] = {}  # by their place
        self._begun: dict[int, Fields] = {}  # some servers never say that an item is whole
        self._spoken: set[int] = set()  # items whose text came in pieces

    def add(self, chunk: Fields) -> str:
        """See Answer."""
        if chunk.get("object") == "response" and "type" not in chunk:
            return self._completed({"response": chunk})
        step = _STEPS.get(str(chunk.get("type")))
        return step(self, chunk) if step else ""

    def counted(self) -> Tokens:
        """See Answer."""
        usage = self._usage
        cached = count_of(record_of(usage.get("input_tokens_details")).get("cached_tokens"))
        sent, received = count_of(usage.get("input_tokens")), count_of(usage.get("output_tokens"))
        return Tokens(sent, max(cached, 0), received)

    def items(self, text: str, calls: Sequence[ToolCall], *, is_native: bool) -> list[Fields]:
        """See Answer. A thought that only the provider's store could complete does not go back."""
        return list(self._sent_back(iter(calls))) if is_native else []

    def _sent_back(self, calls: Iterator[ToolCall]) -> Iterator[Fields]:
        for _, item in sorted(self._items.items()):
            if _is_in_store(item):
                continue
            call = next(calls, None) if item.get("type") == _CALL else None
            own = {} if call is None else _settled(item, call)
            yield {key: value for key, value in {**item, **own}.items() if value is not None}

    def _delta(self, chunk: Fields) -> str:
        self._spoken.add(_place(chunk))
        return self.say(text_of(chunk.get("delta")))

    def _thought(self, chunk: Fields) -> str:
        self.think(chunk.get("delta"))
        return ""

    def _refused(self, chunk: Fields) -> str:
        self._finish = "refusal"
        return self._delta(chunk)

    def _item(self, chunk: Fields) -> str:
        """Take an item that is whole."""
        item = chunk.get("item")
        return self._take(item, _place(chunk)) if isinstance(item, dict) else ""

    def _begin(self, chunk: Fields) -> str:
        self._begun[_place(chunk)] = record_of(chunk.get("item"))
        return ""

    def _argued(self, chunk: Fields) -> str:
        """Take a call whose arguments are whole."""
        begun = self._begun.get(_place(chunk))
        whole = {"arguments": chunk.get("arguments")}
        return self._take({**begun, **whole}, _place(chunk)) if begun else ""

    def _take(self, item: Fields, place: int) -> str:
        if item.get("type") == "custom_tool_call":  # ours are functions: it goes back as one
            item = {
                **item,
                "type": _CALL,
                "id": None,
                "arguments": item.get("input"),
                "input": None,
            }
        is_known = self._items.get(place, {}).get("call_id", "") == item.get("call_id")
        self._items[place] = item
        if item.get("type") == _CALL and not is_known:
            self._take_call(item, place)
        if item.get("type") != "message":
            return ""
        parts = records_of(item.get("content"))
        if any(part.get("type") == "refusal" for part in parts):
            self._finish = "refusal"
        if place in self._spoken:
            return ""
        return self.say("".join(text_of(p.get("text") or p.get("refusal")) for p in parts))

    def _take_call(self, item: Fields, place: int) -> None:
        call = Call(text_of(item.get("call_id")), place, text_of(item.get("name")))
        call.pieces.append(self.fit(text_of(item.get("arguments"))))
        call.given = record_of(item.get("arguments")) or None
        self._calls.append(call)

    def _completed(self, chunk: Fields) -> str:
        """Take the whole response: what its items have not said yet, the usage, how it ended."""
        response = record_of(chunk.get("response"))
        self._usage = record_of(response.get("usage")) or self._usage
        shown = ""
        for place, item in enumerate(records_of(response.get("output"))):
            if place not in self._items:
                shown += self._take(item, place)
        reason = record_of(response.get("incomplete_details")).get("reason")
        self._finish = text_of(reason) or self._finish
        self._is_done = True
        return shown


_STEPS = {
    "response.output_text.delta": ResponsesAnswer._delta,
    "response.refusal.delta": ResponsesAnswer._refused,
    "response.reasoning_summary_text.delta": ResponsesAnswer._thought,
    "response.reasoning_text.delta": ResponsesAnswer._thought,
    "response.output_item.added": ResponsesAnswer._begin,
    "response.function_call_arguments.done": ResponsesAnswer._argued,
    "response.output_item.done": ResponsesAnswer._item,
    "response.completed": ResponsesAnswer._completed,
    "response.incomplete": ResponsesAnswer._completed,
}


def _place(chunk: Fields) -> int:
    place = chunk.get("output_index")
    return place if isinstance(place, int) else 0


def _is_in_store(item: Fields) -> bool:
    """Return True for a thought that the provider alone has."""
    is_thought = item.get("type") == "reasoning"
    return is_thought and not (item.get("encrypted_content") or item.get("content"))


def _settled(item: Fields, call: ToolCall) -> Fields:
    """Return a call's own fields: the arguments as they were written, where they could be read."""
    written = text_of(item.get("arguments")) if call.args is not None else ""
    arguments = written if written.strip() else as_json(call.given).decode()
    return {"call_id": call.id, "name": call.name, "arguments": arguments}


def _said(text: str) -> Fields:
    """Return text of the model, whole: llama.cpp does not know the short form."""
    parts = [{"type": "output_text", "text": text}]
    return {"type": "message", "role": "assistant", "content": parts}


def _image(image: tuple[str, str]) -> Fields:
    return {"type": "input_image", "image_url": f"data:{image[0]};base64,{image[1]}"}
