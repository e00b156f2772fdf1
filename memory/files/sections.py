"""Put a line at the end of a section of a Markdown text; every other line stays byte for byte."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

_HEAD = re.compile(r"#{1,2}\s+(.*?)\s*")


def with_line(
    text: str, line: str, names: Sequence[str], lang: str, *, last: Sequence[str] = ()
) -> str:
    """Return the text with one more line in the section that has one of these names.

    The section is made when it is missing, `names` being English and Chinese; before that of the
    names `last`, where there is one. New lines end as those of the text do.
    """
    end = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += end
    heads = dict(_heads(lines))
    own = _first(heads, names, -1)
    if own < 0:
        before = _first(heads, last, len(lines))
        behind = [end, *lines[before:]] if lines[before:] else []
        new = _new_section(names[lang == "zh"], line, end, lines[:before])
        return "".join([*lines[:before], *new, *behind])
    stop = next((number for number in heads if number > own), len(lines))
    at, gap = _end_of_section(lines, own, stop)
    return "".join([*lines[:at], *[end] * gap, line + end, *lines[at:]])


def _heads(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines that are headings, and what each says."""
    for number, line in enumerate(lines):
        if found := _HEAD.fullmatch(line):
            yield number, found[1]


def _first(heads: Mapping[int, str], names: Sequence[str], default: int) -> int:
    return next((number for number, name in heads.items() if name in names), default)


def _end_of_section(lines: Sequence[str], own: int, stop: int) -> tuple[int, int]:
    """Return where a line goes in, and how many empty lines before it: a heading has one below
    it."""
    filled = [number for number in range(own + 1, stop) if lines[number].strip()]
    if filled:
        return filled[-1] + 1, 0
    return (own + 2, 0) if stop > own + 1 else (own + 1, 1)


def _new_section(name: str, line: str, end: str, before: Sequence[str]) -> list[str]:
    gap = [end] if before and before[-1].strip() else []
    return [*gap, f"## {name}{end}", end, line + end]
