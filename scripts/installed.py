"""The installed command: the checkout lies in this one package folder, which goes first on the
path.

In the wheel this file is sopwith/__init__.py (pyproject.toml); a checkout does not use it.
"""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from pathlib import Path


def main() -> int:
    """Run launch.py of this folder with the arguments of the process. A Ctrl-C before a command
    begins says nothing."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    code: int = import_module("launch").main()
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # all is done: what is put away now is not cut short
    return code
