"""Makes of a scanned page what a model reads, within a budget of tokens: long lists are cut with a
count, then long lines, then the end; and what changed after a script, in a few lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

BUDGET = 4_000  # tokens of one page
# Limits, tried one after the other until the page fits: how many of a list are kept, and how many
# characters of a line.
STEPS = (
    (40, 100_000),
    (20, 100_000),
    (10, 100_000),
    (10, 800),
    (5, 800),
    (5, 300),
    (3, 300),
    (3, 120),
)
MAX_CHARS = 22_000  # of one page; the handler would cut a result that is longer
MAX_VALUE = 8_000  # characters of a script's value that are shown
_PIECE = re.compile(
    r"[A-Za-z]+|[0-9]{1,3}|[^\sA-Za-z0-9]+?(?=[\sA-Za-z0-9\u2e80-\uffff]|$)|[\u2e80-\uffff]|\n"
)
Line = list[Any]  # [text] or [text, [list, item, list, item …]] from the outermost list inwards


def tokens(text: str) -> int:
    """About how many tokens a text is, within a tenth: a word and three digits are one, and so is a
    sign of Chinese."""
    words = _PIECE.findall(text)
    return len(words) + sum(len(word) // 9 for word in words if len(word) > 8)


def whole(lines: list[Line]) -> str:
    """Return all lines."""
    return "\n".join(str(line[0]) for line in lines)


def fit(lines: list[Line], budget: int = BUDGET) -> tuple[str, bool]:
    """Return the page within the budget, and whether something is left out."""
    text = ""
    for keep, width in STEPS:
        text, is_cut = _cut(lines, keep, width)
        if len(text) <= MAX_CHARS and tokens(text) <= budget:
            return text, is_cut
    return _head(text, budget), True


def _cut(lines: list[Line], keep: int, width: int) -> tuple[str, bool]:
    sizes = _sizes(lines)
    # Two more than are kept are not worth a line that says so.
    limits = {group: keep if size > keep + 2 else size for group, size in sizes.items()}
    shown: list[str] = []
    told: set[int] = set()
    is_cut = False
    for text, *rest in lines:
        over = next((group for group, item in _places(rest) if item >= limits[group]), None)
        if over is None:
            is_long = len(text) > width
            is_cut |= is_long
            shown.append(f"{text[:width]}… ({len(text):,} characters)" if is_long else text)
        elif over not in told:
            told.add(over)
            shown.append(f"… {sizes[over] - limits[over]} more like these")
    return "\n".join(shown), is_cut or bool(told)


def _sizes(lines: list[Line]) -> dict[int, int]:
    """Return how long each list is."""
    sizes: dict[int, int] = {}
    for _, *rest in lines:
        for group, item in _places(rest):
            sizes[group] = max(sizes.get(group, 0), item + 1)
    return sizes


def _places(rest: Line) -> Iterator[tuple[int, int]]:
    """Yield the lists that a line stands in, and where in each."""
    for path in rest:
        yield from zip(path[::2], path[1::2], strict=True)


def _head(text: str, budget: int) -> str:
    lines, size = text.splitlines(), 0
    for at, line in enumerate(lines):
        size += tokens(line) + 1
        if size > budget:
            return "\n".join([*lines[:at], f"… {len(lines) - at} more lines"])
    return text


def around(page: dict[str, Any]) -> dict[str, Any]:
    """Return what is to be known beside the lines of a page."""
    notes = []
    if page["isModal"]:
        notes.append("a dialog of the page lies over the rest")
    if page["hasPassword"]:
        notes.append("asks for a password: the owner logs in, not you")
    if page["type"] != "text/html":
        more = "; web_fetch reads it" if page["type"] == "application/pdf" else ""
        notes.append(f"not HTML: {page['type']}{more}")
    if page["state"] == "loading":
        notes.append("still loading")
    if page["isCut"]:
        notes.append("too large to be read to its end")
    if page["screens"] > 1.5:
        notes.append(f"{page['screens']:.1f} screens long, at {page['scrolled']:.1f}")
    return {"title": page["title"], "url": page["url"], "page": "; ".join(notes)}


def value_text(value: Any) -> str:
    """Return the value of a script as text; nothing for none."""
    import json

    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def shorten(text: str, most: int = MAX_VALUE) -> str:
    """Head and tail of a long text, with how much is left out."""
    if len(text) <= most:
        return text
    tail = most // 5
    return f"{text[: most - tail]}\n[… {len(text) - most:,} characters …]\n{text[-tail:]}"
