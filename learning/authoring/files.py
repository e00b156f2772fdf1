"""Write a model's words into the files of an SOP's folder."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from learning.authoring.proposal import Proposal
from learning.folder import to_yaml


def with_words(files: Mapping[str, str], words: Proposal) -> dict[str, str]:
    """Return the files with the words in them: wordings, description in both languages, pitfalls."""
    import yaml

    found = dict(files)
    said = yaml.safe_load(found["sop.yaml"])
    wordings = [*(said.get("wordings") or []), *words.wordings]
    if words.wordings:
        found["sop.yaml"] = to_yaml({**said, "wordings": wordings})
    front, body = _parts(found["SKILL.md"])
    if words.pitfalls:
        lines = "\n".join(f"- {pitfall}" for pitfall in words.pitfalls)
        body = body.replace(
            "\n## Known failures\n", f"\n## Pitfalls\n\n{lines}\n\n## Known failures\n", 1
        )
    body = _with_when(body, wordings)
    front["description"] = words.description or front["description"]
    found["SKILL.md"] = f"---\n{_yaml(front)}---\n{body}"
    if words.description_zh:
        front = {"name": front["name"], "description": words.description_zh}
        found["SKILL.zh.md"] = f"---\n{_yaml(front)}---\n{body}"
    return dict(sorted(found.items()))


def _parts(text: str) -> tuple[dict[str, Any], str]:
    import yaml

    _, front, body = text.split("---\n", 2)
    return yaml.safe_load(front), body


def _with_when(body: str, wordings: Sequence[str]) -> str:
    lines = "\n".join(f"- {each}" for each in wordings)
    return re.sub(r"(?<=## When\n\n)(?:- .*\n)+", lambda _: f"{lines}\n", body, count=1)


def _yaml(front: Mapping[str, Any]) -> str:
    import yaml

    text: str = yaml.safe_dump(dict(front), sort_keys=False, allow_unicode=True, width=10_000)
    return text
