"""Take a value of JSON as the type that is wanted; one of another type is empty."""

from __future__ import annotations

from typing import Any

MAX_COUNT = 10**9


def text_of(value: object) -> str:
    """Return a text."""
    return value if isinstance(value, str) else ""


def record_of(value: object) -> dict[str, Any]:
    """Return an object."""
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[Any]:
    """Return a list."""
    return value if isinstance(value, list) else []


def records_of(value: object) -> list[dict[str, Any]]:
    """Return the objects of a list."""
    return [each for each in list_of(value) if isinstance(each, dict)]


def count_of(value: object) -> int:
    """Return a number of tokens; -1 when it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return -1
    return int(value) if 0 <= value <= MAX_COUNT else -1
