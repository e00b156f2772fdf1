"""One run: ask the model, dispatch one tool, hand its outcome back, until done, asked, or out of
turns.

The loop knows two protocols, `Model` (models/base) and `Handler` (below), and nothing else: no
tool, no file, no screen. It is a generator of events; whoever drives it (runs/run.py) writes each
event down before it asks for the next one, so an effect is on disk as an intent before it happens.
Source: seed 002 §1, §5.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from models.base import Event, Message, Model, Reply, Request, Status, ToolResult

Exit = Literal["CURRENT_TASK_DONE", "EXITED", "MAX_TURNS_EXCEEDED"]


@dataclass(slots=True)
class Outcome:
    """Hold what one turn led to.

    `data` is the tool's result or the final answer; `next_prompt` is what the model reads next, as
    messages for the history, or None when the task is done; `should_exit` leaves the loop at once,
    and `ending` says why: a question or a confirmation waits for the owner, or there is no way on.
    `seconds`: how long the tool worked. `reason`: the gate's, when it refused.
    """

    data: Any = None
    next_prompt: list[Message] | None = None
    should_exit: bool = False
    status: Status = "ok"
    ending: Literal["", "waiting", "failed", "summed_up"] = ""
    seconds: float = 0.0
    reason: str = ""


@dataclass(slots=True)
class End:
    """Say how the loop ended; `outcome` is the last one, `turns` counts from the first turn of the
    run."""

    exit: Exit
    outcome: Outcome
    turns: int


class Handler(Protocol):
    """Turn a reply into an outcome (handler.py)."""

    def prepare(self, turn: int, messages: list[Message]) -> Generator[Event, None, Request]:
        """Make the request of this turn: the history, the anchor, reminders that are due, the
        tools."""
        ...

    def dispatch(self, turn: int, reply: Reply) -> Generator[Event, None, Outcome]:
        """Carry out the first call of the reply."""
        ...


def agent_loop(
    model: Model,
    handler: Handler,
    messages: list[Message],
    *,
    first_turn: int = 1,
    last_turn: int = 40,
) -> Generator[Event, None, End]:
    """Run one task. `messages` is the history so far (system prompt, task) and grows in place.

    A resumed run enters with the history it had and `first_turn` behind the last finished turn.
    """
    outcome = Outcome()
    last: ToolResult | None = None
    for turn in range(first_turn, last_turn + 1):
        yield {"type": "turn_started", "turn": turn}
        request = yield from handler.prepare(turn, messages)
        request.last = last
        reply = yield from model.reply(request)
        yield reply.event(turn)
        outcome = yield from handler.dispatch(turn, reply)
        messages.append(reply.message())
        messages.extend(outcome.next_prompt or [])
        if outcome.should_exit:
            return End("EXITED", outcome, turn)
        if outcome.next_prompt is None:
            return End("CURRENT_TASK_DONE", outcome, turn)
        last = ToolResult(
            outcome.status, outcome.data, seconds=outcome.seconds, reason=outcome.reason
        )
    return End("MAX_TURNS_EXCEEDED", outcome, last_turn)
