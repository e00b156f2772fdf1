"""Names the ports of a cell, and the variables by which programs in it find the proxy without settings of the owner."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path

PROXY_PORT, BROKER_PORT = 3128, 3129  # on 127.0.0.1 of the cell's own network
ASKED = "/run/sopwith"  # in a cell: comes first on the path
DIAL = Path(__file__).with_name("dial.py")
SHIM = Path(__file__).with_name("shim.py")
_HERE = "localhost,127.0.0.1,::1"  # servers that a script starts itself


def variables(port: int = PROXY_PORT) -> dict[str, str]:
    """Return the environment of a cell: proxies in both spellings, and a way for git over ssh."""
    proxy = f"http://127.0.0.1:{port}"
    # ALL_PROXY is no socks5:// address: libraries without SOCKS fail at once when they see one
    found = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), proxy) | {"NO_PROXY": _HERE}
    command = shlex.join([*_python(), str(DIAL), str(port), "%h", "%p"])
    ssh = f"ssh -o {shlex.quote(f'ProxyCommand={command}')}"
    lower = {name.lower(): value for name, value in found.items()}
    return found | lower | {"GIT_SSH_COMMAND": ssh, "NODE_USE_ENV_PROXY": "1"}


def shim() -> bytes:
    """Return the text of the program that stands in a cell for one that only the broker may run."""
    line = shlex.join([*_python(), str(SHIM), str(BROKER_PORT)])
    return f'#!/bin/sh\nexec {line} "${{0##*/}}" "$@"\n'.encode()


def mounted(text: int, programs: Iterable[str]) -> list[str]:
    """Return what bubblewrap is told: a folder of links to the shim. `text` is a descriptor from which that is read."""
    words = ["--dir", ASKED, "--perms", "0755", "--ro-bind-data", str(text), f"{ASKED}/.shim"]
    links = (("--symlink", ".shim", f"{ASKED}/{name}") for name in programs)
    return [*words, *(word for link in links for word in link)]


def _python() -> list[str]:
    return [os.path.realpath(sys.executable), "-I", "-S", "-B"]
