"""What a tool is: a typed function with a docstring. Its schema is derived from both (tools/schema.py).

A tool takes a `ToolContext` first, then its arguments. It returns a `ToolResult`, or is a generator that yields its
output as text while it works and returns the `ToolResult`. It raises `ToolError` for what the model can mend (a missing
file, a pattern that is not unique); anything else that it raises is a defect of ours and ends the run.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from models.base import ToolResult

Effect = Literal["none", "read", "write", "delete", "execute", "network", "ask", "memory"]


class ToolError(Exception):
    """The model's mistake or the world's: goes to the model as an outcome. One or two lines."""


@dataclass(slots=True)
class ToolContext:
    """What a tool may use of the run it works for."""

    cwd: Path  # where relative paths start, absolute
    folder: Path  # the run's own folder, for long outputs and the like
    home: Path  # the home folder
    call: str = ""  # the id of this call
    tool_seconds: float = 60.0  # the default time limit of a call, seconds
    env: dict[str, str] = field(default_factory=dict)  # added to the environment of child processes

    def path(self, text: str) -> Path:
        """The absolute path that the model means: ~ is expanded, relative paths start at `cwd`; links stay."""
        return self.cwd / Path(text).expanduser()


@dataclass(frozen=True, slots=True)
class Tool:
    """A function with what the handler and the gate must know of it. `effects` names what it may do to the world;
    `paths` names those of its arguments that are paths (a string, or a list of strings)."""

    name: str
    run: Callable[..., ToolResult | Generator[str, None, ToolResult]]
    effects: tuple[Effect, ...]
    paths: tuple[str, ...] = ()

    @property
    def only_reads(self) -> bool:
        """True when the call leaves nothing behind, so that it may be done again after a crash."""
        return set(self.effects) <= {"none", "read", "ask"}


def tool(*effects: Effect, paths: tuple[str, ...] = ()) -> Callable[[Callable[..., Any]], Tool]:
    """Makes a tool of a function: `@tool("read", paths=("path",))`."""

    def wrap(function: Callable[..., Any]) -> Tool:
        if not inspect.getdoc(function):
            raise TypeError(f"{function.__name__} needs a docstring: it is what the model reads")
        return Tool(function.__name__, function, effects or ("none",), paths)

    return wrap
