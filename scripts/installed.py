"""The installed command: the checkout lies in this one package folder, which goes first on the path.

In the wheel this file is sopwith/__init__.py (pyproject.toml); a checkout does not use it.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path


def main() -> int:
    """Runs launch.py of this folder with the arguments of the process."""
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    code: int = import_module("launch").main()
    return code
