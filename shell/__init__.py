"""Tell what a script says: one reader of bash, one of Python, and the effects of each command over assets/commands/.

Pure functions; nothing is run, no file is opened. Sub-packages: bash, python, catalogue, effects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shell.bash import Command, NotUnderstood, parse, read
    from shell.effects import Effect, Setting, scan
    from shell.placed import words

__all__ = ["Command", "Effect", "NotUnderstood", "Setting", "parse", "read", "scan", "words"]
_HOMES = {"Effect": "effects", "Setting": "effects", "scan": "effects", "words": "placed"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_HOMES.get(name, 'bash')}"), name)
