"""Cuts Markdown that is still being written into blocks: finished ones can be printed for good, the tail stays live.

The work for each piece of text does not grow with the length of the answer.
"""

from __future__ import annotations

import re

LONG_BLOCK = 6000  # characters after which a block is cut at the next line where that does no harm
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_MARKS = re.compile(
    r"^\s*(?:[-*+] |\d+[.)] |#{1,6} |>|\||```|~~~)|`[^`\n]+`|\*\*[^*\n]+\*\*|\]\([^)\n]+\)",
    re.MULTILINE,
)
_TAGS = ("summary", "think", "thinking", "tool_use")  # what only the agent reads
_OPENS = re.compile(rf"\s*<({'|'.join(_TAGS)})>")


def is_output(text: str) -> bool:
    """Return True if a text is lines that a program printed, with nothing in them that Markdown would mean: its lines must stay."""
    return "\n" in text and not _MARKS.search(text)


class Blocks:
    """Text goes in piece by piece; finished blocks come out. What only the agent reads (`<summary>` …) does not."""

    def __init__(self) -> None:
        self._lines: list[str] = []  # whole lines of the block that grows
        self._pieces: list[str] = []  # of the line that grows
        self._size = 0  # characters in _lines
        self._fence = ""  # the line that opened the code block that we are in
        self._tag = ""  # the tag that we are in
        self._gap = False  # the last line was empty

    def feed(self, delta: str) -> list[str]:
        """Adds text; returns the blocks that it finishes."""
        if "\n" not in delta:
            self._pieces.append(delta)
            return []
        *whole, rest = ("".join(self._pieces) + delta).split("\n")
        self._pieces = [rest]
        return [block for line in whole if (block := self._take(line + "\n")).strip()]

    def end(self) -> list[str]:
        """Return what is left; the next text starts afresh."""
        last = "".join(self._pieces)
        blocks = [self._take(last) if last else "", "".join(self._lines)]
        self._lines, self._pieces, self._size = [], [], 0
        self._fence = self._tag = ""
        self._gap = False
        return [block for block in blocks if block.strip()]

    def tail(self, limit: int = 3000) -> str:
        """The end of the block that grows, at most about `limit` characters; code stays marked as code."""
        parts: list[str] = []
        size = 0
        for part in (*reversed(self._pieces), *reversed(self._lines)):
            if size > limit:
                break
            parts.append(part)
            size += len(part)
        line = "" if self._tag else _without_tag("".join(self._pieces))
        count = len(self._pieces)
        above = "".join(reversed(parts[count:]))
        text = (above + line)[-limit:]
        cut = size > limit or len(above + line) > limit
        return self._fence + text if self._fence and cut else text

    def _take(self, line: str) -> str:
        """Adds a whole line; returns the block that ends before it, if one does."""
        line = self._visible(line)
        if not line:
            return ""
        finished = ""
        if self._lines and self._begins_block(line):
            finished, self._lines, self._size = "".join(self._lines), [], 0
            if self._fence:  # a long code block goes on in the next one
                finished += re.sub(r"[^`~].*", "", self._fence.strip()) + "\n"
                self._lines = [self._fence]
        self._lines.append(line)
        self._size += len(line)
        self._gap = not line.strip()
        self._follow_fence(line)
        return finished

    def _begins_block(self, line: str) -> bool:
        if self._fence:
            return self._size > LONG_BLOCK and not _FENCE.match(line)
        starts_at_margin = not line[0].isspace()
        return starts_at_margin and (self._gap or (self._size > LONG_BLOCK and line[0] != "|"))

    def _follow_fence(self, line: str) -> None:
        found = _FENCE.match(line)
        if found and not self._fence:
            self._fence = line
        elif found and not found[2].strip() and found[1].startswith(self._mark()):
            self._fence = ""

    def _mark(self) -> str:
        found = _FENCE.match(self._fence)
        return found[1] if found else ""

    def _visible(self, line: str) -> str:
        """The line without what stands in a hidden tag."""
        if self._fence:
            return line
        if not self._tag:
            if not (found := _OPENS.match(line)):
                return line
            self._tag, line = found[1], line[found.end() :]
        _, closing, line = line.partition(f"</{self._tag}>")
        if not closing:
            return ""
        self._tag = ""
        return line if line.strip() else ""


def _without_tag(line: str) -> str:
    """A line that is still being written, unless it is, or may become, a hidden one."""
    start = line.lstrip()
    if _OPENS.match(line) or (start and any(f"<{tag}>".startswith(start) for tag in _TAGS)):
        return ""
    return line
