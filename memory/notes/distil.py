"""Choose which notes are worth keeping for long, by a model or by rules; the evidence gate lets them in.

Only what the owner said or wrote in the main session is looked at. A model may choose and shorten; each of its proposals
must quote the line that it comes from, and code looks whether it does. Without a model whole lines are taken as they stand.
What may not be kept is refused by the same rules as for facts (memory/facts/policy.py). Source: seed 000 "Background tasks".
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any, get_args

from memory.facts.forbidden import ADDRESSES, DEFINES
from memory.facts.lines import MAX_TEXT_CHARS, Fact
from memory.facts.policy import LEAST_COVERAGE, Keeping, Refusal, check_wording
from memory.facts.supersede import supersedes
from memory.facts.words import coverage, same_said, stands_in, values
from memory.home.sessions import MAIN
from memory.notes import daily as notes
from memory.notes.memory_file import Category, Entry, MemoryFile
from memory.notes.remember import Kind, find
from memory.runlog.evidence import read_record
from memory.runlog.log import RunLogError

MAX_PROPOSALS = 40  # of one reply
MAX_SHOWN_CHARS = 40_000  # of the notes in the prompt
_CATEGORIES: dict[str, Category] = {each: each for each in get_args(Category)}
_OF_KIND: dict[Kind, Category] = {
    "preference": "preference",
    "decision": "decision",
    "lesson": "lesson",
    "instruction": "instruction",
}
_ASKS_TO_REMEMBER = re.compile(
    r"(?i)^\s*(?:please |pls |and |also )*(?:(?:do |can you |could you )?remember|note|keep in mind|memori[sz]e|write down|don't forget|do not forget)"
    r"\s*(?:(?:that|this|down)\b\s*)?[:,]?\s+(?!to\b)"
    r"|^\s*(?:请|帮我|麻烦|你)*(?:记住|牢记|记下来?|记一下|记着)[，,：:\s]*"
)
_MILESTONE = re.compile(
    r"(?i)\b(?:released|shipped|launched|deployed|finished|completed|published|passed the exam|graduated|moved into|signed the|went live|got (?:the job|married|engaged)"
    r"|(?:v|version )?\d+\.\d+ is out|first (?:customer|release|version|user))\b"
    r"|发布了|上线了?|完成了|交付了?|通过了|毕业了?|搬进|签了|结婚了?|里程碑|拿到(?:了)?(?:offer|证)|第一[个位次](?:客户|用户|版本)"
)
_DAY_WORDS = (  # what a dated line says better with its day
    (re.compile(r"(?i)\b(?:today|this (?:morning|afternoon|evening)|tonight)\b"), 0, "on {day}"),
    (re.compile(r"(?i)\byesterday\b"), 1, "on {day}"),
    (re.compile(r"今[天早晚]"), 0, "{day} "),
    (re.compile(r"昨[天晚]"), 1, "{day} "),
    (re.compile(r"(?i)\bjust now\b[,]?\s*|刚才|刚刚"), 0, ""),
)


@dataclass(frozen=True, slots=True)
class Line:
    """One thing in the notes. `source` is "RUN:TURN", or the note's name when it was written by hand."""

    text: str
    kind: Kind
    day: str
    source: str
    run: str = ""

    @property
    def hash(self) -> str:
        """The same line, the same hash."""
        return hashlib.sha256(
            f"{self.day}\n{self.run}\n{self.text}".encode("utf-8", "replace")
        ).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Proposal:
    """An entry that may be kept, the line that it comes from, and ids of those that a model says it replaces."""

    entry: Entry
    line: Line
    replaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """Hold what the gate let in and what it did not. `replaced`: id → id; `repeated`: id → how often by now."""

    added: list[Entry]
    replaced: dict[str, str]
    repeated: dict[str, int]
    refused: list[tuple[Line, Refusal]]


class BadProposals(Exception):
    """A model's reply that is no list of proposals."""


def lines_of(home: Path, days: Iterable[date]) -> list[Line]:
    """Return what the notes of these days say, oldest first; what was said in shared sessions is
    theirs. Raises OSError, Unreadable."""
    found: list[Line] = []
    for day in days:
        name = f"memory/{day.isoformat()}.md"
        for note in notes.entries(home, day, MAIN):
            if note.session.is_main and note.text.strip() and note.kind != "todo":
                source = f"{note.run}:{note.turn}" if note.run.strip("-") else name
                text = " ".join(note.text.split())
                found.append(Line(text, note.kind, day.isoformat(), source, note.run.strip("-")))
    return found


def extracted(lines: Iterable[Line]) -> list[Proposal]:
    """Return what rules choose: whole lines, as they were said."""
    found = ((line, _category(line)) for line in lines)
    return [
        Proposal(
            Entry(category, _dated(_said(line), line.day), line.day, line.source, is_verbatim=True),
            line,
        )
        for line, category in found
        if category is not None
    ]


def _category(line: Line) -> Category | None:
    """Return what kind of memory a line is; None for what is not worth keeping."""
    kind = line.kind
    if kind == "event":
        kind = next((found.kind for found in find(line.text)), kind)
    if kind == "instruction":  # "remember that I prefer tea" is a preference
        kind = next((found.kind for found in find(_said(line))), kind)
    if kind == "event":
        return "milestone" if _MILESTONE.search(line.text) else None
    return _OF_KIND.get(kind)


def _said(line: Line) -> str:
    """The line without "remember that"; of a long one the first sentences."""
    said = _ASKS_TO_REMEMBER.sub("", line.text, count=1).strip() or line.text
    if len(said) <= MAX_TEXT_CHARS:
        return said
    ends = [
        match.end()
        for match in re.finditer(r"[.!?](?=\s)|[。！？]", said)
        if match.end() <= MAX_TEXT_CHARS
    ]
    return said[: ends[-1]] if ends else said


def _dated(text: str, day: str) -> str:
    for pattern, days_ago, instead in _DAY_WORDS:
        that_day = (date.fromisoformat(day) - timedelta(days=days_ago)).isoformat()
        text = pattern.sub(instead.format(day=that_day), text)
    return text.strip()


# A model's proposals


def shown(lines: Sequence[Line]) -> str:
    """The lines for the prompt, each with its number; the newest stay when there are too many."""
    rows = [f"N{number} [{line.day}] {line.text}" for number, line in enumerate(lines, 1)]
    while len(rows) > 1 and sum(map(len, rows)) > MAX_SHOWN_CHARS:
        rows.pop(0)
    return "\n".join(rows)


def proposed(
    reply: str, lines: Sequence[Line]
) -> tuple[list[Proposal], list[tuple[Line, Refusal]]]:
    """The proposals of a reply, and those whose quote does not stand where it says. Raises BadProposals."""
    begin, end = reply.find("["), reply.rfind("]")
    try:
        items = json.loads(reply[begin : end + 1]) if 0 <= begin < end else None
    except (ValueError, RecursionError) as error:
        raise BadProposals("the reply is not JSON") from error
    if not isinstance(items, list):
        raise BadProposals("the reply is no list")
    found: list[Proposal] = []
    refused: list[tuple[Line, Refusal]] = []
    for item in items[:MAX_PROPOSALS]:
        made = _proposal(item, lines)
        if isinstance(made, Proposal):
            found.append(made)
        elif made is not None:
            refused.append(made)
    return sorted(found, key=lambda each: each.line.day), refused


def _proposal(item: Any, lines: Sequence[Line]) -> Proposal | tuple[Line, Refusal] | None:
    if not isinstance(item, dict):
        return None
    category = _CATEGORIES.get(str(item.get("category")))
    number = re.fullmatch(r"N?(\d{1,6})", str(item.get("line")))
    text, quote = (" ".join(str(item.get(name) or "").split()) for name in ("text", "quote"))
    if category is None or number is None or not text or not 1 <= int(number[1]) <= len(lines):
        return None
    line = lines[int(number[1]) - 1]
    if len(quote) < 2 or quote not in line.text:
        return line, Refusal("unproven", f"N{number[1]}", text)
    replaced = item.get("replaces")
    ids = replaced if isinstance(replaced, list) else [replaced]
    old = tuple(
        each.strip("#")
        for each in ids
        if isinstance(each, str) and re.fullmatch(r"#?[0-9a-f]{8}", each)
    )
    return Proposal(Entry(category, text, line.day, line.source), line, old)


# The gate


def choose(
    proposals: Sequence[Proposal], known: MemoryFile, home: Path, keeping: Keeping
) -> Choice:
    """Lets in what may be kept. Proposals come oldest first, so that of two that conflict the newer one stays."""
    choice = Choice([], {}, {}, [])
    ids = {entry.id for entry in known.entries}
    live = {entry.id: entry for entry in known.live}
    for proposal in proposals:
        entry = proposal.entry
        if entry.id in ids:
            continue  # kept already, or replaced since
        if refusals := check(proposal, home, keeping):
            choice.refused.append((proposal.line, refusals[0]))
            continue
        if any(same_said(entry.text, text) for text in known.by_hand):
            continue
        if same := next((each for each in live.values() if same_said(entry.text, each.text)), None):
            if same.category == "lesson":  # a mistake that is made again counts for more
                choice.repeated[same.id] = choice.repeated.get(same.id, same.times) + 1
            continue
        for old in _replaced(proposal, list(live.values())):
            choice.replaced[old.id] = entry.id
            del live[old.id]
        choice.added.append(entry)
        ids.add(entry.id)
        live[entry.id] = entry
    return choice


def _replaced(proposal: Proposal, live: Sequence[Entry]) -> Iterator[Entry]:
    new = proposal.entry
    for old in live:
        named = old.id in proposal.replaces and coverage(old.text, new.text) > 0
        if old.day <= new.day and (named or supersedes(new.text, old.text)):
            yield old


def check(proposal: Proposal, home: Path, keeping: Keeping) -> list[Refusal]:
    """Why an entry may not be kept; nothing when it may."""
    entry, line = proposal.entry, proposal.line
    where = f"memory/{line.day}.md"
    section = "PREFERENCES" if entry.category in ("preference", "instruction") else "LESSONS"
    refusals = [
        Refusal(each.rule, where, each.what, each.what_chinese)
        for each in check_wording(Fact(section, entry.text), (), keeping)
    ]
    if any(each.rule == "secret" for each in refusals):
        return refusals  # nothing else is said of it: that would repeat it
    if (match := ADDRESSES.search(line.text)) and not any(
        each.rule == "instruction" for each in refusals
    ):
        refusals.append(Refusal("instruction", where, match[0]))
    if entry.category != "instruction" and (match := DEFINES.search(entry.text)):
        refusals.append(Refusal("general", where, match[0]))
    if not entry.is_verbatim:
        missing = [
            value.text
            for value in values(entry.text)
            if not stands_in(value, f"{line.text} {line.day}")
        ]
        if missing or coverage(entry.text, line.text) < LEAST_COVERAGE:
            refusals.append(Refusal("unproven", where, ", ".join(missing) or entry.text))
    return [*refusals, *_unsaid(line, home, where)]


def _unsaid(line: Line, home: Path, where: str) -> Iterator[Refusal]:
    """A note that names a run must say what the owner said in it; what has no run was written by the owner's hand."""
    if not line.run:
        return
    try:
        record = read_record(home, line.run)
    except (RunLogError, KeyError, TypeError):  # a log that was tampered with
        record = None
    if record is None or record.is_trial:
        yield Refusal("evidence", where, f"run {line.run} is not there", f"没有运行 {line.run}")
    elif record.session != MAIN.name:
        yield Refusal("shared", where, line.run)
    elif not _is_said(line.text, " ".join(" ".join(record.said).split())):
        yield Refusal("changed", where, line.source)


def _is_said(text: str, said: str) -> bool:
    return text in said or coverage(text, said) >= LEAST_COVERAGE
