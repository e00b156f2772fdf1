"""Recognise what will not hold: times, process numbers, ports of the moment, temporary paths, ids.

It looks at what stands there, in English and in Chinese, and knows nothing of where it came from.
Source: seed 002 §3 (temporary variables are never recorded).
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Collection, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

from memory.facts.rules import rows, table

_PATH = r"/[^\s\"'`$*<>|;,，。；）){}]+"


class Volatile(NamedTuple):
    """A part of a text that will not hold, and its kind (a key of `kinds` in rules.toml)."""

    kind: str
    text: str

    def said(self, lang: str) -> str:
        """Return it as words: "/tmp/x7" (a temporary path)."""
        english, chinese = table()["kinds"][self.kind]
        return f"“{self.text}”（{chinese}）" if lang == "zh" else f'"{self.text}" ({english})'


def volatile(
    text: str, days: Collection[str] = (), *, is_fact: bool = False, kept: Collection[Path] = ()
) -> list[Volatile]:
    """Return what in a text will not hold. `days` are dates (2026-11-21) on which it was found out.

    In a fact, words like "currently" and measurements count too. Paths below `kept` are lasting
    wherever they lie.
    """
    found = [*_by_row(text, is_fact), *_in_temporary_folder(text)]
    lasting = [each for each in found if each.kind == "temporary path" and _is_kept(each, kept)]
    dated = (Volatile("today", said) for day in days for said in _dates_in(text, day))
    return list(dict.fromkeys([each for each in found if each not in lasting] + list(dated)))


def around(day: str) -> list[str]:
    """Return a date and its neighbours: the log is in UTC, the owner is elsewhere."""
    middle = date.fromisoformat(day)
    return [(middle + timedelta(days=days)).isoformat() for days in (-1, 0, 1)]


def _by_row(text: str, is_fact: bool) -> Iterator[Volatile]:
    for row in rows("temporary"):
        if row.is_for_facts and not is_fact:
            continue
        for match in row.pattern.finditer(text):
            what = match.groupdict().get("what", match[0])
            yield Volatile(row.kind, what.rstrip(".,;:"))


def _dates_in(text: str, day: str) -> Iterator[str]:
    for form in table()["dates"]:
        written = date.fromisoformat(day).strftime(form)
        if re.search(rf"(?<!\d){re.escape(written)}(?!\d)", text):
            yield written


def _in_temporary_folder(text: str) -> Iterator[Volatile]:
    folder = tempfile.gettempdir()
    if folder not in ("/tmp", "/var/tmp"):  # those have a row
        for match in re.finditer(re.escape(folder) + _PATH, text):
            yield Volatile("temporary path", match[0].rstrip(".,;:"))


def _is_kept(found: Volatile, kept: Collection[Path]) -> bool:
    path = Path(found.text.rstrip("/"))
    return any(path.is_relative_to(folder) for folder in kept)
