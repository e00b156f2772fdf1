"""Load the public names of a part when they are first used, so that a start imports only what it
needs (PEP 562)."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path

_IMPORT = re.compile(r"^ +from ([\w.]+) import (\w+) as \2$", re.MULTILINE)


def lazy(part: str, **names: str) -> Callable[[str], object]:
    """Return the `__getattr__` of a part's `__init__`.

    The public names are those that it imports for the type checker under `if TYPE_CHECKING:`, one a
    line (`from a.b import c as c`). `names` maps each to its module instead, where they stand in no
    file.
    """

    def load(name: str) -> object:
        module = f"{part}.{names[name]}" if name in names else _listed(part).get(name)
        if module is None:
            raise AttributeError(f"module {part!r} has no attribute {name!r}")
        found: object = getattr(import_module(module), name)
        setattr(sys.modules[part], name, found)
        return found

    return load


@cache
def _listed(part: str) -> dict[str, str]:
    """Map the names that a face imports to their modules."""
    source = Path(sys.modules[part].__file__ or "").read_text("utf-8")
    return {name: module for module, name in _IMPORT.findall(source)}
