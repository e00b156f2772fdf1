"""An answer of an endpoint as it grows, chunk by chunk: the text to show, the calls, the usage.

Takes any JSON in any field: what has the wrong type is not there. Source of the format: the OpenAI chat API, and what
servers that imitate it were seen to do differently.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any, Literal

from models.arguments import BadArguments, parse_arguments, scrub
from models.base import ToolCall
from text import pattern

MAX_CHARS = 10_000_000  # of text and arguments together; more is cut off
MAX_TOKENS = 10**9
RAW_CHARS = 2_000  # of broken arguments, kept in the call
BYTES_PER_TOKEN = 4  # where an endpoint sends no usage
_THINK = pattern(r"\s*<think>.*?</think>\s*", re.DOTALL)
_BLOCK = pattern(r"(?:`{3}\w*\s*)?<tool_(?:use|call)>")
_MAYBE_BLOCK = pattern(r"(?:`{1,3}\w{0,20}\s*)?(?:<[a-z_]{0,9})?\Z")


@dataclass(slots=True)
class _Call:
    """A call while its pieces come in. `given` is set when the arguments came as an object."""

    id: str
    index: int | None
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    given: Any = None


class Visible:
    """Which part of the text a screen may show at once: not the thoughts at its start, and no call of the text
    protocol, which may be cut anywhere between two deltas."""

    def __init__(self) -> None:
        self._state: Literal["start", "thoughts", "text", "call"] = "start"
        self._held = ""  # not decided yet: short
        self._pieces: list[str] = []  # of the thoughts, or from the call on: may be long

    def feed(self, delta: str) -> str:
        """Takes a piece of text; returns what may be shown now."""
        if self._state == "call":
            self._pieces.append(delta)
            return ""
        self._held += delta
        if self._state == "thoughts":
            self._think()
        elif self._state == "start":
            self._start()
        return self._show() if self._state == "text" else ""

    def rest(self) -> str:
        """What was held back, at the end, when it was no call after all."""
        held = "" if self._state == "thoughts" else "".join([*self._pieces, self._held])
        self._pieces, self._held = [], ""
        return scrub(held)

    def _start(self) -> None:
        start = self._held.lstrip()
        if start.startswith("<think>"):
            self._state, self._held = "thoughts", start.removeprefix("<think>")
            self._think()
        elif start and not "<think>".startswith(start):
            self._state = "text"

    def _think(self) -> None:
        _, end, behind = self._held.partition("</think>")
        if not end:
            self._held = self._held[-len("</think>") :]
        elif behind.strip():
            self._state, self._held = "text", behind.lstrip()

    def _show(self) -> str:
        block = _BLOCK.search(self._held)
        maybe = block or _MAYBE_BLOCK.search(self._held)
        end = maybe.start() if maybe else len(self._held)
        if (
            end and "\ud800" <= self._held[end - 1] <= "\udbff"
        ):  # the other half comes with the next delta
            end -= 1
        shown, self._held = self._held[:end], self._held[end:]
        if block:
            self._state, self._pieces, self._held = "call", [self._held], ""
        return scrub(shown)


class Answer:
    """Puts chunks together."""

    def __init__(self) -> None:
        self._visible = Visible()
        self._texts: list[str] = []
        self._calls: list[_Call] = []
        self._chars = 0
        self._finish = ""
        self._usage: dict[str, Any] = {}
        self._is_done = False  # [DONE] came
        self.is_cut_off = False  # longer than MAX_CHARS
        self.is_shown = False  # some of its text went to the screens

    @property
    def is_whole(self) -> bool:
        """The endpoint said that this is the end."""
        return self._is_done or bool(self._finish)

    @property
    def is_started(self) -> bool:
        """Something was said."""
        return bool(self._chars or self._calls)

    @property
    def finish(self) -> Literal["stop", "length"]:
        return "length" if self.is_cut_off or self._finish in ("length", "max_tokens") else "stop"

    @property
    def text(self) -> str:
        """All text so far, without the thoughts at its start."""
        return scrub(_without_thoughts("".join(self._texts)))

    def add(self, chunk: dict[str, Any] | None) -> str:
        """Takes one chunk, None for the end of the stream; returns the text to show."""
        self._is_done = self._is_done or chunk is None
        if chunk is None or self._is_done:
            return ""
        usage = chunk.get("usage")
        if isinstance(usage, dict):
            self._usage = usage
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return ""
        if isinstance(choice.get("finish_reason"), str):
            self._finish = choice["finish_reason"]
        said = choice.get("delta") or choice.get("message")
        shown = self._add_said(said) if isinstance(said, dict) else ""
        self.is_shown = self.is_shown or bool(shown)
        return shown

    def rest(self) -> str:
        """Text that was held back and may be shown now that it is known to hold no call."""
        return self._visible.rest()

    def calls(self) -> list[ToolCall]:
        """The calls, each with arguments or an error. Ids may be empty or repeated."""
        return [self._call(call, is_last=call is self._calls[-1]) for call in self._calls]

    def tokens(self, sent_bytes: int) -> tuple[int, int, int]:
        """Input, cached part of it, output; estimated from sizes where the endpoint does not say."""
        details = self._usage.get("prompt_tokens_details")
        cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else None
        if cached is None:
            cached = _count(self._usage.get("prompt_cache_hit_tokens"))
        sent, received = (
            _count(self._usage.get("prompt_tokens")),
            _count(self._usage.get("completion_tokens")),
        )
        sent = math.ceil(sent_bytes / BYTES_PER_TOKEN) if sent is None else sent
        received = math.ceil(self._chars / BYTES_PER_TOKEN) if received is None else received
        return sent, min(cached or 0, sent), received

    def _add_said(self, said: dict[str, Any]) -> str:
        thought = said.get("reasoning_content") or said.get("reasoning")
        if isinstance(thought, str):
            self._chars += len(thought)  # not kept, but paid for, and it must end too
        deltas = said.get("tool_calls")
        for delta in deltas if isinstance(deltas, list) else []:
            if isinstance(delta, dict):
                self._add_call(delta)
        text = self._fit(_plain(said.get("content")))
        if not text:
            return ""
        self._texts.append(text)
        return self._visible.feed(text)

    def _add_call(self, delta: dict[str, Any]) -> None:
        function = delta.get("function")
        function = function if isinstance(function, dict) else {}
        name, arguments = function.get("name"), function.get("arguments")
        call = self._call_of(delta, name)
        if (
            isinstance(name, str) and name != call.name
        ):  # some servers repeat the whole name in each chunk
            call.name += self._fit(name)
        if isinstance(arguments, str):
            call.pieces.append(self._fit(arguments))
        elif arguments is not None:
            call.given = arguments

    def _call_of(self, delta: dict[str, Any], name: object) -> _Call:
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
            call = _Call(id_, index)
            self._calls.append(call)
        call.id = call.id or id_
        return call

    def _call(self, call: _Call, *, is_last: bool) -> ToolCall:
        written = call.given if call.given is not None else "".join(call.pieces)
        raw = written if isinstance(written, str) else ""
        try:
            is_cut_off = is_last and self.finish == "length"
            args = parse_cut_off(written) if is_cut_off else parse_arguments(written)
        except BadArguments as error:
            return ToolCall(call.id, call.name, None, scrub(raw[:RAW_CHARS]), str(error))
        return ToolCall(call.id, call.name, args)

    def _fit(self, text: str) -> str:
        """As much of it as there is room for."""
        room = MAX_CHARS - self._chars
        self.is_cut_off = self.is_cut_off or len(text) > room
        self._chars += len(text)
        return text[: max(room, 0)]


def parse_cut_off(written: object) -> dict[str, Any]:
    """The arguments of the last call of a reply that was cut off: whole, or BadArguments. Never repaired."""
    text = written.strip() if isinstance(written, str) else "{}"
    if not text.endswith("}"):
        raise BadArguments(
            "the reply was cut off inside this call: it is too long; send less at once"
        )
    return parse_arguments(written)


def _plain(content: object) -> str:
    """Text that comes as a string or as a list of parts."""
    if isinstance(content, list):
        parts = [
            part.get("text")
            for part in content
            if isinstance(part, dict) and part.get("type") == "text"
        ]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _without_thoughts(text: str) -> str:
    start = text.lstrip()
    if not start.startswith("<think>"):
        return text
    return _THINK.sub("", text, count=1) if "</think>" in start else ""


def _count(value: object) -> int | None:
    """A number of tokens, or None when it is none."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not 0 <= value <= MAX_TOKENS
    ):
        return None
    return int(value)
