"""An answer as it grows: the text to show, the calls, the usage, how it ended, and the provider's
own items.

Takes any JSON in any field: what has the wrong type is not there. Each protocol fills in `add` and
`items`.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from models.base import Finish, ToolCall
from models.dialects import marks
from models.streams import BadArguments, parse_arguments, scrub
from models.wires.visible import Visible
from text import pattern

_OPEN_THOUGHTS = pattern(r"\A(?:(?!<think>|`{3}|</think>).)*\n</think>\s*\n", re.S)
MAX_CHARS = 10_000_000  # of text and arguments together; more is cut off
RAW_CHARS = 2_000  # of broken arguments, kept in the call
BYTES_PER_TOKEN = 4  # where an endpoint sends no usage
FINISHES: dict[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_context_window_exceeded": "length",
    "pause_turn": "length",  # of Anthropic's own tools: it goes on when it is asked again
    "content_filter": "filter",
    "refusal": "filter",
    "safety": "filter",
}
BROKEN = {"insufficient_system_resource", "network_error", "error"}  # DeepSeek, GLM, OpenRouter


@dataclass(slots=True)
class Call:
    """A call while its pieces come in. `given` is set when the arguments came as an object; `extra`
    is what else the provider attached to it."""

    id: str
    index: int | None = None
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    given: Any = None
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def written(self) -> Any:
        """Return the arguments as they came."""
        return self.given if self.given is not None else "".join(self.pieces)


class Tokens(NamedTuple):
    """Tokens of one call: all of the input, the parts of it read from and written to the cache, the
    output; -1: not told."""

    input: int
    cached: int
    output: int
    stored: int = 0


class Answer(ABC):
    """Puts the objects of a stream together."""

    def __init__(self) -> None:
        self._visible = Visible()
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._calls: list[Call] = []
        self._chars = 0
        self._finish = ""
        self._usage: dict[str, Any] = {}
        self._is_done = False
        self.is_cut_off = False  # longer than MAX_CHARS
        self.shown: list[str] = []  # what went to the screens

    @abstractmethod
    def add(self, chunk: dict[str, Any]) -> str:
        """Take one object of the stream; return the text to show."""

    @abstractmethod
    def items(
        self, text: str, calls: Sequence[ToolCall], *, is_native: bool
    ) -> list[dict[str, Any]]:
        """Return the provider's own items, to be sent back as they are; none where there is nothing
        to keep. `is_native`: the calls came as calls, not in the text."""

    @abstractmethod
    def counted(self) -> Tokens:
        """Return the usage as the provider told it."""

    def end(self) -> None:
        """Take the end of the stream as the end of the answer, as `[DONE]` says it."""
        self._is_done = True

    @property
    def is_whole(self) -> bool:
        """Return True once the endpoint has said that this is the end, and nothing broke."""
        has_ended = self._is_done or bool(self._finish)
        return has_ended and self._finish not in BROKEN

    @property
    def is_started(self) -> bool:
        """Return True once something was said."""
        return bool(self._chars or self._calls)

    @property
    def finish(self) -> Finish:
        """Return how it ended."""
        if self.is_cut_off:
            return "length"
        return FINISHES.get(self._finish.partition(":")[0].lower(), "stop")

    @property
    def text(self) -> str:
        """Return all text so far, without the thoughts at its start."""
        return scrub(_without_thoughts("".join(self._texts)))

    @property
    def thoughts(self) -> str:
        """All thoughts so far."""
        return scrub("".join(self._thoughts))

    def rest(self) -> str:
        """Return text that was held back and may be shown now that it is known to hold no call."""
        return self._visible.rest()

    def calls(self) -> list[ToolCall]:
        """Return the calls, each with arguments or an error. Ids may be empty or repeated."""
        return [self._call(call, is_last=call is self._calls[-1]) for call in self._calls]

    def tokens(self, sent_bytes: int) -> Tokens:
        """Return the usage; estimated from sizes where the endpoint does not say."""
        told = self.counted()
        sent = math.ceil(sent_bytes / BYTES_PER_TOKEN) if told.input < 0 else told.input
        received = math.ceil(self._chars / BYTES_PER_TOKEN) if told.output < 0 else told.output
        return Tokens(sent, min(told.cached, sent), received, min(told.stored, sent))

    def say(self, text: str) -> str:
        """Take a piece of text; return the part to show."""
        text = self.fit(text)
        if not text:
            return ""
        self._texts.append(text)
        if shown := self._visible.feed(text):
            self.shown.append(shown)
        return shown

    def think(self, thought: object) -> None:
        """Take what is no text, and paid for all the same; it must end too."""
        if isinstance(thought, str):
            self._thoughts.append(self.fit(thought))

    def fit(self, text: str) -> str:
        """Return as much of it as there is room for."""
        room = MAX_CHARS - self._chars
        self.is_cut_off = self.is_cut_off or len(text) > room
        self._chars += len(text)
        return text[: max(room, 0)]

    def _call(self, call: Call, *, is_last: bool) -> ToolCall:
        written = call.written
        raw = written if isinstance(written, str) else ""
        try:
            is_cut_off = is_last and self.finish == "length"
            args = _parse_cut_off(written) if is_cut_off else parse_arguments(written)
        except BadArguments as error:
            return ToolCall(call.id, call.name, None, scrub(raw[:RAW_CHARS]), str(error))
        return ToolCall(call.id, call.name, args)


def _parse_cut_off(written: object) -> dict[str, Any]:
    """Return the arguments of the last call of a reply that was cut off: whole, or BadArguments.
    Never repaired."""
    text = written.strip() if isinstance(written, str) else "{}"
    if not text.endswith("}"):
        raise BadArguments(
            "the reply was cut off inside this call: it is too long; send less at once"
        )
    return parse_arguments(written)


def _without_thoughts(text: str) -> str:
    start = text.lstrip()
    for opens, closes in marks().thoughts.items():
        if start.startswith(opens):
            return start.partition(closes)[2].lstrip()
    opened = _OPEN_THOUGHTS.match(text)  # some templates write the opening mark themselves
    return text[opened.end() :] if opened else text
