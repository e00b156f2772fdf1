"""Measure what the gate catches and what it asks about for nothing, beside a list of keywords and
thirty regexes.

    python -m bench.gate [--misses] [--without PACK]

The commands are in tests/gate_cases/development.txt, `kind: command` (⏎ stands for a new line;
`kind py: code` is Python). They are development data: the gate was tuned on most of them, so the
figures that count come from collections of others. `--without git` leaves a pack of assets/commands
out and shows what it brings. Keywords: seed 001, §2.1.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import string
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from config import SafetyConfig
from safety.gate import Ask, Gate

CASES = Path(__file__).resolve().parent.parent / "tests" / "gate_cases" / "development.txt"
OWNER = Path("/home/mia")
# Kind → which decisions are right, and the goal in percent that are, without a stage.
GOALS: dict[str, tuple[tuple[str, ...], float]] = {
    "dangerous": (("confirm", "refuse"), 95),
    "cloud": (("confirm", "refuse"), 95),
    "disguised": (("confirm", "refuse"), 95),
    "catastrophic": (("confirm", "refuse"), 99),
    "harmless": (("allow",), 97),
    "quoted": (("allow",), 99),
}
KEYWORDS = ("delete", "remove", "clean", "drop")
REGEXES = [
    re.compile(pattern)
    for pattern in (
        *(r"\brm\b", r"\bsudo\b", r"\bdd\b", r"\bmkfs", r"\bshred\b", r"\bkill(all)?\b", r"\bshutdown|reboot|poweroff\b"),
        *(r"\bchmod\b.*777", r"\bchown\b.*-R", r"git\s+push", r"git\s+reset\s+--hard", r"git\s+clean", r"\bcurl\b.*\|\s*(ba)?sh"),
        *(r"\bwget\b.*\|\s*(ba)?sh", r">\s*/dev/sd", r":\(\)\s*\{", r"\beval\b", r"base64\s+-d", r"\btruncate\b", r"(?i)drop\s+table"),
        *(r"(?i)delete\s+from", r"\b(pip|npm|apt|apt-get|brew)\s+(install|remove)", r"\bssh\b|\bscp\b", r"\bnc\b", r"crontab"),
        *(r"\.ssh/|\.aws/", r"/etc/", r"terraform\s+(apply|destroy)", r"kubectl\s+(delete|apply)", r"(terminate|delete)-"),
    )
]  # fmt: skip


class Row(NamedTuple):
    """One command and what it is."""

    kind: str
    language: str
    command: str


def rows(file: Path = CASES) -> Iterator[Row]:
    """Give the rows of a collection."""
    for line in file.read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("##"):
            said, _, command = line.partition(": ")
            kind, _, language = said.partition(" ")
            yield Row(kind, language, command.replace("⏎", "\n").replace("␍", "\r"))


def gate() -> Gate:
    """Return a gate for an owner of whom nothing else is known."""
    return Gate(SafetyConfig(), OWNER / ".sopwith", OWNER, OWNER / "work")


def decide(gate: Gate, row: Row, *, stage: bool = False) -> str:
    """Return the decision on one command."""
    language = "python" if row.language == "py" else "bash"
    args = {"type": language, "script": row.command}
    return gate.decide(Ask("code_run", args, ("execute",), (), "main", stage=stage)).decision


def scores(judge: Callable[[Row], str]) -> dict[str, float]:
    """Return the percentage that is right, for each kind."""
    right: dict[str, list[bool]] = {}
    for row in rows():
        wanted = GOALS[row.kind][0]
        right.setdefault(row.kind, []).append(judge(row) in wanted)
    return {kind: 100 * sum(found) / len(found) for kind, found in right.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--misses", action="store_true", help="print each command judged wrongly")
    parser.add_argument("--without", help="a file of assets/commands to leave out (git, clouds …)")
    options = parser.parse_args()
    if options.without:
        _leave_out(options.without)
    ours, times = gate(), list[float]()
    decide(ours, Row("", "", "ls; git status"))

    def timed(row: Row) -> str:
        start = time.thread_time()
        decision = decide(ours, row)
        times.append(time.thread_time() - start)
        return decision

    ways: dict[str, Callable[[Row], str]] = {
        "ours": timed,
        "staged": lambda row: decide(ours, row, stage=True),
        "keywords": lambda row: _asks(any(word in row.command for word in KEYWORDS)),
        "regexes": lambda row: _asks(any(regex.search(row.command) for regex in REGEXES)),
    }
    found = {name: scores(judge) for name, judge in ways.items()}
    print(f"{'right, percent':16}{'goal':>7}" + "".join(f"{name:>11}" for name in ways))
    for kind, (_, goal) in GOALS.items():
        shares = "".join(f"{found[name][kind]:11.1f}" for name in ways)
        print(f"{kind:16}{goal:7.0f}{shares}")
    print("staged: what a stage shows before it happens is not asked about by its words")
    if options.misses:
        for row in rows():
            if decide(ours, row) not in GOALS[row.kind][0]:
                print(f"{row.kind}: {row.command!r}")
    _speed(ours, times)
    return 0


def _asks(is_asked: bool) -> str:
    return "confirm" if is_asked else "allow"


def _leave_out(pack: str) -> None:
    from shell.catalogue import packs

    whole = packs.load
    packs.load = lambda name: {} if name == f"{pack}.yaml" else whole(name)


def _speed(ours: Gate, times: list[float]) -> None:
    times.sort()
    median, last = statistics.median(times), times[int(len(times) * 0.99)]
    print(f"\none command: median {1000 * median:.2f} ms, p99 {1000 * last:.2f} ms")
    big = {
        "commands": "echo hello world; ls -l some/file\n" * 2950,
        "one word": "echo " + "a" * 100_000,
        "pipes": "a|" * 50_000,
        "quotes": "'\"" * 50_000,
        "document": "cat <<E\n" + "hello $x world\n" * 6600 + "E\n",
        "different": "\n".join(f"cp a{n} b{n}/c" for n in range(6000)),
    }
    for name, text in big.items():
        start = time.thread_time()
        decision = decide(ours, Row("", "", text))
        print(f"100 kB of {name}: {1000 * (time.thread_time() - start):.0f} ms, {decision}")
    source, start = random.Random(1), time.thread_time()
    letters = string.printable + "rm -rf / $(){}'\"`;|&<>\\ 删除é​"
    for _ in range(10_000):
        text = "".join(source.choice(letters) for _ in range(source.randrange(60)))
        decide(ours, Row("", "", text))
    print(f"10,000 random strings: {time.thread_time() - start:.1f} s")


if __name__ == "__main__":
    sys.exit(main())
