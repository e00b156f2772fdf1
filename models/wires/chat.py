"""Chat completions: OpenAI's first protocol, which nearly every server speaks, each a little
differently.

What a provider attaches to a message (reasoning_content, reasoning_details, extra_content, thoughts
in the content) is put together from the stream and goes back as it came.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from config import ModelConfig
from models.base import Finish, Message, ToolCall
from models.streams import scrub
from models.streams.typed import count_of, list_of, record_of, records_of, text_of
from models.wires.answer import Answer, Call, Tokens
from models.wires.pieces import call_of, merged, plain, with_part
from models.wires.written import Asked, Fields, Wire, as_json

# Keys that are no attachment; those that are not sent belong to the reply alone.
_NOT_SENT = {"refusal", "audio", "function_call", "annotations", "executed_tools"}
_OWN = {"role", "content", "tool_calls", "function_call", *_NOT_SENT}
_CALL_OWN = {"index", "id", "type", "function", "name", "arguments"}
_NO_SIGNATURE = {"google": {"thought_signature": "skip_thought_signature_validator"}}


class Chat(Wire):
    """Fills in `Wire`."""

    name, path = "chat", "/chat/completions"

    def fields(self, config: ModelConfig) -> Fields:
        """See Wire."""
        return {
            "model": config.model,
            "stream": True,
            "stream_options": {"include_usage": True},
            self.manners.max_tokens: config.max_tokens,
            "temperature": config.temperature,
        }

    def offer(self, asked: Asked) -> Fields:
        """See Wire."""
        found: Fields = {"tools": asked.tools or None}
        if asked.schema is not None and self.manners.takes_schema:
            shape = {"name": "reply", "schema": asked.schema, "strict": True}
            found["response_format"] = {"type": "json_schema", "json_schema": shape}
        return found

    def answer(self) -> Answer:
        """See Wire."""
        return ChatAnswer()

    def items(self, message: Message) -> list[Message]:
        """See Wire."""
        plain = {k: v for k, v in message.items() if k not in ("images", "native")}
        if images := self.images(message):
            plain["content"] = [{"type": "text", "text": message["content"]}, *map(_image, images)]
        return [self._with_ids(self._demanded(plain))]

    def native(self, message: Message) -> list[Fields]:
        """See Wire."""
        return [self._with_ids(self._demanded(item)) for item in super().native(message)]

    def _demanded(self, plain: Message) -> Message:
        """Return a message of a model with what this server wants to see in it, where it is not
        there."""
        if plain["role"] != "assistant":
            return plain
        if self.manners.needs and not plain.get(self.manners.needs):
            plain = {**plain, self.manners.needs: plain.get("content") or "…"}
        calls = list_of(plain.get("tool_calls")) if self.manners.signs else []
        for first in calls[:1]:
            signed = {"extra_content": _NO_SIGNATURE, **first}
            plain = {**plain, "tool_calls": [signed, *calls[1:]]}
        return plain

    def _with_ids(self, message: Message) -> Message:
        if not self.manners.short_ids:
            return message
        if "tool_call_id" in message:
            return {**message, "tool_call_id": self.call_id(message["tool_call_id"])}
        calls = [{**call, "id": self.call_id(call["id"])} for call in message.get("tool_calls", ())]
        return {**message, "tool_calls": calls} if calls else message


class ChatAnswer(Answer):
    """Fills in `Answer`."""

    def __init__(self) -> None:
        super().__init__()
        self._attached: Fields = {}
        self._parts: list[Any] | None = None  # of a content that came as a list
        self._refusal = ""

    def add(self, chunk: Fields) -> str:
        """See Answer."""
        choice = next(iter(records_of(chunk.get("choices"))), {})
        for place in (choice, record_of(chunk.get("x_groq")), chunk):  # Kimi, Groq, all others
            self._usage = record_of(place.get("usage")) or self._usage
        self._finish = text_of(choice.get("finish_reason")) or self._finish
        if delta := record_of(choice.get("delta")):
            return self._add_said(delta)
        message = record_of(choice.get("message"))
        self._is_done = self._is_done or bool(message)
        is_repeated = bool(self._texts) and message.get("content") == "".join(self._texts)
        return "" if is_repeated else self._add_said(message)

    @property
    def finish(self) -> Finish:
        """See Answer; servers end a refusal as they end an answer."""
        return "filter" if self._refusal else super().finish

    @property
    def text(self) -> str:
        """See Answer; a refusal in words of its own is the text where there is none."""
        return super().text or scrub(self._refusal)

    def counted(self) -> Tokens:
        """See Answer."""
        usage = self._usage
        cached = count_of(record_of(usage.get("prompt_tokens_details")).get("cached_tokens"))
        if cached < 0:
            cached = count_of(usage.get("prompt_cache_hit_tokens"))
        sent, received = count_of(usage.get("prompt_tokens")), usage.get("completion_tokens")
        return Tokens(sent, max(cached, 0), count_of(received))

    def items(self, text: str, calls: Sequence[ToolCall], *, is_native: bool) -> list[Fields]:
        """See Answer."""
        has_extra = any(own.extra for own in self._calls)
        if not (self._attached or self._parts or has_extra):
            return []
        plain = [Call("")] * len(calls)  # with nothing of their own
        content, owns = (self._content(), self._calls) if is_native else (text, plain)
        item = {"role": "assistant", "content": content, **self._attached}
        if calls:
            sent = list(map(_call_item, calls, owns))
            return [{**item, "content": content or None, "tool_calls": sent}]
        return [item] if content or self._attached else []

    def _content(self) -> Any:
        return self._parts or "".join(self._texts)

    def _add_said(self, said: Fields) -> str:
        for key, value in said.items():
            if key not in _OWN and value not in (None, "", [], {}):
                self._attach(key, value)
        if refusal := text_of(said.get("refusal")):
            self._refusal += self.fit(refusal)
        for delta in _calls_of(said):
            self._add_call(delta)
        content = said.get("content")
        if isinstance(content, list) or self._parts is not None:
            self._add_parts(content)
        return self.say(plain(content))

    def _attach(self, key: str, value: Any) -> None:
        self.think(value)
        if not self.is_cut_off:
            self._attached[key] = merged(self._attached.get(key), value, key)

    def _add_parts(self, content: Any) -> None:
        if self._parts is None:
            self._parts = [{"type": "text", "text": "".join(self._texts)}] if self._texts else []
        if isinstance(content, str):
            content = [{"type": "text", "text": content}] if content else []
        for part in content or ():
            self._parts = with_part(self._parts, part, ("type",))

    def _add_call(self, delta: Fields) -> None:
        function = record_of(delta.get("function")) or delta
        name, arguments = text_of(function.get("name")), function.get("arguments")
        call = call_of(self._calls, delta, name)
        if name.startswith(call.name):  # some servers repeat the whole name in each chunk
            call.name = self.fit(name)
        else:
            call.name += self.fit(name)
        if isinstance(arguments, str):
            call.pieces.append(self.fit(arguments))
        elif arguments is not None:
            call.given = arguments
        for key, value in delta.items():
            if key not in _CALL_OWN and value is not None:
                call.extra[key] = merged(call.extra.get(key), value, key)


def _calls_of(said: Fields) -> list[Fields]:
    """Return the calls of a message, or the only one of servers that know no list of them."""
    calls, only = said.get("tool_calls"), record_of(said.get("function_call"))
    if not calls:
        return [only] if any(only.values()) else []
    return records_of(calls if isinstance(calls, list) else [calls])


def _call_item(call: ToolCall, own: Call) -> Fields:
    """Return a call as it goes back: the arguments as they were written, where they could be
    read."""
    written = text_of(own.written).strip() if call.args is not None else ""
    function = {"name": call.name, "arguments": written or as_json(call.given).decode()}
    return {"id": call.id, "type": "function", "function": function, **own.extra}


def _image(image: tuple[str, str]) -> Fields:
    kind, data = image
    return {"type": "image_url", "image_url": {"url": f"data:{kind};base64,{data}"}}
