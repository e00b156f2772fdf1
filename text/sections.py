"""Read a data file of sections: `[name]`, then lines of text; a line that begins with `# ` is a
comment."""

from __future__ import annotations

import re
from pathlib import Path

ASSETS = Path(__file__).resolve().parents[1] / "assets"
_SECTION = re.compile(r"(?m)^\[([\w.]+)\]\n((?:(?!\[[\w.]+\]\n).*\n)*)")


def sections(file: str) -> dict[str, str]:
    """Return the text of each section of a file below assets/."""
    text = re.sub(r"(?m)^# .*\n", "", (ASSETS / file).read_text("utf-8"))
    return {name: body.strip() for name, body in _SECTION.findall(text)}
