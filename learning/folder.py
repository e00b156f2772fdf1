"""Write SKILL.md of a procedure in a stage, and try its wordings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from learning.draft import load, to_yaml
from replay.procedure import ProcedureError


def fitting_wordings(wordings: Sequence[str], schema: Mapping[str, Any]) -> list[str]:
    """Return those of the wordings that sop.yaml can hold beside these parameters."""
    found = []
    for wording in wordings:
        said = {"wordings": [wording], "run": {"script": ":"}}
        said |= {"parameters": dict(schema)} if schema.get("properties") else {}
        try:
            load({"sop.yaml": to_yaml(said)})
        except ProcedureError:
            continue
        found.append(wording)
    return found


def skill_text(name: str, content: Mapping[str, Any], notes: list[str]) -> str:
    """Return SKILL.md: what people and models read."""
    import yaml

    wording = re.sub(r"\{(\w+)\}", r"{\1}", (content.get("wordings") or [name])[0])
    front = {
        "name": name,
        "description": f"{wording[:1].upper()}{wording[1:]}."[:1000],
        "metadata": {"sopwith-version": "1", "sopwith-status": "draft"},
    }
    schema = content.get("parameters") or {}
    listed = [
        f"- `{key}`: {each.get('format') or each['type']}"
        for key, each in schema.get("properties", {}).items()
    ]
    parts = [
        f"---\n{yaml.safe_dump(front, sort_keys=False, allow_unicode=True, width=10_000)}---\n",
        f"# {name.replace('-', ' ').capitalize()}\n",
        "## When\n\n" + "\n".join(f"- {each}" for each in content.get("wordings", ())) + "\n",
    ]
    if listed:
        parts.append("## Parameters\n\n" + "\n".join(listed) + "\n")
    run = content["run"]
    parts.append(f"## Steps\n\nIn `{run['cwd']}`:\n\n```{run['type']}\n{run['script']}```\n")
    changes = content.get("expect", {}).get("changes") or {}
    told = [f"- {kind}: `{_path(each)}`" for kind, entries in changes.items() for each in entries]
    if told:
        parts.append("## What it changes\n\n" + "\n".join(told) + "\n")
    failures = "\n".join(f"- {' '.join(note.split())}" for note in notes) or "- None yet."
    parts.append(f"## Known failures\n\n{failures}\n")
    return "\n".join(parts)


def _path(entry: Any) -> str:
    return str(entry["path"] if isinstance(entry, dict) else entry)
