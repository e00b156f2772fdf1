"""Keep what a run must not forget: key_info, related_sop, one line for each turn. Source: seed 002
§3, §4.

A resumed run rebuilds it from the run log. context/turns.py writes it into the anchor,
context/compaction.py into the history where turns are folded. What other processes say to the run
stands in the file `steer` in its folder, a line for each, only ever appended; which ones it has
heard stands in its log (`letter` of `steered`), so a run that was killed hears each of them once.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from memory.inbox import call_hash
from models.base import Reply, ToolCall, ToolResult
from text import pattern

MAX_FINDING_CHARS = 320  # of what the model says about a turn
MAX_CALL_CHARS = 90  # of the call in a line
TELL_LOOP, FAIL_LOOP = 3, 5  # the same call with the same result, in a row
TELL_PAIR, FAIL_PAIR = 2, 5  # A-B-A-B: how often a pair of calls repeats
_SUMMARY = pattern(r"<summary>(.*?)(?:</summary>|$)", re.DOTALL)
_OPEN = pattern(r"<open>(.*?)(?:</open>|$)", re.DOTALL)


class WorkingMemory:
    """Hold the checkpoint of a run and the line of each turn."""

    def __init__(self) -> None:
        self.key_info = ""
        self.related_sop = ""
        self.summaries: list[str] = []  # of turn 1, 2, …
        # the model's own summary of each turn; "" where it wrote none
        self.findings: list[str] = []
        self.tools: list[str] = []  # the tool of each turn; "" for a reply without a call
        self.has_failed = False  # a call, since the model was last warned

    @property
    def last_turn(self) -> int:
        """Return the number of the last finished turn."""
        return len(self.summaries)

    def checkpoint(self, key_info: str, related_sop: str | None) -> None:
        """Store what `update_working_checkpoint` sets; an empty `related_sop` leaves the old
        one."""
        self.key_info = key_info
        self.related_sop = related_sop or self.related_sop

    def note(self, reply: Reply, result: ToolResult | None) -> None:
        """Add the line of a finished turn: what the model said first, then its call and how that
        ended."""
        found = _SUMMARY.search(reply.text)
        finding = _line(found[1] if found else "", MAX_FINDING_CHARS)
        said = finding or _line(reply.text, MAX_FINDING_CHARS)
        self.summaries.append(" ".join(filter(None, (said, _called(reply, result)))))
        self.findings.append(finding)
        self.tools.append(reply.calls[0].name if reply.calls else "")
        if result is not None:
            self.has_failed |= result.status != "ok"


@dataclass(slots=True)
class TurnState:
    """Carry the turn policy from turn to turn; a resumed run rebuilds it (runs/resume.py)."""

    demanded: str = ""  # the only tool that is accepted next
    allowed_for_run: set[str] = field(default_factory=set)  # scopes (safety/gate/gate.py)
    confirmed: set[str] = field(default_factory=set)  # ids of confirmations with an answer
    # whose words the model has read, the owner's apart
    origins: set[str] = field(default_factory=set)
    interrupted: str = ""  # hash of the call that had started, and not ended, when the run stopped
    has_resumed: bool = False  # since the last request
    was_interrupted: bool = False  # the stop came from outside, in the middle of the work


def _called(reply: Reply, result: ToolResult | None) -> str:
    """Return the call as `[what it does → how it ended]`; a script speaks for itself."""
    if not reply.calls:
        return ""
    call = reply.calls[0]
    args = call.given
    values = [args["script"]] if "script" in args else [call.name, *args.values()]
    ending = "" if result is None or result.status == "ok" else f" → {result.status}"
    return f"[{_line(' '.join(map(str, values)), MAX_CALL_CHARS)}{ending}]"


def _line(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[:limit]}…"


def without_summary(text: str) -> str:
    """Return a reply's text as the owner reads it."""
    return _OPEN.sub(r"\1", _SUMMARY.sub("", text)).strip()


def left_open(text: str) -> str:
    """Return what a reply at the last turn marks as not done, or "" when it marks nothing."""
    found = _OPEN.search(text)
    return found[1].strip() if found else ""


class Letters:
    """Hold the letters of one run."""

    def __init__(self, folder: Path) -> None:
        self._file, self._size = folder / "steer", -1

    def leave(self, text: str) -> None:
        """Leave one, from any process."""
        with self._file.open("ab") as file:
            file.write((" ".join(text.splitlines()) + "\n").encode("utf-8", "replace"))

    def after(self, heard: int) -> list[tuple[int, str]]:
        """Return those behind the first `heard` ones, with their numbers. The file is read when it
        has grown."""
        try:
            size = self._file.stat().st_size
        except FileNotFoundError:
            return []
        if size == self._size:
            return []
        self._size = size
        # what has no end yet is still being written
        lines = self._file.read_text("utf-8", "replace").split("\n")[:-1]
        return [
            (number, line)
            for number, line in enumerate(lines, 1)
            if number > heard and line.strip()
        ]


class LoopWatch:
    """See a model that goes round in circles: the same call with the same result, or two calls in
    turn, again and again."""

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
