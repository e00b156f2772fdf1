"""Define what a model is asked, and what a model is."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, Protocol

from models.base.reply import Event, Message, Reply
from models.base.result import ToolResult


@dataclass(slots=True)
class Request:
    """Hold what a model is asked in one turn.

    `messages` is the history: it only ever grows, so that the endpoint's prompt cache holds. `tail` (anchor, reminders)
    goes to its end (`parts`) and is never kept. `tools` are function schemas. `describe_tools` asks the
    text protocol to send the full descriptions again. `last` is the structured result of the turn before, for rote.
    The chain sets `deadline` (on the monotonic clock: no answer is waited for behind it) and `patience_seconds` (after so
    long no further attempt is made, since another model follows). `schema`: the JSON Schema that the reply should fit;
    an endpoint that cannot see to it is asked without, so what comes back is looked at all the same.
    """

    turn: int
    messages: list[Message]
    tools: list[dict[str, Any]] = field(default_factory=list)
    tail: str = ""
    describe_tools: bool = False
    last: ToolResult | None = None
    deadline: float = inf
    patience_seconds: float = inf
    schema: Mapping[str, Any] | None = None

    def parts(self) -> tuple[Sequence[Message], list[Message]]:
        """Return the messages that stay in the history, and those behind them that are sent this once.

        The tail is joined to the last message when that is a tool's or the user's: some providers refuse a user
        message behind a tool's. That message is sent with its tail now and alone the next time.
        """
        if not self.tail:
            return self.messages, []
        last = self.messages[-1] if self.messages else {"role": ""}
        if last["role"] not in ("tool", "user") or "images" in last:
            return self.messages, [{"role": "user", "content": self.tail}]
        joined = {**last, "content": f"{last['content']}\n\n{self.tail}"}
        return self.messages[:-1], [joined]


class Model(Protocol):
    """Anything that turns a request into a reply: an endpoint, a replay of an SOP, a script, a chain of these."""

    @property
    def name(self) -> str:
        """How events and the owner call it."""
        ...

    def reply(self, request: Request) -> Generator[Event, None, Reply]:
        """Yields events as the reply grows (`text`, `rote`), returns it whole. Raises ModelError."""
        ...


def window_of(model: Model) -> int:
    """Return how many tokens a model reads; 0: not known, or it reads none."""
    return int(getattr(model, "window", 0))
