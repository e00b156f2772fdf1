"""Measure what schedules cost: how late a due time begins with 10,000 jobs, how many due at once
are done, what an idle hour takes.

    python -m bench.schedule [--jobs 10000] [--due 30] [--at-once 60] [--idle-seconds 30]

Everything is real: `schedule start` as a process on a home folder of its own, jobs as files, runs
by rote in processes of their own, the ledger on the disk. *Late* is from the due time to the claim
in the ledger, and to the first event of the run. The idle stretch is measured and given for an
hour: nothing is due in it.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil

from runs.schedule.ledger import Ledger, Row

CHECKOUT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Measure, and print a line each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--due", type=int, default=30)
    parser.add_argument("--at-once", type=int, default=60)
    parser.add_argument("--idle-seconds", type=float, default=30.0)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        (home / "schedule").mkdir(parents=True)
        for number in range(args.jobs):
            day, hour, minute = number % 28 + 1, number // 28 % 24, number // 672 % 60
            write(
                home,
                f"job-{number:05d}",
                schedule=f"{hour:02d}:{minute:02d}",
                repeat="monthly",
                on=day,
            )
        process, seconds = start(home)
        print(f"{args.jobs} jobs: at work after {seconds:.1f} s, {memory(process):.0f} MB")
        try:
            idle(process, args.idle_seconds)
            one_by_one(home, args.due)
            at_once(home, args.at_once)
            rows = Ledger(home).rows()
            print(
                f"processor time of a run, its process and its script: {of_children(process) / len(rows):.2f} s"
            )
            print(f"model calls of all {len(rows)} runs: {sum(row.model_calls for row in rows)}")
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


def write(home: Path, id: str, **fields: object) -> None:
    """Write a job's file that tells what the machine is like."""
    (home / "schedule" / f"{id}.json").write_text(
        json.dumps({"sop": "system-report", **fields}), "utf-8"
    )


def start(home: Path) -> tuple[subprocess.Popen[str], float]:
    """`schedule start`, and how long it took until all jobs were read."""
    began = time.monotonic()
    words = [sys.executable, str(CHECKOUT / "launch.py"), "--home", str(home), "schedule", "start"]
    process = subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True
    )
    watched = psutil.Process(process.pid)
    while True:  # asleep in the kernel, and no processor time taken for a while
        before = cpu(watched)
        time.sleep(0.5)
        if cpu(watched) == before and watched.status() == "sleeping" and before > 0.1:
            return process, time.monotonic() - began


def cpu(process: psutil.Process) -> float:
    """Return the seconds of processor time so far."""
    times = process.cpu_times()
    return float(times.user + times.system)


def of_children(process: subprocess.Popen[str]) -> float:
    """Return the seconds of processor time of the runs that have ended."""
    times = psutil.Process(process.pid).cpu_times()
    return float(times.children_user + times.children_system)


def memory(process: subprocess.Popen[str]) -> float:
    """Return MB that are the process's own."""
    return float(psutil.Process(process.pid).memory_full_info().uss / 1e6)


def idle(process: subprocess.Popen[str], seconds: float) -> None:
    """Measure processor time and wake-ups while nothing is due."""
    watched = psutil.Process(process.pid)
    before, taken = wakeups_of(process.pid), cpu(watched)
    time.sleep(seconds)
    wakeups, used = wakeups_of(process.pid) - before, cpu(watched) - taken
    hour = 3600 / seconds
    print(
        f"idle for {seconds:g} s: {used:.2f} s of processor time, {wakeups} wake-ups; an hour: {used * hour:.2f} s, {wakeups * hour:.0f}"
    )


def wakeups_of(pid: int) -> int:
    """Return how often a thread of the process went to sleep of itself, all threads together."""
    found = (task.read_text() for task in Path(f"/proc/{pid}/task").glob("*/status"))
    return sum(int(text.partition("\nvoluntary_ctxt_switches:")[2].split()[0]) for text in found)


def one_by_one(home: Path, count: int) -> None:
    """Measure due times a second apart."""
    begin = datetime.now(UTC) + timedelta(seconds=3)
    for number in range(count):
        write(home, f"single-{number}", at=(begin + timedelta(seconds=number)).isoformat())
    print(late(f"{count} due times, a second apart", done(home, "single-", count)))


def at_once(home: Path, count: int) -> None:
    """Measure due times at the same moment."""
    moment = (datetime.now(UTC) + timedelta(seconds=3)).isoformat()
    for number in range(count):
        write(home, f"many-{number}", at=moment)
    rows = done(home, "many-", count)
    seconds = (max(row.ended for row in rows) - rows[0].due) / 1e6
    print(late(f"{count} due at once", rows))
    print(
        f"{count} due at once: done after {seconds:.1f} s, {count / seconds:.1f} a second, {len({row.due for row in rows})} moment"
    )


def done(home: Path, prefix: str, count: int) -> list[Row]:
    """Return the rows of these jobs once all are done."""
    ledger = Ledger(home)
    while True:
        rows = [row for row in ledger.rows() if row.job.startswith(prefix) and row.status == "done"]
        if len(rows) == count:
            return rows
        time.sleep(0.5)


def late(what: str, rows: list[Row]) -> str:
    """Return how late the claims and the runs were, ms: the middle, 95 of 100, the worst."""
    parts = []
    for name, times in (
        ("claimed", [row.noticed - row.due for row in rows]),
        ("begun", [row.began - row.due for row in rows]),
    ):
        ordered = sorted(each / 1000 for each in times)
        worst, most = ordered[-1], ordered[int(len(ordered) * 0.95) - 1]
        parts.append(f"{name} {statistics.median(ordered):.0f} / {most:.0f} / {worst:.0f} ms")
    return f"{what}: " + ", ".join(parts)


if __name__ == "__main__":
    os.environ.pop("SOPWITH_HOME", None)
    main()
