"""Tell what Python code would do, by the rows in assets/commands/python.yaml.

Nothing is run; code that does not parse has no effects, since it will not run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shell.python.judge import effects_of

__all__ = ["effects_of"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from shell.python.judge import effects_of

    return effects_of
