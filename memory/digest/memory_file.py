"""The lines of MEMORY.md: what the owner wrote stays byte for byte, what was distilled carries an
id, a day and a source.

    ## Preferences
    - [2026-02-15] I prefer tea {#3f9a1c04 20260215-140259-3079f:1 verbatim !4}

    ## Superseded
    - [2026-01-03] I prefer coffee {#8bc1de22 memory/2026-01-03.md !4} → #3f9a1c04

Between the braces: the id, made of day, text and source; where it comes from (run:turn, or the
note); `verbatim` when it stands as it was said and no model chose it; how important it is, 1 to 5;
`×3` when it was said again. A line that was changed by hand no longer fits its id and is the
owner's from then on. Source: seed 004 §1.5, §6.2; seed 000 "Background tasks".
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

from memory.files import with_line
from text import pattern

Category = Literal["decision", "lesson", "preference", "milestone", "instruction"]
SECTIONS: dict[str, tuple[str, ...]] = {  # headings in English and in Chinese; others are read too
    "decision": ("Decisions", "重要决策"),
    "lesson": ("Lessons", "经验教训"),
    "preference": ("Preferences", "主人偏好", "用户偏好"),
    "milestone": ("Milestones", "里程碑"),
    "instruction": ("To remember", "请记住"),
}
SUPERSEDED = ("Superseded", "已被取代")
_IMPORTANCE = {"instruction": 5, "preference": 4, "decision": 4, "lesson": 3, "milestone": 3}
MOST_IMPORTANT = 5
_LINE = pattern(
    r"- \[(?P<day>\d{4}-\d\d-\d\d)\] (?P<text>.*?) \{#(?P<id>[0-9a-f]{8}) (?P<source>\S+)(?P<is_verbatim> verbatim)?"
    r"(?: ![1-5])?(?: ×(?P<times>\d{1,4}))?\}(?: → #(?P<by>[0-9a-f]{8}))?"
)
_ITEM = pattern(r"\s*[-*+] (?:\[(?:\d{4}-\d\d-\d\d|[ xX])\] )?(?P<text>.*\S)")
_HEADING = pattern(r"#{1,6}\s+(.*?)\s*")


@dataclass(frozen=True, slots=True)
class Entry:
    """One distilled line. `source` is "RUN:TURN" or "memory/DAY.md"; `by` is the id of what
    replaced it, or ""."""

    category: Category
    text: str
    day: str
    source: str
    is_verbatim: bool = False
    times: int = 1
    by: str = ""

    @property
    def id(self) -> str:
        """Return eight hex digits of what it says, when, and where from."""
        said = f"{self.day}\n{self.text}\n{self.source}"
        return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()[:8]

    @property
    def importance(self) -> int:
        """Return how important it is, 1 to 5: what was said again counts for more, what was
        superseded for least."""
        if self.by:
            return 1
        return min(MOST_IMPORTANT, _IMPORTANCE[self.category] + (self.times > 1))

    def line(self) -> str:
        """Return it as it stands in the file, without the line's end."""
        verbatim = " verbatim" if self.is_verbatim else ""
        times = f" ×{self.times}" if self.times > 1 else ""
        about = f"#{self.id} {self.source}{verbatim} !{self.importance}{times}"
        pointer = f" → #{self.by}" if self.by else ""
        return f"- [{self.day}] {self.text} {{{about}}}{pointer}"


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """Hold what a MEMORY.md says. `by_hand` are the items that the owner wrote."""

    entries: tuple[Entry, ...]
    by_hand: tuple[str, ...]

    @property
    def live(self) -> list[Entry]:
        """Return the entries that hold."""
        return [entry for entry in self.entries if not entry.by]


@dataclass(frozen=True, slots=True)
class Changes:
    """Say what becomes of a MEMORY.md.

    `replaced`: id → id of what took its place. `repeated`: id → how often it was said by now.
    `stale`: ids of superseded lines that go; the history keeps them.
    """

    added: list[Entry]
    replaced: dict[str, str]
    repeated: dict[str, int]
    stale: list[str]

    def of(self, entry: Entry) -> Entry | None:
        """Return an entry as it is from now on; None for one that goes."""
        if entry.id in self.stale:
            return None
        by = entry.by or self.replaced.get(entry.id, "")
        return replace(entry, by=by, times=self.repeated.get(entry.id, entry.times))


def parse(text: str) -> MemoryFile:
    """Read a MEMORY.md; whatever else stands in it is the owner's."""
    entries: list[Entry] = []
    by_hand: list[str] = []
    for raw, category in _lines(text):
        if entry := entry_of(raw, category):
            entries.append(entry)
        elif item := _ITEM.fullmatch(raw.rstrip("\r\n")):
            by_hand.append(item["text"])
    return MemoryFile(tuple(entries), tuple(by_hand))


def changed(text: str, changes: Changes, lang: str = "en") -> str:
    """Return the file with what changes; no other line does, and new lines end as the file's do."""
    moved = [each for entry in changes.added if (each := changes.of(entry))]
    kept: list[str] = []
    for raw, category in _lines(text):
        entry = entry_of(raw, category)
        after = changes.of(entry) if entry else None
        if after and after.by and after != entry:
            moved.append(after)
        else:
            kept.append(_as_it_is_now(raw, entry, after))
    text = "".join(kept)
    for each in moved:
        names = SUPERSEDED if each.by else SECTIONS[each.category]
        text = with_line(text, each.line(), names, lang, last=SUPERSEDED)
    return text


def _as_it_is_now(raw: str, before: Entry | None, after: Entry | None) -> str:
    if after == before:
        return raw
    return after.line() + raw[len(raw.rstrip("\r\n")) :] if after else ""


def _lines(text: str) -> Iterator[tuple[str, Category]]:
    """Yield each line as it stands, with the category of the section around it."""
    category: Category = "instruction"
    for raw in re.findall(r"[^\n]*\n|[^\n]+", text):
        if heading := _HEADING.fullmatch(raw.rstrip("\r\n")):
            category = _category(heading[1])
        yield raw, category


def _category(heading: str) -> Category:
    found: Iterable[Category] = (each for each in get_args(Category) if heading in SECTIONS[each])
    return next(iter(found), "instruction")


def entry_of(line: str, category: Category = "instruction") -> Entry | None:
    """Read one distilled line; None for what the owner wrote or changed."""
    found = _LINE.fullmatch(line.rstrip())
    if found is None:
        return None
    said: Mapping[str, str | None] = found.groupdict()
    entry = Entry(
        category,
        found["text"],
        found["day"],
        found["source"],
        is_verbatim=said["is_verbatim"] is not None,
        times=int(said["times"] or 1),
        by=said["by"] or "",
    )
    return entry if entry.id == found["id"] else None
