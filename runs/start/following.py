"""Read a request that leans on the one before it: "and now the same for ~/Documents", "add bread to
it".

It is the earlier request with one value in the place of another of its kind, or this one with the
file that the earlier one names. What it says instead is routed like any request.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from memory.logs import read_events
from text.values import Value, values_in

_FILE = Path(__file__).parents[2] / "assets" / "routing" / "follow.toml"
PLACES = ("path", "folder")


def followed(task: str, home: Path, previous: Sequence[str]) -> str:
    """Return what a request says once the one before it in the conversation is known; itself for
    most."""
    said = task.strip().rstrip(".?!。？！ ")
    again, it = _patterns()
    found = next(filter(None, (each.fullmatch(said) for each in again)), None)
    if not previous or not (found or it.search(said)):
        return task
    before = _before(home, previous[-1])
    value = _only(values_in(found[1]), found[1]) if found else None
    old = _one_of_kind(before, value.kind if value else "path")
    if old is None:
        return task
    if value is not None:
        return f"{before[: old.start]}{value.text}{before[old.end :]}"
    return task if found else it.sub(lambda _: old.text, task, count=1)


def _before(home: Path, run: str) -> str:
    """Return what the owner asked for in a run, said in full."""
    opening = next(read_events(home, run), {})
    return str(opening.get("meant") or opening.get("task", ""))


def _only(values: Sequence[Value], said: str) -> Value | None:
    """Return the one value that all of a text is."""
    return values[0] if len(values) == 1 and values[0].text == said.strip() else None


def _one_of_kind(request: str, kind: str) -> Value | None:
    """Return the only value of a kind in a request; a folder may be said by its name or its
    path."""
    kinds = PLACES if kind in PLACES else (kind,)
    found = [each for each in values_in(request) if each.kind in kinds]
    return found[0] if len(found) == 1 else None


@cache
def _patterns() -> tuple[list[re.Pattern[str]], re.Pattern[str]]:
    table = tomllib.loads(_FILE.read_text("utf-8"))
    english = "|".join(each for each in table["it"] if each.isascii())
    chinese = "|".join(each for each in table["it"] if not each.isascii())
    again = [re.compile(each, re.IGNORECASE) for each in table["again"]]
    return again, re.compile(rf"\b(?:{english})\b|{chinese}", re.IGNORECASE)
