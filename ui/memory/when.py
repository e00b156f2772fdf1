"""`memory when TEXT`: which stretches of time a text means."""

from __future__ import annotations

from argparse import Namespace
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
        print_json({"ranges": [_range(each) for each in found]})
        return 0
    for each in found:
        start, end = _local(each.start, now), _local(each.end, now)
        key = "when_range" if start and end else "when_since" if start else "when_until"
        print(say(key, start=start, end=end, text=one_line(each.text)))
    if not found:
        print(say("when_nothing"))
    return 0


def _range(found: TimeRange) -> dict[str, str | None]:
    return {"start": _iso(found.start), "end": _iso(found.end), "text": found.text}


def _iso(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment else None


def _local(moment: datetime | None, now: datetime) -> str:
    return f"{moment.astimezone(now.tzinfo):%Y-%m-%d %H:%M}" if moment else ""
