"""Names the variables by which programs in a cell find the proxy without settings of the owner."""

from __future__ import annotations

import shlex
from pathlib import Path

from sandbox.kernel import python

PROXY_PORT = 3128  # on 127.0.0.1 of the cell's own network
DIAL = Path(__file__).with_name("dial.py")
_HERE = "localhost,127.0.0.1,::1"  # servers that a script starts itself


def proxied(port: int = PROXY_PORT) -> dict[str, str]:
    """Return the environment of a cell: proxies in both spellings, and a way for git over ssh."""
    proxy = f"http://127.0.0.1:{port}"
    # ALL_PROXY is no socks5:// address: libraries without SOCKS fail at once when they see one
    found = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), proxy) | {"NO_PROXY": _HERE}
    command = shlex.join([*python(), str(DIAL), str(port), "%h", "%p"])
    ssh = f"ssh -o {shlex.quote(f'ProxyCommand={command}')}"
    lower = {name.lower(): value for name, value in found.items()}
    return found | lower | {"GIT_SSH_COMMAND": ssh, "NODE_USE_ENV_PROXY": "1"}
