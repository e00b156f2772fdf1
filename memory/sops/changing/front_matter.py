"""Changes the metadata in the front matter of a SKILL.md and leaves every other line as its author
wrote it.

Where the lines cannot be changed one by one (flow style, anchors, a key that goes away), the front
matter is written anew; its meaning stays the same either way, and that is checked before anything
is returned.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from memory.sops import SopError
from memory.sops.store import FRONT_MATTER

Changes = Mapping[str, str | None]  # key → value; None: without this key


def with_metadata(text: str, changes: Changes) -> str:
    """Return the text of a SKILL.md with these keys of `metadata` set. Raises SopError when its
    front matter cannot be read."""
    match = FRONT_MATTER.match(text)
    if match is None:
        raise SopError("error.sops.skill-md-front-matter")
    front = match[1]
    meaning = _load(front)
    wanted = _merged(meaning, changes)
    if wanted == meaning:
        return text
    changed = _line_by_line(front, changes)
    if not _means(changed, wanted):
        changed = _written_anew(wanted)
    return text[: match.start(1)] + changed + text[match.end(1) :]


def with_said(text: str, key: str, said: str) -> str:
    """Return the text of a SKILL.md with another `description`, or another `body`. Raises
    SopError."""
    match = FRONT_MATTER.match(text)
    if match is None:
        raise SopError("error.sops.skill-md-front-matter-2")
    if key == "body":
        is_same = match[2].strip() == said.strip()
        return text if is_same else f"{text[: match.start(2)]}\n{said.strip()}\n"
    front = _load(match[1])
    if front.get(key) == said:
        return text
    return text[: match.start(1)] + _written_anew({**front, key: said}) + text[match.end(1) :]


def metadata_of(text: str) -> Mapping[str, Any]:
    """Return the metadata in the front matter of a SKILL.md. Raises SopError."""
    match = FRONT_MATTER.match(text)
    return _load(match[1]).get("metadata") or {} if match else {}


def _load(front: str) -> dict[str, Any]:
    import yaml

    try:
        # a folded text at its end has its line break before the ---
        loaded = yaml.safe_load(front + "\n")
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SopError(
            "error.sops.skill-md-front-matter-4", error=" ".join(str(error).split())
        ) from error
    if not isinstance(loaded, dict) or not isinstance(loaded.get("metadata") or {}, dict):
        raise SopError("error.sops.skill-md-front-matter-3")
    return loaded


def _means(front: str, wanted: dict[str, Any]) -> bool:
    try:
        return _load(front) == wanted
    except SopError:
        return False


def _merged(front: dict[str, Any], changes: Changes) -> dict[str, Any]:
    metadata = {**(front.get("metadata") or {}), **changes}
    return {
        **front,
        "metadata": {key: value for key, value in metadata.items() if value is not None},
    }


def _line_by_line(front: str, changes: Changes) -> str:
    """Return the front matter with single lines of its metadata replaced, dropped or added. Only a
    guess: the caller checks."""
    lines = re.split(r"\r?\n", front)
    heads = [number for number, line in enumerate(lines) if re.match(r"metadata\s*:", line)]
    if not heads:
        heads = [len(lines)]
        lines.append("metadata:")
    first, added = heads[0] + 1, 0
    child = re.match(r"[ \t]+", "\n".join(lines[first : first + 1]))
    indent = child[0] if child else "  "
    for key, value in changes.items():
        line = [] if value is None else [f"{indent}{key}: {json.dumps(value, ensure_ascii=False)}"]
        at = _line_of(lines, first, rf"{indent}{re.escape(key)}\s*:")
        if at < 0:
            lines[first + added : first + added] = line
            added += len(line)
        else:
            lines[at : at + 1] = line
    return "\n".join(lines)


def _line_of(lines: list[str], first: int, pattern: str) -> int:
    """Return the number of the first line that begins so, -1 where none does."""
    found = (number for number in range(first, len(lines)) if re.match(pattern, lines[number]))
    return next(found, -1)


def _written_anew(front: dict[str, Any]) -> str:
    import yaml

    dumped: str = yaml.safe_dump(front, sort_keys=False, allow_unicode=True, width=10_000)
    return dumped.rstrip("\n")
