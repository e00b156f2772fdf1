"""Take short lines for people, and say why one is not taken."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from learning.imports import scan

MAX_PITFALL_CHARS = 240
MOST_PITFALLS = 6
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_REACHES = re.compile(r"(?:https?|file|ftp)://|www\.|(?<![\w.])(?:~|\.{1,2})?/[\w.]|[`<>|$\\]")

Keeps = Callable[[Mapping[str, str]], bool]  # True if the evidence gate lets these files pass


@dataclass(frozen=True, slots=True)
class Texts:
    """Takes lines, and counts what is not taken."""

    refused: Counter[str]
    keeps: Keeps

    def taken(self, text: Any, most: int, *, is_chinese: bool = False) -> str:
        """Return the line, or "" when it is not taken; an empty one is no offence."""
        if text == "":
            return ""
        why = self._fault(text, most, is_chinese=is_chinese)
        if why:
            self.refused[why] += 1
        return "" if why else str(text).strip()

    def several(self, texts: Sequence[Any]) -> list[str]:
        """Return the pitfalls that are taken."""
        self.refused.update({"many": max(0, len(texts) - MOST_PITFALLS)})
        found = [self.taken(text, MAX_PITFALL_CHARS) for text in texts[:MOST_PITFALLS]]
        return [line for line in dict.fromkeys(found) if line]

    def _fault(self, text: Any, most: int, *, is_chinese: bool) -> str:
        if not is_line(text, most):
            return "form"
        if is_chinese and not _CHINESE.search(text):
            return "form"
        if _REACHES.search(text) or scan({"SKILL.md": text.encode()}):
            return "address"
        return "" if self.keeps({"SKILL.md": text}) else "gate"


def is_line(text: Any, most: int) -> TypeGuard[str]:
    """True for one printable line that begins no other part of a Markdown document."""
    if not isinstance(text, str) or not text.strip() or len(text) > most:
        return False
    return text.isprintable() and not re.match(r"\s*(?:#|---|[-*+>]\s)", text)
