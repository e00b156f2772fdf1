"""Offer to learn a procedure when runs of a kind come again and nobody marked one: a proposal in
the inbox."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from memory.evidence import SAYS_NOTHING
from memory.inbox import Entry, Inbox
from memory.logs import RunSummary, list_runs, read_events

LOOKED_AT = 100  # of the newest runs
ENOUGH = 3  # runs of a kind; a fourth is not offered again
MOST_CHARS = 2_000  # of a request: what is longer would take minutes to read
SAME_KIND = 0.7  # of the words of two requests, values left out
_VALUES = re.compile(r"\"[^\"]*\"|“[^”]*”|「[^」]*」|\S*[/~]\S*|\S+\.\w+|\S*\d\S*")
_WORDS = re.compile(r"[a-z]{2,}|[\u4e00-\u9fff]")


def offer(home: Path, lang: str, inbox: Inbox, run: str) -> None:
    """Leave a proposal when this is the third finished run of its kind that no SOP did and no model
    marked."""
    done = {each.run: each for each in list_runs(home, LOOKED_AT) if _counts(each)}
    same = _of_its_kind(home, done, run) if run in done else []
    if len(same) == ENOUGH:
        inbox.add(_entry(done[run], same, lang))


def _of_its_kind(home: Path, done: Mapping[str, RunSummary], run: str) -> list[str]:
    """Return the runs with a request of the same words and the same tools, the oldest first."""
    wanted, tools = _words(done[run].task), _tools(home, run)
    alike = [each.run for each in done.values() if _alike(wanted, _words(each.task))]
    return sorted(each for each in alike if tools and _tools(home, each) == tools)


def _counts(run: RunSummary) -> bool:
    is_whole = run.status == "done" and run.sop is None
    return is_whole and not run.trial and run.parent is None


def _entry(run: RunSummary, same: Sequence[str], lang: str) -> Entry:
    said = "Three runs did the same kind of task; learn it as a procedure?"
    if lang == "zh":
        said = "三次运行做了同一类任务，要学成流程吗？"
    entry = Entry(f"offer-{run.run}", run.run, "proposal", f"{said} {run.task[:200]}")
    entry.command = f"sopwith teach NAME --from-run {' '.join(same)}"
    return entry


def _words(task: str) -> frozenset[str]:
    """Return the words of a request without its values; of Chinese its characters."""
    return frozenset(_WORDS.findall(_VALUES.sub(" ", task[:MOST_CHARS].lower())))


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one) > 1 and len(one & other) >= SAME_KIND * len(one | other)


def _tools(home: Path, run: str) -> frozenset[str]:
    """Return the tools that an owner's run used; none for a run of a group, or one that was
    marked."""
    events = list(read_events(home, run))
    if not events or events[0].get("session") != "main" or "bounds" in events[0]:
        return frozenset()
    tools = frozenset(each["tool"] for each in events if each["type"] == "tool_ended")
    return frozenset() if SAYS_NOTHING[0] in tools else tools
