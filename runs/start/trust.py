"""Say which inputs of a run are trusted: the owner's own data, and earlier runs that read nobody
else's words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from memory.logs.reading import open_log

_MAX_CHARS = 200_000  # of one file
_MAX_RUNS = 5  # of a conversation, the last ones


def own_data(home: Path, session: str, sop: Path | None) -> str:
    """Return the texts whose names and addresses the owner has let in: OWNER.md, the facts, and the
    steps of the SOP that the run does (`sop` is its folder). Nothing in a shared session."""
    if session != "main":
        return ""
    files = [
        home / "OWNER.md",
        home / "memory" / "global_mem.txt",
        *([sop / "sop.yaml"] if sop else []),
    ]
    return "\n".join(map(_text, files))


def origins_before(home: Path, previous: Sequence[str]) -> list[str]:
    """Return whose words, beside the owner's, the earlier runs of a conversation have read."""
    runs = previous[-_MAX_RUNS:]
    return sorted(
        set().union(*(values_before(home, run, "origins", "tool_ended", "origin") for run in runs))
    )


def _text(path: Path) -> str:
    try:
        if not path.is_file():  # a pipe would keep us waiting
            return ""
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(_MAX_CHARS)
    except OSError:
        return ""


def values_before(home: Path, run: str, listed: str, kind: str, field: str) -> set[str]:
    """Return all that the run's first event lists as `listed`, and `field` of each of its events of
    this kind. A run that cannot be read has none."""
    found: set[str] = set()
    try:
        with open_log(home, run) as file:
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return found
    for line in lines:
        if f'"{listed}"' not in line and f'"{field}"' not in line:
            continue
        try:
            event = json.loads(line)
        except ValueError:  # torn by a crash
            continue
        if event.get("type") == "run_started":
            found.update(event.get(listed, ()))
        elif event.get("type") == kind and event.get(field):
            found.add(event[field])
    return found
