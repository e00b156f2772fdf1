"""Requests that no task covers, and near misses of the tasks: none of them may be done by rote."""

from __future__ import annotations

UNCOVERED: tuple[str, ...] = ()
NEAR: dict[str, tuple[str, ...]] = {}
