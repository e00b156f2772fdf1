"""Chat completions: OpenAI's first protocol, which nearly every server speaks, each a little differently.

What a provider attaches to a message (reasoning_content, reasoning_details, extra_content, thoughts in the content) is
put together from the stream and goes back as it came.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from models.base import Message, ToolCall
from models.history import joined
from models.streams import scrub
from models.wires.answer import Answer, Call, Tokens, count, inside
from models.wires.written import Asked, Setting, Wire, as_json, with_list

_OWN = ("role", "content", "tool_calls")  # of a message; the rest was attached
_NOT_SENT = {
    "refusal",
    "audio",
    "function_call",
    "annotations",
    "executed_tools",
}  # of the reply alone
_CALL_OWN = ("index", "id", "type", "function")
_WHOLE = {
    "id",
    "type",
    "format",
    "role",
    "name",
    "index",
}  # keys whose text comes whole, not in pieces
_NO_SIGNATURE = {"google": {"thought_signature": "skip_thought_signature_validator"}}


class Chat(Wire):
    """Fills in `Wire`."""

    name, path = "chat", "/chat/completions"

    def fields(self, setting: Setting) -> dict[str, Any]:
        """See Wire."""
        fields: dict[str, Any] = {
            "model": setting.model,
            "stream": True,
            "stream_options": {"include_usage": True},
            self.manners.max_tokens: setting.max_tokens,
            "temperature": setting.temperature,
            **setting.reasoning,
            **setting.extra,
        }
        return fields

    def body(self, asked: Asked) -> bytes:
        """See Wire."""
        fields = dict(asked.fields)
        if asked.tools:
            fields["parallel_tool_calls"] = fields.get("parallel_tool_calls", False)
            fields["tools"] = asked.tools
        if asked.schema is not None and self.manners.takes_schema:
            shape = {"name": "reply", "schema": asked.schema, "strict": True}
            fields["response_format"] = {"type": "json_schema", "json_schema": shape}
        fields = {
            k: v for k, v in fields.items() if k not in self.manners.without and v is not None
        }
        if not self.manners.joins:
            return with_list(
                fields, "messages", [*self.written(asked.messages), *map(self.write, asked.tail)]
            )
        return with_list(fields, "messages", self.written(joined([*asked.messages, *asked.tail])))

    def answer(self) -> Answer:
        """See Wire."""
        return ChatAnswer()

    def write(self, message: Message) -> bytes:
        """See Wire."""
        native = self.native(message)
        if native:
            return as_json(self._with_ids(native[0]))
        plain = {k: v for k, v in message.items() if k not in ("images", "native")}
        if plain["role"] == "system" and not self.manners.has_system:
            plain["role"] = "user"
        if images := self.images(message):
            plain["content"] = [{"type": "text", "text": message["content"]}, *map(_image, images)]
        if plain["role"] == "assistant":
            plain = self._demanded(plain)
        return as_json(self._with_ids(plain))

    def _demanded(self, plain: Message) -> Message:
        """A message of another model, with what this server wants to see on its own."""
        if self.manners.needs:
            plain = {**plain, self.manners.needs: plain.get("content") or "…"}
        calls = plain.get("tool_calls")
        if calls and self.manners.signs:
            signed = {**calls[0], "extra_content": _NO_SIGNATURE}
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
        self._attached: dict[str, Any] = {}
        self._parts: list[Any] | None = None  # of a content that came as a list
        self._refusal = ""

    def add(self, chunk: dict[str, Any]) -> str:
        """See Answer."""
        usage = chunk.get("usage") or inside(chunk.get("x_groq"), "usage")
        if isinstance(usage, dict):
            self._usage = usage
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return ""
        finish = choice.get("finish_reason")
        if isinstance(finish, str):
            self._finish = finish or self._finish
        said = choice.get("delta") or choice.get("message")
        self._is_done = self._is_done or bool(choice.get("message") and not choice.get("delta"))
        return self._add_said(said) if isinstance(said, dict) else ""

    @property
    def text(self) -> str:
        """See Answer; a refusal in words of its own is the text where there is none."""
        return super().text or scrub(self._refusal)

    def counted(self) -> Tokens | None:
        """See Answer."""
        usage = self._usage
        cached = count(inside(usage.get("prompt_tokens_details"), "cached_tokens"))
        if cached is None:
            cached = count(usage.get("prompt_cache_hit_tokens"))
        sent, received = count(usage.get("prompt_tokens")), count(usage.get("completion_tokens"))
        return Tokens(
            -1 if sent is None else sent, cached or 0, -1 if received is None else received
        )

    def items(
        self, text: str, calls: Sequence[ToolCall], *, is_native: bool
    ) -> list[dict[str, Any]]:
        """See Answer."""
        owns: list[Call | None] = [*self._calls] if is_native else [None] * len(calls)
        kept = list(zip(calls, owns, strict=False))
        has_extra = any(own and own.extra for _, own in kept)
        is_plain = not (self._attached or self._parts or has_extra)
        if is_plain or not (text or calls or self._attached):
            return []
        content: Any = "".join(self._texts) if is_native else text
        if self._parts and is_native:
            content = self._parts
        item: dict[str, Any] = {"role": "assistant", "content": content or None, **self._attached}
        if calls:
            item["tool_calls"] = [_call_item(call, own) for call, own in kept]
        elif not content:
            item["content"] = ""
        return [item]

    def _add_said(self, said: dict[str, Any]) -> str:
        for key, value in said.items():
            if key not in _OWN and key not in _NOT_SENT and value not in (None, "", [], {}):
                self._attach(key, value)
        refusal = said.get("refusal")
        if isinstance(refusal, str) and refusal:
            self._refusal += self.fit(refusal)
            self._finish = "content_filter"
        deltas = said.get("tool_calls")
        for delta in deltas if isinstance(deltas, list) else []:
            if isinstance(delta, dict):
                self._add_call(delta)
        content = said.get("content")
        if isinstance(content, list) or self._parts is not None:
            self._add_parts(content)
        return self.say(plain(content))

    def _attach(self, key: str, value: Any) -> None:
        self.think(value if isinstance(value, str) else "")
        if not self.is_cut_off:
            self._attached[key] = merged(self._attached.get(key), value, key)

    def _add_parts(self, content: Any) -> None:
        if self._parts is None:
            self._parts = [{"type": "text", "text": "".join(self._texts)}] if self._texts else []
        if isinstance(content, str) and content:
            content = [{"type": "text", "text": content}]
        for part in content if isinstance(content, list) else []:
            last = self._parts[-1] if self._parts else None
            if inside(part, "type") and inside(last, "type") == inside(part, "type"):
                self._parts[-1] = merged(last, part, "")
            else:
                self._parts.append(part)

    def _add_call(self, delta: dict[str, Any]) -> None:
        function = delta.get("function")
        function = function if isinstance(function, dict) else {}
        name, arguments = function.get("name"), function.get("arguments")
        call = self._call_of(delta, name)
        if (
            isinstance(name, str) and name != call.name
        ):  # some servers repeat the whole name in each chunk
            call.name += self.fit(name)
        if isinstance(arguments, str):
            call.pieces.append(self.fit(arguments))
        elif arguments is not None:
            call.given = arguments
        for key, value in delta.items():
            if key not in _CALL_OWN and value is not None:
                call.extra[key] = merged(call.extra.get(key), value, key)

    def _call_of(self, delta: dict[str, Any], name: object) -> Call:
        """The call that a delta continues, or a new one. Servers leave out the index, or the id, or give all calls the
        same index; the id tells best, then the index, then a name that comes again after arguments."""
        id_, index = delta.get("id"), delta.get("index")
        id_ = id_ if isinstance(id_, str) else ""
        index = index if isinstance(index, int) else None
        same = [call for call in self._calls if index is None or call.index in (index, None)]
        call = same[-1] if same else None
        starts_again = (
            bool(name) and call is not None and bool(call.pieces or call.given is not None)
        )
        is_other = call is not None and id_ and call.id and id_ != call.id
        if call is None or is_other or (index is None and not id_ and starts_again):
            call = Call(id_, index)
            self._calls.append(call)
        call.id = call.id or id_
        return call


def merged(old: Any, new: Any, key: str) -> Any:
    """A value with the next piece of it: texts are joined, objects by their keys, entries of lists by their index."""
    if isinstance(old, str) and isinstance(new, str):
        return new if key in _WHOLE else old + new
    if isinstance(old, dict) and isinstance(new, dict):
        both = {k: merged(old.get(k), v, k) for k, v in new.items() if v is not None}
        return {**old, **both}
    if isinstance(old, list) and isinstance(new, list):
        return _merged_list(old, new)
    return old if new is None else new


def _merged_list(old: list[Any], new: list[Any]) -> list[Any]:
    """Entries of one index and one type are one entry; without an index each is its own."""
    found = list(old)
    for entry in new:
        last = found[-1] if found else None
        same = all(inside(last, key) == inside(entry, key) for key in ("index", "type"))
        if same and inside(entry, "type") is not None:
            found[-1] = merged(last, entry, "")
        else:
            found.append(entry)
    return found


def plain(content: object) -> str:
    """Text that comes as a string or as a list of parts."""
    if isinstance(content, list):
        texts = [inside(part, "text") for part in content if inside(part, "type") == "text"]
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


def _call_item(call: ToolCall, own: Call | None) -> dict[str, Any]:
    """A call as it goes back: the arguments as they were written, where they could be read."""
    written = (
        own.written if own and call.args is not None and isinstance(own.written, str) else None
    )
    arguments = written.strip() if written else ""
    function = {"name": call.name, "arguments": arguments or as_json(call.args or {}).decode()}
    return {"id": call.id, "type": "function", "function": function, **(own.extra if own else {})}


def _image(image: tuple[str, str]) -> dict[str, Any]:
    kind, data = image
    return {"type": "image_url", "image_url": {"url": f"data:{kind};base64,{data}"}}
