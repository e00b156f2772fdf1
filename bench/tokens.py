"""Counts what a run sends: tokens of requests (o200k_base), what repeats, what a provider would
bill for it."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Any

CACHE_FROM, CACHE_STEP, CACHED_PRICE = (
    1024,
    128,
    0.1,
)  # tokens, tokens, part of the price of fresh input
Segment = tuple[int, ...]  # the tokens of the tool schemas, or of one message
ROLES = ("system", "user", "assistant", "tool")


@cache
def encode(text: str) -> Segment:
    """Return the tokens of a text. Needs the package bpe-openai, which `scripts/test` installs."""
    return tuple(_encoding().encode(text))


@cache
def _encoding() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # the package reads its tables in an old way
        return import_module("bpe_openai").get_encoding("o200k_base")


def segments(body: dict[str, Any]) -> list[Segment]:
    """Return a request as a provider reads it: the tool schemas (compact JSON), then each message,
    4 tokens of frame each."""
    tools = json.dumps(body.get("tools", []), ensure_ascii=False, separators=(",", ":"))
    return [
        encode(tools) if body.get("tools") else (),
        *(message_tokens(message) for message in body["messages"]),
    ]


def message_tokens(message: dict[str, Any]) -> Segment:
    """Return text, names and arguments of the calls, and a frame of 4 (no tokens of the encoding:
    negative numbers)."""
    functions = [call["function"] for call in message.get("tool_calls") or []]
    said = [
        message.get("content") or "",
        *(text for f in functions for text in (f["name"], f["arguments"])),
    ]
    frame = (-1, -2, -3, -10 - ROLES.index(message["role"]))
    return frame + tuple(token for text in said for token in encode(text))


def count(request: Sequence[Segment]) -> int:
    return sum(map(len, request))


def repeated(before: Sequence[Segment], now: Sequence[Segment]) -> int:
    """Return how many tokens at the beginning of a request stood at the beginning of the one
    before."""
    same = 0
    for old, new in zip(before, now, strict=False):
        pairs = zip(old, new, strict=False)
        same += next(
            (at for at, (one, other) in enumerate(pairs) if one != other), min(len(old), len(new))
        )
        if old != new:
            break
    return same


def billed(requests: Sequence[Sequence[Segment]]) -> float:
    """Fresh input + 0.1 of what a provider's cache holds: the repeated prefix from 1,024 tokens in
    steps of 128."""
    total = 0.0
    before: Sequence[Segment] = []
    for now in requests:
        same = repeated(before, now)
        cached = same - same % CACHE_STEP if same >= CACHE_FROM else 0
        total += count(now) - cached + CACHED_PRICE * cached
        before = now
    return total


def breaks(requests: Sequence[Sequence[Segment]]) -> int:
    """Return how often a request changed more of the one before than its last message (a tail that
    is not kept)."""
    return sum(
        list(now[: len(before) - 1]) != list(before[:-1]) for before, now in pairwise(requests)
    )


def fresh(before: Sequence[Segment], now: Sequence[Segment]) -> int:
    """Return the tokens behind the prefix that a request shares with the one before it."""
    return count(now) - repeated(before, now)
