"""Working memory: the anchor that rides at the tail of each request. Source: seed 002 §3, §4.

It holds one-line summaries of the turns, `key_info` and `related_sop`. It is rebuilt from the run log when a run is
resumed, and it is never kept in the history, so that the history stays a growing prefix.
"""

from __future__ import annotations

import re

from models.base import Reply, ToolResult

SHOWN = 20  # summaries in an anchor, seed 002 §4
_SUMMARY = re.compile(r"<summary>(.*?)(?:</summary>|$)", re.DOTALL)
_LINE = 40  # characters of a summary: twenty of them ride on every tenth request


class WorkingMemory:
    """What a run must not forget while it works."""

    def __init__(self) -> None:
        self.key_info = ""
        self.related_sop = ""
        self.summaries: list[str] = []  # one a turn, the last one of turn `last_turn`
        self.last_turn = 0

    def checkpoint(self, key_info: str, related_sop: str | None) -> None:
        """What `update_working_checkpoint` sets; an empty or absent `related_sop` leaves the old one."""
        self.key_info = key_info
        self.related_sop = related_sop or self.related_sop

    def note(self, turn: int, reply: Reply, result: ToolResult | None) -> None:
        """Adds the one-line summary of a finished turn: the reply's own, else made from the call."""
        found = _SUMMARY.search(reply.text)
        line = " ".join((found.group(1) if found else "").split()) or _said(reply)
        ending = f" → {result.status}" if result and result.status != "ok" and not found else ""
        self.summaries.append(f"{line[:_LINE]}{'…' if len(line) > _LINE else ''}{ending}")
        self.last_turn = turn

    def anchor(self, turn: int, *, whole: bool) -> str:
        """The anchor for this turn; `whole` adds the last 20 summaries, for when the messages do not show them."""
        parts = [f"[turn {turn}]"]
        if whole and self.summaries:
            shown = self.summaries[-SHOWN:]
            first = self.last_turn - len(shown) + 1
            parts.append(
                f"<history turns={first}-{self.last_turn}>\n" + "\n".join(shown) + "\n</history>"
            )
        if self.key_info:
            parts.append(f"<key_info>{self.key_info}</key_info>")
        if self.related_sop:
            parts.append(f"<related_sop>{self.related_sop}</related_sop>")
        return "\n".join(parts)


def _said(reply: Reply) -> str:
    """What a call does, or the text of a reply without one; a script speaks for itself."""
    if not reply.calls:
        return " ".join(reply.text.split())
    call = reply.calls[0]
    args = call.args or {}
    values = [args["script"]] if "script" in args else [call.name, *args.values()]
    return " ".join(" ".join(map(str, values)).split())


def without_summary(text: str) -> str:
    """A reply's text as the owner reads it."""
    return _SUMMARY.sub("", text).strip()
