"""Where a value stands in a request: as words of its own, to the letter or but for case and `_`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_BEFORE = r"(?<![A-Za-z0-9_#@/.-])"
_BEHIND = r"(?![A-Za-z0-9_@/-]|\.[A-Za-z0-9])"
Span = tuple[int, int]


def spans(request: str, text: str, is_exact: bool) -> list[Span]:
    """Return where a request names a text. Chinese needs no space around it."""
    if not text.strip():
        return []
    pattern = r"[\s_]+".join(re.escape(part) for part in re.split(r"[\s_]+", text.strip()))
    pattern = re.escape(text) if is_exact else pattern
    before = _BEFORE if text[:1].isascii() else ""
    behind = _BEHIND if text[-1:].isascii() else ""
    flags = 0 if is_exact else re.IGNORECASE
    return [found.span() for found in re.finditer(before + pattern + behind, request, flags)]


def free(found: Sequence[Span], taken: Sequence[Span]) -> list[Span]:
    """Return the first span that touches none of those that are taken, in a list; or []."""
    for start, end in found:
        if all(end <= other or start >= last for other, last in taken):
            return [(start, end)]
    return []


def slotted(request: str, named: Mapping[str, Span], shapes: Mapping[str, str]) -> str:
    """Return the request with slots in the places of its values."""
    text = request
    for name, (start, end) in sorted(named.items(), key=lambda item: -item[1][0]):
        quotes = {'"': '"', "'": "'", "“": "”", "「": "」"}
        if start and quotes.get(text[start - 1]) == text[end : end + 1] and text[end : end + 1]:
            start, end = start - 1, end + 1
        text = f"{text[:start]}{{{name}{shapes.get(name, '')}}}{text[end:]}"
    return " ".join(text.split()).rstrip(" .!?。！？")


def described(request: str, values: Mapping[str, Any]) -> str:
    """Return what a request asks for, with names in the places of its values."""
    named: dict[str, Span] = {}
    for name, value in sorted(values.items(), key=lambda item: -len(str(item[1]))):
        for each in value if isinstance(value, list) else [value]:
            for span in free(spans(request, str(each), True), list(named.values())):
                named[f"{name}" if name not in named else f"{name} {len(named)}"] = span
    text = slotted(request, named, {}).replace("{", "").replace("}", "")
    return f"{text[:1].upper()}{text[1:]}."
