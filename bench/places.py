"""Where the figures lie, and the shape of one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
DATA = CHECKOUT.parent / "shared" / "data"  # development data, where there is any
CACHE = Path("~/.cache/sopwith-figures").expanduser()


@dataclass(frozen=True)
class Figure:
    """One measured number: a count of `of`, or a number with its unit; a simple way's number beside
    it."""

    name: str
    value: float
    of: int | None = None
    unit: str = ""
    baseline: float | None = None
