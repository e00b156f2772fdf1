"""What the gate catches and what it asks about for nothing, beside a list of keywords and thirty regexes.

    python bench/gate.py [--dev | --held-out] [--misses]

The commands are in tests/gate_cases, one a line (⏎ stands for a new line), with the reason above each group. They were
written before the gate was tuned; half of them, chosen by a hash, were not looked at while it was (`--held-out`).
`odd.txt` and `fresh*.txt` were written afterwards (first tries: safety/README.md). Keywords: seed 001, §2.1.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
import statistics
import string
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from config import SafetyConfig
from safety.gate import Ask, Gate

CASES = Path(__file__).resolve().parent.parent / "tests" / "gate_cases"
OWNER = Path("/home/mia")
# Collection → which decisions are right, and the goal in percent that are.
GOALS: dict[str, tuple[tuple[str, ...], float]] = {
    "dangerous": (("confirm", "refuse"), 97),
    "cloud": (("confirm", "refuse"), 95),
    "disguised": (("confirm", "refuse"), 97),
    "catastrophic": (("refuse",), 100),
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


def collection(name: str) -> Iterator[tuple[str, str]]:
    """The commands of a collection: reason, command."""
    reason = ""
    for line in (CASES / f"{name}.txt").read_text("utf-8").splitlines():
        if line.startswith("## "):
            reason = line[3:]
        elif line.strip():
            yield reason, line.replace("⏎", "\n").replace("␍", "\r")


def is_held_out(command: str) -> bool:
    return hashlib.sha256(command.encode()).digest()[0] % 2 == 1


def gate() -> Gate:
    """A gate for an owner of whom nothing else is known."""
    return Gate(SafetyConfig(), OWNER / ".sopwith", OWNER, OWNER / "work")


def decide(gate: Gate, command: str, language: str = "bash") -> str:
    ask = Ask("code_run", {"type": language, "script": command}, ("execute",), (), "main")
    return gate.decide(ask).decision


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--dev", action="store_true", help="the half that was looked at while tuning"
    )
    parser.add_argument("--held-out", action="store_true", help="the other half")
    parser.add_argument(
        "--misses", action="store_true", help="print each command that was judged wrongly"
    )
    options = parser.parse_args()
    ours, times = gate(), list[float]()
    decide(ours, "ls")

    def timed(command: str) -> str:
        start = time.perf_counter()
        decision = decide(ours, command)
        times.append(time.perf_counter() - start)
        return decision

    ways: dict[str, Callable[[str], str]] = {
        "ours": timed,
        "keywords": lambda command: (
            "confirm" if any(word in command for word in KEYWORDS) else "allow"
        ),
        "regexes": lambda command: (
            "confirm" if any(regex.search(command) for regex in REGEXES) else "allow"
        ),
    }
    print(f"{'right, percent':16}{'n':>5}{'goal':>7}" + "".join(f"{name:>11}" for name in ways))
    misses = []
    for name, (right, goal) in GOALS.items():
        rows = [row for row in collection(name) if not (options.dev and is_held_out(row[1])) and not (options.held_out and not is_held_out(row[1]))]  # fmt: skip
        shares = []
        for way, judge in ways.items():
            accepted = right if way == "ours" else ("confirm",) if "refuse" in right else right
            wrong = [row for row in rows if judge(row[1]) not in accepted]
            shares.append(100 * (1 - len(wrong) / len(rows)))
            misses += [(name, *row) for row in wrong if way == "ours"]
        print(f"{name:16}{len(rows):5}{goal:7.0f}" + "".join(f"{share:11.1f}" for share in shares))
    if options.misses:
        for name, reason, command in misses:
            print(f"{name}: {command!r} ({reason})")
    _odd(ours)
    _speed(ours, times)
    return 0


def _odd(ours: Gate) -> None:
    """Rows `kind: command` or `decision: command`, written after tuning; `kind py: code` is Python."""
    for path in sorted(CASES.glob("*.txt"), key=lambda path: (len(path.stem), path.stem)):
        if path.stem in GOALS:
            continue
        rows = [line.partition(": ")[::2] for _, line in collection(path.stem)]
        right = sum(
            _is_right(ours, *wanted.partition(" ")[::2], command) for wanted, command in rows
        )
        print(f"{path.stem}: {right} of {len(rows)} as wanted")


def _is_right(ours: Gate, wanted: str, language: str, command: str) -> bool:
    decision = decide(ours, command, "python" if language == "py" else "bash")
    return decision in GOALS.get(wanted, ((wanted,), 0))[0]


def _speed(ours: Gate, times: list[float]) -> None:
    times.sort()
    print(f"\none command: median {1000 * statistics.median(times):.2f} ms, p99 {1000 * times[int(len(times) * 0.99)]:.2f} ms")  # fmt: skip
    big = {
        "commands": "echo hello world; ls -l some/file\n" * 2950,
        "one word": "echo " + "a" * 100_000,
        "pipes": "a|" * 50_000,
        "quotes": "'\"" * 50_000,
        "document": "cat <<E\n" + "hello $x world\n" * 6600 + "E\n",
        "different": "\n".join(f"cp a{n} b{n}/c" for n in range(6000)),
    }
    for name, text in big.items():
        start = time.perf_counter()
        decision = decide(ours, text)
        print(f"100 kB of {name}: {1000 * (time.perf_counter() - start):.0f} ms, {decision}")
    source, failed, start = random.Random(1), 0, time.perf_counter()
    letters = string.printable + "rm -rf / $(){}'\"`;|&<>\\ 删除é​"
    for _ in range(10_000):
        text = "".join(source.choice(letters) for _ in range(source.randrange(60)))
        try:
            decide(ours, text)
        except Exception as error:  # noqa: BLE001 - which one is what we want to see
            failed += 1
            print(f"{text!r}: {error!r}")
    print(f"10,000 random strings: {failed} exceptions, {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory():
        sys.exit(main())
