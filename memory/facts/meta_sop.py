"""Read the constitution (L0), the page by which the gate judges facts and which a model reads
before it proposes any.

The owner's own copy, `sops/memory-management/SKILL.md` in the home folder, takes the place of the
shipped one. A bullet under "What is forbidden" begins with the name of its rule: a rule in `MAY_GO`
holds only while its bullet is there, and `never` forbids the words that follow it in quotes. What
keeps secrets, proof and orders apart holds in any case.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from memory.facts.lines import sections

SEED = Path(__file__).parents[2] / "sops" / "memory-management"
MAY_GO = frozenset({"temporary", "general", "project"})
_RULE = re.compile(r"^- `(\w+)`(.*)$", re.MULTILINE)
_QUOTED = re.compile(r"[\"“](.+?)[\"”]")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Constitution:
    """Hold the page: its text, the rules that it leaves out, the words that it forbids."""

    text: str
    waived: frozenset[str]
    never: tuple[str, ...]
    lang: str

    @property
    def sections(self) -> str:
        """Return a line for each section of the facts, with what belongs there."""
        number = 1 if self.lang == "zh" else 0
        return "\n".join(f"{name}: {said[number]}" for name, said in sections().items())

    def forbidden(self, text: str) -> list[str]:
        """Return the forbidden words that stand in a text."""
        return [word for word in self.never if word.casefold() in text.casefold()]


def constitution(home: Path, lang: str = "en") -> Constitution:
    """Return the constitution of a home folder: the owner's copy, else the shipped page."""
    own = home / "sops" / SEED.name
    folder = own if (own / "SKILL.md").is_file() else SEED
    page = _read(folder / "SKILL.md")
    rules = _RULE.findall(page)
    waived = MAY_GO - {name for name, _ in rules}
    never = [word for name, rest in rules if name == "never" for word in _QUOTED.findall(rest)]
    shown = folder / f"SKILL.{lang}.md"
    text = _read(shown) if shown.is_file() else page
    return Constitution(_FRONT_MATTER.sub("", text).strip(), waived, tuple(never), lang)


def _read(file: Path) -> str:
    return file.read_text("utf-8", errors="replace")
