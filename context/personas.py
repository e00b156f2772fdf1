"""Personas: how the agent speaks, from `personas/*.md` in the home folder; one is chosen for a conversation or a run.

Front matter names it (`name`, `description`, `speech_patterns`, `skills`), the body is free text. A broken one is told with
file and line and stops none of the others. Source: seed 001 §2.5.

    SopwithError
    └── PersonaError       2  the owner's: there is no such persona, or it is broken
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from config import SopwithError


class PersonaError(SopwithError):
    """A persona is not there, or cannot be used."""

    exit_code = 2


class Persona(NamedTuple):
    """How the agent speaks."""

    name: str
    description: str
    speech_patterns: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    body: str = ""


def personas(home: Path) -> list[Persona]:
    """All that can be used, by name."""
    raise NotImplementedError(home)


def persona(home: Path, name: str) -> Persona:
    """The one of this name. Raises PersonaError."""
    raise NotImplementedError(home, name)
