"""Tell what programs do, from the rows in assets/commands/: options that take values, verbs, files, commands that they run.

`use_of` judges one command line; `operands` and `values_of` split it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shell.catalogue.options import operands, values_of
    from shell.catalogue.packs import Entry, entry, words
    from shell.catalogue.uses import Use, use_of

__all__ = ["Entry", "Use", "entry", "operands", "use_of", "values_of", "words"]
_HOMES = {"operands": "options", "values_of": "options", "Use": "uses", "use_of": "uses"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_HOMES.get(name, 'packs')}"), name)
