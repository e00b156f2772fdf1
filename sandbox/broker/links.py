"""Puts a link into a cell for each program that only the broker may run: it leads to a shim, which
asks the broker."""

from __future__ import annotations

import shlex
from pathlib import Path

from sandbox.broker.forms import programs
from sandbox.kernel import python

PORT = 3129  # of the broker, on 127.0.0.1 of the cell's own network
ASKED = "/run/sopwith"  # in a cell: comes first on the path
SHIM = Path(__file__).with_name("shim.py")


def shim_text() -> bytes:
    """Return the text of the program that stands in a cell for one that only the broker may run."""
    line = shlex.join([*python(), str(SHIM), str(PORT)])
    return f'#!/bin/sh\nexec {line} "${{0##*/}}" "$@"\n'.encode()


def mounted(text: int) -> list[str]:
    """Return what bubblewrap is told: a folder of links to the shim. `text` is a descriptor from
    which that is read."""
    words = ["--dir", ASKED, "--perms", "0755", "--ro-bind-data", str(text), f"{ASKED}/.shim"]
    links = (("--symlink", ".shim", f"{ASKED}/{name}") for name in programs())
    return [*words, *(word for link in links for word in link)]
