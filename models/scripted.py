"""Replays given replies: the model of the demo and of tests, without a network and the same each
time.

A reply is a `Reply`, a text, a dict, or a function of the request that returns one of these:

    {"text": "I look first.", "calls": [{"name": "file_read", "args": {"path": "a.txt"}}], "finish":
     "stop", "usage": {"input": 900, "cached": 800, "output": 20, "cost": 0.001}}

Every key is optional. A call may carry "id", "raw" and "error" as `ToolCall` has them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from config import ConfigError
from models.base import Event, Message, Reply, Request, ToolCall, Usage
from models.errors import ModelUnavailable
from models.streams.typed import list_of, record_of, text_of

Given = Reply | str | dict[str, Any]
KEYS = {"text", "calls", "finish", "usage"}
USAGE_KEYS = {"input", "cached", "output", "cost"}
EXAMPLE = '{"text": "…", "calls": [{"name": "file_read", "args": {"path": "a.txt"}}]}'
_ID = re.compile(r"scripted_(\d+)_\d+")


class ScriptedModel:
    """Gives the replies in order; ModelUnavailable when they are used up.

    A resumed run goes on behind the last reply that its history shows: calls are numbered
    `scripted_REPLY_CALL`.
    """

    def __init__(
        self, replies: Sequence[Given | Callable[[Request], Given]], name: str = "scripted"
    ) -> None:
        self.name = name
        self._replies = list(replies)
        self._used = 0

    @classmethod
    def load(cls, path: Path | str, name: str = "scripted") -> ScriptedModel:
        """Load a YAML or JSON file that holds a list of replies. ConfigError names the file and the
        entry."""
        import yaml

        try:
            replies = yaml.safe_load(Path(path).expanduser().read_text("utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise ConfigError(
                "error.models.cannot-read-list-replies", path=path, error=error
            ) from error
        if not isinstance(replies, list):
            raise ConfigError("error.models.should-hold-list-replies", path=path, example=EXAMPLE)
        for number, reply in enumerate(replies, start=1):
            if flaw := _flaw(reply):
                raise ConfigError(
                    "error.models.reply-reply-looks-like",
                    path=path,
                    n=number,
                    flaw=flaw,
                    example=EXAMPLE,
                )
        return cls(replies, name)

    def reply(self, request: Request) -> Generator[Event, None, Reply]:
        self._used = max(self._used, _used_in(request.messages))
        if self._used >= len(self._replies):
            n = len(self._replies)
            raise ModelUnavailable("error.models.used-up", name=self.name, n=n)
        given = self._replies[self._used]
        self._used += 1
        reply = self._as_reply(given(request) if callable(given) else given)
        if reply.text:
            yield {"type": "text", "delta": reply.text}
        return reply

    def _as_reply(self, given: Given) -> Reply:
        if isinstance(given, Reply):
            return replace(given, model=given.model or self.name)
        said: dict[str, Any] = {"text": given} if isinstance(given, str) else given
        calls = [
            self._call(call, number)
            for number, call in enumerate(list_of(said.get("calls")), start=1)
        ]
        usage = Usage(**record_of(said.get("usage")))
        return Reply(
            text_of(said.get("text")),
            calls,
            said.get("finish") or "stop",
            self.name,
            "scripted",
            usage,
        )

    def _call(self, call: dict[str, Any], number: int) -> ToolCall:
        made_up = f"scripted_{self._used}_{number}"
        args = None if call.get("error") else record_of(call.get("args"))
        return ToolCall(
            call.get("id") or made_up,
            call["name"],
            args,
            call.get("raw", ""),
            call.get("error", ""),
        )


def _flaw(reply: object) -> str:
    """Return what is wrong with a reply from a file; empty when it is fine."""
    if isinstance(reply, str):
        return ""
    if not isinstance(reply, dict):
        return "neither a text nor an object"
    if unknown := set(reply) - KEYS:
        return f"unknown key {sorted(map(str, unknown))[0]!r} (known: {', '.join(sorted(KEYS))})"
    calls, usage = reply.get("calls") or [], reply.get("usage") or {}
    if not isinstance(calls, list) or not all(map(_is_call, calls)):
        return "`calls` should be a list of objects with a name and, as an object, args"
    if not _is_usage(usage):
        return f"`usage` should be an object of {', '.join(sorted(USAGE_KEYS))}"
    if reply.get("finish", "stop") not in ("stop", "length"):
        return "`finish` should be stop or length"
    return ""


def _is_call(call: object) -> bool:
    found = record_of(call)
    return bool(found.get("name")) and isinstance(found.get("args", {}), dict)


def _is_usage(usage: object) -> bool:
    return isinstance(usage, dict) and set(usage) <= USAGE_KEYS


def _used_in(messages: list[Message]) -> int:
    """Return how many scripted replies a history shows, by the ids of their calls."""
    ids = [
        call["id"] for message in reversed(messages) for call in list_of(message.get("tool_calls"))
    ]
    return next((int(match[1]) for id_ in ids if (match := _ID.fullmatch(id_))), 0)
