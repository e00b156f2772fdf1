"""The daily upkeep of memory: distils the notes with the configured model, or with rules where
there is none.

`Heartbeat` keeps it up for as long as a process lives (`serve`, `schedule start`); `memory digest`
calls `beat` at once. The model is asked at most once, and only when there is something new; the
call is a run of its own in the run log ("author MEMORY.md"). For the main session alone. Source:
seed 000 "Background tasks".
"""

from __future__ import annotations

import logging
import threading
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from config import Config, SopwithError
from memory.digest import AskModel, Digest, Entry, digest, due, entries
from memory.digest.memory_file import SUPERSEDED
from memory.journal.api import work_off
from memory.journal.lock import JournalError
from memory.journal.store import INDEX, Store
from memory.logs.archive import put_away
from models.embeddings import embedder
from runs.assemble import Agent
from runs.learning import asker

if TYPE_CHECKING:
    from context.workspace import MemoryEntry

__all__ = ["Heartbeat", "beat", "due", "in_spare_time", "memory_entries"]
READINGS = 20  # episodes that a model reads for the graph at one time: calls that nobody asked for
WORK_SECONDS = 60.0  # for what the journal has put off; the rest is done another time
PAUSE_SECONDS = 600.0  # between two looks
SPARE_SECONDS = 20.0  # of a look, for what the journal has put off
AGAIN_AFTER = timedelta(hours=1)  # an upkeep that failed
_log = logging.getLogger("sopwith.heartbeat")


@dataclass
class Heartbeat:
    """The upkeep of one home, once a day, for as long as it runs; in between it works off what the
    journal has put off.

    With nothing to do a look reads two small files: no model is called and nothing is written.
    """

    config: Config
    clock: Callable[[], datetime] = lambda: datetime.now().astimezone()
    pause_seconds: float = PAUSE_SECONDS
    not_before: datetime | None = None  # after a failure

    def run(self, stop: threading.Event) -> None:
        """Look at once and then every few minutes, until `stop` is set. What goes wrong is tried
        again later."""
        while not stop.is_set():
            self.once()
            stop.wait(self.pause_seconds)

    def once(self) -> Digest | None:
        """Look once; return what came of the upkeep, when it was due."""
        now, home = self.clock(), self.config.home
        try:
            if due(home, now) and (self.not_before is None or now >= self.not_before):
                return beat(self.config, now)
            in_spare_time(self.config)
        except (SopwithError, OSError) as error:
            self.not_before = now + AGAIN_AFTER
            _log.debug("the upkeep of memory waits: %s", error)
        return None


def in_spare_time(config: Config) -> None:
    """Work off what the journal has put off, for a while; where nothing waits nothing is loaded.
    Never fails."""
    try:
        work_off(config.home, lambda: embedder(config.embeddings), SPARE_SECONDS, config.graph)
    except (
        SopwithError,
        OSError,
    ) as error:  # what is put off waits on, and recall says what it lacks
        _log.debug("the journal waits: %s", error)


IMPORTANCE = {"instruction": 5, "preference": 4, "decision": 4, "lesson": 3, "milestone": 3}


def beat(config: Config, now: datetime) -> Digest:
    """Make one digest. `now` is aware, in the owner's timezone. Raises as
    memory/digest/distilling.py does."""
    work_off(config.home, lambda: embedder(config.embeddings), WORK_SECONDS, config.graph)
    if config.runs.archive_days > 0:
        with suppress(OSError):  # no space, somebody at work: the next time finishes
            put_away(config.home, config.runs.archive_days, now, WORK_SECONDS)
    agent = Agent(config)
    redact = agent.parts.redactor()
    done = digest(config.home, now, ask=_asking(agent), lang=config.lang, redact=redact)
    _read_episodes(agent, now)
    return done


def _read_episodes(agent: Agent, now: datetime) -> None:
    """Have the model read a few episodes of the last time for the mind graph; where there is none,
    what rules found stays."""
    config = agent.config
    index = config.home / "journal" / INDEX
    ask = asker(agent, "graph") if index.is_file() else None
    if ask is None:
        return
    from memory.graph import read

    try:
        store = Store(index)
        try:
            has_read = read(
                store,
                ask,
                now,
                READINGS,
                lambda lines: agent.prompts.text("read_episode", lines=lines),
            )
        finally:
            store.close()
    except JournalError:  # `memory check` says why
        return
    if has_read:
        work_off(config.home, lambda: None, WORK_SECONDS, config.graph)


def _asking(agent: Agent) -> AskModel | None:
    model = asker(agent, "MEMORY.md")
    if model is None:
        return None
    return lambda known, lines: model(agent.prompts.text("distil", known=known or "-", lines=lines))


def memory_entries(home: Path) -> list[MemoryEntry]:
    """Return what was distilled into MEMORY.md, in the shape of seed 004 §1.5. A repeated mistake
    is more important. Raises Unreadable."""
    return [_shaped(entry) for entry in entries(home)]


def _shaped(entry: Entry) -> MemoryEntry:
    from context.workspace import MemoryEntry

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
