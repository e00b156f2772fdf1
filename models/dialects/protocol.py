"""Tools for models without tool calls: described in words, called by `<tool_use>` blocks in the
text.

The history stays in the format of the OpenAI API; this file renders it as plain user and assistant
messages that alternate, as many local templates demand. The full descriptions stand once, behind
the system prompt; the tail of each turn says that they stand, or brings them again. Source: seed
002 §1.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from models.base import Message, Request, both_of, common_start
from models.streams.typed import list_of, record_of, text_of

PROMPTS = Path(__file__).parents[2] / "assets" / "prompts"


class TextProtocol:
    """Renders requests, each message of the history once."""

    def __init__(self, lang: str = "en") -> None:
        self._texts = _sections((PROMPTS / lang / "text_protocol.md").read_text("utf-8"))
        self._seen: list[Message] = []
        self._rendered: list[Message] = []
        self._described: list[dict[str, Any]] = []  # the tools behind the system prompt
        self._names: dict[str, str] = {}  # id of a call → name of its tool

    def messages(self, request: Request) -> tuple[list[Message], list[Message]]:
        """Return the history as plain messages, and the last message with the tail, which is not
        kept."""
        same = common_start(self._seen, request.messages)
        if same < len(self._seen) or not self._seen:
            self._start_over(request)
            same = 0
        for message in request.messages[same:]:
            self._seen.append(message)
            self._render(message)
        self._describe_new(request.tools)
        tail = "\n\n".join(filter(None, [request.tail, self._reminder(request)]))
        return self._with_tail(tail)

    def _start_over(self, request: Request) -> None:
        self._seen, self._rendered, self._names = [], [], {}
        self._described = request.tools
        first = [message["role"] for message in request.messages[:1]]
        if request.tools and first != ["system"]:
            self._rendered.append({"role": "system", "content": self._description(request.tools)})

    def _render(self, message: Message) -> None:
        role, text = message["role"], text_of(message.get("content"))
        calls = list_of(message.get("tool_calls"))
        self._names.update((call["id"], call["function"]["name"]) for call in calls)
        if role == "assistant":
            text = "\n".join(filter(None, [text, *map(_block, calls)]))
        elif role == "tool":
            name = self._names.get(message.get("tool_call_id", ""), "")
            text = text.replace("</tool_result", r"<\/tool_result")
            role, text = "user", f'<tool_result name="{name}">\n{text}\n</tool_result>'
        elif role == "system" and self._described and not self._rendered:
            text = f"{text}\n\n{self._description(self._described)}"
        images = {"images": message["images"]} if "images" in message else {}
        self._append({"role": role, "content": text, **images})

    def _append(self, message: Message) -> None:
        """Join it to the last message where that is of the same role."""
        last = self._rendered[-1] if self._rendered else {"role": "system"}
        if last["role"] == message["role"] != "system":
            message = both_of(self._rendered.pop(), message)
        self._rendered.append(message)

    def _describe_new(self, tools: list[dict[str, Any]]) -> None:
        """Describe tools that joined the offer where they joined it, in the history."""
        known = len(self._described)
        if len(tools) > known > 0 and tools[:known] == self._described:
            self._append({"role": "user", "content": self._description(tools[known:])})
            self._described = tools

    def _reminder(self, request: Request) -> str:
        """Return the descriptions once more where they changed or are asked for, or that they stand."""
        if not request.tools:
            return ""
        if request.tools != self._described:
            return self._description(request.tools)
        if "assistant" not in [message["role"] for message in self._rendered]:
            return ""
        return self._description(request.tools) if request.describe_tools else self._texts["stand"]

    def _with_tail(self, tail: str) -> tuple[list[Message], list[Message]]:
        if not tail:
            return self._rendered, []
        last = self._rendered[-1] if self._rendered else {"role": "", "content": ""}
        if last["role"] != "user":
            return self._rendered, [{"role": "user", "content": tail}]
        return self._rendered[:-1], [{**last, "content": f"{last['content']}\n\n{tail}"}]

    def _description(self, tools: list[dict[str, Any]]) -> str:
        return self._texts["describe"].replace(
            "{tools}", "\n".join(describe(tool["function"]) for tool in tools)
        )


def properties_of(function: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a function by their names."""
    return record_of(record_of(function.get("parameters")).get("properties"))


def describe(function: dict[str, Any]) -> str:
    """Return a function schema on one line: `name(path: string, mode?: "a"|"b") – what it does`;
    then its arguments that have a description, one a line."""
    parameters = record_of(function.get("parameters"))
    properties, required = properties_of(function), list_of(parameters.get("required"))
    named = [
        f"{name}{'' if name in required else '?'}: {_type(schema)}"
        for name, schema in properties.items()
    ]
    notes = [
        f"  {name}: {schema['description']}"
        for name, schema in properties.items()
        if schema.get("description")
    ]
    return "\n".join(
        [f"{function['name']}({', '.join(named)}) – {function.get('description', '')}", *notes]
    )


def _block(call: dict[str, Any]) -> str:
    """Return a call of the history as its block; the arguments are JSON there already."""
    function = call["function"]
    name = json.dumps(function["name"], ensure_ascii=False)
    return f'<tool_use>\n{{"name": {name}, "arguments": {function["arguments"]}}}\n</tool_use>'


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return "|".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
    if "anyOf" in schema:
        return "|".join(_type(option) for option in schema["anyOf"])
    if schema.get("type") == "array":
        return f"[{_type(record_of(schema.get('items')))}]"
    return str(schema.get("type", "any"))


def _sections(text: str) -> dict[str, str]:
    """Return a prompt file as its sections: `## name`, then the text."""
    parts = re.split(r"^## (\w+)\n", text, flags=re.M)
    return {name: body.strip() for name, body in zip(parts[1::2], parts[2::2], strict=True)}
