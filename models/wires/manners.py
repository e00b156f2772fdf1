"""Hold what one server takes: the protocol, fields it refuses, the order of roles. Known by name, or learned from its errors."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Manners:
    """Plain marks; each wire looks at those that concern it."""

    wire: str = "chat"
    is_text: bool = False  # tools are described in words
    joins: bool = False  # no user message stands behind a tool's or another user message
    has_system: bool = True  # a system message is taken
    short_ids: bool = False  # ids of calls are nine letters and digits
    takes_images: bool = True
    takes_schema: bool = True
    natives: bool = True  # the provider's own items are sent back
    needs: str = ""  # the key that each assistant message must have
    signs: bool = False  # the first call of a message needs a signature
    max_tokens: str = "max_tokens"  # the name of that field, in chat
    reasoning: str = "effort"  # the style of that setting (assets/models/reasoning.json)
    most_tokens: int = 0  # of one reply, as the server said; 0: not said
    without: set[str] = field(default_factory=set)  # fields that are not sent
    unread: set[str] = field(default_factory=set)  # keys of items that are not sent back
