"""Score the gate, redaction and injected instructions on the rows of the repository, and the loop's
cost on this machine."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from bench import gate, injection, redaction
from bench.injection_fresh import FRESH
from bench.places import CHECKOUT, Figure
from safety.secrets import HIDDEN

LOOP_TURNS, LOOP_STARTS, LOOP_REPEATS = [20, 100], 5, 2
CODE_BYTES = 4_000_000
_HELD_BACK = ("confirm", "refuse")


def score_gate(data: Path) -> list[Figure]:
    """Return how many rows of each kind are judged as they should be, beside thirty regexes."""
    judge = gate.gate()
    right: Counter[str] = Counter()
    beside: Counter[str] = Counter()
    of: Counter[str] = Counter()
    for row in gate.rows():
        accepted = gate.GOALS[row.kind][0]
        of[row.kind] += 1
        right[row.kind] += gate.decide(judge, row) in accepted
        is_found = any(regex.search(row.command) for regex in gate.REGEXES)
        beside[row.kind] += is_found == (accepted != ("allow",))
    return [Figure(f"gate, {kind}", right[kind], of=of[kind], baseline=beside[kind]) for kind in of]


def score_redaction(data: Path) -> list[Figure]:
    """Return hidden secrets by kind, and false hits a MB of code, beside a list of regexes."""
    kinds = {"held": redaction.held, "named": redaction.named, "keys": redaction.keys}
    figures = []
    for kind, make in kinds.items():
        cases = list(make())
        hidden, beside = (
            len([text for _, text, value in cases if value not in hide(text)])
            for hide in (redaction.ours, redaction.by_regexes)
        )
        figures.append(Figure(f"redaction, {kind}", hidden, of=len(cases), baseline=beside))
    texts, _locks = redaction.code(CODE_BYTES)
    own, simple = (_false_hits(texts, hide) for hide in (redaction.ours, redaction.by_regexes))
    return [*figures, Figure("redaction, false hits", own, unit="a MB", baseline=simple)]


def _false_hits(texts: list[str], hide: Callable[[str], str]) -> float:
    hits = sum(hide(text).count(HIDDEN) - text.count(HIDDEN) for text in texts)
    return round(hits / sum(map(len, texts)) * 1e6, 1)


def score_injection(data: Path) -> list[Figure]:
    """Return attacks that get through and tasks that are done, beside a gate that always asks."""
    suites = {
        name: ([injection.Task(*task) for task in tasks], attacks)
        for name, (tasks, attacks) in FRESH.items()
    }
    own = gate.gate()
    ways = {"ours": injection.ours(own), "always": injection.ask_always}
    counts = {name: injection.counted(suites, asks) for name, asks in ways.items()}
    attacks = len(list(injection.pairs(suites)))
    tasks = sum(len(each) for each, _ in suites.values())
    (through, done), (none_through, none_done) = counts["ours"], counts["always"]
    return [
        Figure("injection, attacks through", through, of=attacks, baseline=none_through),
        Figure("injection, tasks done", done, of=tasks, baseline=none_done),
    ]


def score_loop(data: Path) -> list[Figure]:
    """Return what the loop costs beside the bare `openai` one."""
    turns = ",".join(str(number) for number in LOOP_TURNS)
    sizes = ["--turns", turns, "--starts", str(LOOP_STARTS), "--repeats", str(LOOP_REPEATS)]
    command = [sys.executable, str(CHECKOUT / "bench" / "loop.py"), "--json", *sizes]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found = json.loads(done.stdout)  # of a small process: a big one shows in its children's RSS
    *_, bare, own = found["rows"]
    most = str(max(LOOP_TURNS))
    return [
        Figure("loop, cold start", own["cold_ms"], unit="ms", baseline=bare["cold_ms"]),
        Figure("loop, rote lane", found["sop_lane_ms"], unit="ms"),
        Figure(
            f"loop, added a turn, N={most}",
            own["per_turn_ms"][most],
            unit="ms",
            baseline=bare["per_turn_ms"][most],
        ),
        Figure("loop, CPU a turn", own["cpu_ms"], unit="ms", baseline=bare["cpu_ms"]),
        Figure("loop, peak memory", own["rss_mb"], unit="MB", baseline=bare["rss_mb"]),
        Figure("loop, first request", own["first_request"], unit="tokens"),
        Figure("loop, billed N=100", own["billed"][most], unit="tokens"),
    ]
