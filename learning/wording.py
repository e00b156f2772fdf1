"""Make the wording that asks for an SOP of the request in which its owner asked for it, and schemas
of its values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from replay.parameters import NUMBERED

Span = tuple[int, int]
QUOTES = {'"': '"', "'": "'", "“": "”", "「": "」", "`": "`"}


def asked_with(name: str, request: str, values: Mapping[str, str]) -> list[str]:
    """Return wordings with a slot for each value; without a request, one of the SOP's name."""
    text, missing = slotted(request, values)
    if not text or missing:
        words = [name.replace("-", " "), *(f"{key} {{{key}}}" for key in values)]
        return [" ".join(words)]
    return [text]


def schema_of(value: str) -> dict[str, Any]:
    """Return the JSON schema of a parameter that had this value."""
    if re.fullmatch(r"\d{1,9}", value):
        return {"type": "string", "pattern": NUMBERED}  # `09` stays as it is said
    if re.match(r"(~?/|https?://)", value):
        return {"type": "string", "format": "url" if value[0] == "h" else "path"}
    return {"type": "string", "minLength": 1}


def slotted(request: str, values: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return the request with slots for its values, and the names of those it leaves out."""
    text, missing = " ".join(request.split()), []
    for name, value in sorted(values.items(), key=lambda pair: -len(pair[1])):
        if f"{{{name}}}" in text:
            continue
        spans = _found(text, value) or _found(text, value.rstrip("/"))
        if not spans:
            missing.append(name)
            continue
        start, end = min(spans, key=lambda span: _looseness(text, span, name))
        if start and QUOTES.get(text[start - 1]) == text[end : end + 1]:
            start, end = start - 1, end + 1
        text = f"{text[:start]}{{{name}}}{text[end:]}"
    return text.rstrip(" .!?。！？"), missing


def _looseness(text: str, span: Span, name: str) -> int:
    """Return 0 for a place beside the name of the parameter, 1 for a free one, 2 for joined."""
    before, behind = text[: span[0]], text[span[1] :].rstrip(".")
    if before.rstrip(" \"'").endswith(f" {name}"):
        return 0
    return 1 + bool(re.search(r"[\w./-]", before[-1:] + behind[:1], re.ASCII))


def _found(text: str, value: str) -> list[Span]:
    start = r"(?<![A-Za-z0-9{])" if value[:1].isascii() and value[:1].isalnum() else ""
    end = r"(?![A-Za-z0-9}])" if value[-1:].isascii() and value[-1:].isalnum() else ""
    found = re.finditer(f"{start}{re.escape(value)}{end}", text) if value else ()
    return [each.span() for each in found]
