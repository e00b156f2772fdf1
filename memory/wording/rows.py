"""Read assets/memory/wording.toml."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).parents[2] / "assets" / "memory" / "wording.toml"


@cache
def table(name: str) -> dict[str, Any]:
    """Return one table of the file."""
    found: dict[str, Any] = tomllib.loads(_FILE.read_text("utf-8"))[name]
    return found


@cache
def pattern_of(part: str, name: str) -> re.Pattern[str]:
    """Return one pattern of a table."""
    return re.compile(table(part)[name], re.ASCII if part == "words" else 0)
