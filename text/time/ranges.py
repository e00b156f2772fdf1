"""A stretch of time that a text names."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple


class TimeRange(NamedTuple):
    """From `start` to before `end`, aware and UTC; an open side is None. `text` is the expression as it was written.

    `is_vague`: said loosely ("recently"); recall uses it as a hint only."""

    start: datetime | None
    end: datetime | None
    text: str
    is_vague: bool = False
