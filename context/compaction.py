"""Keep a long run inside its budget: old results shrink to a line, and older turns to a line each.

A history that passes the high-water mark is brought below the low one in a single step, so that the
endpoint's prompt cache breaks rarely. The whole of what shrank lies in the run's folder, where
file_read finds it. What stands before the first turn (rules, the task) and the last turns stay as
they are. All of it is a function of history, summaries and two numbers, so that a resumed run has
the same history. Source: seed 001 §2.2; seed 002 §4.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from context.prompts import Prompts
from models.base import Message

HIGH, LOW = 0.8, 0.5  # of the budget: where a compaction begins, and where it should lead
KEPT = 6  # the last turns, which stay whole as long as they fit
MAX_LINE_CHARS = 80  # of a result that shrank
MAX_FOLDED_LINES = 200  # the newest; the run log has them all
MIN_LINE_CHARS = 40  # of such a line once the others have taken the room
ROOM = 0.8  # characters of folded lines for each token of the budget: about a fifth of it
MAX_ROOM = 32_000
RESULTS = "results"  # folder beside the run log


class Extent(NamedTuple):
    """Say how far a history is compacted: turns up to `folded` are a line each, results up to turn
    `up_to` are a line."""

    up_to: int = 0
    folded: int = 0
    room: int = 8_000  # characters of the lines of folded turns


class Compaction(NamedTuple):
    """Hold what a compaction works with: where results are kept, in which language, and the
    summaries of the turns so far."""

    folder: Path
    prompts: Prompts
    summaries: Sequence[str]  # of turn 1, 2, …
    is_kept: bool = True  # the whole of it can be read later

    @staticmethod
    def reads_back(opening: Mapping[str, Any]) -> bool:
        """Return True when the run can read what shrank: a group without a sandbox has no tool for
        it."""
        return opening["session"] == "main" or opening.get("sandbox") == "full"

    def apply(self, messages: Sequence[Message], now: Extent, to: Extent) -> list[Message]:
        """Return the history brought from one extent to the next. Messages that stay are the same
        objects."""
        head, turns = split(messages)
        if now.folded:
            head.pop()  # the lines of the turns that were folded before
        kept: list[Message] = []
        said: list[Message] = []
        for number, turn in enumerate(turns, start=now.folded + 1):
            if number <= to.folded:
                said += self._said(turn)
            elif now.up_to < number <= to.up_to and not _question(turn):
                kept += [self._shrunk(number, message) for message in turn]
            else:
                kept += turn
        folded = [self._folded(to)] if to.folded else []
        return [*head, *said, *folded, *kept]

    def _said(self, turn: Sequence[Message]) -> list[Message]:
        """Return what stays whole of a folded turn: the owner's words, answers to a question
        included."""
        asked = (message for message in turn if message["role"] == "user")
        said = [message for message in asked if "images" not in message]
        if question := _question(turn):
            answer = next(each["content"] for each in turn if each["role"] == "tool")
            text = self.prompts.text("owner_answered", question=question, answer=answer)
            said.insert(0, {"role": "user", "content": text})
        return said

    def write_results(self, messages: Sequence[Message], now: Extent, to: Extent) -> None:
        """Keep the whole results of the turns that are about to shrink. Raises OSError."""
        if not self.is_kept:
            return
        for number, turn in enumerate(split(messages)[1], start=now.folded + 1):
            if now.up_to < number <= to.up_to and not _question(turn):
                for message in turn:
                    if _shrinks(message):
                        (self.folder / RESULTS).mkdir(mode=0o700, exist_ok=True)
                        text = message["content"].encode("utf-8", "replace")
                        (self.folder / RESULTS / _file_name(number)).write_bytes(text)

    def _shrunk(self, turn: int, message: Message) -> Message:
        if "images" in message:  # the text names the files
            message = {"role": message["role"], "content": message["content"]}
        if not _shrinks(message):
            return message
        text = message["content"]
        first = next((line.strip() for line in text.splitlines() if line.strip()), "")
        path = self.folder / RESULTS / _file_name(turn)
        prompt = "shrunk" if self.is_kept else "shrunk_gone"
        line = self.prompts.text(prompt, first=first[:MAX_LINE_CHARS], chars=len(text), path=path)
        return {**message, "content": line}

    def _folded(self, to: Extent) -> Message:
        """Return the folded turns as one message: the newest lines whole as long as they have room,
        older ones short."""
        first = max(0, to.folded - MAX_FOLDED_LINES)
        numbered = list(enumerate(self.summaries[first : to.folded], start=first + 1))
        lines, room = [], to.room
        for number, summary in reversed(numbered):
            line = f"{number}. {summary}"
            line = line if len(line) <= room else f"{line[:MIN_LINE_CHARS]}…"
            room -= len(line)
            lines.append(line)
        lines += [f"1-{first}: …"] if first else []
        prompt = "folded" if self.is_kept else "folded_gone"
        text = "\n".join(reversed(lines))
        text = self.prompts.text(prompt, lines=text, folder=self.folder / RESULTS)
        return {"role": "user", "content": text}


def split(messages: Sequence[Message]) -> tuple[list[Message], list[list[Message]]]:
    """Return what stands before the first turn, and the turns: each a reply with all that follows
    it."""
    head: list[Message] = []
    turns: list[list[Message]] = []
    for message in messages:
        if message["role"] == "assistant":
            turns.append([])
        (turns[-1] if turns else head).append(message)
    return head, turns


def room_of(budget: int) -> int:
    """Return how many characters the lines of folded turns may take of a budget in tokens."""
    return min(MAX_ROOM, round(ROOM * budget))


def extents(now: Extent, turns: int, room: int) -> list[tuple[int, Extent]]:
    """Return the extents to try when `turns` turns are finished, the gentlest first, each with how
    many turns it keeps whole: results shrink, then turns are folded, then fewer of the last ones
    stay whole; in the end the last result shrinks too."""
    tried: list[tuple[int, Extent]] = []
    for whole in range(min(KEPT, turns), 0, -1):
        up_to = max(turns - whole, now.up_to)
        tried += [
            (whole, Extent(up_to, now.folded, room)),
            (whole, Extent(up_to, max(up_to, now.folded), room)),
        ]
    tried.append((0, Extent(turns, max(turns - 1, now.folded), room)))
    return [
        (whole, extent)
        for whole, extent in dict.fromkeys(tried)
        if extent != now._replace(room=room)
    ]


def _shrinks(message: Message) -> bool:
    """Return True for a result that is longer than the line that takes its place."""
    return message["role"] == "tool" and len(message.get("content") or "") > 3 * MAX_LINE_CHARS


def _file_name(turn: int) -> str:
    return f"{turn:04d}.txt"


def _question(turn: Sequence[Message]) -> str:
    """Return what the model asked the owner in this turn and had answered, or ""."""
    calls = turn[0].get("tool_calls") or []
    if not calls or calls[0]["function"]["name"] != "ask_user":
        return ""
    found = json.loads(calls[0]["function"]["arguments"])
    return str(found.get("question", ""))
