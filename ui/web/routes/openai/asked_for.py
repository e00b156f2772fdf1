"""Read what a program asks for in OpenAI's ways: the task, what was said before it, and what we cannot do, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from config import SopwithError
from ui.words import say

MAX_EARLIER = 40_000  # characters of what was said before
IGNORED = {  # the configured model has its own settings, and nothing is stored elsewhere
    *("temperature", "top_p", "max_tokens", "max_completion_tokens", "max_output_tokens", "seed"),
    *("presence_penalty", "frequency_penalty", "user", "metadata", "store", "service_tier"),
    *("reasoning", "reasoning_effort", "verbosity", "safety_identifier", "prompt_cache_key"),
    *("parallel_tool_calls", "truncation", "include", "prompt_cache_retention"),
}
PLAIN: Mapping[str, Any] = {  # values that ask for nothing
    "n": 1,
    "logprobs": False,
    "background": False,
    "response_format": {"type": "text"},
    "text": {"format": {"type": "text"}},
    "modalities": ["text"],
    "tool_choice": "none",
}
TEXTS = ("text", "input_text", "output_text")


class Unsupported(SopwithError):
    """Refuse what a program asks for, by name, and is not to be had here."""


class AskedFor(NamedTuple):
    """The last message, and those before it as a text."""

    task: str
    earlier: str


def check(given: Mapping[str, Any] | None) -> None:
    """Raise Unsupported for the first field that would change the answer and cannot be met."""
    for name, value in (given or {}).items():
        is_fine = name in IGNORED or value in (None, [], {})
        if not is_fine and PLAIN.get(name, ()) != value:
            raise Unsupported("error.v1.unsupported", name=name)


def read(messages: Sequence[Mapping[str, Any]], instructions: str | None = None) -> AskedFor:
    """Return the task and what was said before. Raises Unsupported."""
    said = [(str(each.get("role") or "user"), _text(each)) for each in messages]
    *before, (role, task) = said
    if role != "user":  # a text of a model is no task of the owner
        raise Unsupported("error.v1.unsupported", name=f"a last message with role: {role}")
    if instructions:
        before.insert(0, ("system", instructions))
    lines = "\n".join(f"{role}: {text}" for role, text in before if text.strip())[-MAX_EARLIER:]
    return AskedFor(task, f"---\n{say('web.earlier')}\n{lines}" if lines else "")


def _text(message: Mapping[str, Any]) -> str:
    kind = "role: tool" if message.get("role") == "tool" else message.get("type", "message")
    if kind != "message":
        raise Unsupported("error.v1.unsupported", name=kind)
    if message.get("tool_calls"):
        raise Unsupported("error.v1.unsupported", name="tool_calls")
    content = message.get("content")
    if not isinstance(content, list):
        return str(content or "")
    return "\n".join(_part(part) for part in content)


def _part(part: Any) -> str:
    if not isinstance(part, Mapping) or part.get("type", "text") not in TEXTS:
        kind = part.get("type") if isinstance(part, Mapping) else type(part).__name__
        raise Unsupported("error.v1.unsupported", name=kind)
    return str(part.get("text") or "")
