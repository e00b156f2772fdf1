"""One reader of bash: commands with their words, redirections and loops, each with its place in the script.

Nothing is run or expanded; what cannot be read is said, never raised, but by `parse`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shell.bash.reader import parse, read
    from shell.bash.syntax import Command, NotUnderstood, Part, Redirect, Script, Word

__all__ = ["Command", "NotUnderstood", "Part", "Redirect", "Script", "Word", "parse", "read"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    home = "reader" if name in ("parse", "read") else "syntax"
    return getattr(importlib.import_module(f"{__name__}.{home}"), name)
