"""Define a model: it turns a request into a reply. Every kind of model in this room fills in
`Model`.

The errors of the layer are in models/errors.py. Histories are compared and joined without a look at
every word, so that what a turn costs does not grow with them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from config import listed

if TYPE_CHECKING:
    from safety.changes import ChangeSet

# of a result that is an object: what people read when it did not go well
TOLD = ("error", "reason", "note", "changes")
# One JSON object with "type"; the run stamps "run" and "at" (docs/events.md).
Event = dict[str, Any]
# The chat format of the OpenAI API: role, content (text), tool_calls, tool_call_id. Two keys are
# ours: images (paths of files), and native (the provider's own items of a reply).
Message = dict[str, Any]
Kind = Literal["openai", "anthropic", "offline", "rote", "scripted"]
Finish = Literal["stop", "length", "filter"]


@dataclass(slots=True)
class Usage:
    """Tokens of one call, and its cost in USD. `cached` is the part of `input` that the endpoint
    had in its cache."""

    input: int = 0
    cached: int = 0
    output: int = 0
    cost: float = 0.0


@dataclass(slots=True)
class Reply:
    """Hold what a model said: text, and the tool calls it asks for. `finish` is "length" when it
    was cut off, "filter" when the provider would not let it speak. `native` is the reply as its
    provider wrote it: {"by", "items"}; it goes back so. Of a replay: `only_reads` says that its SOP
    declares the step as reading, so it may be done again after a crash; `repeatable`, that a second
    time with the same SOPWITH_ONCE changes nothing more; `hold` says why what a staged script did
    must not be committed, "" lets it be. `recorded`: taken from the run log by a resumed run, so no
    model was called for it now."""

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
        """Return the reply as it stands in the history: always valid to send back, whatever the
        model wrote."""
        content = self.text or (None if self.calls else "…")
        message: Message = {"role": "assistant", "content": content}
        if self.calls:
            message["tool_calls"] = [call.message() for call in self.calls]
        if self.native:
            message["native"] = self.native
        return message

    def event(self, turn: int) -> Event:
        """Return the `model_called` event; its field `reply` is what a resumed run is rebuilt
        from."""
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


Status = Literal["ok", "error", "refused", "timeout", "cancelled"]


class ToolCall(NamedTuple):
    """One call that a model asks for. `args` is None when what the model wrote is not a JSON
    object; then `error` says why and `raw` holds (the start of) what it wrote."""

    id: str
    name: str
    args: dict[str, Any] | None
    raw: str = ""
    error: str = ""

    @property
    def given(self) -> dict[str, Any]:
        """Return the arguments; none where they cannot be read."""
        return self.args or {}

    def message(self) -> dict[str, Any]:
        """Return the call as it stands in the history."""
        arguments = json.dumps(self.given, ensure_ascii=False)
        function = {"name": self.name, "arguments": arguments}
        return {"id": self.id, "type": "function", "function": function}


@dataclass(slots=True)
class ToolResult:
    """Hold what a tool brought: `data` is JSON, for the run log and for rote; `as_text` is what a
    model reads. `origin` says whose words it is: "" the owner's own, else safety/taint/origins.py.
    `seconds`: how long the tool worked. `reason`: the gate's, when it refused; `said`: the same by
    keys of assets/words. `images`: paths of files, for models that take images."""

    status: Status
    data: Any = None
    origin: str = ""
    seconds: float = field(default=0.0, compare=False)
    reason: str = field(default="", compare=False)
    said: list[Any] = field(default_factory=list, compare=False)
    images: list[str] = field(default_factory=list)

    @property
    def listed(self) -> list[Any]:
        """Return the keys of what people read of it."""
        texts = self.data if isinstance(self.data, dict) else {"error": self.data}
        return self.said or [row for name in TOLD for row in listed(texts.get(name, ""))]

    def as_text(self) -> str:
        """Return a string as it is; of an object its "output" verbatim, then the other keys that
        say something."""
        if isinstance(self.data, str):
            return self.data or f"[{self.status}]"
        if not isinstance(self.data, dict):
            return json.dumps(self.data, ensure_ascii=False)
        output = str(self.data.get("output", "")).rstrip("\n")
        rest = {key: value for key, value in self.data.items() if _is_said(key, value)}
        if _says(output, rest.get("structured")):
            rest.pop("structured", None)
        lines = [output] if output else []
        lines += [f"[{key}: {_shown(value)}]" for key, value in rest.items()]
        return "\n".join(lines) or f"[{self.status}]"


def _is_said(key: str, value: Any) -> bool:
    return key != "output" and value not in (None, "", 0, [], {})


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _says(text: str, structured: Any) -> bool:
    """Return True if an MCP server's structured answer is its text again: as JSON, or wrapped in
    one key."""
    inner = [structured]
    if isinstance(structured, dict) and len(structured) == 1:
        inner += structured.values()
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        said = text
    return said in inner or text.strip() in [
        each.strip() for each in inner if isinstance(each, str)
    ]


@dataclass(slots=True)
class Request:
    """Hold what a model is asked in one turn.

    `messages` is the history: it only ever grows, so that the endpoint's prompt cache holds. `tail`
    (anchor, reminders) goes to its end (`parts`) and is never kept. `tools` are function schemas.
    `describe_tools` asks the text protocol to send the full descriptions again. `last` is the
    structured result of the turn before, for rote. The chain sets `deadline` (on the monotonic
    clock: no answer is waited for behind it) and `patience_seconds` (after so long no further
    attempt is made, since another model follows). `schema`: the JSON Schema that the reply should
    fit; an endpoint that cannot see to it is asked without, so what comes back is looked at all the
    same. `beside` is done in a thread of its own while an endpoint thinks, and has ended when its
    reply is there.
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
    beside: Callable[[], object] | None = None

    def parts(self) -> tuple[Sequence[Message], list[Message]]:
        """Return the messages that stay in the history, and those behind them that are sent this
        once.

        The tail is joined to the last message when that is a tool's or the user's: some providers
        refuse a user message behind a tool's. That message is sent with its tail now and alone the
        next time.
        """
        if not self.tail:
            return self.messages, []
        last = self.messages[-1] if self.messages else {"role": ""}
        if last["role"] not in ("tool", "user") or "images" in last:
            return self.messages, [{"role": "user", "content": self.tail}]
        joined = {**last, "content": f"{last['content']}\n\n{self.tail}"}
        return self.messages[:-1], [joined]


class Model(Protocol):
    """Anything that turns a request into a reply: an endpoint, a replay of an SOP, a script, a
    chain of these."""

    @property
    def name(self) -> str:
        """Return how events and the owner call it."""
        ...

    def reply(self, request: Request) -> Generator[Event, None, Reply]:
        """Yield events as the reply grows (`text`, `rote`), return it whole. Raises ModelError."""
        ...


def last(replying: Generator[Event, None, Reply]) -> Reply:
    """Return the reply; nobody sees it grow. Raises ModelError."""
    while True:
        try:
            next(replying)
        except StopIteration as end:
            reply: Reply = end.value
            return reply


def window_of(model: Model) -> int:
    """Return how many tokens a model reads; 0: not known, or it reads none."""
    return int(getattr(model, "window", 0))


def joined(messages: Sequence[Message], *, has_system: bool = True) -> list[Message]:
    """Return the messages with each user message at the end of the tool's or user's text before it;
    without a role for the system its words are the user's."""
    found: list[Message] = []
    for message in messages:
        if not has_system and message["role"] == "system":
            message = {**message, "role": "user"}
        before = found[-1] if found else {}
        if message["role"] == "user" and before.get("role") in ("tool", "user"):
            found[-1] = both_of(before, message)
        else:
            found.append(message)
    return found


def both_of(before: Message, message: Message) -> Message:
    """Return a message with the text and the images of the next one behind its own."""
    both = {**before, "content": f"{before['content']}\n\n{message['content']}"}
    if images := [*before.get("images", ()), *message.get("images", ())]:
        both["images"] = images
    return both


def common_start(old: Sequence[Message], new: Sequence[Message]) -> int:
    """Return how many messages at the start are the very same objects."""
    for number, (one, other) in enumerate(zip(old, new, strict=False)):
        if one is not other:
            return number
    return min(len(old), len(new))
