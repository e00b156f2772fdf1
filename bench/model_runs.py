"""Score the same tasks done by a model: its run is taught by `teach NAME --from-run`, then asked
for with other values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.lesson import filled, lesson, sopwith
from bench.places import Figure
from bench.recordings import scored


def score(data: Path) -> list[Figure]:
    """Return how many tasks are proven from one run, and how their replays end."""
    return scored(data, taught, "model runs")


def taught(task: dict[str, Any], home: Path, transcript: Path) -> str:
    """Let a scripted model do the task in the world of `home`, then teach from its run; return ""
    or what went wrong."""
    start = home / task["start"] if task.get("start") else home
    config = home / ".sopwith" / "config.yaml"
    replies = home / ".sopwith" / "replies.json"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(f"models: [{{name: script, kind: scripted, model: {replies}}}]\n", "utf-8")
    call = {"name": "code_run", "args": {"type": "bash", "script": "\n".join(task["typed"])}}
    replies.write_text(json.dumps([{"calls": [call]}, "Done."]), "utf-8")
    request = filled(task["request"], task["values"])
    options = ("run", "--no-rote", "--approve", "all", "--cwd", str(start))
    done = sopwith(home, "--lang", task["lang"], *options, request)
    config.unlink()
    if done.returncode != 0:
        return f"the run ended with {done.returncode}: {done.stderr.strip()[-300:]}"
    return lesson(task, home, transcript, ("--from-run", "last"), [])
