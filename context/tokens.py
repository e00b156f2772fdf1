"""How many tokens a request has: an estimate, set right by what the endpoint itself reports.

No tokenizer is needed: a text is cut into pieces about the size of a token. The estimate is within
a fifth of o200k_base for prose, code, listings, hex and base64, and errs upwards for Chinese and
other scripts. The ratio of what an endpoint reports to what was estimated is kept for each model
while the run lasts. Source: seed 001 §2.2.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from models.base import Message, Request, common_start

FRAME = 4  # tokens around a message
IMAGE = 1100  # tokens of an image as endpoints count one of a screen
PLAUSIBLE = (
    0.6,
    3.0,
)  # of reported to estimated; an endpoint that says less or more does not count as we do


@cache
def _pieces() -> re.Pattern[str]:
    return re.compile(
        r" ?[A-Z]?[a-z]{1,8}|[A-Z]{1,3}|[0-9]{1,3}|\n+ *| {1,16}|[!-/:-@\[-`{-~]{1,3}|[\u00c0-\u05ff]{1,3}|.",
        re.DOTALL,
    )


def estimate(text: str) -> int:
    """Return about how many tokens a text has."""
    return len(_pieces().findall(text))


def of_message(message: Message) -> int:
    """Return about how many tokens a message has: its text, names and arguments of its calls, and a
    frame."""
    functions = [call["function"] for call in message.get("tool_calls") or []]
    said = [
        message.get("content") or "",
        *(text for f in functions for text in (f["name"], f["arguments"])),
    ]
    return FRAME + IMAGE * len(message.get("images", ())) + sum(map(estimate, said))


class TokenCounter:
    """Counts the requests of one run. Each message is looked at once: what a turn costs does not
    grow with the history."""

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self._sums: list[int] = [0]  # of the first n messages
        self._tools: Sequence[Any] = ()
        self._tool_tokens = 0
        self._ratios: dict[str, float] = {}

    def estimated(self, request: Request) -> int:
        """Return about how many tokens the request has, by our own measure."""
        if request.tools is not self._tools:
            self._tools = request.tools
            self._tool_tokens = (
                estimate(json.dumps(request.tools, ensure_ascii=False)) if request.tools else 0
            )
        tail = FRAME + estimate(request.tail) if request.tail else 0
        return self._tool_tokens + self._of_history(request.messages) + tail

    def count(self, request: Request, model: str) -> int:
        """Return how many tokens the request has by the measure of this model, as far as it is
        known."""
        return round(self.estimated(request) * self._ratios.get(model, 1.0))

    def learn(self, request: Request, model: str, reported: int) -> None:
        """Take what the endpoint said of a request's size. A report that cannot be true is passed
        over."""
        ratio = reported / max(self.estimated(request), 1)
        if PLAUSIBLE[0] <= ratio <= PLAUSIBLE[1]:
            self._ratios[model] = ratio

    def _of_history(self, messages: Sequence[Message]) -> int:
        same = common_start(self._messages, messages)
        del self._messages[same:], self._sums[same + 1 :]
        for message in messages[same:]:
            self._messages.append(message)
            self._sums.append(self._sums[-1] + of_message(message))
        return self._sums[-1]
