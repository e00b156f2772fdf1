"""Histories, compared and joined without a look at every word: what a turn costs does not grow with them."""

from __future__ import annotations

from collections.abc import Sequence

from models.base import Message


def joined(messages: Sequence[Message]) -> list[Message]:
    """The messages with each user message at the end of the tool's or user's text before it."""
    found: list[Message] = []
    for message in messages:
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
    """How many messages at the start are the very same objects."""
    for number, (one, other) in enumerate(zip(old, new, strict=False)):
        if one is not other:
            return number
    return min(len(old), len(new))
