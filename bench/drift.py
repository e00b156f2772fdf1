"""Count replays that stop before a change when their world has drifted: format, columns, unit,
unknown id, empty files."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from bench.lesson import teach
from bench.places import CHECKOUT, Figure
from bench.recordings import scored_task

TASKS = CHECKOUT / "bench" / "drift.json"


def score(data: Path) -> list[Figure]:
    """Return how many drifted replays stop, with nothing changed."""
    said = json.loads(TASKS.read_text("utf-8"))
    stopped, of = 0, 0
    with tempfile.TemporaryDirectory(prefix="sopwith-figures-") as folder:
        for task in said["tasks"]:
            found = scored_task(Path(folder), said["prelude"], task, teach)
            pairs = zip(task["others"], found["replays"], strict=True)
            drifted = [verdict for other, verdict in pairs if other["expect"] == "stop"]
            stopped += drifted.count("right")
            of += len(drifted)
    return [Figure("drift, stopped before a change", stopped, of=of)]
