"""Write what the model reads in a turn: the anchor and the reminders that are due, and the result
of its last call.

The anchor stands at the end of the last result under its own heading and is never kept in the
history, so that the history stays a growing prefix. docs/prompt.md shows each text with its reason.
Source: seed 002 §1, §4, §5.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from context.prompts import Prompts
from memory.working import WorkingMemory
from models.base import Message, Reply, ToolResult

SHOWN = 20  # turns in an anchor
MAX_RESULT_CHARS = 24_000  # of one result, in the history; tools keep what is longer in a file
ASK_TURN = 30


class Reminder(NamedTuple):
    """Say when the model is reminded of something: every so many turns, or once at a turn."""

    kind: str
    every: int = 0
    once: int = 0

    def is_due(self, turn: int) -> bool:
        """Return True on the turns that the table names."""
        if self.every:
            return turn % self.every == 0
        return turn == self.once


REMINDERS = (
    Reminder("no_retry", every=7),
    Reminder("tools", every=10),
    Reminder("must_ask", once=ASK_TURN),
    Reminder("must_save", once=ASK_TURN),
)


@dataclass(kw_only=True)
class TurnTexts:
    """Write the texts of one run, turn by turn."""

    prompts: Prompts
    working: WorkingMemory
    last_turn: int
    tools: Container[str] = ()
    attended: bool = True
    l2_index: Callable[[], str] = str  # reads the index of the facts
    sop_path: Callable[[str], str] = str  # says where an SOP of this name is read
    spent: Callable[[], str] = str  # what is used up of cost and time once that is nearly all
    # a page that does not know it cannot end what it said
    tag: str = field(default_factory=lambda: os.urandom(4).hex())

    def say(self, name: str, /, **values: object) -> str:
        """Return the prompt called `name` with its blanks filled."""
        return self.prompts.text(name, **values)

    def due(self, turn: int) -> list[str]:
        """Return the kinds of reminders that are due; at the last turn nothing else matters."""
        if turn == self.last_turn and turn > 1:
            return ["last_turn"]
        may_save = "update_working_checkpoint" in self.tools
        holds = {
            "no_retry": self.working.has_failed,
            "must_ask": self.attended and "ask_user" in self.tools,
            "must_save": not self.attended and may_save,
        }
        due = [each.kind for each in REMINDERS if each.is_due(turn)]
        return [kind for kind in due if holds.get(kind, True)]

    def tail(self, turn: int, due: Sequence[str], notes: Sequence[str], *, whole: bool) -> str:
        """Return anchor, reminders and notes as one text; `whole` shows the last twenty turns."""
        has_begun = turn > 1 or bool(self.working.summaries)
        parts = [self._anchor(turn, whole=whole)] if has_begun else []
        parts += [self._reminder(kind) for kind in due]
        return "\n".join(filter(None, [*parts, *notes]))

    def _reminder(self, kind: str) -> str:
        return self.l2_index() if kind == "tools" else self.prompts.text(f"reminder_{kind}")

    def _anchor(self, turn: int, *, whole: bool) -> str:
        working, prompts = self.working, self.prompts
        lines = [prompts.text("anchor", turn=turn, last=self.last_turn, spent=self.spent())]
        if whole and working.summaries:
            lines += self._history()
        if working.key_info:
            lines.append(f"<key_info>{working.key_info}</key_info>")
        if working.related_sop:
            path = self.sop_path(working.related_sop)
            lines.append(prompts.text("anchor_sop", path=path))
        return "\n".join(lines)

    def _history(self) -> list[str]:
        """Return the last turns: each finding on a line, turns without one together by their
        tool."""
        last = self.working.last_turn
        first = max(0, last - SHOWN)
        lines = list(_grouped(self.working, first))
        return [f"<history turns={first + 1}-{last}>", *lines, "</history>"]

    def after(self, reply: Reply, result: ToolResult) -> list[Message]:
        """Return the messages after a call: its result, and that further calls were not
        executed."""
        text = result.as_text()
        if len(text) > MAX_RESULT_CHARS:
            half = MAX_RESULT_CHARS // 2
            text = f"{text[:half]}\n[… {len(text) - 2 * half} characters …]\n{text[-half:]}"
        if result.status in ("error", "timeout") and isinstance(result.data, dict):
            text = f"[{result.status}] {text}"
        if result.origin:
            text = self.prompts.text("foreign", origin=result.origin, text=text, tag=self.tag)
        texts = [text, *(self.prompts.text("one_tool_a_turn") for _ in reply.calls[1:])]
        messages: list[Message] = [
            {"role": "tool", "tool_call_id": call.id, "content": said}
            for call, said in zip(reply.calls, texts, strict=True)
        ]
        if result.images:  # no endpoint takes them in a tool's own message
            said = self.prompts.text("images", paths="\n".join(result.images))
            messages.append({"role": "user", "content": said, "images": result.images})
        return messages


def _grouped(working: WorkingMemory, first: int) -> Iterator[str]:
    turns = range(first, working.last_turn)
    for (finding, tool), group in groupby(
        turns, lambda at: (working.findings[at], working.tools[at])
    ):
        numbers = [at + 1 for at in group]
        span = f"{numbers[0]}-{numbers[-1]}" if len(numbers) > 1 else str(numbers[0])
        yield f"{span}. {finding or tool}"
