"""See a model that goes round in circles: the same call with the same result, or two calls in turn,
again and again."""

from __future__ import annotations

import hashlib
from typing import Literal

from memory.inbox import call_hash
from models.base import ToolCall, ToolResult

TELL_LOOP, FAIL_LOOP = 3, 5  # the same call with the same result, in a row
TELL_PAIR, FAIL_PAIR = 2, 5  # A-B-A-B: how often a pair of calls repeats


class LoopWatch:
    """Watch the calls of one run."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def see(self, call: ToolCall, result: ToolResult) -> Literal["", "told", "failed"]:
        """Return "told" or "failed" when a repetition reaches its limits in this turn."""
        text = call_hash(call.name, call.args) + result.status + result.as_text()
        self.seen.append(hashlib.sha256(text.encode("utf-8", "replace")).hexdigest())
        del self.seen[: -2 * FAIL_PAIR]
        for period, tell, fail in ((1, TELL_LOOP, FAIL_LOOP), (2, TELL_PAIR, FAIL_PAIR)):
            again = self._again(period)  # calls that are what was called `period` before
            if again == period * (fail - 1):
                return "failed"
            if again == period * (tell - 1):
                return "told"
            if again:
                return ""
        return ""

    def _again(self, period: int) -> int:
        """Return how many calls at the end repeat the one `period` before them."""
        count = 0
        while (
            count + period < len(self.seen)
            and self.seen[-1 - count] == self.seen[-1 - count - period]
        ):
            count += 1
        return count
