"""`memory when TEXT`: which stretches of time a text means."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from datetime import UTC, datetime

from config import Config
from memory.journal.api import local_timezone
from memory.journal.originals import zone
from text.time import TimeRange, find
from ui.command import JSON, NOW, Argument, command
from ui.lists import print_json
from ui.sanitise import one_line
from ui.words import say


@command("memory when", Argument("text", "+"), NOW, JSON)
def when(args: Namespace, config: Config) -> int:
    """`memory when TEXT`. `args`: text, now, json. Local times on the screen, UTC as JSON."""
    now = args.now or datetime.now(UTC).astimezone(zone(local_timezone()))
    found = find(" ".join(args.text), now)
    if args.json:
        ranges = [{**_sides(each, datetime.isoformat), "text": each.text} for each in found]
        return print_json({"ranges": ranges})
    for each in found:
        sides = _sides(each, lambda at: f"{at.astimezone(now.tzinfo):%Y-%m-%d %H:%M}")
        known = "_".join(key for key, side in sides.items() if side)
        key = {"start": "when_since", "end": "when_until"}.get(known, "when_range")
        print(say(key, **sides, text=one_line(each.text)))
    if not found:
        print(say("when_nothing"))
    return 0


def _sides(found: TimeRange, said: Callable[[datetime], str]) -> dict[str, str | None]:
    sides = {"start": found.start, "end": found.end}
    return {key: said(at) if at else None for key, at in sides.items()}
