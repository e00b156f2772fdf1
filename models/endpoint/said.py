"""Settle what a model said: text and calls, each with a name and an id that every server takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Self

from models.base import Event, Request, ToolCall
from models.dialects import offer_of, parse
from models.wires import Answer
from text import pattern

_NAME = pattern(r"[^a-zA-Z0-9_-]+")
_ID = pattern(r"[\x21-\x7e]{1,64}")
_NAME_CHARS = 64


class Said(NamedTuple):
    """Hold text and calls of a whole answer. `is_native`: the calls came as calls, not in the
    text."""

    text: str
    calls: list[ToolCall]
    is_native: bool

    @classmethod
    def of(cls, answer: Answer, request: Request) -> Self:
        """Read an answer; a server may not have read the calls that its model wrote into the
        text."""
        text, calls, is_native = answer.text, answer.calls(), True
        if request.tools and not calls:
            offer, is_cut_off = offer_of(request.tools), answer.finish == "length"
            prose, calls = parse(text, offer, is_cut_off=is_cut_off)
            is_native = prose == text and not calls
            text = prose
            if not text and not calls:  # servers take a call behind open thoughts for one of them
                _, calls = parse(answer.thoughts, offer, is_cut_off=is_cut_off)
                is_native = not calls
        return cls(text, list(_settled(calls, request)), is_native)

    def shown(self, answer: Answer) -> Iterator[Event]:
        """Bring the screens to the text: what was held back is no call after all, a call or
        thoughts were shown."""
        has_own_calls = self.is_native and bool(self.calls)
        if has_own_calls:
            return
        rest = answer.rest() if self.is_native else ""
        if "".join([*answer.shown, rest]).strip() == self.text.strip():
            yield from [{"type": "text", "delta": rest}] if rest else []
            return
        if answer.shown:
            yield {"type": "text_reset"}
        if self.text:
            yield {"type": "text", "delta": self.text}


def _offered_name(name: str, offered: set[str]) -> str:
    """Return a name that every server takes: of a tool on offer, where it stands among the signs of
    a template."""
    found = next((word for word in _NAME.split(name) if word in offered), "")
    is_known = name in offered
    return name if is_known else found or _NAME.sub("_", name)[:_NAME_CHARS]


def _settled(calls: list[ToolCall], request: Request) -> Iterator[ToolCall]:
    offered = {tool["function"]["name"] for tool in request.tools}
    used = {message.get("tool_call_id", "") for message in request.messages}
    for number, call in enumerate(calls, start=1):
        name = _offered_name(call.name, offered)
        is_usable = _ID.fullmatch(call.id) and call.id not in used
        id_ = call.id if is_usable else f"call_{request.turn}_{number}"
        while id_ in used:
            id_ += "_"
        used.add(id_)
        yield call._replace(id=id_, name=name or "unknown")
