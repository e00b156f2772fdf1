"""Measure the web page of a large home: 5,000 runs with 100,000 turns, as many turns in the
journal, 500 SOPs.

    python bench/page.py [--home DIR] [--runs N] [--turns N] [--sops N] [--rounds N]

Each route that a page asks for, and each page in Chromium, beside a trivial one of the same server:
the first time after a start, and the median of `rounds` after it. Wall time and the server's CPU,
in milliseconds. `--home`: where the home is made, and used again.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import psutil
import yaml

from memory.journal.api import Memory, work_off
from memory.journal.turns import Turn
from memory.sops.store import contract_of, read_sop
from tests.serving import Served, made_home
from tests.window import Window, chromium

NOW = datetime.now(UTC).replace(hour=12, microsecond=0)
ROUTES = (
    "/api/state",
    "/api/overview",
    "/api/sops",
    "/api/runs?limit=60",
    "/api/conversations?limit=50",
    "/api/inbox",
    "/api/memory/overview",
    "/api/memory/days",
    "/api/graph?limit=400",
    "/api/schedule",
    "/api/schedule/calendar",
    "/api/settings",
    "/api/find?q=folder+7",
    "/api/runs?limit=60&text=folder+77",
)
PAGES = (
    "access",  # trivial: what stands beside the others
    "overview",
    "chat",
    "runs",
    "sops",
    "sops/sort-folder-7",
    "memory",
    "memory/facts",
    "graph",
    "schedule",
    "inbox",
    "settings",
    "teach",
)
WORDS = "report invoice printer garden holiday budget recipe bicycle server notebook window letter"


class Took(NamedTuple):
    """Milliseconds: on the clock, and of the server's CPU."""

    wall: float
    cpu: float


def made(folder: Path, runs: int, turns: int, sops: int) -> Path:
    """Make a home of this size below a folder."""
    home = made_home(folder, ["Done."])
    each = turns // runs
    for number in range(runs):
        _run(home, number, each, f"sort-folder-{number % sops}" if number % 3 == 0 else "")
    for number in range(sops):
        _sop(home / "sops" / f"sort-folder-{number}", number)
    with Memory(home, works_behind=False) as memory:
        for start in range(0, turns, 2_000):
            memory.write([_turn(number) for number in range(start, min(start + 2_000, turns))])
    work_off(home, lambda: None, 1_200.0, None)
    return home


def _run(home: Path, number: int, turns: int, sop: str) -> None:
    """Write the log of one run as the loop does; number 0 is the newest."""
    at = NOW - timedelta(minutes=20 * number)
    run = f"{at:%Y%m%d-%H%M%S}-{number:05x}"
    is_rote = bool(sop) and number % 2 == 0
    folder = home / "runs" / run
    folder.mkdir(parents=True)
    stamp = {"run": run, "at": f"{at:%Y-%m-%dT%H:%M:%S.000Z}"}
    events = _events(number, turns, sop, is_rote)
    lines = (json.dumps({"type": each.pop("type"), **stamp, **each}) for each in events)
    (folder / "log.jsonl").write_text("\n".join(lines) + "\n", "utf-8")


def _events(number: int, turns: int, sop: str, is_rote: bool) -> Iterator[dict[str, Any]]:
    task = f"sort folder {number} by the {WORDS.split()[number % 12]}"
    model, kind = ("rote", "rote") if is_rote else (("main", "local")[number % 2], "openai")
    size = 0 if is_rote else 1
    tokens = {"input": 2_000 * size, "cached": 1_500 * size, "output": 100 * size}
    named = {"sop": sop, "sop_version": 1} if sop else {}
    yield {"type": "run_started", "task": task, "session": "main", "home": "-", "models": ["main"],
           "cwd": "/tmp", "attended": True, **named}  # fmt: skip
    for turn in range(1, turns + 1):
        reply = {"text": f"step {turn}", "calls": [], "finish": "stop", "only_reads": True}
        step = {"turn": turn, "call": f"c{turn}", "tool": "code_run"}
        yield {"type": "turn_started", "turn": turn}
        yield {"type": "model_called", "turn": turn, "model": model, "kind": kind, "seconds": 1.0,
               "tokens": tokens, "cost": 0.01 * size, "reply": reply}  # fmt: skip
        yield {"type": "tool_started", **step, "args": {"script": "ls"}, "hash": "0",
               "only_reads": True}  # fmt: skip
        data = {"exit_code": 0, "output": "line\n" * 10}
        yield {"type": "tool_ended", **step, "status": "ok", "seconds": 0.01, "data": data}
    used = {name: n * turns for name, n in tokens.items()}
    calls = turns * size
    of_model = {"calls": calls, **used, "cost": round(0.01 * calls, 6)}
    yield {"type": "run_ended", "status": "failed" if number % 50 == 7 else "done",
           "result": "12 files sorted", "exit": "CURRENT_TASK_DONE", "turns": turns,
           "model_calls": calls, "tokens": used, "cost": round(0.01 * calls, 6), "seconds": 4.0,
           "rote": is_rote, **({"sop": sop} if sop else {}),
           **({} if is_rote else {"by_model": {model: of_model}})}  # fmt: skip


def _sop(folder: Path, number: int) -> None:
    """Write an SOP as learning leaves it: steps, wordings, a case, evidence, the contract."""
    (folder / "cases").mkdir(parents=True)
    word = f"{WORDS.split()[number % 12]} {_spelled(number)}"
    steps = {
        "parameters": {
            "type": "object",
            "properties": {
                "folder": {"type": "string", "format": "path", "description": "a folder"},
                "days": {"type": "integer", "minimum": 1, "default": 7},
            },
            "required": ["folder"],
        },
        "wordings": [
            f"sort the {word} files in {{folder}}",
            f"sort the {word} files of the last {{days}} days in {{folder}}",
            f"把 {{folder}} 里的文件按 {word} 整理",
        ],
        "effects": "local",
        "run": {"type": "bash", "cwd": "{{folder}}", "script": "mkdir -p new && mv *.txt new/"},
        "expect": {"changes": {"new": ["{{folder}}/new/*.txt"], "gone": ["{{folder}}/*.txt"]}},
        "result": "sorted",
    }
    (folder / "sop.yaml").write_text(yaml.safe_dump(steps, allow_unicode=True), "utf-8")
    case = {"parameters": {"folder": "/tmp/a"}, "expect": {"status": "ok"}}
    (folder / "cases" / "first.yaml").write_text(yaml.safe_dump(case), "utf-8")
    (folder / "evidence.json").write_text(json.dumps({"runs": []}), "utf-8")
    lines = [f'sopwith-version: "{1 + number % 4}"', "sopwith-status: active"]
    lines += [f'sopwith-contract: "{contract_of(folder)}"']
    front = [f"name: {folder.name}", f'description: "Sort the {word} files of folder {number}"']
    text = "\n".join(["---", *front, "metadata:", *(f"  {line}" for line in lines), "---"])
    (folder / "SKILL.md").write_text(f"{text}\n\n# Sort folder {number}\n\nSay it.\n", "utf-8")
    problem = read_sop(folder, False).problem
    assert not problem, problem


def _spelled(number: int) -> str:
    """Return a word for a number: a wording holds none."""
    return "".join("abcdefghij"[int(digit)] for digit in f"{number:03}")


def _turn(number: int) -> Turn:
    """Make up what was said; somebody else speaks each time, and a day has about 270 turns."""
    words = WORDS.split()
    said = " ".join(words[(number * step) % 12] for step in (1, 5, 7, 11))
    text = f"We spoke about plan {number}, the {said} and what Ann of Acme wants of it."
    who = ("owner", "sopwith")[number % 2]
    at = NOW - timedelta(days=number // 270, seconds=300 * (number % 270))
    return Turn(f"t{number}", "main", who, text, at)


def took(server: psutil.Process, act: Callable[[], object]) -> Took:
    """Measure one act, with what the server works for it."""
    before, start = _cpu(server), time.monotonic()
    act()
    wall = time.monotonic() - start
    return Took(1_000 * wall, 1_000 * (_cpu(server) - before))


def _cpu(server: psutil.Process) -> float:
    used = server.cpu_times()
    return float(used.user + used.system)


def median(all_of_it: list[Took]) -> Took:
    """Return the median of each of the two."""
    return Took(*(statistics.median(column) for column in zip(*all_of_it, strict=True)))


def show(name: str, first: Took, warm: Took) -> None:
    """Print a line."""
    print(
        f"{name:36} first {first.wall:7.0f} ({first.cpu:6.0f} CPU)   "
        f"then {warm.wall:7.0f} ({warm.cpu:6.0f} CPU)",
        flush=True,
    )


def measure_routes(folder: Path, home: Path, rounds: int) -> None:
    """Print each route's times: `first` is the first request but signing in of a server that has
    just begun."""
    for path in ROUTES:
        with Served(home, folder / "cwd") as site:
            site.sign_in(changes=False)
            measure(site, path, partial(_asked, site, path), rounds)


def measure_pages(folder: Path, home: Path, rounds: int) -> None:
    """Print each page's times in Chromium: from asking for it until nothing of it is being
    loaded."""
    with chromium() as browser:
        for path in PAGES:
            with Served(home, folder / "cwd") as site:
                window = Window(browser, site.origin, size=(1280, 900))
                window.page.goto(f"{site.origin}/assets/icon.svg")
                status = window.page.evaluate(SIGN_IN, site.token)
                assert status == 204, status
                measure(site, path, partial(_opened, window, path), rounds)
                window.context.close()


def measure(site: Served, name: str, act: Callable[[], object], rounds: int) -> None:
    """Print what an act takes the first time, and the median of the rounds after it."""
    assert site.process is not None
    server = psutil.Process(site.process.pid)
    first, *later = (took(server, act) for _ in range(rounds + 1))
    show(name, first, median(later))


def _asked(site: Served, path: str) -> None:
    answer = site.get(path)
    assert answer.status == 200, (path, answer)


def _opened(window: Window, path: str) -> None:
    window.open(path).settled()


SIGN_IN = """async token => (await fetch('/api/sign-in', {method: 'POST', body: JSON.stringify({token}),
  headers: {'X-Sopwith': '1', 'Content-Type': 'application/json'}})).status"""


def main() -> int:
    """Make the home, measure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--home", type=Path)
    parser.add_argument("--runs", type=int, default=5_000)
    parser.add_argument("--turns", type=int, default=100_000)
    parser.add_argument("--sops", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", choices=("routes", "pages"))
    options = parser.parse_args()
    with ExitStack() as stack:
        given = options.home or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        home = given / "owner" / ".sopwith"
        if not home.is_dir():
            start = time.process_time()
            given.mkdir(parents=True, exist_ok=True)
            made(given, options.runs, options.turns, options.sops)
            print(f"made in {time.process_time() - start:.0f} s of CPU", flush=True)
        os.environ.pop("SOPWITH_HOME", None)
        if options.only != "pages":
            measure_routes(given, home, options.rounds)
        if options.only != "routes":
            measure_pages(given, home, options.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
