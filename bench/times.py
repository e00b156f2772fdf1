"""Score time words on sentences of others, beside ten regular expressions: the stretches meant,
none where none is."""

from __future__ import annotations

from pathlib import Path

from bench.places import Figure
from bench.timewords import ours, simple, specified

DATA = "timewords-dev.json"


def score(data: Path) -> list[Figure]:
    """Return right answers by language, the past reading where there are two, and silence."""
    found = specified(data / DATA, "", ours, shown=False)
    beside = specified(data / DATA, "", simple, shown=False)
    return [
        Figure(f"time words, {name}", right, of=all_, baseline=beside[name][0])
        for name, (right, all_) in found.items()
    ]
