"""The lines of MEMORY.md: what the owner wrote stays byte for byte, what was distilled carries an id, a day and a source.

    ## Preferences
    - [2026-02-15] I prefer tea {#3f9a1c04 20260215-140259-3079f:1 verbatim}

    ## Superseded
    - [2026-01-03] I prefer coffee {#8bc1de22 memory/2026-01-03.md} → #3f9a1c04

Between the braces: the id, made of day, text and source; where it comes from (run:turn, or the note); `verbatim` when it
stands as it was said and no model chose it; `×3` when it was said again. A line that was changed by hand no longer fits its
id and is the owner's from then on. Source: seed 004 §1.5, §6.2; seed 000 "Background tasks".
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

Category = Literal["decision", "lesson", "preference", "milestone", "instruction"]
SECTIONS: dict[
    str, tuple[str, ...]
] = {  # category → its heading in English and in Chinese; others are read too
    "decision": ("Decisions", "重要决策"),
    "lesson": ("Lessons", "经验教训"),
    "preference": ("Preferences", "主人偏好", "用户偏好"),
    "milestone": ("Milestones", "里程碑"),
    "instruction": ("To remember", "请记住"),
}
SUPERSEDED = ("Superseded", "已被取代")
_LINE = re.compile(
    r"- \[(?P<day>\d{4}-\d\d-\d\d)\] (?P<text>.*?) \{#(?P<id>[0-9a-f]{8}) (?P<source>\S+)(?P<is_verbatim> verbatim)?"
    r"(?: ×(?P<times>\d{1,4}))?\}(?: → #(?P<by>[0-9a-f]{8}))?"
)
_ITEM = re.compile(r"\s*[-*+] (?:\[(?:\d{4}-\d\d-\d\d|[ xX])\] )?(?P<text>.*\S)")


@dataclass(frozen=True, slots=True)
class Entry:
    """One distilled line. `source` is "RUN:TURN" or "memory/DAY.md"; `by` is the id of what replaced it, or ""."""

    category: Category
    text: str
    day: str
    source: str
    is_verbatim: bool = False
    times: int = 1
    by: str = ""

    @property
    def id(self) -> str:
        """Eight hex digits of what it says, when, and where from."""
        return hashlib.sha256(
            f"{self.day}\n{self.text}\n{self.source}".encode("utf-8", "replace")
        ).hexdigest()[:8]

    def line(self) -> str:
        """As it stands in the file, without the line's end."""
        more = (" verbatim" if self.is_verbatim else "") + (
            f" ×{self.times}" if self.times > 1 else ""
        )
        pointer = f" → #{self.by}" if self.by else ""
        return f"- [{self.day}] {self.text} {{#{self.id} {self.source}{more}}}{pointer}"


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """Hold what a MEMORY.md says. `by_hand` are the items that the owner wrote."""

    entries: tuple[Entry, ...]
    by_hand: tuple[str, ...]

    @property
    def live(self) -> list[Entry]:
        """The entries that hold."""
        return [entry for entry in self.entries if not entry.by]


def parse(text: str) -> MemoryFile:
    """Reads a MEMORY.md; whatever else stands in it is the owner's."""
    entries: list[Entry] = []
    by_hand: list[str] = []
    for _, line, category in _lines(text):
        if entry := entry_of(line, category):
            entries.append(entry)
        elif item := _ITEM.fullmatch(line):
            by_hand.append(item["text"])
    return MemoryFile(tuple(entries), tuple(by_hand))


def changed(
    text: str,
    added: Iterable[Entry],
    replaced: Mapping[str, str],
    repeated: Mapping[str, int],
    lang: str = "en",
) -> str:
    """The file with entries added, others moved to the superseded ones, and others counted again.

    `replaced`: id → id of what took its place. `repeated`: id → how often it was said by now. No other line changes; new
    lines end as the file's do.
    """
    end = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    kept: list[str] = []
    gone: list[Entry] = []
    for raw, line, category in _lines(text):
        entry = entry_of(line, category)
        if entry is None or entry.by:
            kept.append(raw)
        elif entry.id in replaced:
            gone.append(replace(entry, by=replaced[entry.id]))
        elif entry.id in repeated:
            kept.append(replace(entry, times=repeated[entry.id]).line() + end)
        else:
            kept.append(raw)
    for entry in added:
        new = replace(entry, by=replaced.get(entry.id, ""), times=repeated.get(entry.id, 1))
        kept = _with_line(
            kept, new.line(), SUPERSEDED if new.by else SECTIONS[new.category], lang, end
        )
    for entry in gone:
        kept = _with_line(kept, entry.line(), SUPERSEDED, lang, end)
    return "".join(kept)


def _lines(text: str) -> Iterator[tuple[str, str, Category]]:
    """Each line as it stands, without its end, and the category of the section around it."""
    category: Category = "instruction"
    for raw in re.findall(r"[^\n]*\n|[^\n]+", text):
        line = raw.rstrip("\r\n")
        if heading := re.fullmatch(r"#{1,6}\s+(.*?)\s*", line):
            category = next(
                (each for each in get_args(Category) if heading[1] in SECTIONS[each]), "instruction"
            )
        yield raw, line, category


def entry_of(line: str, category: Category = "instruction") -> Entry | None:
    """Read one distilled line; None for what the owner wrote or changed."""
    found = _LINE.fullmatch(line.rstrip())
    if found is None:
        return None
    entry = Entry(
        category,
        found["text"],
        found["day"],
        found["source"],
        bool(found["is_verbatim"]),
        int(found["times"] or 1),
        found["by"] or "",
    )
    return entry if entry.id == found["id"] else None


def _with_line(
    lines: list[str], line: str, names: tuple[str, ...], lang: str, end: str
) -> list[str]:
    """The lines with one more at the end of a section, which is made when it is missing; superseded ones stay last."""
    if lines and not lines[-1].endswith("\n"):
        lines = [*lines[:-1], lines[-1] + end]
    heads = [number for number, each in enumerate(lines) if re.match(r"#{1,2}\s", each)]
    own = next((number for number in heads if lines[number].strip("#").strip() in names), None)
    if own is None:
        last = next(
            (number for number in heads if lines[number].strip("#").strip() in SUPERSEDED),
            len(lines),
        )
        gap = [end] if last and lines[last - 1].strip() else []
        new = [*gap, f"## {names[lang == 'zh']}{end}", end, line + end]
        return [*lines[:last], *new, *([end] if last < len(lines) else []), *lines[last:]]
    stop = next((number for number in heads if number > own), len(lines))
    while stop > own + 1 and not lines[stop - 1].strip():
        stop -= 1
    if (
        stop == own + 1
        and not any(each.strip() for each in lines[stop : stop + 2])
        and len(lines) > stop + 1
    ):
        stop += 1  # between the two empty lines that a moved entry left
        return [*lines[:stop], line + end, *lines[stop:]]
    gap = [end] if stop == own + 1 else []
    return [*lines[:stop], *gap, line + end, *lines[stop:]]
