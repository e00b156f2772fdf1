"""Import the providers' packages for their transport: 340 of openai's modules are types, which a
flat post never uses.

Importing them took half of a start. They load as soon as anybody asks one of their packages for a
name.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any

UNUSED = ("openai.types", "openai.types.responses")  # outer packages first


def package(name: str) -> Any:
    """Return `openai` or `anthropic`."""
    if name == "openai" and name not in sys.modules:
        above = find_spec(name)
        places: Sequence[str] = (above.submodule_search_locations if above else None) or []
        for unused in UNUSED:
            module = _later(unused, places)
            places = module.__path__ if module else []
    return import_module(name)


def _later(name: str, places: Sequence[str]) -> ModuleType | None:
    """Put a package in its place that runs its own code at the first name it is asked for."""
    spec = PathFinder.find_spec(name, places)
    if spec is None or spec.loader is None:  # another version has no such package
        return None
    module, loader = module_from_spec(spec), spec.loader

    def load(wanted: str) -> Any:
        del vars(module)["__getattr__"]
        loader.exec_module(module)
        return getattr(module, wanted)

    vars(module)["__getattr__"] = load
    sys.modules[name] = module
    parent, _, own = name.rpartition(".")
    if parent in sys.modules:
        setattr(sys.modules[parent], own, module)
    return module
