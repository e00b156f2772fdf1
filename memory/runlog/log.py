"""The run log: what happened in a run, one JSON event a line, append-only. It is the evidence everything else points to.

`runs/<run>/log.jsonl` holds the events (docs/events.md), each written in one piece before the run takes its next step;
`sync` makes them survive a power cut and is called before every effect. `runs/<run>/lock` is held by the process that
works on the run. Long tool outputs lie beside them. Old runs are put away (memory/runlog/archive.py) and read all the same.
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
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from config import SopwithError
from memory.runlog.mailbox import Letters
from models.base import Event

RUN_ID = re.compile(r"\d{8}-\d{6}-[0-9a-z]{4,6}")
SHARED = "shared"  # a file in the folder of a run whose log is in a database (runs/workers/log.py); here lies a copy
LEFT = "left"  # a file in the folder of a run that was stopped because whoever it worked for was (runs/control/subprocess_run.py)
FEW = 500  # runs that are read as quickly as looked up
UNDONE = "undone"  # an event that comes behind the end of a run
NOT_LOGGED = {
    "text",
    "text_reset",
    "tool_output",
}  # they only feed screens: what they add up to is logged whole


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
    status: str  # working, interrupted, or how it ended: done, failed, waiting, limit, no_model, cancelled
    started: str
    turns: int = 0
    model_calls: int = 0
    cost: float = 0.0
    sop: str | None = None
    rote: bool = False
    trial: bool = False  # a replay on a copy, which nobody asked for
    parent: str | None = None  # the run whose helper this one is
    children: list[str] = field(
        default_factory=list
    )  # its helpers, in the order in which they began
    seconds: float = 0.0
    tokens: dict[str, int] = field(default_factory=dict)  # input, cached, output
    by_model: dict[str, dict[str, float]] = field(default_factory=dict)  # what each has used


def new_run_id() -> str:
    """Sorts by time, to the millisecond, and reads well: 20261121-222220-3079f."""
    at = datetime.now(UTC)
    return f"{at:%Y%m%d-%H%M%S}-{at.microsecond // 1000:03d}{os.urandom(1).hex()}"


class RunLog:
    """The log of one run, open for writing by this process alone."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run = folder.name
        self.letters = Letters(folder).after  # what others have left for the run, behind a number
        self._lock = -1
        self._file = -1

    @classmethod
    def create(cls, home: Path) -> RunLog:
        """Makes the folder of a new run. Raises RunLogError when the home folder cannot be written."""
        for _ in range(20):
            folder = home / "runs" / new_run_id()
            try:
                folder.mkdir(parents=True, mode=0o700)
            except FileExistsError:
                continue
            except OSError as error:
                raise cannot_write(folder, error) from error
            return cls(folder)._open()
        raise RunLogError(f"cannot find a free name for a run in {home / 'runs'}")

    @classmethod
    def apart(cls, home: Path, task: str) -> RunLog:
        """Return that of a new run which a process of its own makes go; `task` is what others read of it meanwhile."""
        return cls.create(home)

    @classmethod
    def fetch(cls, home: Path, run: str) -> None:
        """Brings the log of such a run here from another machine: this one lies here."""

    @classmethod
    def reopen(cls, home: Path, run: str) -> RunLog:
        """Opens the log of a run that is to go on; a line that a crash left unfinished is cut off."""
        run = find_run(home, run)
        from memory.runlog.archive import restore

        try:
            restore(home, run)
        except OSError as error:
            raise cannot_write(home / "runs", error) from error
        if (home / "runs" / run / SHARED).exists():
            raise RunLogError(
                f"run {run} belongs to the tasks that machines share, and their database is not at hand.\n"
                "Set queue.url in config.yaml."
            )
        log = cls(home / "runs" / run)._open()
        _cut_torn_line(log.folder / "log.jsonl")
        return log

    def _open(self) -> RunLog:
        try:
            self._lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                owner = worker(self.folder)
                os.close(self._lock)
                raise RunLogError(
                    f"run {self.run} is being worked on by process {owner or 'unknown'}.\n"
                    f"Wait for it, or stop it: sopwith runs cancel {self.run}"
                ) from None
            os.ftruncate(self._lock, 0)
            os.pwrite(self._lock, f"{os.getpid()}\n".encode(), 0)
            self._file = os.open(
                self.folder / "log.jsonl",
                os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC,
                0o600,
            )
        except OSError as error:
            raise cannot_write(self.folder, error) from error
        return self

    def append(self, event: Event) -> None:
        """Writes one event. After it returns, the event survives the end of this process."""
        self._write(line_of(event))

    def _write(self, line: bytes) -> None:
        try:
            written = os.write(self._file, line)
            if written != len(line):  # a full disk takes a part of it
                os.ftruncate(self._file, os.fstat(self._file).st_size - written)
                raise OSError(28, os.strerror(28))
        except OSError as error:
            raise cannot_write(self.folder, error) from error

    def sync(self) -> None:
        """Returns when everything appended so far survives a power cut."""
        try:
            os.fdatasync(self._file)
        except OSError as error:
            raise cannot_write(self.folder, error) from error

    def close(self) -> None:
        """Lets go of the run; others may work on it."""
        for descriptor in (self._file, self._lock):
            if descriptor >= 0:
                os.close(descriptor)
        self._file = self._lock = -1


def line_of(event: Event) -> bytes:
    """An event as it stands in the log."""
    return (json.dumps(event, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def cannot_write(folder: Path, error: OSError) -> RunLogError:
    """Return what the owner reads when a run's folder cannot be written."""
    return RunLogError(
        f"cannot write the run log in {folder}: {error.strerror or error}.\n"
        "Nothing further was done. Free some space or choose another home folder with --home."
    )


def _cut_torn_line(path: Path) -> None:
    with path.open("rb+") as file:
        data_end = file.seek(0, os.SEEK_END)
        position, chunk = data_end, b""
        while position > 0 and b"\n" not in chunk:
            position = max(0, position - 65536)
            file.seek(position)
            chunk = file.read(65536 if data_end - position > 65536 else data_end - position)
        keep = position + chunk.rfind(b"\n") + 1
        if keep != data_end:
            file.truncate(keep)


def worker(folder: Path) -> int | None:
    """The process id that works on the run in `folder` now, or None."""
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
    """The id that `name` means: an id, the start of exactly one, or "last". Raises NoSuchRun."""
    if RUN_ID.fullmatch(name) and (home / "runs" / name).is_dir():
        return name
    runs = run_ids(home)
    if name == "last" and runs:
        return next((run for run in runs if not _is_beside(home, run)), runs[0])
    found = [run for run in runs if run == name] or [
        run for run in runs if name and run.startswith(name)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise NoSuchRun(
            f'"{name}" is the start of {len(found)} runs: {", ".join(found[:4])} …\nGive more of the id.'
        )
    raise NoSuchRun(
        f'there is no run "{name}" in {home / "runs"}.\nSee them with: sopwith runs list'
    )


def _is_beside(home: Path, run: str) -> bool:
    """Return True if a run is a trial, or a helper of another."""
    summary = summarise(home, run)
    return summary is not None and (summary.trial or summary.parent is not None)


def run_ids(home: Path, *, archived: bool = True) -> list[str]:
    """All runs, newest first; those that were put away only when `archived`."""
    found: set[str] = set()
    with suppress(FileNotFoundError), os.scandir(home / "runs") as entries:
        found = {
            each.name
            for each in entries
            if each.name[0] != "." and each.is_dir(follow_symlinks=False)
        }
    if archived and (home / "runs" / ".archive").exists():
        from memory.runlog.archive import archived_ids

        found.update(archived_ids(home))
    return sorted(found, reverse=True)


def open_log(home: Path, run: str) -> BinaryIO:
    """The log of a run, also of one that was put away. Raises OSError."""
    try:
        return (home / "runs" / run / "log.jsonl").open("rb")
    except FileNotFoundError:
        from memory.runlog.archive import read_log

        data = read_log(home, run)
        if data is None:
            raise
        return io.BytesIO(data)


def log_size(home: Path, run: str) -> int | None:
    """How many bytes the log of a run has; None when there is none."""
    try:
        return (home / "runs" / run / "log.jsonl").stat().st_size
    except OSError:
        from memory.runlog.archive import log_size

        return log_size(home, run)


def read_events(home: Path, run: str) -> Iterator[Event]:
    """The events of a run in order; a torn last line is left out, a damaged one in between is an error."""
    path = home / "runs" / run / "log.jsonl"
    try:
        with open_log(home, run) as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    return
                try:
                    event = json.loads(line)
                except ValueError as error:
                    raise RunLogError(f"{path}:{number} is damaged: {error}") from error
                yield event
    except FileNotFoundError:
        return
    except OSError as error:
        raise RunLogError(f"cannot read {path}: {error.strerror}") from error


def choice_of(event: Event) -> Event:
    """Return what the event `chosen` says of its run: the fields of `run_started` that it fills in."""
    return {key: event[key] for key in ("sop", "sop_version", "parameters", "lane")}


def opening_of(events: Sequence[Event]) -> Event:
    """How a run began: its first event, with the SOP that its owner chose."""
    choice = next((choice_of(event) for event in events if event["type"] == "chosen"), {})
    return events[0] | choice


def list_runs(home: Path, limit: int | None = None) -> list[RunSummary]:
    """Return what the run logs say of each run, newest first; trials on copies are left out."""
    if limit is None or limit > FEW:
        from memory.runlog.index import lines

        return [RunSummary(**json.loads(line)) for line in lines(home, limit)]
    summaries = (summarise(home, run) for run in run_ids(home))
    found: list[RunSummary] = []
    for summary in summaries:
        if limit is not None and len(found) >= limit:
            break
        if summary is not None and not summary.trial:
            found.append(summary)
    return found


def summarise(home: Path, run: str) -> RunSummary | None:
    """One run's line. Looks at the first and the last event only, unless the run has not ended."""
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
    return RunSummary(
        run,
        first["task"],
        last["status"],
        first["at"],
        last["turns"],
        last["model_calls"],
        last["cost"],
        last["sop"],
        last["rote"],
        "verifies" in first,
        first.get("parent"),
        last.get("children", []),
        last.get("seconds", 0.0),
        last.get("tokens", {}),
        last.get("by_model", {}),
    )


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


def append_undone(home: Path, run: str, call: str, paths: Sequence[str]) -> None:
    """Write behind the end of a run that its changes were taken back; not where it is at work, or not kept here."""
    stamp = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    event = {"type": UNDONE, "run": run, "at": stamp, "call": call or None, "paths": list(paths)}
    with suppress(RunLogError):
        log = RunLog.reopen(home, run)
        try:
            log.append(event)
            log.sync()
        finally:
            log.close()


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


ZERO = {"input": 0, "cached": 0, "output": 0}  # tokens


class Totals:
    """Counts what a run used, from its events."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.turns = self.model_calls = 0
        self.cost = self.seconds = 0.0
        self.children: dict[
            str, float
        ] = {}  # the helpers, and what each has cost in USD, once it has ended
        self.tokens = dict(ZERO)
        self.kinds: set[str] = set()
        self.by_model: dict[str, dict[str, float]] = {}  # the same of each model that was asked
        self.changes: dict[str, int] = {}  # how many files were new, changed, moved, gone
        for event in events:
            self.add(event)

    def add(self, event: Event) -> None:
        """Counts one event; types that use nothing are passed over."""
        if event["type"] == "model_called":
            self.turns = event["turn"]
            if event[
                "turn"
            ]:  # before turn 1 a model may have chosen the SOP: the task is done by rote all the same
                self.kinds.add(event["kind"])
            self.model_calls += event["kind"] in ("openai", "anthropic")
            self.cost += event["cost"]
            for key in self.tokens:
                self.tokens[key] += event["tokens"][key]
            if event["kind"] != "rote":
                self._add_to_model(event)
        elif event["type"] == "changes":
            for key in ("new", "changed", "moved", "gone", "bytes"):
                self.changes[key] = self.changes.get(key, 0) + event[key]
        elif event["type"] == "delegated":
            self.children[event["child"]] = event.get("cost", 0.0)
        elif event["type"] == "run_ended":
            self.seconds = event["seconds"]

    def _add_to_model(self, event: Event) -> None:
        used = self.by_model.setdefault(event.get("model", ""), {"calls": 0, **ZERO, "cost": 0.0})
        used["calls"] += 1
        used["cost"] = round(used["cost"] + event["cost"], 6)
        for key in ZERO:
            used[key] += event["tokens"][key]

    @property
    def spent(self) -> float:
        """Return what the run and its helpers have cost, USD."""
        return self.cost + sum(self.children.values())

    def as_fields(self) -> dict[str, Any]:
        """The fields of `run_ended`."""
        return {
            "turns": self.turns,
            "model_calls": self.model_calls,
            "tokens": dict(self.tokens),
            "cost": round(self.cost, 6),
            "rote": self.kinds == {"rote"},
            **({"by_model": self.by_model} if self.by_model else {}),
            **({"children": list(self.children)} if self.children else {}),
            **({"changes": dict(self.changes)} if self.changes else {}),
        }
