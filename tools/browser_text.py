"""Makes of a scanned page what a model reads, within a budget of tokens: long lists are cut with a count, then long lines,
then the end; and what changed after a script, in a few lines."""

from __future__ import annotations

from typing import Any

BUDGET = 4_000  # tokens of one page
KEPT = (40, 20, 10, 5, 3)  # of a list, one after the other until the page fits
WIDTHS = (100_000, 600, 240)  # characters of a line
MAX_VALUE = 8_000  # characters of a script's value that are shown
Line = list[Any]  # [text] or [text, [list, item, list, item …]] from the outermost list inwards


def tokens(text: str) -> int:
    """About how many tokens a text is: four letters each; signs of other scripts, one each."""
    wide = sum(1 for letter in text if ord(letter) > 0x2E7F)
    return (len(text) - wide + 3) // 4 + wide


def whole(lines: list[Line]) -> str:
    """All lines."""
    return "\n".join(str(line[0]) for line in lines)


def fit(lines: list[Line], budget: int = BUDGET) -> tuple[str, bool]:
    """The page within the budget, and whether something is left out."""
    for width in WIDTHS:
        for keep in KEPT:
            text, is_cut = _cut(lines, keep, width)
            if tokens(text) <= budget:
                return text, is_cut
    return _head(text, budget), True


def _cut(lines: list[Line], keep: int, width: int) -> tuple[str, bool]:
    sizes: dict[int, int] = {}
    for _, *rest in lines:
        for at in range(0, len(rest[0]) if rest else 0, 2):
            group, item = rest[0][at], rest[0][at + 1]
            sizes[group] = max(sizes.get(group, 0), item + 1)
    # Two more than are kept are not worth a line that says so.
    limits = {group: keep if size > keep + 2 else size for group, size in sizes.items()}
    shown: list[str] = []
    told: set[int] = set()
    is_cut = False
    for text, *rest in lines:
        path = rest[0] if rest else []
        over = next((path[at] for at in range(0, len(path), 2) if path[at + 1] >= limits[path[at]]), None)
        if over is None:
            is_cut |= len(text) > width
            shown.append(text if len(text) <= width else f"{text[:width]}… ({len(text):,} characters)")
        elif over not in told:
            told.add(over)
            shown.append(f"… {sizes[over] - limits[over]} more like these")
    return "\n".join(shown), is_cut or bool(told)


def _head(text: str, budget: int) -> str:
    lines, size = text.splitlines(), 0
    for at, line in enumerate(lines):
        size += tokens(line) + 1
        if size > budget:
            return "\n".join([*lines[:at], f"… {len(lines) - at} more lines"])
    return text


def around(page: dict[str, Any]) -> dict[str, Any]:
    """What is to be known beside the lines of a page."""
    notes = []
    if page["isModal"]:
        notes.append("a dialog of the page lies over the rest")
    if page["hasPassword"]:
        notes.append("asks for a password: the owner logs in, not you")
    if page["type"] != "text/html":
        notes.append(f"not HTML: {page['type']}")
    if page["state"] == "loading":
        notes.append("still loading")
    if page["isCut"]:
        notes.append("too large to be read to its end")
    if page["screens"] > 1.5:
        notes.append(f"{page['screens']:.1f} screens long, at {page['scrolled']:.1f}")
    return {"title": page["title"], "url": page["url"], "page": "; ".join(notes)}


def value_text(value: Any) -> str:
    """The value of a script as text; nothing for none."""
    import json

    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def shorten(text: str, most: int = MAX_VALUE) -> str:
    """Head and tail of a long text, with how much is left out."""
    if len(text) <= most:
        return text
    tail = most // 5
    return f"{text[: most - tail]}\n[… {len(text) - most:,} characters …]\n{text[-tail:]}"
