"""The lines of `memory/global_mem.txt`: one fact each, in [SECTION]s, with where it comes from at the end of the line.

    [PATHS]
    - reports go to ~/work/reports {#3f9a1c 2026-11-21 20261121-222220-3079f:4=9f86d081884c7d65}

Between the braces: the fact's id, the day, the results that prove it (run:turn=hash; "owner" when the owner said it),
then `supersedes:#ID`, `reprobe:DAY`, `retired:DAY` where they apply. A line that the owner wrote by hand needs no braces.
What is no longer true stands in [RETIRED], so that pointers lead somewhere. Source: seed 002 §2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from config import SopwithError
from memory.runlog.evidence import Pointer
from memory.runlog.log import RUN_ID

STRUCTURE = Path(__file__).resolve().parents[2] / "assets" / "insight_fixed_structure.txt"
RETIRED = "RETIRED"
NEGATIVE = "NEGATIVE"
MAX_TEXT_CHARS = 300
MAX_INDEX_LINES = 30
MAX_INDEX_CHARS = 160
OWNER = "owner"
DAY = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")
_SECTION = re.compile(r"\[([A-Z][A-Z_]*)\]\s*")
_LINE = re.compile(
    r"- (?P<text>.*?)(?:\s*\{#(?P<id>[0-9a-f]{6}) (?P<day>\S+) (?P<source>\S+)(?P<more>[^{}]*)\})?\s*"
)
_POINTER = re.compile(rf"({RUN_ID.pattern}):(\d{{1,6}})=([0-9a-f]{{16}})")


class FactLineError(SopwithError):
    """A line of the facts cannot be read: names file and line."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact. `evidence` is empty for what the owner said; `id` and `day` are empty until it is stored."""

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
        """Run and turn that prove it, as in 20261121-222220-3079f:4; or "owner"."""
        return f"{self.evidence[0].run}:{self.evidence[0].turn}" if self.evidence else OWNER

    def line(self) -> str:
        """The fact as it stands in the file."""
        source = ",".join(f"{each.run}:{each.turn}={each.hash}" for each in self.evidence) or OWNER
        parts = [f"#{self.id}", self.day, source]
        parts += [f"supersedes:#{self.supersedes}"] if self.supersedes else []
        parts += [f"reprobe:{self.reprobe}"] if self.reprobe else []
        parts += [f"retired:{self.retired}", f"from:{self.section}"] if self.retired else []
        return f"- {self.text} {{{' '.join(parts)}}}"


def sections() -> dict[str, tuple[str, str]]:
    """The sections in their order, each with what belongs there, in English and in Chinese."""
    found = {}
    for line in STRUCTURE.read_text(encoding="utf-8").splitlines():
        if match := re.fullmatch(r"\[([A-Z]+)\] (.+?) / (.+)", line):
            found[match[1]] = (match[2], match[3])
    return found


def parse(text: str, name: str = "global_mem.txt") -> list[Fact]:
    """The facts of a file, in order. Raises FactLineError for a line that is neither fact, section, nor comment."""
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
            raise FactLineError(
                f"{name}:{number} is no fact: {line[:80]!r}\nA fact is a line `- text` below a [SECTION]."
            )
        facts.append(fact)
    return facts


def fact_of(line: str, section: str) -> Fact | None:
    """Read one line of a section; None for one that is no fact."""
    match = _LINE.fullmatch(line)
    if match is None or not section or not match["text"].strip():
        return None
    if match["id"] is None:
        return Fact(section, match["text"].strip())
    more = dict(re.findall(r"(supersedes|reprobe|retired|from):#?(\S+)", match["more"]))
    pointers = (
        [_POINTER.fullmatch(each) for each in match["source"].split(",")]
        if match["source"] != OWNER
        else []
    )
    if not DAY.fullmatch(match["day"]) or None in pointers:
        return None
    found = tuple(Pointer(each[1], int(each[2]), each[3]) for each in pointers if each)
    fact = Fact(
        section, match["text"].strip(), found, match["id"], match["day"], more.get("supersedes", "")
    )
    fact = replace(fact, reprobe=more.get("reprobe", ""), retired=more.get("retired", ""))
    return replace(fact, section=more["from"]) if fact.retired and "from" in more else fact


def render(facts: Iterable[Fact]) -> str:
    """The whole file. Facts keep their order within a section; retired ones come last."""
    facts = list(facts)
    here = [fact for fact in facts if not fact.retired]
    names = dict.fromkeys([*sections(), *(fact.section for fact in here)])
    blocks = []
    for name in names:
        lines = [fact.line() for fact in here if fact.section == name]
        blocks += ["\n".join([f"[{name}]", *lines])] if lines else []
    gone = [fact.line() for fact in facts if fact.retired]
    blocks += ["\n".join([f"[{RETIRED}]", *gone])] if gone else []
    return "\n\n".join(blocks) + ("\n" if blocks else "")


def index(facts: Iterable[Fact]) -> str:
    """`global_mem_insight.txt`: what is known, in at most 30 lines; what finds no room is counted, section by section.

    Each section gets its share, the newest facts of a section come first when there is not room for all.
    """
    here = [fact for fact in facts if not fact.retired]
    names = list(dict.fromkeys([*sections(), *(fact.section for fact in here)]))
    by_section = {name: [fact for fact in here if fact.section == name] for name in names}
    by_section = {name: found for name, found in by_section.items() if found}
    shown = dict.fromkeys(by_section, 0)
    room = MAX_INDEX_LINES - 2 * len(by_section)  # a head, and one line that counts the rest
    while room > 0 and any(shown[name] < len(found) for name, found in by_section.items()):
        for name, found in by_section.items():
            if room > 0 and shown[name] < len(found):
                shown[name] += 1
                room -= 1
    lines = []
    for name, found in by_section.items():
        left = len(found) - shown[name]
        if left == 1:
            shown[name], left = shown[name] + 1, 0  # the line that counts would be as long
        newest = sorted(found, key=lambda fact: fact.day, reverse=True)[: shown[name]]
        lines.append(f"[{name}]")
        lines += [_index_line(fact) for fact in found if fact in newest]
        lines += [f"… +{left}: memory/global_mem.txt"] if left else []
    return "".join(
        f"{line}\n" for line in lines[:MAX_INDEX_LINES]
    )  # by hand there may be any number of sections


def _index_line(fact: Fact) -> str:
    text = (
        fact.text if len(fact.text) <= MAX_INDEX_CHARS else fact.text[: MAX_INDEX_CHARS - 1] + "…"
    )
    return f"- {text} ({fact.day}, ? {fact.reprobe})" if fact.reprobe else f"- {text}"
