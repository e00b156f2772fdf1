"""Show the part of a reply's text that a screen may show while it comes in."""

from __future__ import annotations

from typing import Literal

from models.dialects import marks
from models.streams import scrub

_LONGEST_MARK = 60  # characters that may turn out to be one
_BEGINS = ("<", "[", "`")


class Visible:
    """Hold which part of the text a screen may show at once: not the thoughts at its start, and no
    call of the text protocol, which may be cut anywhere between two deltas."""

    def __init__(self) -> None:
        self._state: Literal["start", "thoughts", "text", "call"] = "start"
        self._held = ""  # not decided yet: short
        self._closes = ""  # what ends the thoughts
        self._pieces: list[str] = []  # of the thoughts, or from the call on: may be long

    def feed(self, delta: str) -> str:
        """Take a piece of text; return what may be shown now."""
        if self._state == "call":
            self._pieces.append(delta)
            return ""
        self._held += delta
        if self._state == "thoughts":
            self._think()
        elif self._state == "start":
            self._start()
        return self._show() if self._state == "text" else ""

    def rest(self) -> str:
        """Return what was held back, at the end, when it was no call after all."""
        held = "" if self._state == "thoughts" else "".join([*self._pieces, self._held])
        self._pieces, self._held = [], ""
        return scrub(held)

    def _start(self) -> None:
        start = self._held.lstrip()
        opened = next(filter(start.startswith, marks().thoughts), "")
        if opened:
            self._state, self._closes = "thoughts", marks().thoughts[opened]
            self._held = start.removeprefix(opened)
            self._think()
        elif start and not any(opens.startswith(start) for opens in marks().thoughts):
            self._state = "text"

    def _think(self) -> None:
        _, end, behind = self._held.partition(self._closes)
        if not end:
            self._held = self._held[-len(self._closes) :]
        elif behind.strip():
            self._state, self._held = "text", behind.lstrip()

    def _show(self) -> str:
        block = marks().opens.search(self._held)
        end = block.start() if block else _surely_text(self._held)
        if (
            end and "\ud800" <= self._held[end - 1] <= "\udbff"
        ):  # the other half comes with the next delta
            end -= 1
        shown, self._held = self._held[:end], self._held[end:]
        if block:
            self._state, self._pieces, self._held = "call", [self._held], ""
        return scrub(shown)


def _surely_text(held: str) -> int:
    """Return how many characters are no start of a mark that goes on with the next delta."""
    line_start = held.rfind("\n") + 1
    last = max(held.rfind(sign) for sign in _BEGINS)
    if last < line_start or len(held) - last > _LONGEST_MARK:
        return len(held)
    fence = held.find("```", line_start)
    return last if fence < 0 else min(last, fence)
