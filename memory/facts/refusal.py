"""Say why something may not be kept: the rule, where it stands, what it is about."""

from __future__ import annotations

from dataclasses import dataclass

from memory.facts.rules import table

MAX_QUOTED = 80


@dataclass(frozen=True, slots=True)
class Refusal:
    """One reason: the rule (a key of `says` in rules.toml), where it stands ("sop.yaml:12"), what it is about."""

    rule: str
    where: str
    what: str
    what_chinese: str = ""

    @property
    def text(self) -> str:
        """One line, in English."""
        return self.said("en")

    def said(self, lang: str) -> str:
        """Return one line in the language: where, which rule, what."""
        english, chinese = table()["says"][self.rule]
        if lang == "zh":
            what = self.what_chinese or self.what
            return f"{self.where}：[{self.rule}] {chinese.format(what=what)}"
        return f"{self.where}: [{self.rule}] {english.format(what=self.what)}"


def quoted(text: str) -> str:
    """Return the beginning of a text in quotes."""
    return f'"{text.strip()[:MAX_QUOTED]}"'
