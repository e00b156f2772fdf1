"""One reader of Python: the calls of a script, and what they would do.

`effects_of` judges by the rows in assets/commands/python.yaml; `calls` gives each call with its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shell.python.judge import effects_of
    from shell.python.reading import Call, Literal, calls, literals

__all__ = ["Call", "Literal", "calls", "effects_of", "literals"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    home = "judge" if name == "effects_of" else "reading"
    return getattr(importlib.import_module(f"{__name__}.{home}"), name)
