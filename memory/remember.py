"""Finds what the owner says that should be written down at once: instructions, preferences, decisions, lessons.

Source: seed 000 stage 4.
"""

from __future__ import annotations

from dataclasses import dataclass

from memory.notes import Kind


@dataclass(frozen=True, slots=True)
class Remembered:
    """One thing to write down: its kind, the words as said, and whether the whole request is only that."""

    kind: Kind
    text: str
    is_whole: bool


def find(text: str) -> list[Remembered]:
    """What a text says that should be written down; nothing for most."""
    return []
