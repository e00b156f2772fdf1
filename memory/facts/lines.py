"""The lines of `memory/global_mem.txt`: one fact each, in [SECTION]s, with where it comes from at
the end of the line.

    [PATHS]
    - reports go to ~/work/reports {#3f9a1c 2026-11-21 20261121-222220-3079f:4=9f86d081884c7d65}

Between the braces: the fact's id, the day, the results that prove it (run:turn=hash; "owner" when
the owner said it), then `supersedes:#ID`, `reprobe:DAY`, `retired:DAY` where they apply. A line
that the owner wrote by hand needs no braces. What is no longer true stands in [RETIRED], so that
pointers lead somewhere. Source: seed 002 §2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from config import SopwithError
from memory.evidence import Pointer
from memory.logs.reading import RUN_ID
from text import pattern

STRUCTURE = Path(__file__).resolve().parents[2] / "assets" / "insight_fixed_structure.txt"
FACTS = "memory/global_mem.txt"
INDEX = "memory/global_mem_insight.txt"
RETIRED = "RETIRED"
NEGATIVE = "NEGATIVE"
MAX_TEXT_CHARS = 300
MAX_INDEX_LINES = 30
MAX_INDEX_CHARS = 160
OWNER = "owner"
DAY = pattern(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")
_SECTION = pattern(r"\[([A-Z][A-Z_]*)\]\s*")
_LINE = pattern(
    r"- (?P<text>.*?)(?:\s*\{#(?P<id>[0-9a-f]{6}) (?P<day>\S+) (?P<source>\S+)(?P<more>[^{}]*)\})?\s*"
)
_MORE = pattern(r"(supersedes|reprobe|retired|from):#?(\S+)")
_POINTER = pattern(rf"({RUN_ID.pattern}):(\d{{1,6}})=([0-9a-f]{{16}})")


class FactLineError(SopwithError):
    """A line of the facts cannot be read: names file and line."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Hold one fact. `evidence` is empty for what the owner said; `id` and `day` are empty until it
    is stored."""

    section: str
    text: str
    evidence: tuple[Pointer, ...] = ()
    id: str = ""
    day: str = ""
    supersedes: str = ""
    reprobe: str = ""
    retired: str = ""

    @property
    def source(self) -> str:
        """Return run and turn that prove it, as in 20261121-222220-3079f:4; or "owner"."""
        return f"{self.evidence[0].run}:{self.evidence[0].turn}" if self.evidence else OWNER

    @property
    def is_due(self) -> bool:
        """Return True when what is missing here should be looked for again by now."""
        return "" < self.reprobe <= datetime.now(UTC).date().isoformat() and not self.retired

    def line(self) -> str:
        """Return the fact as it stands in the file."""
        if not self.id:  # the owner's own hand
            return f"- {self.text}"
        source = ",".join(f"{each.run}:{each.turn}={each.hash}" for each in self.evidence) or OWNER
        parts = [f"#{self.id}", self.day, source]
        parts += [f"supersedes:#{self.supersedes}"] if self.supersedes else []
        parts += [f"reprobe:{self.reprobe}"] if self.reprobe else []
        parts += [f"retired:{self.retired}", f"from:{self.section}"] if self.retired else []
        return f"- {self.text} {{{' '.join(parts)}}}"


@cache
def sections() -> tuple[str, ...]:
    """Return the sections in their order."""
    return tuple(re.findall(r"(?m)^\[([A-Z]+)\] ", STRUCTURE.read_text("utf-8")))


def read(home: Path) -> list[Fact]:
    """Return all facts, the retired ones too. Raises FactLineError."""
    try:
        text = (home / FACTS).read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise FactLineError("error.facts.cannot-read", file=home / FACTS, error=error) from error
    return parse(text)


def parse(text: str, name: str = "global_mem.txt") -> list[Fact]:
    """Return the facts of a file, in order. Raises FactLineError for a line that is neither fact,
    section, nor comment."""
    facts: list[Fact] = []
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith(("# ", "#\t")):
            continue
        if match := _SECTION.fullmatch(line):
            section = match[1]
            continue
        fact = fact_of(line, section)
        if fact is None:
            raise FactLineError("error.facts.fact", name=name, line=number, text=f"{line[:80]!r}")
        facts.append(fact)
    return facts


def fact_of(line: str, section: str) -> Fact | None:
    """Read one line of a section; None for one that is no fact."""
    match = _LINE.fullmatch(line)
    if match is None or not section or not match["text"].strip():
        return None
    fact = Fact(section, match["text"].strip())
    if match["id"] is None:
        return fact
    evidence = _pointers(match["source"])
    if evidence is None or not DAY.fullmatch(match["day"]):
        return None
    more = dict(_MORE.findall(match["more"]))
    return replace(
        fact,
        section=more.pop("from", section),
        evidence=evidence,
        id=match["id"],
        day=match["day"],
        **more,
    )


def _pointers(source: str) -> tuple[Pointer, ...] | None:
    """Return the results that a source names; None for one that cannot be read."""
    if source == OWNER:
        return ()
    found = [_POINTER.fullmatch(each) for each in source.split(",")]
    if None in found:
        return None
    return tuple(Pointer(each[1], int(each[2]), each[3]) for each in found if each)


def render(facts: Iterable[Fact]) -> str:
    """Return the whole file. Facts keep their order within a section; retired ones come last."""
    facts = list(facts)
    blocks = {name: [fact.line() for fact in found] for name, found in _by_section(facts).items()}
    blocks[RETIRED] = [fact.line() for fact in facts if fact.retired]
    texts = ["\n".join([f"[{name}]", *lines]) for name, lines in blocks.items() if lines]
    return "\n\n".join(texts) + ("\n" if texts else "")


def _by_section(facts: Iterable[Fact]) -> dict[str, list[Fact]]:
    """Group what holds by section, in the order of the sections; none is empty."""
    found: dict[str, list[Fact]] = {name: [] for name in sections()}
    for fact in facts:
        if not fact.retired:
            found.setdefault(fact.section, []).append(fact)
    return {name: held for name, held in found.items() if held}


def index(facts: Iterable[Fact]) -> str:
    """Return `global_mem_insight.txt`: what is known, in at most 30 lines; what finds no room is
    counted, section by section.

    Each section gets its share, the newest facts of a section come first when there is not room for
    all.
    """
    found = _by_section(facts)
    shown = _shares({name: len(held) for name, held in found.items()})
    lines: list[str] = []
    for name, held in found.items():
        newest = sorted(held, key=lambda fact: fact.day, reverse=True)[: shown[name]]
        left = len(held) - len(newest)
        lines += [f"[{name}]", *(_index_line(fact) for fact in held if fact in newest)]
        lines += [f"… +{left}: memory/global_mem.txt"] if left else []
    kept = lines[:MAX_INDEX_LINES]  # by hand there may be any number of sections
    return "".join(f"{line}\n" for line in kept)


def _shares(sizes: dict[str, int]) -> dict[str, int]:
    """Return how many facts of each section find room, one after the other in turn."""
    shown = dict.fromkeys(sizes, 0)
    room = MAX_INDEX_LINES - 2 * len(sizes)  # a head, and one line that counts the rest
    turns = [name for number in range(room) for name in sizes if sizes[name] > number]
    for name in turns[: max(room, 0)]:
        shown[name] += 1
    # the line that counts one would be as long as the one
    return {name: count + (sizes[name] - count == 1) for name, count in shown.items()}


def _index_line(fact: Fact) -> str:
    text = (
        fact.text if len(fact.text) <= MAX_INDEX_CHARS else fact.text[: MAX_INDEX_CHARS - 1] + "…"
    )
    return f"- {text} ({fact.day}, ? {fact.reprobe})" if fact.reprobe else f"- {text}"
