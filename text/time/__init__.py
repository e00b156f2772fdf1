"""Time expressions, English and Chinese: the stretches of time that a text means, due dates, times that come again.

One engine serves recall, due dates, reminders and the schedule (docs/text.md).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from text.time.due import NoTime, due_of, split_due
    from text.time.finding import find
    from text.time.ranges import TimeRange

__all__ = ["NoTime", "TimeRange", "due_of", "find", "split_due"]
_HOME = {
    "NoTime": "due",
    "due_of": "due",
    "split_due": "due",
    "find": "finding",
    "TimeRange": "ranges",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"text.time has no {name}")
    return getattr(import_module(f"text.time.{_HOME[name]}"), name)
