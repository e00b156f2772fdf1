"""Which families of tools a run offers its model from the start: those that its request, its SOPs or the run before it
in the conversation call for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from config import SopwithError
from memory.sops.store import Sop
from runs.start.earlier import values_before
from tools.families import Family, named_in


def families_for(
    request: str,
    sops: Iterable[Sop],
    home: Path,
    previous: Sequence[str],
    families: Mapping[str, Family],
) -> list[str]:
    """Names of families, in the order of the table. A run knows what the ones before it knew: the last is enough."""
    found = set(named_in(request, families))
    for run in previous[-1:]:
        found |= values_before(home, run, "families", "offered", "family")
    for sop in sops:
        with suppress(OSError, SopwithError):  # what cannot be read is told where it is used
            body = sop.body("en")
            found |= {
                family.name
                for family in families.values()
                if any(tool in body for tool in family.tools)
            }
    return [name for name, family in families.items() if name in found and not family.problem()]
