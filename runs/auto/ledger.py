"""Keep what autonomous mode has begun and how it ended: `auto/ledger.jsonl` in the home folder, one
JSON object a line, appended.

A line is on the disk before what it tells of happens, so a session that was killed is gone on from
here.

    {"what": "begun", "at", "number", "item", "title", "task", "request", "todo", "session", "run"}
    {"what": "ended", "at", "number", "run", "status", "cost", "seconds", "report"}    again when a
                                                                                       run that
                                                                                       waited has
                                                                                       ended
    {"what": "planned", "at", "session", "cost"}

Errors:

    SopwithError
    └── AutoBusy   another process is at it
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from config import SopwithError
from context import Prompts
from memory.files import write_atomic
from memory.files.writing import locked
from memory.inbox import Inbox
from memory.logs import read_events
from memory.runlog import cannot_write
from memory.usage import Totals
from models.base import Event
from text.sentences import joined, said_in

FILE = "ledger.jsonl"
WAITS = "waiting"
FOLDER = "reports"
HISTORY = "history.md"
STEPS = 60  # of a report; the run log has them all
_CHARS = 160


class AutoBusy(SopwithError):
    """Another process is in autonomous mode here."""


@dataclass(slots=True)
class Attempt:
    """One item that was taken up. `status` is "" until it has ended, or waits for the owner."""

    number: int
    item: str
    title: str
    task: str
    request: str
    todo: int
    session: str
    at: str
    run: str = ""
    status: str = ""
    cost: float = 0.0  # USD
    seconds: float = 0.0
    report: str = ""

    @property
    def name(self) -> str:
        """Return how its report is called: R07."""
        return f"R{self.number:02}"


_NAMES = [each.name for each in fields(Attempt)]


class Ledger:
    """The ledger of one home folder."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "auto"

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the lock while this process is the only one in autonomous mode here. Raises
        AutoBusy."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self.folder / "lock"
        with locked(path, waits=False) as lock:
            if lock < 0:
                pid = path.read_text("ascii", "replace").strip() or "unknown"
                raise AutoBusy("error.auto.autonomous-mode-work-already", pid=pid)
            os.ftruncate(lock, 0)
            os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
            yield

    def write(self, what: str, **more: Any) -> None:
        """Append a line; it survives a power cut when this returns. Raises RunLogError."""
        at = datetime.now().astimezone().isoformat(timespec="seconds")
        line = json.dumps({"what": what, "at": at, **more}, ensure_ascii=False)
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with (self.folder / FILE).open("a+b") as file:
                file.seek(max(0, file.tell() - 1))
                if file.read() not in (b"", b"\n"):
                    file.write(b"\n")  # a crash left half a line
                file.write(f"{line}\n".encode("utf-8", "replace"))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise cannot_write(self.folder, error) from error

    def attempts(self) -> list[Attempt]:
        """Return all attempts, oldest first."""
        found: dict[int, dict[str, Any]] = {}
        for line in self._lines():
            number = line.get("number", 0)
            if line["what"] == "begun":
                found[number] = {"at": line["at"]}
            if number in found:  # what it said last holds, but for when it began
                found[number] |= {**line, "at": found[number]["at"]}
        return [
            Attempt(**{name: each[name] for name in _NAMES if name in each})
            for each in found.values()
        ]

    def _lines(self) -> Iterator[dict[str, Any]]:
        try:
            lines = (self.folder / FILE).read_text("utf-8", "replace").splitlines()
        except FileNotFoundError:
            return
        for line in lines:
            with contextlib.suppress(ValueError):  # half a line, of a crash
                yield json.loads(line)


def next_number(home: Path, attempts: Sequence[Attempt]) -> int:
    """Return the number of the next report: it was never given before."""
    names = [path.name for path in (home / FOLDER).glob("R*.md")]
    numbers = [int(found[1]) for name in names if (found := re.match(r"R(\d+)", name))]
    return 1 + max([*numbers, *(attempt.number for attempt in attempts)], default=0)


def name_of(attempt: Attempt) -> str:
    """Return the path of an item's report, in the home folder."""
    slug = "-".join(re.findall(r"[^\W_]+", attempt.title.casefold()))[:40].strip("-") or "item"
    return f"{FOLDER}/{attempt.name}_{slug}.md"


def was_checked(events: Sequence[Event]) -> bool:
    """Return True when the last call of a run went well: its result proves what the run says. A run
    without one proves nothing."""
    ended = [event["status"] for event in events if event["type"] == "tool_ended"]
    own = [status for status in ended if status != "cancelled"]  # by a stop, not by itself
    return own[-1:] == ["ok"]


def write_report(home: Path, prompts: Prompts, attempt: Attempt, trouble: str = "") -> None:
    """Write the report and the history line of an item that has ended or waits; doing it again
    changes nothing.

    Raises OSError.
    """
    (home / FOLDER).mkdir(mode=0o700, exist_ok=True)
    events = list(read_events(home, attempt.run)) if attempt.run else []
    totals = Totals(events)
    at, is_by_rote = attempt.at[:16].replace("T", " "), totals.kinds == {"rote"}
    told = prompts.text(
        "auto_report",
        number=attempt.name,
        title=attempt.title,
        status=attempt.status,
        at=at,
        run=attempt.run or "-",
        turns=totals.turns,
        calls=totals.model_calls,
        cost=f"{totals.spent:.4f}",
        seconds=f"{totals.seconds:.0f}",
        by=prompts.text("auto_by_rote" if is_by_rote else "auto_by_model"),
        task=attempt.task,
        result=_result(events, prompts.lang) or said_in(prompts.lang, trouble) or "-",
        steps="\n".join(_steps(events)) or "-",
        open="\n".join(_open(home, {attempt.run, *totals.children}, prompts.lang)) or "-",
    )
    write_atomic(home / attempt.report, told + "\n")
    parts = [at, attempt.name, attempt.status, attempt.title, f"{totals.spent:.4f} USD"]
    parts += [f"{totals.seconds:.0f} s", Path(attempt.report).name]
    _tell(home / FOLDER / HISTORY, "- " + " · ".join(parts))


def _tell(path: Path, line: str) -> None:
    """Add the line of history; one that is there already is not written again."""
    before = path.read_text("utf-8", "replace") if path.exists() else "# History\n\n"
    if line not in before.splitlines():
        write_atomic(path, before + line + "\n")


def _result(events: Sequence[Event], lang: str) -> str:
    ended = [event for event in events if event["type"] == "run_ended"]
    if not ended:
        return ""
    result = str(ended[-1]["result"]).strip()
    if ended[-1]["status"] == "done":
        return result
    return joined(lang, ended[-1].get("said") or ()) or result


def _steps(events: Sequence[Event]) -> Iterator[str]:
    """Yield what was called and how it went, one line each."""
    args = {event["call"]: event["args"] for event in events if event["type"] == "tool_started"}
    ended = [event for event in events if event["type"] == "tool_ended"]
    for event in ended[:STEPS]:
        given = "; ".join(f"{name}: {value}" for name, value in args.get(event["call"], {}).items())
        line = f"{event['turn']}. {event['tool']} · {event['status']} · {' '.join(given.split())}"
        yield line[:_CHARS] + ("…" if len(line) > _CHARS else "")
    if len(ended) > STEPS:
        yield "…"


def _open(home: Path, runs: Container[str], lang: str) -> Iterator[str]:
    """Yield what of it, and of its helpers, waits in the inbox."""
    for entry in Inbox(home).list():
        if entry.run in runs:
            why = f"{entry.tool}: {joined(lang, entry.said)}" if entry.said else entry.text
            yield f"- {entry.id}: {' '.join(why.split())[:_CHARS]}"
