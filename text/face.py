"""Load the public names of a part when they are first used, so that a start imports only what it needs (PEP 562)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module


def lazy(part: str, **names: str) -> Callable[[str], object]:
    """Return the `__getattr__` of a part's `__init__`; `names` maps each public name to its module.

    The type checker reads the same names under `if TYPE_CHECKING:`.
    """

    def load(name: str) -> object:
        if name not in names:
            raise AttributeError(f"module {part!r} has no attribute {name!r}")
        found: object = getattr(import_module(f"{part}.{names[name]}"), name)
        setattr(sys.modules[part], name, found)
        return found

    return load
