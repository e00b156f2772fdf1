"""What a model is: it turns a request into a reply. Every kind of model in this folder fills in `Model`.

The errors of this layer, and whose fault each is:

    ModelError
    ├── ModelUnavailable   the endpoint cannot serve (key, name, host, TLS): the next model of the chain is asked
    │   └── ContextTooLong the request is longer than the model's context: it is made smaller and sent once more
    ├── Diverged           the world differs from what the SOP recorded: the next model of the chain goes on
    └── LimitReached       the owner's limit on cost or time: the run stops
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from safety.changes import ChangeSet

Event = dict[
    str, Any
]  # one JSON object with "type"; the run stamps "run" and "at" (docs/events.md)
# The chat format of the OpenAI API: role, content (text), tool_calls, tool_call_id; and images: paths of files (wire.py).
Message = dict[str, Any]
Status = Literal["ok", "error", "refused", "timeout", "cancelled"]
Kind = Literal["openai", "offline", "rote", "scripted"]
Blame = Literal[
    "world", "parameter", "step", "expectation", "check", "budget"
]  # what a replay failed on; the world is nobody's fault


class ModelError(Exception):
    """A model did not reply. The text is for the owner: what is wrong, what was tried, what would work."""


class ModelUnavailable(ModelError):
    """This model cannot serve this run."""


class ContextTooLong(ModelUnavailable):
    """The endpoint says that the request does not fit into the model's context."""


class Diverged(ModelError):
    """A replay stopped: `reason` says what differed, `handover` tells the next model what has already happened.

    `declined` is True when the gate or the owner said no, or what was asked for is not there: no model is to try again.
    `kind` says what it failed on, for repair.
    """

    declined = False

    def __init__(
        self, reason: str, handover: str, event: Event | None = None, kind: Blame = "step"
    ) -> None:
        super().__init__(reason)
        self.reason, self.handover, self.event, self.kind = reason, handover, event, kind


class LimitReached(ModelError):
    """The run's cost or time is used up."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call that a model asks for. `args` is None when what the model wrote is not a JSON object; then
    `error` says why and `raw` holds (the start of) what it wrote."""

    id: str
    name: str
    args: dict[str, Any] | None
    raw: str = ""
    error: str = ""


@dataclass(slots=True)
class ToolResult:
    """What a tool brought: `data` is JSON, for the run log and for rote; `as_text` is what a model reads. `origin` says
    whose words it is: "" the owner's own, else safety/origins.py. `seconds`: how long the tool worked. `reason`: the gate's,
    when it refused."""

    status: Status
    data: Any = None
    origin: str = ""
    seconds: float = field(default=0.0, compare=False)
    reason: str = field(default="", compare=False)
    images: list[str] = field(default_factory=list)  # paths of files, for models that take images

    def as_text(self) -> str:
        """A string as it is; of an object its "output" verbatim, then the other keys that say something."""
        if isinstance(self.data, str):
            return self.data or f"[{self.status}]"
        if not isinstance(self.data, dict):
            return json.dumps(self.data, ensure_ascii=False)
        output = str(self.data.get("output", "")).rstrip("\n")
        rest = {
            key: value
            for key, value in self.data.items()
            if key != "output" and value not in (None, "", 0, [], {})
        }
        if "structured" in rest and _says(output, rest["structured"]):
            del rest["structured"]
        lines = [output] if output else []
        lines += [
            f"[{key}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}]"
            for key, value in rest.items()
        ]
        return "\n".join(lines) or f"[{self.status}]"


def _says(text: str, structured: Any) -> bool:
    """Whether an MCP server's structured answer is its text again: as JSON, or wrapped in one key."""
    inner = (
        [structured, *structured.values()]
        if isinstance(structured, dict) and len(structured) == 1
        else [structured]
    )
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        said = text
    return any(
        each == said or (isinstance(each, str) and each.strip() == text.strip()) for each in inner
    )


@dataclass(slots=True)
class Usage:
    """Tokens of one call, and its cost in USD. `cached` is the part of `input` that the endpoint had in its cache."""

    input: int = 0
    cached: int = 0
    output: int = 0
    cost: float = 0.0


@dataclass(slots=True)
class Reply:
    """What a model said: text, and the tool calls it asks for. `finish` is "length" when it was cut off."""

    text: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    finish: Literal["stop", "length"] = "stop"
    model: str = ""
    kind: Kind = "scripted"
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    only_reads: bool = (
        False  # a step that its SOP declares as reading: it may be done again after a crash
    )
    repeatable: bool = (
        False  # its SOP says that a second time with the same SOPWITH_ONCE changes nothing more
    )
    hold: Callable[[Any, ChangeSet], str] | None = (
        None  # says why what a staged script did must not be committed; "" lets it be
    )
    recorded: bool = (
        False  # taken from the run log by a resumed run: no model was called for it now
    )

    def message(self) -> Message:
        """The reply as it stands in the history: always valid to send back, whatever the model wrote."""
        message: Message = {
            "role": "assistant",
            "content": self.text or (None if self.calls else "…"),
        }
        if self.calls:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {
                        "name": call.name,
                        "arguments": json.dumps(call.args or {}, ensure_ascii=False),
                    },
                }
                for call in self.calls
            ]
        return message

    def event(self, turn: int) -> Event:
        """The `model_called` event; its field `reply` is what a resumed run is rebuilt from."""
        if self.recorded:
            return {"type": "reply_reused", "turn": turn}
        calls = [
            {"id": c.id, "name": c.name, "args": c.args, "raw": c.raw, "error": c.error}
            for c in self.calls
        ]
        tokens = {
            "input": self.usage.input,
            "cached": self.usage.cached,
            "output": self.usage.output,
        }
        return {
            "type": "model_called",
            "turn": turn,
            "model": self.model,
            "kind": self.kind,
            "seconds": round(self.seconds, 3),
            "tokens": tokens,
            "cost": self.usage.cost,
            "reply": {
                "text": self.text,
                "calls": calls,
                "finish": self.finish,
                "only_reads": self.only_reads,
            },
        }

    @classmethod
    def from_event(cls, event: Event) -> Reply:
        """The inverse of `event`."""
        said, tokens = event["reply"], event["tokens"]
        usage = Usage(tokens["input"], tokens["cached"], tokens["output"], event["cost"])
        calls = [ToolCall(**call) for call in said["calls"]]
        return cls(
            said["text"],
            calls,
            said["finish"],
            event["model"],
            event["kind"],
            usage,
            event["seconds"],
            said["only_reads"],
        )


@dataclass(slots=True)
class Request:
    """What a model is asked in one turn.

    `messages` is the history: it only ever grows, so that the endpoint's prompt cache holds. `tail` (anchor, reminders)
    goes behind it as one more user message and is never kept. `tools` are function schemas. `describe_tools` asks the
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


class Model(Protocol):
    """Anything that turns a request into a reply: an endpoint, a replay of an SOP, a script, a chain of these."""

    @property
    def name(self) -> str:
        """How events and the owner call it."""
        ...

    def reply(self, request: Request) -> Generator[Event, None, Reply]:
        """Yields events as the reply grows (`text`, `rote`), returns it whole. Raises ModelError."""
        ...
