"""Lists over the catalogue that others look names up in; made when they are first asked for."""

from __future__ import annotations

import functools
from typing import Any

from shell.catalogue.packs import load, programs

# In the order in which they are asked for: shells, interpreters with the options that carry code, programs that run
# the rest of their line (options with a value, words before it), programs that write to operands, Python's libraries.
_NAMES = ["INTERPRETERS", "REMOTE_LIBRARIES", "SERVERS", "SHELLS", "WRAPPERS", "WRITES"]


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return (_libraries() if name in ("SERVERS", "REMOTE_LIBRARIES") else _lists())[name]


@functools.cache
def _libraries() -> dict[str, Any]:
    python = load("python.yaml")
    return {
        "SERVERS": frozenset(python["servers"].split()),
        "REMOTE_LIBRARIES": frozenset(python["remote"].split()),
    }


@functools.cache
def _lists() -> dict[str, Any]:
    known = {name: found for name, found in programs().items() if name[-1:] != "*"}
    shells = {name for name, found in known.items() if found.code.get("input") == "bash"}
    return {
        "SHELLS": frozenset(shells - {"source", "."}),
        "INTERPRETERS": {
            name: " ".join(option for option in found.code if option[:1] == "-")
            for name, found in known.items()
            if name not in shells and {"script", "program"} & found.more.keys()
        },
        "WRAPPERS": {
            name: (" ".join(found.takes), int(found.more["runs"]))
            for name, found in known.items()
            if "runs" in found.more
        },
        "WRITES": {
            name: str(found.more["writes"])
            for name, found in known.items()
            if "writes" in found.more
        },
    }
