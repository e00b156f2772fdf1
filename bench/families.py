"""Whole tasks with every family of models: two calls and an answer, with the model's name alone.

    python bench/families.py [--only WORD] [--json]

Each family is a small server that refuses what its provider refuses (tests/providers.py). The task
runs twice in a fresh home by `launch.py run`: at once, and stopped after its first turn and resumed
in another process. Exit code 1 when one of them did not end well. The columns: how the run ended,
how the resumed run ended, requests that were refused before.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.providers import ANSWER, FAMILIES, STEPS, Provider  # noqa: E402 - behind the path

TASK = ("run", "Do both steps of the work.", "--events", "--approve", "all")
SECONDS = 120


@dataclass(frozen=True, slots=True)
class Row:
    """Say how a family did: "done", or why not."""

    family: str
    model: str
    run: str
    resumed: str
    refused: int


def main() -> int:
    """Print a line for each family."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--only", default="", help="families with this word in their name")
    options.add_argument("--json", action="store_true")
    args = options.parse_args()
    rows = []
    for name in FAMILIES:
        if args.only in name:
            rows.append(measured(name))
            if not args.json:
                print(_line(rows[-1]), flush=True)
    done = sum(row.run == row.resumed == "done" for row in rows)
    if args.json:
        print(json.dumps({"done": done, "rows": [asdict(row) for row in rows]}, indent=1))
    else:
        print(f"{done} of {len(rows)} families finish the task, at once and resumed")
    return 0 if done == len(rows) else 1


def measured(name: str) -> Row:
    """Run the task in both ways."""
    family = FAMILIES[name]
    with Provider(copy.deepcopy(family)) as provider:
        run = at_once(provider)
        refused = len(provider.refused)
    with Provider(copy.deepcopy(family)) as provider:
        resumed = in_two_processes(provider)
    return Row(name, family.model, run, resumed, refused)


def at_once(provider: Provider) -> str:
    """Run the task; return "done", or what is wrong."""
    with tempfile.TemporaryDirectory(prefix="sopwith-families-") as home:
        return judged(_events(home, provider, *TASK))


def in_two_processes(provider: Provider) -> str:
    """Stop the run after a turn, resume it in another process; return "done", or what is wrong."""
    with tempfile.TemporaryDirectory(prefix="sopwith-families-") as home:
        first = _events(home, provider, *TASK, "--max-turns", "1")
        if not first or first[-1].get("status") != "limit":
            return f"the first turn: {_result(first)}"
        asked = len(provider.requests)
        more = _events(home, provider, "runs", "resume", first[0]["run"], *TASK[2:])
        if len(provider.requests) == asked:
            return "the resumed run asked nothing"
        return judged([*first, *more])


def _events(home: str, provider: Provider, *args: str) -> list[dict[str, Any]]:
    """Run one command of its own process; the model's name, key and address are all that is set."""
    environ = {key: value for key, value in os.environ.items() if not key.startswith("SOPWITH_")}
    environ |= {
        "OPENAI_BASE_URL": provider.base_url,
        "OPENAI_API_KEY": "sk-test-key-0123456789",
        "SOPWITH_MODEL": provider.family.model,
    }
    command = [sys.executable, str(ROOT / "launch.py"), "--home", home, *args]
    done = subprocess.run(
        command, env=environ, cwd=home, capture_output=True, timeout=SECONDS, check=False
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def judged(events: list[dict[str, Any]]) -> str:
    """Hold the calls and the answer against the task."""
    ended = [e for e in events if e["type"] == "tool_ended" and e["tool"] == "code_run"]
    said = [json.dumps(event["data"]) for event in ended if event["status"] == "ok"]
    wanted = [step.split()[1] for step in STEPS]
    has_called = len(said) == len(wanted) and all(map(str.__contains__, said, wanted))
    if not has_called:
        missed = [str(event["data"]) for event in ended if event["status"] != "ok"]
        return f"{len(said)} of {len(wanted)} calls {missed}; {_result(events)}"
    return "done" if events[-1].get("result") == ANSWER else _result(events)


def _result(events: list[dict[str, Any]]) -> str:
    last = events[-1] if events else {}
    return str(last.get("result") or last.get("status") or "no event")


def _line(row: Row) -> str:
    return f"{row.family:42} {row.model:26} {row.run:6} {row.resumed:6} {row.refused}"


if __name__ == "__main__":
    sys.exit(main())
