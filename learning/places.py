"""Where a value stands inside a text: as a word of its own, a number with its unit, a part of a path."""

from __future__ import annotations

import re
from collections.abc import Iterator

from learning.mentions import Mention
from learning.units import MIN_BYTES

_SUFFIXES = {"m": {"mb", "m", "megabytes", "mib"}, "g": {"gb", "g", "gigabytes", "gib"}, "k": {"kb", "k", "kilobytes", "kib"}, "d": {"days", "day", "d", "天"}, "h": {"hours", "hour", "h"}, "p": {"line", "lines", "p", "行"}}  # fmt: skip


def spans_of(text: str, value: str, operation: str) -> list[tuple[int, int, str]]:
    if not value:
        return []
    before = r"(?<!\w)" if re.match(r"\w", value) and value[0].isascii() else ""
    behind = r"(?!\w)" if re.search(r"\w$", value) and value[-1].isascii() else ""
    if before and len(value) >= 8 and value.isdigit():
        before = behind = r"(?:)"  # a date inside backup_20260131
        before, behind = r"(?<!\d)", r"(?!\d)"
    elif before and re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        before, behind = r"(?<!\d)", r"(?!\d)"
    elif before and len(value.encode()) >= MIN_BYTES:
        before, behind = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])"  # report in my_report
    return [
        (*match.span(), operation)
        for match in re.finditer(before + re.escape(value) + behind, text)
    ]


def number_spans(text: str, value: str) -> list[tuple[int, int]]:
    pattern = (
        rf"(?:(?<![\w.,])|(?<=^-[A-Za-z])|(?<=_))(?<!\w-){re.escape(value)}(?![\d]|[.,]\d|-\d|:\d)"
    )
    return [match.span() for match in re.finditer(pattern, text)]


def suffix_fits(text: str, end: int, mention: Mention) -> bool:
    """`10M` is "10 MB", not "10 GB"; a longer word behind a number makes it a name."""
    match = re.match(r"[A-Za-z]+", text[end:])
    if not match:
        return True
    return any(word in _SUFFIXES.get(match[0].lower(), ()) for word in mention.near[:1])


def path_ends(text: str) -> Iterator[int]:
    """Where a path may end inside a longer one: behind a part, or before a suffix such as .bak or _old."""
    for match in re.finditer(r"(?<=[^/])(?=/|[._-][^/]*$|$)", text):
        yield match.start()


def contains(text: str, value: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) is not None
