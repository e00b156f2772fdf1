"""Measure what a loop costs: ours beside two bare ones, in one run, against a local scripted
endpoint. No network.

    python bench/loop.py [--turns 20,40,100] [--starts 7] [--repeats 3] [--json]

A run of N turns is N requests: N-1 shell calls (an `echo` that differs each time), then an answer.
Each loop is a process of its own, and so is the endpoint (bench/endpoint.py), which notes when a
request has come whole and when its reply has left. Ours is the real command, `launch.py run TASK
--events`: run log, gate, anchor, all of it. From turn 30 on Sopwith insists on a question; the
script then asks it (that turn has no shell call), and since nobody sits at the terminal the longer
runs go through bench/ours.py: the same assembly, with an owner who answers.

The columns:
    cold start      ms from starting the process to the arrival of its first request; median of the
                    starts
    per turn        ms the harness adds: from the departure of a reply to the arrival of the next
                    request, so the endpoint's time is not in it, minus the tool's own time: `bash
                    -c` with such an `echo`, started from a small process just before the run
                    (median of 15). Mean over a run's turns, median of the runs
    last / first    the median of the last 10 of these, in the longest run, over that of the first
                    10 (under 1 ms counts as 1)
    CPU             ms a turn, children included: CPU of the longest run minus that of a run of one
                    turn
    RSS             peak of the process, MB
    first request   tokens (o200k_base): tool schemas as compact JSON, and the messages, 4 more for
                    each
    constant        how many of these do not change with the task
    added           tokens a turn beyond the words of model and tool: all behind the prefix that the
                    request shares with the one before, minus the reply and its result; mean of the
                    longest run
    billed          fresh input + 0.1 of the repeated prefix, from 1,024 tokens in steps of 128, for
                    each N
    fat             billed for 40 turns whose outputs have 26 lines each
    breaks          requests that changed the history of the one before (its last message, the tail,
                    may go)
    SOP lane        ms from starting the process to its first `tool_started`, for a request that a
                    seed SOP serves

Our home folder is set up, and nothing has been said in it before: what a session remembers is not
the harness's own. A line below the table says what a run costs that begins after others of the
kind: with the last of what was said there, and with what it brings to mind.

Times on a shared machine are noisy: compare within one run of this command, and look at ratios.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import mean, median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
ASKS_FROM = 30  # turns; longer runs of ours need an owner who answers
OTHER_TASK = "Look through the notes of last week and list what is still open."
GOALS: dict[str, Any] = {
    "cold_over_openai_ms": 60.0,
    "sop_lane_ms": 150.0,
    "per_turn_ms": 5.0,
    "last_over_first": 1.3,
    "cpu_ms": 8.0,
    "rss_mb": 70.0,
    "first_request": 1700,
    "constant": 1024,
    "added": 20.0,
    "billed": {20: 8600, 40: 19000, 100: 69000},
    "fat": 96_000,
    "breaks": 0,
}
FAT_TURNS = 40


@dataclass(frozen=True, slots=True)
class Loop:
    """A contender: its name in the table, its script of the endpoint, how to start it."""

    name: str
    dialect: str

    def command(self, base_url: str, task: str, turns: int) -> list[str]:
        if self.name == "sopwith" and turns < ASKS_FROM:
            launch = str(ROOT / "launch.py")
            return [sys.executable, launch, "run", task, "--events", "--max-turns", str(turns)]
        if self.name == "sopwith":
            return [sys.executable, str(ROOT / "bench" / "ours.py"), task, str(turns)]
        return [sys.executable, str(ROOT / "bench" / f"{self.name}.py"), base_url]


LOOPS = (Loop("bare_http", "bare"), Loop("bare_openai", "bare"), Loop("sopwith", "sopwith"))


@dataclass(frozen=True, slots=True)
class Measured:
    """One run of one loop."""

    cold_ms: float
    cpu_ms: float
    rss_mb: float
    tool_ms: float  # a shell call at that time
    added_ms: list[
        float
    ]  # from each reply to the next request, less the tool; without the turn that asked the owner
    bodies: list[str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Raw:
    """One run as it was taken down, the endpoint's records still on disk: what this process holds
    in memory when it starts the next child would count as the child's peak."""

    loop: Loop
    turns: int
    tool_ms: float
    started: int  # ns
    cpu_ms: float
    rss_mb: float
    records: Path

    def read(self) -> Measured:
        records = [json.loads(line) for line in self.records.open(encoding="utf-8")]
        added = [
            (new["arrived"] - old["answered"]) / 1e6 - self.tool_ms
            for old, new in pairwise(records)
        ]
        if self.loop.name == "sopwith" and self.turns > ASKS_FROM:
            del added[ASKS_FROM - 1]
        cold = (records[0]["arrived"] - self.started) / 1e6
        return Measured(
            cold,
            self.cpu_ms,
            self.rss_mb,
            self.tool_ms,
            added,
            [record["body"] for record in records],
        )


@dataclass(slots=True)
class Row:
    """A line of the table; lists and dicts go by number of turns."""

    name: str
    cold_ms: float
    per_turn_ms: dict[int, float]
    last_over_first: float
    cpu_ms: float
    rss_mb: float
    first_request: int
    constant: int
    added: float
    billed: dict[int, int]
    fat: int
    breaks: int


class Bench:
    """The endpoint, a home folder and a working folder, for as long as the measurements take."""

    def __init__(self, port: int, folder: Path) -> None:
        self.port, self.folder, self._runs = port, folder, 0
        (folder / "work").mkdir()

    def environment(self, base_url: str = "") -> dict[str, str]:
        """Return what a process sees: a home of its own, and the endpoint, or no model at all."""
        kept = {
            name: os.environ[name] for name in ("PATH", "LANG", "VIRTUAL_ENV") if name in os.environ
        }
        own = {
            "HOME": str(self.folder),
            "SOPWITH_HOME": str(self.folder / "home"),
            "PYTHONPATH": str(ROOT),
        }
        model = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": base_url, "SOPWITH_MODEL": "scripted"}
        return kept | own | (model if base_url else {})

    def run(
        self, loop: Loop, turns: int, task: str, *, is_first: bool = True, kind: str = ""
    ) -> Raw:
        """Do one run to its end; `is_first`: nothing was said before; `kind`: of script. Raises
        SystemExit, with what the process said, when it fails."""
        for said in ("runs", "journal") if is_first else ():
            shutil.rmtree(self.folder / "home" / said, ignore_errors=True)
        base_url = f"http://127.0.0.1:{self.port}/{loop.dialect}{kind}/{turns}/v1"
        tool_ms = self.tool_ms()
        with (self.folder / "said").open("wb") as output:
            started = time.monotonic_ns()
            process = subprocess.Popen(
                loop.command(base_url, task, turns),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=self.environment(base_url),
                cwd=self.folder / "work",
            )
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        records, requests = self._records()
        if process.returncode or requests != turns:
            text = (self.folder / "said").read_text("utf-8", "replace")[-4000:]
            raise SystemExit(
                f"{loop.name}: exit {process.returncode}, {requests} requests of {turns}\n{text}"
            )
        cpu = (used.ru_utime + used.ru_stime) * 1000
        return Raw(loop, turns, tool_ms, started, cpu, used.ru_maxrss / 1024, records)

    def tool_ms(self) -> float:
        """Return the tool's own time: what a shell call takes from a small process, at this
        moment."""
        taken = []
        for turn in range(15):
            started = time.perf_counter()
            subprocess.run(["bash", "-c", f"echo 'part {turn}'"], capture_output=True, check=True)
            taken.append((time.perf_counter() - started) * 1000)
        return median(taken)

    def sop_lane_ms(self) -> float:
        """From starting the process to the event that a tool has started, with no model
        configured."""
        (self.folder / "work" / "a file").write_bytes(b"x" * 5000)
        task = f"Which files take the most space in {self.folder / 'work'}?"
        started = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "launch.py"), "run", task, "--events"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env=self.environment(),
            cwd=self.folder / "work",
        )
        taken, said = 0.0, []
        for line in process.stdout or ():
            said.append(line.decode())
            if not taken and json.loads(line)["type"] == "tool_started":
                taken = (time.monotonic() - started) * 1000
        if process.wait() or not taken:
            raise SystemExit(
                f"the SOP lane did not serve: exit {process.returncode}\n{''.join(said)[-4000:]}"
            )
        return taken

    def _records(self) -> tuple[Path, int]:
        """Return a file with what the endpoint saw since the last time, and how many requests these
        were."""
        self._runs += 1
        path = self.folder / f"records-{self._runs}"
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request("GET", "/records")
        with path.open("wb") as file:
            shutil.copyfileobj(connection.getresponse(), file)
        connection.close()
        with path.open("rb") as file:
            return path, sum(1 for _ in file)


@contextmanager
def bench() -> Iterator[Bench]:
    """Start the endpoint in a process of its own; end it and remove the folders."""
    endpoint = subprocess.Popen(
        [sys.executable, str(ROOT / "bench" / "endpoint.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert endpoint.stdin
    assert endpoint.stdout
    try:
        with tempfile.TemporaryDirectory(prefix="sopwith-bench-") as folder:
            yield Bench(int(endpoint.stdout.readline()), Path(folder))
    finally:
        endpoint.stdin.close()
        endpoint.wait()


def measure(turns: list[int], starts: int, repeats: int) -> dict[str, Any]:
    """Return all rows. Loops take turns within each round, so that a busy minute hits all of them.

    Everything is run first, and read and counted after: a big process would show in its children's
    RSS.
    """
    from bench import tokens
    from bench.endpoint import TASK

    taken: list[Raw] = []
    with bench() as at:
        for loop in LOOPS:
            at.run(loop, 2, TASK)  # bytecode, home folder, page cache
        at.sop_lane_ms()
        lane = median(at.sop_lane_ms() for _ in range(starts))
        for number, repeat in [(1, starts), *((number, repeats) for number in turns)]:
            for attempt in range(repeat):
                task = TASK if number > 1 or attempt else OTHER_TASK
                taken += [at.run(loop, number, task) for loop in LOOPS]
        fat = {each.name: at.run(each, FAT_TURNS, TASK, kind="-fat").read() for each in LOOPS}
        at.run(ours := LOOPS[-1], 2, OTHER_TASK)
        later = [
            at.run(ours, 1, f"{TASK} It is archive {n}.", is_first=False).read()
            for n in range(starts)
        ]
        runs: dict[tuple[str, int], list[Measured]] = {}
        for raw in taken:
            runs.setdefault((raw.loop.name, raw.turns), []).append(raw.read())
    rows = [_row(loop, turns, runs, _requests(fat[loop.name])) for loop in LOOPS]
    tool_ms = median(
        run.tool_ms for number in turns for loop in LOOPS for run in runs[loop.name, number]
    )
    return {
        "tool_ms": round(tool_ms, 2),
        "sop_lane_ms": round(lane, 1),
        "later_cold_ms": round(median(run.cold_ms for run in later), 1),
        "later_first_request": tokens.count(tokens.segments(json.loads(later[-1].bodies[0]))),
        "rows": [asdict(row) for row in rows],
    }


def _requests(run: Measured) -> list[Any]:
    """Return the requests of a run, cut into tokens."""
    from bench import tokens

    return [tokens.segments(json.loads(body)) for body in run.bodies]


def _row(
    loop: Loop, turns: list[int], runs: dict[tuple[str, int], list[Measured]], fat: list[Any]
) -> Row:
    from bench import tokens

    cold, longest = runs[loop.name, 1], runs[loop.name, max(turns)]
    requests = {number: _requests(runs[loop.name, number][0]) for number in turns}
    shape = [_typical(run.added_ms[-10:]) / _typical(run.added_ms[:10]) for run in longest]
    first = [tokens.segments(json.loads(run.bodies[0])) for run in cold]
    return Row(
        name=loop.name,
        cold_ms=round(median(run.cold_ms for run in cold), 1),
        per_turn_ms={
            number: round(median(mean(run.added_ms) for run in runs[loop.name, number]), 2)
            for number in turns
        },
        last_over_first=round(median(shape), 2),
        cpu_ms=round(
            (median(r.cpu_ms for r in longest) - median(r.cpu_ms for r in cold)) / (max(turns) - 1),
            2,
        ),
        rss_mb=round(median(run.rss_mb for run in longest), 1),
        first_request=tokens.count(first[-1]),
        constant=tokens.repeated(first[0], first[-1]),
        added=round(_added(loop, requests[max(turns)], max(turns)), 1),
        billed={number: round(tokens.billed(requests[number])) for number in turns},
        fat=round(tokens.billed(fat)),
        breaks=sum(map(tokens.breaks, [fat, *requests.values()])),
    )


def _typical(added_ms: list[float]) -> float:
    """Return the median; 1 ms at least, because a ratio of less is noise."""
    return max(median(added_ms), 1.0)


def _added(loop: Loop, requests: list[Any], turns: int) -> float:
    """Return the tokens a turn that are neither the model's words nor the tool's."""
    from bench import tokens
    from bench.endpoint import step

    added = []
    for turn, (before, now) in enumerate(pairwise(requests), start=1):
        said = step(loop.dialect, turn, turns)
        call = {"function": {"name": said.tool, "arguments": said.args}}
        words: list[dict[str, Any]] = [
            {"role": "assistant", "content": said.text, "tool_calls": [call]},
            {"role": "tool", "content": said.output},
        ]
        added.append(
            tokens.fresh(before, now)
            - sum(len(tokens.message_tokens(message)) for message in words)
        )
    return mean(added)


def verdicts(found: dict[str, Any]) -> list[tuple[str, str, str, bool]]:
    """Our goals: what is measured, what came out, the goal, whether it is met."""
    ours, openai = found["rows"][2], found["rows"][1]
    cold_goal = openai["cold_ms"] + GOALS["cold_over_openai_ms"]
    said: list[tuple[str, str, str, bool]] = [
        (
            "cold start, ms",
            f"{ours['cold_ms']}",
            f"≤ {cold_goal:.0f} (openai + 60)",
            ours["cold_ms"] <= cold_goal,
        )
    ]
    for name, value, goal in (
        ("SOP lane, ms", found["sop_lane_ms"], GOALS["sop_lane_ms"]),
        *(
            (f"per turn, N={n}, ms", value, GOALS["per_turn_ms"])
            for n, value in ours["per_turn_ms"].items()
        ),
        ("last 10 / first 10", ours["last_over_first"], GOALS["last_over_first"]),
        ("CPU a turn, ms", ours["cpu_ms"], GOALS["cpu_ms"]),
        ("peak RSS, MB", ours["rss_mb"], GOALS["rss_mb"]),
        ("first request, tokens", ours["first_request"], GOALS["first_request"]),
        ("added a turn, tokens", ours["added"], GOALS["added"]),
        *(
            (f"billed, N={n}", value, GOALS["billed"][n])
            for n, value in ours["billed"].items()
            if n in GOALS["billed"]
        ),
        ("billed, fat outputs", ours["fat"], GOALS["fat"]),
        ("breaks of the prefix", ours["breaks"], GOALS["breaks"]),
    ):
        said.append((name, f"{value}", f"≤ {goal:g}", value <= goal))
    constant = ours["constant"]
    said.append(
        ("constant tokens", f"{constant}", f"≥ {GOALS['constant']}", constant >= GOALS["constant"])
    )
    return said


def table(found: dict[str, Any]) -> str:
    """Return the rows, our goals below, then which of them are met."""
    turns = list(found["rows"][0]["per_turn_ms"])
    by_turns = "/".join(str(number) for number in turns)
    heads = [
        "",
        "cold start",
        f"per turn {by_turns}",
        "last/first",
        "CPU",
        "RSS",
        "first request",
        "constant",
    ]
    heads += ["added", f"billed {by_turns}", "fat", "breaks"]
    lines = [heads]
    for row in found["rows"]:
        per_turn = " / ".join(f"{value:.1f}" for value in row["per_turn_ms"].values())
        billed = " / ".join(f"{value:,}" for value in row["billed"].values())
        tokens = [
            str(row["first_request"]),
            str(row["constant"]),
            str(row["added"]),
            billed,
            f"{row['fat']:,}",
            str(row["breaks"]),
        ]
        times = [f"{row['cold_ms']:.0f}", per_turn, f"{row['last_over_first']:.2f}"]
        lines.append([row["name"], *times, f"{row['cpu_ms']:.1f}", f"{row['rss_mb']:.0f}", *tokens])
    cold = f"≤ {found['rows'][1]['cold_ms'] + GOALS['cold_over_openai_ms']:.0f}"
    goals = " / ".join(f"{value:,}" for value in GOALS["billed"].values())
    lines.append(
        [
            "goal",
            cold,
            "≤ 5, flat",
            "≤ 1.3",
            "≤ 8",
            "≤ 70",
            "≤ 1700",
            "≥ 1024",
            "≤ 20",
            f"≤ {goals}",
            f"≤ {GOALS['fat']:,}",
            "0",
        ]
    )
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    text = [
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        for line in lines
    ]
    text += [
        "",
        f"times in ms, memory in MB; the tool's own time, taken off each turn: {found['tool_ms']} ms",
    ]
    text += [
        f"a run of ours that begins after others: cold start {found['later_cold_ms']:.0f},"
        f" first request {found['later_first_request']}"
    ]
    text += ["medians on a shared machine: noisy, compare within one run", ""]
    text += [
        f"{'met   ' if met else 'MISSED'}  {name}: {value} ({goal})"
        for name, value, goal, met in verdicts(found)
    ]
    return "\n".join(text)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--turns", default="20,40,100", help="numbers of turns, 20 or more each (20,40,100)"
    )
    parser.add_argument("--starts", type=int, default=7, help="cold starts of each loop (7)")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each length (3)")
    parser.add_argument(
        "--json", action="store_true", help="one JSON document instead of the table"
    )
    options = parser.parse_args()
    turns = sorted(int(number) for number in options.turns.split(","))
    if turns[0] < 20 or options.starts < 2 or options.repeats < 1:
        parser.error("needs 20 turns or more, 2 starts or more, 1 repeat or more")
    sys.path[:0] = [str(ROOT)]
    found = measure(turns, options.starts, options.repeats)
    goals = [
        dict(zip(("goal", "value", "wanted", "met"), verdict, strict=True))
        for verdict in verdicts(found)
    ]
    print(json.dumps(found | {"goals": goals}, indent=2) if options.json else table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
