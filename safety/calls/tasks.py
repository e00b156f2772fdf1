"""Tell whether the owner's request itself says what a call writes into the to-do list.

All words that are written must stand in the request as they are, and the task that is changed must
be named there, by its number or its title. Then it passes, whatever the run has read.
"""

from __future__ import annotations

import re
from typing import Any

from safety.findings import Ask

_WRITTEN = ("title", "description", "tags")


def is_said(ask: Ask) -> bool:
    """Return True when it does. The hint `title` is the one that the task has now."""
    if ask.tool not in ("create_task", "update_task"):
        return False
    said = _plain(ask.request)
    written = [_plain(text) for name in _WRITTEN for text in _texts(ask.args.get(name))]
    if any(text not in said for text in written):
        return False
    if ask.tool == "create_task":
        return bool(written[0])
    title = _plain(str(ask.hints.get("title") or ""))
    is_numbered = str(ask.args.get("id")) in re.findall(r"\d+", ask.request)
    return is_numbered or (len(title.encode()) > 3 and title in said)


def _texts(value: Any) -> list[str]:
    return [str(each) for each in (value if isinstance(value, list) else [value or ""])]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
