"""The values that the journal, the episodes and recall pass to each other. Source: seed 003 P1.2.

Times are first-class and there are two of them: when something was said (`Turn.at`) and which times
it speaks of (`Turn.mentioned`). Both are UTC; the timezone of the speaker is kept beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from text.time import TimeRange

WRITTEN = "written"  # the session of lines that were written down; the owner's alone


class Turn(NamedTuple):
    """One thing that was said. `id` is unique in a home; `source` is its original:
    "journal/2026-02-01.md#ANCHOR"."""

    id: str
    session: str  # "main", "shared:ID", or WRITTEN
    who: str  # "owner", "agent", or a name
    text: str
    at: datetime  # UTC
    timezone: str = "UTC"  # of the speaker: an IANA name, or an offset such as +08:00
    run: str = ""
    importance: int = 5  # 1 to 10
    tags: tuple[str, ...] = ()
    emotion: str = ""
    mentioned: tuple[TimeRange, ...] = ()
    source: str = ""


def turn_of(said: Mapping[str, Any], text: str, at: datetime, **known: str) -> Turn:
    """Return the turn that a JSON object tells of; what is no such value in it is as if it were not
    there. `known`: its id, and what stands in the place of what it does not say."""
    words = ("session", "who", "timezone", "run", "emotion")
    fields: dict[str, Any] = known | {key: str(said[key]) for key in words if said.get(key)}
    importance, tags = said.get("importance"), said.get("tags")
    if isinstance(importance, int):
        fields["importance"] = min(10, max(1, importance))
    if isinstance(tags, list):
        fields["tags"] = tuple(map(str, tags))
    return Turn(text=text, at=at.astimezone(UTC), **fields)


class Found(NamedTuple):
    """A turn that recall gives. `why`: what spoke for it, in a few words; `episode`: the one it
    belongs to; `fit`: how well it fits by itself, up to about 1.7."""

    turn: Turn
    score: float
    why: str = ""
    episode: int | None = None
    fit: float = 0.0


class Recalled(NamedTuple):
    """Hold what recall found, best first. `degraded`: what could not be used this time
    ("embeddings", "index", …). `near`: the nearest, where nothing fits."""

    results: list[Found]
    degraded: list[str]
    near: Sequence[Found] = ()

    @property
    def shown(self) -> Sequence[Found]:
        """Return what a person sees: the nearest, where nothing fits."""
        return self.results or self.near

    @property
    def is_sure(self) -> bool:
        """Return False where only the nearest can be shown."""
        return bool(self.results) or not self.near
