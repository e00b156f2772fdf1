"""Tell what Python code would do, by the rows in assets/commands/python.txt.

Nothing is run; code that does not parse has no effects, since it will not run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shell.python.judge import effects_of
    from shell.python.reading import read_code

__all__ = ["effects_of", "read_code"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    home = "judge" if name == "effects_of" else "reading"
    return getattr(importlib.import_module(f"{__name__}.{home}"), name)
