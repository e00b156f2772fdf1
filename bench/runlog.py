"""The run log at size: how long `runs list` takes over many runs, and what archiving them saves.

    .venv/bin/python -m bench.runlog [RUNS] [--archive N]

Makes RUNS runs (100,000) of a rote task each in a temporary home folder, asks the command line for
lists, cold and warm, archives N of them (2,000) and reads one back. Prints one line a measurement,
seconds of wall time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
FIRST = datetime(2026, 1, 1, tzinfo=UTC)


def make_runs(home: Path, count: int, seconds_apart: float = 60.0) -> list[str]:
    """Write logs as a replay of two steps leaves them; return the ids, oldest first."""
    ids = []
    for number in range(count):
        at = FIRST + timedelta(seconds=number * seconds_apart)
        run = f"{at:%Y%m%d-%H%M%S}-{number % 1000:03d}{number % 251:02x}"
        folder = home / "runs" / run
        folder.mkdir(parents=True)
        (folder / "log.jsonl").write_text(_log(run, at.isoformat(), number), "utf-8")
        (folder / "lock").write_text("1\n")
        os.utime(folder / "log.jsonl", (at.timestamp(), at.timestamp()))
        ids.append(run)
    return ids


def _log(run: str, at: str, number: int) -> str:
    stamp = {"run": run, "at": at}
    tokens = {"input": 0, "cached": 0, "output": 0}
    called = {
        "type": "model_called",
        "model": "rote:x",
        "kind": "rote",
        "seconds": 0,
        "tokens": tokens,
        "cost": 0.0,
    }
    reply = {"reply": {"text": "one step", "calls": [], "finish": "stop", "only_reads": True}}
    data = {"exit_code": 0, "output": "line\n" * 40}
    step = {"call": "rote00001", "tool": "code_run"}
    events = [
        {
            "type": "run_started",
            "task": f"task {number} of many",
            "session": "main",
            "home": "-",
            "models": [],
            "sop": "x",
        },
        *(
            event | {"turn": turn}
            for turn in (1, 2)
            for event in (
                {"type": "turn_started"},
                called | reply,
                {
                    "type": "tool_started",
                    **step,
                    "args": {"script": "ls"},
                    "hash": "0",
                    "only_reads": True,
                },
                {"type": "tool_ended", **step, "status": "ok", "seconds": 0.01, "data": data},
            )
        ),
        {
            "type": "run_ended",
            "status": "done",
            "result": "2 files",
            "exit": "CURRENT_TASK_DONE",
            "turns": 2,
            "model_calls": 0,
            "tokens": tokens,
            "cost": 0.0,
            "seconds": 0.2,
            "sop": "x",
            "rote": True,
        },
    ]
    return "".join(json.dumps({"type": event["type"], **stamp, **event}) + "\n" for event in events)


def timed(home: Path, *words: str) -> tuple[float, str]:
    """Return the wall time of a command, and what it printed."""
    begin = time.monotonic()
    command = [sys.executable, str(CHECKOUT / "launch.py"), "--home", str(home), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return time.monotonic() - begin, done.stdout


def main() -> int:
    """Make, measure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", type=int, nargs="?", default=100_000)
    parser.add_argument("--archive", type=int, default=2_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-runlog-") as folder:
        home = Path(folder)
        ids = make_runs(home, options.runs)
        for name, words in (
            ("--help (start of the program)", ["--help"]),
            ("runs list", ["runs", "list"]),
            ("runs list --json, no index yet", ["runs", "list", "--json"]),
            ("runs list --json", ["runs", "list", "--json"]),
            ("runs list --limit 10000", ["runs", "list", "--limit", "10000"]),
            ("runs show RUN", ["runs", "show", ids[0]]),
        ):
            times = sorted(timed(home, *words)[0] for _ in range(1 if "no index" in name else 5))
            print(f"{options.runs:,} runs: {name}: {times[len(times) // 2]:.2f} s")
        now = FIRST + timedelta(seconds=options.archive * 60.0 + 86_400)
        sys.path.insert(0, str(CHECKOUT))
        from memory.logs.archive import put_away

        begin = time.monotonic()
        done = put_away(home, 1, now)
        seconds = time.monotonic() - begin
        print(
            f"{done.runs:,} runs archived in {seconds:.1f} s; {done.bytes_before / done.runs / 1e3:.1f} kB a run "
            f"became {done.bytes_after / done.runs / 1e3:.1f} kB"
        )
        seconds, shown = timed(home, "runs", "show", ids[0])
        print(f"runs show of an archived one: {seconds:.2f} s, {len(shown.splitlines())} lines")
        seconds, listed = timed(home, "runs", "list", "--json")
        print(
            f"runs list --json after it: {seconds:.2f} s, {len(json.loads(listed)['runs']):,} runs"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
