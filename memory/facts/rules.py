"""Read the rows of assets/memory/rules.toml: how what must not be kept reads, and how a refusal
says so."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

MAX_QUOTED = 80
_FILE = Path(__file__).parents[2] / "assets" / "memory" / "rules.toml"


class Row(NamedTuple):
    """One row. `kind` is what an owner calls it; a row with `is_for_facts` says nothing of SOPs."""

    pattern: re.Pattern[str]
    kind: str = ""
    is_for_facts: bool = False


@cache
def table() -> dict[str, Any]:
    """Return the whole file."""
    return tomllib.loads(_FILE.read_text("utf-8"))


@cache
def rows(name: str) -> tuple[Row, ...]:
    """Return the rows of one list, in their order."""
    return tuple(_row(each) for each in table()["rules"][name])


def _row(said: str | dict[str, str]) -> Row:
    if isinstance(said, str):
        return Row(re.compile(said))
    return Row(re.compile(said["re"]), said["kind"], said.get("only") == "fact")


def matches(name: str, text: str) -> Iterator[re.Match[str]]:
    """Yield each place of a text that a row of the list fits, row by row."""
    for row in rows(name):
        yield from row.pattern.finditer(text)


def first(name: str, text: str) -> str:
    """Return the first such place; "" when no row fits."""
    found = next(matches(name, text), None)
    return found[0] if found else ""


def without(name: str, text: str) -> str:
    """Return the text with a blank for each such place."""
    for row in rows(name):
        text = row.pattern.sub(" ", text)
    return text


@dataclass(frozen=True, slots=True)
class Refusal:
    """One reason: the rule (a key of `says` in rules.toml), where it stands ("sop.yaml:12"), what
    it is about."""

    rule: str
    where: str
    what: str
    what_chinese: str = ""

    @property
    def text(self) -> str:
        """Return one line, in English."""
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
