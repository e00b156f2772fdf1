"""Tell what a script would do: a list of effects, command by command, as far as its words tell.

Files are named, not looked for; what a place means (a home, a key, a root) is judged in safety/.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shell.effects.known import GUARDED, MADE, PROXIES
    from shell.effects.records import Effect, Setting
    from shell.effects.statements import changes_sql
    from shell.effects.walk import scan

__all__ = ["GUARDED", "MADE", "PROXIES", "Effect", "Setting", "changes_sql", "scan"]
_HOMES = {
    "Effect": "records",
    "Setting": "records",
    "scan": "walk",
    "GUARDED": "known",
    "MADE": "known",
    "PROXIES": "known",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    home = importlib.import_module(f"{__name__}.{_HOMES.get(name, 'statements')}")
    return getattr(home, name)
