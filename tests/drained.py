"""Run a generator to its end, for tests: what it gave, and what it returned."""

from typing import Any

from models.base import ToolResult


def drained(running: Any) -> tuple[list[Any], Any]:
    """Return what a generator gave and what it returned."""
    given: list[Any] = []
    while True:
        try:
            given.append(next(running))
        except StopIteration as end:
            return given, end.value


def result_of(running: Any) -> ToolResult:
    """Return the result of a tool, whether it streams or answers at once."""
    result = running if isinstance(running, ToolResult) else drained(running)[1]
    assert isinstance(result, ToolResult)
    return result
