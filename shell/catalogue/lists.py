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
    shells, interpreters, wrappers, writes = set(), {}, {}, {}
    for name, known in programs().items():
        if known.code.get("input") == "bash":
            shells.add(name)
        elif "script" in known.more or "program" in known.more:
            interpreters[name] = " ".join(option for option in known.code if option[:1] == "-")
        if "runs" in known.more:
            wrappers[name] = (" ".join(known.takes), int(known.more["runs"]))
        if "writes" in known.more:
            writes[name] = str(known.more["writes"])
    interpreters = {name: given for name, given in interpreters.items() if name[-1:] != "*"}
    return {
        "SHELLS": frozenset(shells - {"source", "."}),
        "INTERPRETERS": interpreters,
        "WRAPPERS": wrappers,
        "WRITES": writes,
    }
