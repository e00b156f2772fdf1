"""Choose which notes are worth keeping for long, by a model or by rules; the evidence gate lets
them in.

Only what the owner said or wrote in the main session is looked at. A model may choose and shorten;
each of its proposals must quote the line that it comes from, and code looks whether it does.
Without a model whole lines are taken as they stand. What may not be kept is refused by the same
rules as for facts (memory/facts/gate.py). Source: seed 000 "Background tasks".
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any, get_args

from config import Worded
from memory import notes
from memory.digest.memory_file import Category, Changes, Entry, MemoryFile
from memory.facts import Fact, Line, Refusal, check_line
from memory.home import MAIN
from memory.notes import find
from memory.wording import coverage, same_said, supersedes, told

MAX_TEXT_CHARS = 300  # of an entry: as long as a fact may be
MAX_PROPOSALS = 40  # of one reply
MAX_SHOWN_CHARS = 40_000  # of the notes in the prompt
_FILE = Path(__file__).parents[2] / "assets" / "memory" / "digest.toml"
_CATEGORIES: dict[str, Category] = {each: each for each in get_args(Category)}
_ID = re.compile(r"#?[0-9a-f]{8}")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？]")


@dataclass(frozen=True, slots=True)
class Proposal:
    """An entry that may be kept, the line that it comes from, and ids of those that a model says it
    replaces."""

    entry: Entry
    line: Line
    replaces: tuple[str, ...] = ()


Refused = list[tuple[Line, Refusal]]


class BadProposals(Worded):
    """A model's reply that is no list of proposals."""


def lines_of(home: Path, days: Iterable[date]) -> Iterator[Line]:
    """Yield what the notes of these days say, oldest first; what was said in shared sessions is
    theirs.

    Raises OSError, Unreadable.
    """
    for day in days:
        for note in notes.entries(home, day, MAIN):
            if note.session.is_main and note.text.strip() and note.kind != "todo":
                run, text = note.run.strip("-"), " ".join(note.text.split())
                source = f"{run}:{note.turn}" if run else f"memory/{day.isoformat()}.md"
                yield Line(text, note.kind, day.isoformat(), source, run)


def extracted(lines: Iterable[Line]) -> list[Proposal]:
    """Return what rules choose: whole lines, as they were said."""
    return [found for line in lines for found in _extracted(line)]


def _extracted(line: Line) -> Iterator[Proposal]:
    said, kind = _said(line), line.kind
    if kind == "event":
        kind = _kind(line.text) or kind
    if kind == "instruction":  # "remember that I prefer tea" is a preference
        kind = _kind(said) or kind
    if kind == "event" and _pattern("milestone").search(said):
        kind = "milestone"
    if category := _CATEGORIES.get(kind):
        entry = Entry(category, _dated(said, line.day), line.day, line.source, is_verbatim=True)
        yield Proposal(entry, line)


def _kind(text: str) -> str:
    return next((found.kind for found in find(text)), "")


def _said(line: Line) -> str:
    """Return the line without "remember that"; of a long one the first sentences."""
    said = told(line.text).strip()
    if len(said) <= MAX_TEXT_CHARS:
        return said
    ends = [match.end() for match in _SENTENCE_END.finditer(said, 0, MAX_TEXT_CHARS)]
    return said[: ends[-1]] if ends else said


def _dated(text: str, day: str) -> str:
    """Return the text with its day in the place of "today" and "yesterday"."""
    for row in _table()["days"]:
        that_day = date.fromisoformat(day) - timedelta(days=row["days_ago"])
        text = re.sub(row["re"], row["instead"].format(day=that_day.isoformat()), text)
    return text.strip()


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(_FILE.read_text("utf-8"))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(_table()[name])


# A model's proposals


def shown(lines: Sequence[Line]) -> str:
    """Return the lines for the prompt, each with its number; the newest stay when there are too
    many."""
    rows = [f"N{number} [{line.day}] {line.text}" for number, line in enumerate(lines, 1)]
    while len(rows) > 1 and sum(map(len, rows)) > MAX_SHOWN_CHARS:
        rows.pop(0)
    return "\n".join(rows)


def proposed(reply: str, lines: Sequence[Line]) -> tuple[list[Proposal], Refused]:
    """Return the proposals of a reply, and those whose quote does not stand where it says. Raises
    BadProposals."""
    begin, end = reply.find("["), reply.rfind("]")
    try:
        items = json.loads(reply[begin : end + 1])
    except (ValueError, RecursionError) as error:
        raise BadProposals("error.digest.no-json") from error
    if not isinstance(items, list):
        raise BadProposals("error.digest.no-list")
    made = [_proposal(item, lines) for item in items[:MAX_PROPOSALS] if isinstance(item, dict)]
    found = [each for each in made if isinstance(each, Proposal)]
    refused = [each for each in made if isinstance(each, tuple)]
    return sorted(found, key=lambda each: each.line.day), refused


def _proposal(
    item: dict[str, Any], lines: Sequence[Line]
) -> Proposal | tuple[Line, Refusal] | None:
    category = _CATEGORIES.get(str(item.get("category")))
    text, quote = (" ".join(str(item.get(name) or "").split()) for name in ("text", "quote"))
    number = str(item.get("line")).removeprefix("N")
    line = dict(zip(map(str, range(1, len(lines) + 1)), lines, strict=True)).get(number)
    if category is None or line is None or not text:
        return None
    if len(quote) < 2 or quote not in line.text:
        return line, Refusal("unproven", f"N{number}", text)
    return Proposal(Entry(category, text, line.day, line.source), line, _ids(item.get("replaces")))


def _ids(said: Any) -> tuple[str, ...]:
    listed = said if isinstance(said, list) else [said]
    texts = [each for each in listed if isinstance(each, str)]
    return tuple(each.strip("#") for each in texts if _ID.fullmatch(each))


# The gate


def choose(
    proposals: Sequence[Proposal],
    known: MemoryFile,
    home: Path,
    redact: Callable[[str], str] | None,
) -> tuple[Changes, Refused]:
    """Let in what may be kept. Proposals come oldest first, so that of two that conflict the newer
    one stays."""
    changes, refused = Changes([], {}, {}, []), Refused()
    live = {entry.id: entry for entry in known.live}
    seen = {entry.id for entry in known.entries}  # kept already, or replaced since
    for proposal in proposals:
        entry = proposal.entry
        if entry.id in seen:
            continue
        seen.add(entry.id)
        if refusals := check(proposal, home, redact):
            refused.append((proposal.line, refusals[0]))
        elif not _is_known(entry, known, live, changes):
            for old in [each for each in live.values() if _is_replaced(each, proposal)]:
                changes.replaced[old.id] = entry.id
                del live[old.id]
            changes.added.append(entry)
            live[entry.id] = entry
    return changes, refused


def _is_known(entry: Entry, known: MemoryFile, live: dict[str, Entry], changes: Changes) -> bool:
    """Return True if it is said already; a mistake that is made again counts for more."""
    if any(same_said(entry.text, text) for text in known.by_hand):
        return True
    same = next((each for each in live.values() if same_said(entry.text, each.text)), None)
    if same is not None and same.category == "lesson":
        changes.repeated[same.id] = changes.repeated.get(same.id, same.times) + 1
    return same is not None


def _is_replaced(old: Entry, by: Proposal) -> bool:
    if old.day > by.entry.day:
        return False
    is_named = old.id in by.replaces and coverage(old.text, by.entry.text) > 0
    return is_named or supersedes(by.entry.text, old.text)


def check(proposal: Proposal, home: Path, redact: Callable[[str], str] | None) -> list[Refusal]:
    """Return why an entry may not be kept; nothing when it may."""
    entry = proposal.entry
    is_wish = entry.category in ("preference", "instruction")
    fact = Fact("PREFERENCES" if is_wish else "LESSONS", entry.text)
    found = check_line(fact, proposal.line, home, is_verbatim=entry.is_verbatim, redact=redact)
    may_define = entry.category == "instruction"  # the owner says what to remember
    return [each for each in found if not (may_define and each.rule == "general")]
