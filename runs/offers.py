"""Which families of tools a run offers its model from the start: those that its request, its SOPs or the run before it
in the conversation call for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from config import SopwithError
from memory.sops import Sop
from tools.families import FAMILIES, named_in


def families_for(request: str, sops: Iterable[Sop], home: Path, previous: Sequence[str]) -> list[str]:
    """Names of families, in the order of the table. A run knows what the ones before it knew: the last is enough."""
    found = {*named_in(request), *_before(home, previous[-1:])}
    for sop in sops:
        with suppress(OSError, SopwithError):  # what cannot be read is told where it is used
            body = sop.body("en")
            found |= {family.name for family in FAMILIES.values() if any(tool in body for tool in family.tools)}
    return [name for name, family in FAMILIES.items() if name in found and not family.problem()]


def _before(home: Path, runs: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for run in runs:
        with suppress(OSError), (home / "runs" / run / "log.jsonl").open(encoding="utf-8", errors="replace") as file:
            for line in file:
                if '"families"' in line or '"offered"' in line:
                    found |= _offered(line)
    return found


def _offered(line: str) -> set[str]:
    try:
        event = json.loads(line)
    except ValueError:  # torn by a crash
        return set()
    if event.get("type") == "run_started":
        return set(event.get("families", ()))
    return {event["family"]} if event.get("type") == "offered" else set()
