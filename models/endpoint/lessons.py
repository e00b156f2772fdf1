"""Learn from an error: the manners change, and the same request is sent once more. The rows are
assets/models/lessons.json.

Each step returns True where it has changed something, so that no lesson is learned twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from models.endpoint.failure import TABLES, Failure
from models.wires import Manners, Wire

_KEPT = {"model", "stream", "messages", "input", "tools", "instructions", "system"}
_KEEPS_MAX_TOKENS = "messages"  # the protocol that demands the field


class Lesson(NamedTuple):
    """One row."""

    step: str
    statuses: frozenset[int]
    words: re.Pattern[str]
    other_cause: str
    say: str


@dataclass(slots=True)
class Taught:
    """Hold what a step works with. `sent` are the fields of the request that was refused."""

    failure: Failure
    manners: Manners
    wire: Wire
    others: list[str]  # protocols that may still be tried
    sent: Iterable[str]
    match: re.Match[str]


def learn(
    failure: Failure, manners: Manners, wire: Wire, others: list[str], sent: Iterable[str]
) -> Lesson | None:
    """Change the manners by what the error says; the lesson, or None where there is none to
    learn."""
    words = failure.words
    for lesson in _lessons():
        is_barred = failure.cause in ("key", "quota", "context", lesson.other_cause or "-")
        if failure.status not in lesson.statuses or is_barred:
            continue
        match = lesson.words.search(words)
        name, _, argument = lesson.step.partition(" ")
        taught = Taught(failure, manners, wire, others, sent, match) if match else None
        if taught and _STEPS[name](taught, argument):
            return lesson
    return None


@cache
def _lessons() -> list[Lesson]:
    rows = json.loads((TABLES / "lessons.json").read_text("utf-8"))["lessons"]
    return [
        Lesson(
            row["do"],
            frozenset(row["status"]),
            re.compile(row["words"], re.I | re.S),
            row.get("not", ""),
            row.get("say", ""),
        )
        for row in rows
    ]


def _wire(taught: Taught, argument: str) -> bool:
    """Take the protocol of this name; without one, the next."""
    wanted = argument or next(iter(taught.others), "")
    if wanted not in taught.others:
        return False
    taught.others.remove(wanted)
    taught.manners.wire = wanted
    return True


def _set(taught: Taught, argument: str) -> bool:
    """Set one of the manners: `joins`, `has_system no`, `needs reasoning_content`."""
    name, _, written = argument.partition(" ")
    value: Any = {"": True, "no": False}.get(written, written)
    changed = bool(getattr(taught.manners, name) != value)
    setattr(taught.manners, name, value)
    return changed


def _most_tokens(taught: Taught, argument: str) -> bool:
    said = next((int(group) for group in taught.match.groups() if group), 0)
    changed = said > 0 and taught.manners.most_tokens != said
    taught.manners.most_tokens = said or taught.manners.most_tokens
    return changed


def _unread(taught: Taught, argument: str) -> bool:
    key = next((group for group in taught.match.groups() if group), "")
    if not key or key in taught.manners.unread or key in ("content", "role", "type"):
        return False
    taught.manners.unread.add(key)
    return True


def _no_images(taught: Taught, argument: str) -> bool:
    changed = taught.manners.takes_images and taught.wire.has_images
    taught.manners.takes_images = taught.manners.takes_images and not changed
    return changed


def _drop(taught: Taught, argument: str) -> bool:
    """Leave out the field that the error names: as its parameter, else the one that is named
    first."""
    can_go = set(taught.sent) - _KEPT - taught.manners.without
    if taught.manners.wire == _KEEPS_MAX_TOKENS:
        can_go.discard("max_tokens")
    parameter = str(taught.failure.error.get("param") or "").partition(".")[0]
    if parameter in can_go:
        return _dropped(taught, [parameter])
    words = taught.failure.words
    named = {key: re.search(rf"(?<!\w){re.escape(key)}(?!\w)", words) for key in can_go}
    places = sorted((match.start(), key) for key, match in named.items() if match)
    return _dropped(taught, [key for _, key in places[:1]])


def _dropped(taught: Taught, keys: list[str]) -> bool:
    new = {key for key in keys if key in taught.sent} - taught.manners.without
    taught.manners.without |= new
    return bool(new)


_STEPS: dict[str, Callable[[Taught, str], bool]] = {
    "set": _set,
    "wire": _wire,
    "next": _wire,
    "tokens": _most_tokens,
    "without": lambda taught, argument: _dropped(taught, argument.split()),
    "unread": _unread,
    "images": _no_images,
    "drop": _drop,
}
