"""The daily upkeep of memory: distils the notes with the configured model, or with rules where there is none.

Schedules ask `due` and call `beat`; `memory digest` calls it at once. The model is asked at most once, and only when there
is something new; the call is a run of its own in the run log ("author MEMORY.md"). For the main session alone. Source:
seed 000 "Background tasks".
"""

from __future__ import annotations

import uuid
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from config import Config
from memory.digest import AskModel, Digest, digest, due, entries
from memory.memory_file import SUPERSEDED, Entry
from memory.policy import Keeping
from runs.assemble import Agent
from runs.authoring import asker

if TYPE_CHECKING:
    from context.models import MemoryEntry

__all__ = ["beat", "due", "memory_entries"]
IMPORTANCE = {"instruction": 5, "preference": 4, "decision": 4, "lesson": 3, "milestone": 3}


def beat(config: Config, now: datetime) -> Digest:
    """One digest. `now` is aware, in the owner's timezone. Raises as memory/digest.py does."""
    agent = Agent(config)
    keeping = Keeping(config.safety.roots, agent.redactor())
    return digest(config.home, now, ask=_asking(agent), lang=config.lang, keeping=keeping)


def _asking(agent: Agent) -> AskModel | None:
    model = asker(agent, "MEMORY.md", Path.cwd(), spent_usd=0.0)
    if model is None:
        return None
    return lambda known, lines: model(agent.prompts.text("distil", known=known or "-", lines=lines))


def memory_entries(home: Path) -> list[MemoryEntry]:
    """What was distilled into MEMORY.md, in the shape of seed 004 §1.5. A repeated mistake is more important. Raises
    Unreadable."""
    return [_shaped(entry) for entry in entries(home)]


def _shaped(entry: Entry) -> MemoryEntry:
    from context.models import MemoryEntry

    day = date.fromisoformat(entry.day)
    made = datetime(day.year, day.month, day.day).astimezone()
    return MemoryEntry(
        id=str(uuid.uuid5(uuid.NAMESPACE_URL, f"sopwith:memory:{entry.id}")),
        content=entry.text,
        source_date=day,
        importance=1 if entry.by else min(5, IMPORTANCE[entry.category] + (entry.times > 1)),
        category=SUPERSEDED[0].lower() if entry.by else entry.category,
        created_at=made,
        updated_at=made,
    )
