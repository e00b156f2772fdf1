"""Read the constitution (L0), the page by which the gate judges facts.

The owner's own copy, `sops/memory-management/SKILL.md` in the home folder, takes the place of the
shipped one. A bullet under "What is forbidden" begins with the name of its rule: a rule in `MAY_GO`
holds only while its bullet is there, and `never` forbids the words that follow it in quotes. What
keeps secrets, proof and orders apart holds in any case.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

SEED = Path(__file__).parents[2] / "sops" / "memory-management"
MAY_GO = frozenset({"temporary", "general", "project"})
_RULE = re.compile(r"^- `(\w+)`(.*)$", re.MULTILINE)
_QUOTED = re.compile(r"[\"“](.+?)[\"”]")


class Constitution(NamedTuple):
    """Hold the rules that the page leaves out, and the words that it forbids."""

    waived: frozenset[str]
    never: tuple[str, ...]

    def forbidden(self, text: str) -> list[str]:
        """Return the forbidden words that stand in a text."""
        return [word for word in self.never if word.casefold() in text.casefold()]


def constitution(home: Path) -> Constitution:
    """Return the constitution of a home folder: the owner's copy, else the shipped page."""
    own = home / "sops" / SEED.name / "SKILL.md"
    page = own if own.is_file() else SEED / "SKILL.md"
    rules = _RULE.findall(page.read_text("utf-8", errors="replace"))
    never = [word for name, rest in rules if name == "never" for word in _QUOTED.findall(rest)]
    return Constitution(MAY_GO - {name for name, _ in rules}, tuple(never))
