"""Define what can go wrong with a stage and its undo store; the text says why and what would help."""

from __future__ import annotations


class StageError(Exception):
    """A stage cannot be opened, ended or committed, or a commit not be undone."""
