"""Lists over the catalogue that others look names up in; made when they are first asked for."""

from __future__ import annotations

import functools

from shell.catalogue.packs import blocks, python_names


@functools.cache
def shells() -> frozenset[str]:
    """Return the programs that read bash from their input."""
    codes = {name: given.get("code") or {} for name, (_, given) in blocks().items()}
    found = {name for name, code in codes.items() if code.get("input") == "bash"}
    return frozenset(found - {"source", "."})


@functools.cache
def wrappers() -> frozenset[str]:
    """Return the programs that run the rest of their line."""
    return frozenset(name for name, (_, given) in blocks().items() if "runs" in given)


@functools.cache
def remote_libraries() -> frozenset[str]:
    """Return Python's libraries that talk to others, or serve them."""
    return python_names()["servers"] | python_names()["remote"]
