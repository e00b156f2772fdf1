"""Put a line at the end of a section of a Markdown text; every other line stays byte for byte."""

from __future__ import annotations

import re
from collections.abc import Sequence

_HEAD = re.compile(r"#{1,2}\s+(.*?)\s*")


def with_line(
    text: str, line: str, names: Sequence[str], lang: str, *, last: Sequence[str] = ()
) -> str:
    """Return the text with one more line in the section that has one of these names.

    The section is made when it is missing, `names` being English and Chinese; before that of the names `last`, where
    there is one. New lines end as those of the text do.
    """
    end = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += end
    heads = {
        number: found[1] for number, each in enumerate(lines) if (found := _HEAD.fullmatch(each))
    }
    own = next((number for number, name in heads.items() if name in names), None)
    if own is None:
        before = next((number for number, name in heads.items() if name in last), len(lines))
        new = _new_section(names[lang == "zh"], line, end, lines[:before])
        return "".join([*lines[:before], *new, *([end] if lines[before:] else []), *lines[before:]])
    stop = next((number for number in heads if number > own), len(lines))
    filled = [number for number in range(own + 1, stop) if lines[number].strip()]
    if filled:
        at, gap = filled[-1] + 1, []
    else:  # below the heading: one empty line, which is there or is made
        has_gap = stop > own + 1
        at, gap = own + 1 + has_gap, [] if has_gap else [end]
    return "".join([*lines[:at], *gap, line + end, *lines[at:]])


def _new_section(name: str, line: str, end: str, before: Sequence[str]) -> list[str]:
    gap = [end] if before and before[-1].strip() else []
    return [*gap, f"## {name}{end}", end, line + end]
