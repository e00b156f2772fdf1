"""The report of an item, `reports/R<nn>_<slug>.md`, and its line in `reports/history.md`: from the run log, by no model.

What the run says of itself stands there as its answer; that it is done, what it did and what waits is what the log says.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from pathlib import Path

from context import Prompts
from context.phrases import in_words
from memory.files import write_atomic
from memory.inbox import Inbox
from memory.logs import read_events
from memory.usage import Totals
from models.base import Event
from runs.auto.ledger import Attempt
from text.sentences import joined

FOLDER = "reports"
HISTORY = "history.md"
STEPS = 60  # of a report; the run log has them all
_CHARS = 160


def next_number(home: Path, attempts: Sequence[Attempt]) -> int:
    """The number of the next report: it was never given before."""
    names = [path.name for path in (home / FOLDER).glob("R*.md")]
    numbers = [int(found[1]) for name in names if (found := re.match(r"R(\d+)", name))]
    return 1 + max([*numbers, *(attempt.number for attempt in attempts)], default=0)


def name_of(attempt: Attempt) -> str:
    """The path of an item's report, in the home folder."""
    slug = "-".join(re.findall(r"[^\W_]+", attempt.title.casefold()))[:40].strip("-") or "item"
    return f"{FOLDER}/{attempt.name}_{slug}.md"


def was_checked(events: Sequence[Event]) -> bool:
    """Return True when the last call of a run went well: its result proves what the run says. A run without one proves nothing."""
    ended = [event["status"] for event in events if event["type"] == "tool_ended"]
    own = [status for status in ended if status != "cancelled"]  # by a stop, not by itself
    return own[-1:] == ["ok"]


def write(home: Path, prompts: Prompts, attempt: Attempt, trouble: str = "") -> None:
    """Writes the report and the line of history of an item that has ended, or waits; writing them again changes nothing.

    Raises OSError."""
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
        result=_result(events, prompts.lang) or in_words(trouble, prompts.lang) or "-",
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
    return joined(lang, ended[-1].get("said") or ()) or in_words(result, lang)


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
            text = why if entry.kind == "question" else in_words(why, lang)
            yield f"- {entry.id}: {' '.join(text.split())[:_CHARS]}"
