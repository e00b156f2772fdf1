"""Show what a demonstration or a trial did: paths, output, what is stored."""

from __future__ import annotations

import re
from collections.abc import Mapping

from learning.prove import Seen
from memory.sops import Sop
from replay.staged.expectation import KINDS, Touched
from ui.sanitise import one_line
from ui.sops import as_word
from ui.words import say, says

MAX_LINES = 8


def changed(seen: Seen | None) -> str:
    """Return how many paths were touched, in words."""
    kinds: dict[str, int] = {}
    for each in _real(seen):
        kinds[each.kind] = kinds.get(each.kind, 0) + 1
    parts = [say(f"lesson.{kind}", n=count) for kind, count in kinds.items()]
    return ", ".join(parts) or say("lesson.no_changes")


def show_paths(seen: Seen | None) -> None:
    """Print what was touched, a path a line."""
    found = _real(seen)
    for each in found[:MAX_LINES]:
        mark = {"new": "+", "gone": "-"}.get(each.kind, "~")
        print(f"    {mark} {one_line(as_word(each.path), 140)}")
    if len(found) > MAX_LINES:
        print(f"    … {len(found) - MAX_LINES}")


def _real(seen: Seen | None) -> list[Touched]:
    """Return what is not as it was before."""
    return [each for each in seen.touched if each.kind in KINDS] if seen else []


def show_output(seen: Seen) -> None:
    """Print the first lines of an output."""
    lines = [line for line in seen.output.splitlines() if line.strip()]
    for line in lines[:MAX_LINES]:
        print(f"    {one_line(line, 140)}")


def show_stored(
    sop: Sop, wording: str, values: Mapping[str, object], key: str, why: str = ""
) -> None:
    """Print what is stored now, why it is no more, and what the owner may do with it: ask with
    values that worked."""
    print(f"\n{say('teach.stored', name=sop.name, version=sop.version, status=sop.status)}")
    if why:
        print(f"  {one_line(why, 300)}")
    if says(key):
        said = {name: _said(as_word(value)) for name, value in values.items()}
        asked = re.sub(r"\{(\w+)(?::\w+)?\}", lambda slot: said.get(slot[1], slot[0]), wording)
        named = " ".join(f"{name}=…" for name in values)
        print("  " + say(key, name=sop.name, asked=asked, values=named).rstrip())


def _said(value: str) -> str:
    """Return a value as it stands in a request: of several words in quotes."""
    if not re.search(r"\s", value):
        return value
    return f"“{value}”" if "'" in value else f"'{value}'"
