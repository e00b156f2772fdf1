"""What one field of an earlier run's log holds, without reading the whole of its events."""

from __future__ import annotations

import json
from pathlib import Path

from memory.runlog.log import open_log


def values_before(home: Path, run: str, listed: str, kind: str, field: str) -> set[str]:
    """All that the run's first event lists as `listed`, and `field` of each of its events of this kind. A run that cannot
    be read has none."""
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
