"""Hold the reply of a model as the run log and the history keep it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from safety.changes import ChangeSet

from models.base.result import ToolCall

# One JSON object with "type"; the run stamps "run" and "at" (docs/events.md).
Event = dict[str, Any]
# The chat format of the OpenAI API: role, content (text), tool_calls, tool_call_id. Two keys are ours:
# images (paths of files), and native (the provider's own items of a reply).
Message = dict[str, Any]
Kind = Literal["openai", "anthropic", "offline", "rote", "scripted"]
Finish = Literal["stop", "length", "filter"]


@dataclass(slots=True)
class Usage:
    """Tokens of one call, and its cost in USD. `cached` is the part of `input` that the endpoint had in its cache."""

    input: int = 0
    cached: int = 0
    output: int = 0
    cost: float = 0.0


@dataclass(slots=True)
class Reply:
    """Hold what a model said: text, and the tool calls it asks for. `finish` is "length" when it
    was cut off, "filter" when the provider would not let it speak. `native` is the reply as its
    provider wrote it: {"by", "items"}; it goes back so. Of a replay: `only_reads` says that its SOP declares the step as
    reading, so it may be done again after a crash; `repeatable`, that a second time with the same SOPWITH_ONCE changes
    nothing more; `hold` says why what a staged script did must not be committed, "" lets it be. `recorded`: taken from the
    run log by a resumed run, so no model was called for it now."""

    text: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    finish: Finish = "stop"
    model: str = ""
    kind: Kind = "scripted"
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    only_reads: bool = False
    repeatable: bool = False
    hold: Callable[[Any, ChangeSet], str] | None = None
    recorded: bool = False
    native: dict[str, Any] | None = None

    def message(self) -> Message:
        """Return the reply as it stands in the history: always valid to send back, whatever the model wrote."""
        content = self.text or (None if self.calls else "…")
        message: Message = {"role": "assistant", "content": content}
        if self.calls:
            message["tool_calls"] = [call.message() for call in self.calls]
        if self.native:
            message["native"] = self.native
        return message

    def event(self, turn: int) -> Event:
        """Return the `model_called` event; its field `reply` is what a resumed run is rebuilt from."""
        if self.recorded:
            return {"type": "reply_reused", "turn": turn}
        tokens = asdict(self.usage)
        cost = tokens.pop("cost")
        native = {"native": self.native} if self.native else {}
        return {
            "type": "model_called",
            "turn": turn,
            "model": self.model,
            "kind": self.kind,
            "seconds": round(self.seconds, 3),
            "tokens": tokens,
            "cost": cost,
            "reply": {
                "text": self.text,
                "calls": [call._asdict() for call in self.calls],
                "finish": self.finish,
                "only_reads": self.only_reads,
                **native,
            },
        }

    @classmethod
    def from_event(cls, event: Event) -> Reply:
        """Return the reply that an event was made of."""
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
            native=None if event.get("redacted") else said.get("native"),
        )
