"""Read the run logs: what happened in a run, which runs there are, the line of each.

Old runs are put away (memory/logs/archive.py) and read all the same. `runs/<run>/lock` is held by
the process that works on the run.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from config import SopwithError
from memory.usage import Totals
from models.base import Event

RUN_ID = re.compile(r"\d{8}-\d{6}-[0-9a-z]{4,6}")
_AT_THE_END = (  # what the last event of a run says of it
    *("turns", "model_calls", "cost", "sop", "rote", "children", "seconds", "tokens", "by_model"),
)
UNDONE = "undone"  # an event that comes behind the end of a run


class RunLogError(SopwithError):
    """The run log cannot be read or written, or somebody else works on this run."""


class NoSuchRun(RunLogError):
    """Refuse a name that is no run's, or several runs'."""

    exit_code = 2


@dataclass(slots=True)
class RunSummary:
    """One line of `runs list`."""

    run: str
    task: str
    # working, interrupted, or how it ended: done, failed, waiting, limit, no_model, cancelled
    status: str
    started: str
    turns: int = 0
    model_calls: int = 0
    cost: float = 0.0
    sop: str | None = None
    rote: bool = False
    trial: bool = False  # a replay on a copy, which nobody asked for
    parent: str | None = None  # the run whose helper this one is
    # its helpers, in the order in which they began
    children: list[str] = field(default_factory=list)
    seconds: float = 0.0
    tokens: dict[str, int] = field(default_factory=dict)  # input, cached, output
    by_model: dict[str, dict[str, float]] = field(default_factory=dict)  # what each has used


def worker(folder: Path) -> int | None:
    """Return the process id that works on the run in `folder` now, or None."""
    try:
        descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            text = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
            return int(text) if text.isdigit() else 0
        return None
    finally:
        os.close(descriptor)


def find_run(home: Path, name: str) -> str:
    """Return the id that `name` means: an id, the start of exactly one, or "last". Raises
    NoSuchRun."""
    if RUN_ID.fullmatch(name) and (home / "runs" / name).is_dir():
        return name
    runs = run_ids(home)
    if name == "last" and runs:
        return next((run for run in runs if not _is_beside(home, run)), runs[0])
    found = starting(runs, name)
    if len(found) == 1:
        return found[0]
    if found:
        some = ", ".join(found[:4])
        raise NoSuchRun("error.logs.start-runs", name=name, n=len(found), list=some)
    raise NoSuchRun("error.logs.no-run", name=name, folder=home / "runs")


def starting(runs: Iterable[str], name: str) -> list[str]:
    """Return the runs whose ids begin so; none for no name."""
    return [run for run in runs if name and run.startswith(name)]


def _is_beside(home: Path, run: str) -> bool:
    """Return True if a run is a trial, or a helper of another."""
    summary = summarise(home, run)
    return summary is not None and (summary.trial or summary.parent is not None)


def run_ids(home: Path, *, archived: bool = True) -> list[str]:
    """Return all runs, newest first; those that were put away only when `archived`."""
    found: set[str] = set()
    with suppress(FileNotFoundError), os.scandir(home / "runs") as entries:
        found = {
            each.name
            for each in entries
            if each.name[0] != "." and each.is_dir(follow_symlinks=False)
        }
    if archived and (home / "runs" / ".archive").exists():
        from memory.logs.packed import archived_ids

        found.update(archived_ids(home))
    return sorted(found, reverse=True)


def open_log(home: Path, run: str) -> BinaryIO:
    """Return the log of a run, also of one that was put away. Raises OSError."""
    try:
        return (home / "runs" / run / "log.jsonl").open("rb")
    except FileNotFoundError:
        from memory.logs.packed import read_log

        data = read_log(home, run)
        if data is None:
            raise
        return io.BytesIO(data)


def log_size(home: Path, run: str) -> int | None:
    """Return how many bytes the log of a run has; None when there is none."""
    try:
        return (home / "runs" / run / "log.jsonl").stat().st_size
    except OSError:
        from memory.logs.packed import log_size

        return log_size(home, run)


def read_events(home: Path, run: str) -> Iterator[Event]:
    """Yield the events of a run in order; a torn last line is left out, a damaged one in between is
    an error."""
    path = home / "runs" / run / "log.jsonl"
    try:
        with open_log(home, run) as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    return
                try:
                    event = json.loads(line)
                except ValueError as error:
                    raise RunLogError(
                        "error.logs.damaged", path=path, line=number, error=error
                    ) from error
                yield event
    except FileNotFoundError:
        return
    except OSError as error:
        raise RunLogError("error.logs.cannot-read", path=path, error=error) from error


def summarise(home: Path, run: str) -> RunSummary | None:
    """Return one run's line. Looks at the first and the last event only, unless the run has not
    ended."""
    try:
        with open_log(home, run) as file:
            first, last = _ends(file)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return RunSummary(run, "", "damaged", "")
    if first is None:
        return None
    if last is None or last.get("type") != "run_ended":
        return _count(home, run, first)
    said = {name: last[name] for name in _AT_THE_END if name in last}
    summary = RunSummary(run, first["task"], last["status"], first["at"], **said)
    summary.sop = summary.sop or first.get("sop")
    summary.trial, summary.parent = "verifies" in first, first.get("parent")
    return summary


def _ends(file: BinaryIO) -> tuple[Event | None, Event | None]:
    head = file.readline()
    if not head.endswith(b"\n"):
        return None, None
    size = file.seek(0, os.SEEK_END)
    reach = 4096
    while True:
        file.seek(max(len(head), size - reach))
        lines = file.read().splitlines(keepends=True)
        whole = [line for line in lines if line.endswith(b"\n")]
        is_all = size - reach <= len(head)
        last = _last(whole if is_all else whole[1:])
        if is_all or last:
            return json.loads(head), last
        reach *= 8


def _last(lines: Sequence[bytes]) -> Event | None:
    """Return the last event of these lines but for those that may come behind the end of a run."""
    events = map(json.loads, reversed(lines))
    return next((event for event in events if event["type"] != UNDONE), None)


def _count(home: Path, run: str, first: Event) -> RunSummary:
    status = "interrupted" if worker(home / "runs" / run) is None else "working"
    summary = RunSummary(
        run, first["task"], status, first["at"], sop=first.get("sop"), trial="verifies" in first
    )
    summary.parent = first.get("parent")
    kinds: set[str] = set()
    totals = Totals()
    for event in read_events(home, run):
        totals.add(event)
        if event["type"] == "model_called":
            kinds.add(event["kind"])
        elif event["type"] == "delegated" and event["child"] not in summary.children:
            summary.children.append(event["child"])
        elif event["type"] == "chosen":
            summary.sop = event["sop"]
    summary.rote = kinds == {"rote"}
    summary.turns, summary.model_calls, summary.cost = totals.turns, totals.model_calls, totals.cost
    summary.tokens, summary.by_model = totals.tokens, totals.by_model
    return summary
