"""Twelve procedures as owners teach them, requests for them in other words with other values, and
near misses. `sops(folder)` writes them; `ASKED` pairs a request with what it means; `NEAR` are
requests that none of them covers. Scored as a whole by tests/test_routing.py: no row is required.
Paths in the expectations: /w is the working folder, /o the owner's home folder.
"""

from pathlib import Path
from typing import Any

from memory.sops import Sop, SopStore
from tests.rows import rows

SOPS: dict[str, Any] = dict(rows(__name__, "sops"))

ASKED: list[tuple[str, str, dict[str, Any]]] = [(*row,) for row in rows(__name__, "asked")]  # fmt: skip

OBLIQUE: list[tuple[str, str]] = [(*row,) for row in rows(__name__, "oblique")]

NEAR = rows(__name__, "near")  # fmt: skip


# Requests for the seeds, the working folder /w and the home folder /o: what must be done, and what
# must never be.
SEEDS_ASKED: list[tuple[str, str, dict[str, Any]]] = [(*row,) for row in rows(__name__, "seeds_asked")]  # fmt: skip

SEEDS_DECLINED = rows(__name__, "seeds_declined")  # fmt: skip


def sops(folder: Path) -> list[Sop]:
    """Return the twelve, written to a folder and read from it as SOPs that were learned."""
    for name, (description, effects, properties, wordings) in SOPS.items():
        write_sop(folder, name, description, wordings, effects=effects, properties=properties)
    return SopStore(folder / "none", folder).all()


def write_sop(
    folder: Path,
    name: str,
    description: str,
    wordings: list[str],
    *,
    effects: str = "none",
    properties: str = "",
    status: str = "active",
) -> None:
    """One SOP with steps; all its parameters are required."""
    where = folder / name
    where.mkdir(parents=True)
    front = f'---\nname: {name}\ndescription: "{description}"\nmetadata: {{sopwith-status: {status}}}\n---\n\nDo it.\n'
    (where / "SKILL.md").write_text(front, encoding="utf-8")
    required = [
        part.split(":")[0].strip()
        for part in properties.replace("},", "};").split(";")
        if part.strip()
    ]
    step = "{tool: code_run, args: {type: bash, script: 'true'}}"
    phases = f"plan: [{step}]" if effects == "none" else f"plan: [{step}]\ncommit: [{step}]"
    listed = "".join(f"  - {wording!r}\n" for wording in wordings)
    (where / "sop.yaml").write_text(
        f"parameters: {{type: object, properties: {{{properties}}}, required: [{', '.join(required)}]}}\n"
        f"wordings:\n{listed}effects: {effects}\n{phases}\nresult: done\n",
        encoding="utf-8",
    )
