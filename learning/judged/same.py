"""Tell whether a draft does what an SOP does that exists: the same tools and values, whatever they
are called."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from learning.draft import Draft
from replay.procedure import Procedure


def is_same(draft: Draft, existing: Procedure) -> bool:
    """Return True where both would do the same with the same values."""
    if draft.content.script or existing.script:
        source = existing.script.source if existing.script else ""
        return bool(source) and draft.files.get(draft.content.script) == source
    steps = [*draft.content.plan, *draft.content.commit]
    ours = [(step.tool, step.args, step.save, step.each) for step in steps]
    theirs = [
        (step.tool, dict(step.args), dict(step.save), step.each)
        for step in existing.steps
        if step.tool and step.id.startswith(("plan", "commit"))
    ]
    return bool(ours) and _shape(ours) == _shape(theirs)


def _shape(steps: Sequence[Any]) -> str:
    """Return steps as text, each name as the number of its first place."""
    text = json.dumps(steps, sort_keys=True, ensure_ascii=False, default=str)
    names: dict[str, int] = {}

    def number(found: re.Match[str]) -> str:
        return f"#{names.setdefault(found[0], len(names))}"

    return re.sub(r"(?<=\{\{)\s*[a-z]\w*|(?<=[=~])[a-z]\w*|(?<=\$)\{?[a-z]\w*\}?", number, text)
