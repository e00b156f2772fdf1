"""The loop alone: a scripted model, and a handler that keeps a list."""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from agent_loop import Outcome, agent_loop
from models.base import Event, Message, Reply, Request
from models.scripted import ScriptedModel
from tests.drained import drained


@dataclass
class EchoHandler:
    """Answers each call with its own arguments; a reply without a call is the answer."""

    requests: list[Request] = field(default_factory=list)

    def prepare(self, turn: int, messages: list[Message]) -> Generator[Event, None, Request]:
        request = Request(turn, messages, tail=f"[turn {turn}]")
        self.requests.append(request)
        return request
        yield {}

    def dispatch(self, turn: int, reply: Reply) -> Generator[Event, None, Outcome]:
        if not reply.calls:
            return Outcome(reply.text)
        call = reply.calls[0]
        yield {
            "type": "tool_started",
            "turn": turn,
            "call": call.id,
            "tool": call.name,
            "args": call.args,
        }
        return Outcome(
            call.args, [{"role": "tool", "tool_call_id": call.id, "content": str(call.args)}]
        )


def call(name: str, **args: Any) -> dict[str, Any]:
    return {"calls": [{"name": name, "args": args}]}


def start() -> list[Message]:
    return [{"role": "system", "content": "rules"}, {"role": "user", "content": "task"}]


def test_an_answer_ends_the_run() -> None:
    messages = start()
    events, end = drained(
        agent_loop(ScriptedModel([call("look", at="a"), "found"]), EchoHandler(), messages)
    )
    assert (end.exit, end.outcome.data, end.turns) == ("CURRENT_TASK_DONE", "found", 2)
    assert [event["type"] for event in events] == [
        "turn_started",
        "model_called",
        "tool_started",
        "turn_started",
        "text",
        "model_called",
    ]


def test_history_only_grows_and_never_holds_the_tail() -> None:
    handler, messages = EchoHandler(), start()
    drained(
        agent_loop(
            ScriptedModel([call("look", at=n) for n in range(5)] + ["done"]), handler, messages
        )
    )
    assert [message["role"] for message in messages] == [
        "system",
        "user",
        *["assistant", "tool"] * 5,
        "assistant",
    ]
    assert not any("[turn" in str(message) for message in messages)
    assert all(request.messages is messages for request in handler.requests)
