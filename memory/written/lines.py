"""Read the lines that somebody wrote down: MEMORY.md, the facts, the daily notes, other Markdown
files below memory/.

A line is a list entry with its later lines, or a paragraph. It keeps the day and the run that stand
in its mark; without one its day is that of the file's name, or when the file was changed. Source:
seed 000 "Recall".
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import NamedTuple

from memory.digest.memory_file import entry_of
from memory.facts.lines import fact_of
from memory.files import Unreadable, read_owner_text
from memory.logs.reading import RUN_ID
from memory.notes.daily import entry
from text import pattern

FACTS, INDEX = "memory/global_mem.txt", "memory/global_mem_insight.txt"
PLACES = ("MEMORY.md", "memory/**/*.md", "memory/**/*.txt")
MAX_TEXT_CHARS = 4_000
NOON = time(12)
_HEADING = pattern(r"#{1,6}\s+(.*?)\s*|\[([A-Z][A-Z_]*)\]\s*")
_ITEM = pattern(r"\A(?:[-*+] (?:\[[ xX]\] )?|\d+[.)] )")
_DAY = pattern(r"\d{4}-\d\d-\d\d")
_RULE = pattern(r"[-=*_`~\s]*")
_COMMENT = pattern(r"<!--.*?-->")


class Block(NamedTuple):
    """Lines of a file that belong together, as they stand; `place` is the number of the first
    one."""

    place: int
    heading: str
    text: str


class Written(NamedTuple):
    """One line. `id` is made of its file and what it says; `by` is the id of the line that took its
    place, or ""."""

    id: str
    source: str  # memory/2026-02-15.md:12
    heading: str
    text: str
    at: datetime
    who: str = "owner"
    run: str = ""
    by: str = ""
    replaces: str = ""


def written_files(home: Path) -> dict[str, tuple[int, int]]:
    """Map the name of each file that holds lines to its time of change (ns) and its size
    (bytes)."""
    found: dict[str, tuple[int, int]] = {}
    for path in sorted(path for place in PLACES for path in home.glob(place)):
        name = path.relative_to(home).as_posix()
        if "/." in name:  # a copy of a workspace file, for a start without it
            continue
        if name != INDEX and path.is_file():
            stat = path.stat()
            found[name] = (stat.st_mtime_ns, stat.st_size)
    return found


def written_lines(home: Path, name: str) -> list[Written]:
    """Return the lines of one file in their order, each id once; none for a file that cannot be
    read."""
    try:
        read = read_owner_text(home, name)
        text = (home / name).read_text("utf-8") if read.is_cut else read.text
        changed = datetime.fromtimestamp((home / name).stat().st_mtime).astimezone()
    except (OSError, Unreadable, UnicodeDecodeError):
        return []
    day = _day(Path(name).stem)
    at = _noon(day) if day else changed
    read_block = {FACTS: _fact, "MEMORY.md": _distilled}.get(name, _noted)
    found: dict[str, Written] = {}
    for block in blocks(text):
        line = read_block(Written("", f"{name}:{block.place}", block.heading, "", at), block)
        line = line._replace(text=line.text[:MAX_TEXT_CHARS])
        line = line if line.id else line._replace(id=_id(name, line.text))
        if line.text:
            found.setdefault(line.id, line)
    newer = {line.replaces: line.id for line in found.values() if line.replaces}
    return [line._replace(by=newer.get(line.id, line.by)) for line in found.values()]


def blocks(text: str) -> Iterator[Block]:
    """Cut a text into its list entries and paragraphs, each with the heading above it."""
    heading, place, held = "", 0, list[str]()
    for number, line in enumerate([*text.splitlines(), ""], 1):
        head = _HEADING.fullmatch(line)
        if held and (head or _begins(line, held[0])):
            yield Block(place, heading, "\n".join(held))
            held = []
        if head:
            heading = head[1] or head[2] or ""
        elif not _RULE.fullmatch(line):
            place = place if held else number
            held.append(line)


def _begins(line: str, first: str) -> bool:
    """Tell whether a line begins another block than the one that begins with `first`."""
    if _RULE.fullmatch(line):
        return True
    return _ITEM.match(line.lstrip()) is not None if first.lstrip() else False


def _fact(line: Written, block: Block) -> Written:
    fact = fact_of(block.text, block.heading)
    if fact is None:
        return _plain(line, block)
    known = line._replace(id=fact.id, text=fact.text, by="retired" if fact.retired else "")
    if day := _day(fact.day):
        known = known._replace(at=_noon(day))
    run = fact.evidence[0].run if fact.evidence else ""
    who = "agent" if run else "owner"
    return known._replace(who=who, run=run, replaces=fact.supersedes)


def _distilled(line: Written, block: Block) -> Written:
    found = entry_of(block.text)
    if found is None:
        return _plain(line, block)
    run = found.source.partition(":")[0]
    run = run if RUN_ID.fullmatch(run) else ""
    day = _day(found.day)
    at = _began(run) or (_noon(day) if day else line.at)
    return line._replace(id=found.id, text=found.text, at=at, run=run, by=found.by)


def _noted(line: Written, block: Block) -> Written:
    if not _ITEM.match(block.text):
        return _plain(line, block)
    _, note = entry(block.text)
    who = "owner" if note.session.is_main else note.session.name
    run = note.run.strip("-")
    at = line.at.replace(hour=int(note.at[:2]), minute=int(note.at[3:])) if note.at else line.at
    return line._replace(text=note.text, at=_began(run) or at, who=who, run=run)


def _began(run: str) -> datetime | None:
    """Return when a run began, as its name says it (UTC)."""
    if not RUN_ID.fullmatch(run):
        return None
    return datetime.strptime(run[:15], "%Y%m%d-%H%M%S").replace(tzinfo=UTC)


def _plain(line: Written, block: Block) -> Written:
    """Return what the owner wrote by hand, without marks and comments."""
    text = _COMMENT.sub("", _ITEM.sub("", block.text.strip(), count=1))
    return line._replace(text=" ".join(text.split()))


def _day(stem: str) -> date | None:
    found = _DAY.match(stem)
    try:
        return date.fromisoformat(found[0]) if found else None
    except ValueError:
        return None


def _noon(day: date) -> datetime:
    return datetime.combine(day, NOON).astimezone()


def _id(name: str, text: str) -> str:
    return hashlib.sha256(f"{name}\n{text}".encode("utf-8", "replace")).hexdigest()[:8]
