"""The daily notes distilled, on the screen: `memory digest`."""

from __future__ import annotations

from argparse import Namespace
from datetime import datetime
from typing import Any

from config import Config
from memory.digest import Digest, Entry
from runs.heartbeat import beat, memory_entries
from ui.command import JSON, NOW, command
from ui.lists import print_json
from ui.sanitise import one_line
from ui.words import say, words_of


@command("memory digest", NOW, JSON)
def digest(args: Namespace, config: Config) -> int:
    """`memory digest`: 0 also when there was nothing to do. `args`: json, now."""
    done = beat(config, args.now or datetime.now().astimezone())
    if args.json:
        return print_json(_report(done, config))
    for line in _said(done, config.lang):
        print(line)
    return 0


def _said(done: Digest, lang: str) -> list[str]:
    if done.is_busy:
        return [say("digest.busy")]
    added = {entry.id: entry for entry in done.changes.added}
    lines = [
        say("digest.added", day=each.day, text=one_line(each.text), source=each.source)
        for each in done.changes.added
    ]
    for old, new in done.changes.replaced.items():
        text = one_line(added[new].text) if new in added else f"#{new}"
        lines.append(say("digest.superseded", old=old, text=text))
    lines += [
        say("digest.repeated", id=id, times=times) for id, times in done.changes.repeated.items()
    ]
    lines += [
        say("digest.refused", text=one_line(line.text), why=why.said(lang))
        for line, why in done.refused
    ]
    return lines + _said_at_the_end(done)


def _said_at_the_end(done: Digest) -> list[str]:
    lines = []
    if done.archived:
        lines.append(say("digest.archived", n=len(done.archived)))
    if done.problem:
        lines.append(say("digest.problem", why=one_line(words_of(done.problem))))
    if not done.has_changed:
        lines.append(say("digest.nothing"))
    elif done.by == "rules":
        lines.append(say("digest.rules"))
    return lines


def _report(done: Digest, config: Config) -> dict[str, Any]:
    return {
        "by": done.by,
        "lines": done.lines,
        "added": [_entry(entry) for entry in done.changes.added],
        "superseded": [{"id": old, "by": new} for old, new in done.changes.replaced.items()],
        "repeated": [{"id": id, "times": times} for id, times in done.changes.repeated.items()],
        "refused": [
            {
                "day": line.day,
                "text": one_line(line.text),
                "rule": why.rule,
                "reason": why.said(config.lang),
            }
            for line, why in done.refused
        ],
        "archived": done.archived,
        "problem": words_of(done.problem),
        "busy": done.is_busy,
        "entries": [entry.said() for entry in memory_entries(config.home)],
    }


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "category": entry.category,
        "text": one_line(entry.text, 1000),
        "day": entry.day,
        "source": entry.source,
        "verbatim": entry.is_verbatim,
    }
