"""OpenAI Responses, without anything kept by the provider: the items of a reply, encrypted reasoning too, go back as they came.

Source: the reference of POST /v1/responses; "Reasoning models: keeping reasoning items in context".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from models.base import Message, ToolCall
from models.history import joined
from models.wires.answer import Answer, Call, Tokens, count, inside
from models.wires.written import Asked, Setting, Wire, as_json, with_list

_CALL = "function_call"


class Responses(Wire):
    """Fills in `Wire`."""

    name, path = "responses", "/responses"

    def fields(self, setting: Setting) -> dict[str, Any]:
        """See Wire."""
        return {
            "model": setting.model,
            "stream": True,
            "store": False,
            "include": ["reasoning.encrypted_content"],
            "max_output_tokens": setting.max_tokens,
            "temperature": setting.temperature,
            **setting.reasoning,
            **setting.extra,
        }

    def body(self, asked: Asked) -> bytes:
        """See Wire."""
        fields, messages = dict(asked.fields), list(asked.messages)
        if messages and messages[0]["role"] == "system":
            fields["instructions"] = messages[0]["content"]
            messages = messages[1:]
        if asked.tools:
            fields["parallel_tool_calls"] = fields.get("parallel_tool_calls", False)
            fields["tools"] = [_tool(tool["function"]) for tool in asked.tools]
        if asked.schema is not None and self.manners.takes_schema:
            shape = {"type": "json_schema", "name": "reply", "schema": asked.schema, "strict": True}
            fields["text"] = {"format": shape}
        fields = {
            k: v for k, v in fields.items() if k not in self.manners.without and v is not None
        }
        if self.manners.joins:
            return with_list(fields, "input", self.written(joined([*messages, *asked.tail])))
        return with_list(fields, "input", [*self.written(messages), *map(self.write, asked.tail)])

    def answer(self) -> Answer:
        """See Wire."""
        return ResponsesAnswer()

    def write(self, message: Message) -> bytes:
        """See Wire."""
        return b",".join(map(as_json, self.native(message) or self._items(message)))

    def _items(self, message: Message) -> list[dict[str, Any]]:
        role, content = message["role"], message.get("content") or ""
        if role == "tool":
            id_ = self.call_id(message["tool_call_id"])
            return [{"type": "function_call_output", "call_id": id_, "output": content}]
        if role == "assistant":
            said = [_said(content)] if content else []
            return [*said, *map(self._call, message.get("tool_calls", ()))]
        images = self.images(message)
        if not images:
            return [{"role": role, "content": content}]
        return [
            {
                "role": role,
                "content": [{"type": "input_text", "text": content}, *map(_image, images)],
            }
        ]

    def _call(self, call: Mapping[str, Any]) -> dict[str, Any]:
        function = call["function"]
        id_, arguments = self.call_id(call["id"]), function["arguments"]
        return {"type": _CALL, "call_id": id_, "name": function["name"], "arguments": arguments}


class ResponsesAnswer(Answer):
    """Fills in `Answer`."""

    def __init__(self) -> None:
        super().__init__()
        self._items: dict[int, dict[str, Any]] = {}  # by their place
        self._spoken: set[int] = set()  # items whose text came in pieces

    def add(self, chunk: dict[str, Any]) -> str:
        """See Answer."""
        if chunk.get("object") == "response" and "type" not in chunk:
            return self._completed(chunk)
        step = _STEPS.get(str(chunk.get("type")))
        return step(self, chunk) if step else ""

    def counted(self) -> Tokens | None:
        """See Answer."""
        sent, received = (
            count(self._usage.get("input_tokens")),
            count(self._usage.get("output_tokens")),
        )
        cached = count(inside(self._usage.get("input_tokens_details"), "cached_tokens"))
        return Tokens(
            -1 if sent is None else sent, cached or 0, -1 if received is None else received
        )

    def items(
        self, text: str, calls: Sequence[ToolCall], *, is_native: bool
    ) -> list[dict[str, Any]]:
        """See Answer. A thought that only the provider's store could complete does not go back."""
        if not is_native:
            return []
        rest, found = iter(calls), []
        for item in self._in_order():
            if item.get("type") == "reasoning" and not (
                item.get("encrypted_content") or item.get("content")
            ):
                continue
            call = next(rest, None) if item.get("type") == _CALL else None
            if call is not None:
                item = {
                    **item,
                    "call_id": call.id,
                    "name": call.name,
                    "arguments": _arguments(item, call),
                }
            found.append({key: value for key, value in item.items() if value is not None})
        return found

    def _in_order(self) -> list[dict[str, Any]]:
        return [self._items[at] for at in sorted(self._items)]

    def _delta(self, chunk: dict[str, Any]) -> str:
        self._spoken.add(_place(chunk))
        return self.say(_text(chunk.get("delta")))

    def _thought(self, chunk: dict[str, Any]) -> str:
        self.think(chunk.get("delta"))
        return ""

    def _refused(self, chunk: dict[str, Any]) -> str:
        self._finish = "refusal"
        return self._delta(chunk)

    def _item(self, chunk: dict[str, Any]) -> str:
        """An item that is whole."""
        item, place = chunk.get("item"), _place(chunk)
        if not isinstance(item, dict):
            return ""
        self._items[place] = item
        return self._take(item, place)

    def _take(self, item: dict[str, Any], place: int) -> str:
        if item.get("type") == _CALL:
            call = Call(_text(item.get("call_id")), place, _text(item.get("name")))
            call.pieces.append(self.fit(_text(item.get("arguments"))))
            call.given = item["arguments"] if isinstance(item.get("arguments"), dict) else None
            self._calls.append(call)
        if item.get("type") != "message":
            return ""
        parts = item.get("content") if isinstance(item.get("content"), list) else []
        if any(inside(part, "type") == "refusal" for part in parts or ()):
            self._finish = "refusal"
        if place in self._spoken:
            return ""
        texts = [inside(part, "text") or inside(part, "refusal") for part in parts or ()]
        return self.say("".join(text for text in texts if isinstance(text, str)))

    def _completed(self, chunk: dict[str, Any]) -> str:
        """The whole response: what its items have not said yet, the usage, how it ended."""
        response = chunk.get("response") if "response" in chunk else chunk
        usage, output = inside(response, "usage"), inside(response, "output")
        self._usage = usage if isinstance(usage, dict) else self._usage
        shown = ""
        for place, item in enumerate(output if isinstance(output, list) else []):
            if isinstance(item, dict) and place not in self._items:
                self._items[place] = item
                shown += self._take(item, place)
        reason = inside(inside(response, "incomplete_details"), "reason")
        if isinstance(reason, str):
            self._finish = reason
        self._is_done = True
        return shown


_STEPS = {
    "response.output_text.delta": ResponsesAnswer._delta,
    "response.refusal.delta": ResponsesAnswer._refused,
    "response.reasoning_summary_text.delta": ResponsesAnswer._thought,
    "response.reasoning_text.delta": ResponsesAnswer._thought,
    "response.output_item.done": ResponsesAnswer._item,
    "response.completed": ResponsesAnswer._completed,
    "response.incomplete": ResponsesAnswer._completed,
}


def _place(chunk: dict[str, Any]) -> int:
    place = chunk.get("output_index")
    return place if isinstance(place, int) else 0


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _arguments(item: dict[str, Any], call: ToolCall) -> str:
    """The arguments as they were written, where they could be read."""
    written = item.get("arguments")
    is_written = isinstance(written, str) and written.strip() and call.args is not None
    return str(written) if is_written else as_json(call.args or {}).decode()


def _tool(function: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "function", "strict": False, **function}


def _said(text: str) -> dict[str, Any]:
    """Text of the model, whole: llama.cpp does not know the short form."""
    parts = [{"type": "output_text", "text": text}]
    return {"type": "message", "role": "assistant", "content": parts}


def _image(image: tuple[str, str]) -> dict[str, Any]:
    return {"type": "input_image", "image_url": f"data:{image[0]};base64,{image[1]}"}
