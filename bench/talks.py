"""Score recall: long English conversations (LoCoMo) and memories that Chinese dialogues call for
(MADial)."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.places import Figure
from bench.recall import Asked, Conversation, conversations, measure
from memory.journal.turns import Turn
from models.embeddings import EmbeddedModel

LOCOMO, MADIAL = "locomo-dev.json", "madial-dev.json"


def score_locomo(data: Path) -> list[Figure]:
    """Return the recall of all questions, of those with several sources, and of dated ones."""
    return _figures(
        "locomo",
        conversations(data / LOCOMO),
        [("all", 0), ("all", 1), ("all", 2), ("all", 3), ("multi-hop", 1), ("dated", 1)],
    )


def score_madial(data: Path) -> list[Figure]:
    """Return the recall of the memories that the dialogues call for: by one line, by the whole."""
    places = [("all", 0), ("all", 1)]
    whole = memories(data / MADIAL, is_whole=True)
    return [
        *_figures("madial", memories(data / MADIAL), places),
        *_figures("madial dialogue", whole, places),
    ]


def _figures(name: str, talks: list[Conversation], wanted: list[tuple[str, int]]) -> list[Figure]:
    table = measure(talks, EmbeddedModel())
    cuts = (5, 10, 25, 50)
    return [
        Figure(
            f"{name} {category} R@{cuts[at]}",
            table.mean("recall", category)[at],
            unit="%",
            baseline=table.mean("keywords alone", category)[at],
        )
        for category, at in wanted
    ]


def memories(file: Path, *, is_whole: bool = False) -> list[Conversation]:
    """Read each user's memories as turns, and the line that is said before a memory is called for
    as the question; `is_whole`: all lines before."""
    read = json.loads(file.read_text("utf-8"))
    memories = [memory for each in read["memories"] for memory in each.values()]
    users = sorted({memory["user-id"] for memory in memories})
    first = None if is_whole else -1
    return [_of_user(user, memories, read["dialogues"], first) for user in users]


def _of_user(
    user: int, memories: list[dict[str, Any]], dialogues: list[dict[str, Any]], first: int | None
) -> Conversation:
    own = [memory for memory in memories if memory["user-id"] == user]
    turns = sorted((_turn(memory) for memory in own), key=lambda turn: turn.at)
    known = {turn.id for turn in turns}
    questions = []
    for each in dialogues:
        answers = frozenset(str(number) for number in each["relevant-id"]) & known
        if each["user-id"] == user and answers:
            questions.append(Asked(_said(each, first), answers, "single-hop"))
    return Conversation(turns, questions, turns[-1].at + timedelta(days=1))


def _turn(memory: dict[str, Any]) -> Turn:
    at = datetime.fromisoformat(memory["time"]).replace(hour=12, tzinfo=UTC)
    return Turn(str(memory["id"]), "main", "owner", memory["event"], at)


def _said(dialogue: dict[str, Any], first: int | None) -> str:
    """Return the lines before the one that calls for a memory, without their speakers."""
    lines = dialogue["dialogue"][1 : dialogue["test-turn"][0]][first:]
    return "\n".join(line.partition(":")[2].strip().strip('"') for line in lines)
