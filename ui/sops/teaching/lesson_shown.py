"""Show what a demonstration or a trial did: paths, output, what is stored."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from learning.prove import Seen
from learning.wording import slotted
from memory.sops import Sop
from replay.staged.expectation import KINDS, Touched
from runs.learning.lesson import Lesson
from runs.learning.lesson_files import content_of
from ui.sanitise import one_line
from ui.words import say

MAX_LINES = 8


def show_seen(seen: Seen) -> None:
    """Print what was done: paths and output."""
    show_paths(seen)
    show_output(seen)


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
        print(f"    {mark} {one_line(_short(each.path), 140)}")
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


def _short(path: str) -> str:
    home = str(Path.home())
    return "~" + path[len(home) :] if path.startswith(f"{home}/") else path


def show_stored(sop: Sop, lesson: Lesson) -> None:
    """Print what is stored now, and what the owner may do with it."""
    print(f"\n{say('teach.stored', name=sop.name, version=sop.version, status=sop.status)}")
    values = " ".join(f"{name}=…" for name in lesson.values)
    wordings = content_of(lesson).get("wordings") or []
    asked: dict[str, Any] = {
        "name": sop.name,
        "asked": _filled(lesson),
        "values": values,
    }
    if (
        sop.status != "draft"
        and lesson.request
        and slotted(lesson.request, lesson.values)[0] not in wordings
    ):
        print("  " + say("teach.unusable", wording=(wordings or [sop.name])[0]))
    key = f"lesson.next_{sop.status}"
    print("  " + say(key, **asked).rstrip())


def _filled(lesson: Lesson) -> str:
    """Return a request that asks for it, with values that are known to work."""
    text = str((content_of(lesson).get("wordings") or [lesson.name])[0])
    text = re.sub(r"\{(\w+):\w+\}", r"{\1}", text)
    for name, value in lesson.values.items():
        text = text.replace(f"{{{name}}}", value)
    return text
