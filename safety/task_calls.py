"""Let a call write into the to-do list what the owner's request itself says, whatever the run has read.

All words that are written must stand in the request as they are, and the task that is changed must be named there, by its
number or its title.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

TOOLS = frozenset({"create_task", "update_task"})
_WRITTEN = ("title", "description", "tags")


def is_said(tool: str, args: Mapping[str, Any], about: Mapping[str, Any], request: str) -> bool:
    """True when it does. `about`: the `title` that the task has now."""
    said = _plain(request)
    written = [text for name in _WRITTEN for text in _texts(args.get(name))]
    if not all(_plain(text) in said for text in written):
        return False
    if tool == "create_task":
        return bool(_plain(str(args.get("title") or "")))
    title = _plain(str(about.get("title") or ""))
    return str(args.get("id")) in re.findall(r"\d+", request) or (
        len(title.encode()) > 3 and title in said
    )


def _texts(value: Any) -> list[str]:
    return (
        [str(each) for each in value] if isinstance(value, list) else [str(value)] if value else []
    )


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
