"""Say in the owner's language why a replay stops and what it did: assets/replay/said.json."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Literal

Lang = Literal["en", "zh"]
FILE = Path(__file__).resolve().parents[1] / "assets" / "replay" / "said.json"


@cache
def _texts() -> dict[str, dict[Lang, str]]:
    found: dict[str, dict[Lang, str]] = json.loads(FILE.read_text("utf-8"))
    return found


def say(key: str, lang: Lang, *values: object) -> str:
    """Return a text in a language, with the values in their places."""
    return _texts()[key][lang].format(*values)
