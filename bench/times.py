"""Score time words on sentences of others, beside dateparser: exactly the ranges meant, none where none is."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.places import Figure
from bench.timewords import Ranges, dateparsers, is_right, ours

DATA = "timewords-dev.json"
NOW = "2016-11-07T00:00:00"  # of a sentence that does not say when it is said


def score(data: Path) -> list[Figure]:
    """Return exact answers by language, the past reading where there are two, and silence."""
    cases = json.loads((data / DATA).read_text("utf-8"))["cases"]
    kinds = {
        f"time words, {lang} exact": [
            each for each in cases if each["lang"] == lang and each["items"] and not each["other"]
        ]
        for lang in ("en", "zh")
    }
    kinds["time words, silent"] = [each for each in cases if not each["items"]]
    return [_figure(name, rows) for name, rows in kinds.items()]


def _figure(name: str, rows: list[dict[str, Any]]) -> Figure:
    right = beside = 0
    for row in rows:
        now = datetime.fromisoformat(row["now"] or NOW).replace(tzinfo=UTC)
        meant: Ranges = [_past(item) for item in row["items"]]
        right += ours(row["text"], now) == meant
        beside += is_right("dateparser", dateparsers(row["text"], now), meant)
    return Figure(name, right, of=len(rows), baseline=beside)


def _past(item: dict[str, Any]) -> tuple[datetime, datetime]:
    _, start, end = item["readings"][0]
    first, last = (datetime.fromisoformat(each).replace(tzinfo=UTC) for each in (start, end))
    return first, last
