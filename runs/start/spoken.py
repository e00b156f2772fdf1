"""Writes what the owner and the agent say in a run into journal and window, beside the run: nothing
waits for it.

The run log stays the evidence; this is the memory of the talk. A journal that cannot be written
stops no run: it is said once, at the end. Each turn has an id that the run gives it, so a resumed
run writes nothing twice. Source: seed 003 P1.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from config import SopwithError
from memory.home import Session
from memory.window import speakers
from models.base import Event

if TYPE_CHECKING:
    from memory.window import Window

# the owner is at the prompt again; what takes longer goes on behind, and the process waits for it
FINISH_SECONDS = 0.03
LOCK_SECONDS = 3.0  # for another process that writes
_BEGINS_AT = {
    "tool_output",
    "tool_ended",
    "run_ended",
}  # the first tool is at work by then: nobody waits for its start


@dataclass
class Spoken:
    """Hold what is said in one run."""

    home: Path
    session: Session
    # run_started of a run that is resumed: its words may not have been written yet
    start: Event | None = None
    window: Callable[[], Window] | None = None
    is_named: bool = False  # each message of a group says whose it is
    said: queue.SimpleQueue[tuple[str, str, str, Event] | None] = field(
        default_factory=queue.SimpleQueue
    )
    thread: threading.Thread | None = None
    problem: str = ""

    def __post_init__(self) -> None:
        if self.start is not None and "at" in self.start:
            self._keep(self.start)

    def heard(self, event: Event) -> None:
        """Take an event of the run; return at once."""
        self._keep(event)
        if event["type"] in _BEGINS_AT and self.thread is None:
            if self.window is not None:
                # the client of Redis needs it, and it cannot be imported once this thread has ended
                import_module("concurrent.futures.thread")
            self.thread = threading.Thread(target=self._write, name="spoken")
            self.thread.start()

    def finish(self) -> str:
        """Take no more; return why it was not written, as far as that is known by now, or ""."""
        if self.thread is None:
            return ""
        self.said.put(None)
        self.thread.join(FINISH_SECONDS)
        return self.problem

    def _keep(self, event: Event) -> None:
        if words := _words(event):
            text, who, name = words
            said = (
                [(who, text)]
                if who == "agent"
                else speakers(text, self.session, is_named=self.is_named)
            )
            for number, (who, text) in enumerate(said):
                self.said.put((text, who, f"{name}-{number}" if number else name, event))

    def _write(self) -> None:
        from memory.journal.api import Memory
        from memory.notes import importance

        try:
            with Memory(
                self.home, self.session, works_behind=False, wait_seconds=LOCK_SECONDS
            ) as memory:
                for text, who, name, event in self._taken():
                    at, run = datetime.fromisoformat(event["at"]), event["run"]
                    weight = importance(text, "agent" if who == "agent" else "owner")
                    memory.write_turn(
                        text, who=who, at=at, id=f"{run}-{name}", run=run, importance=weight
                    )
                self.problem = memory.problem
        except (SopwithError, OSError) as error:
            self.problem = str(error)
            import logging

            logging.getLogger("sopwith.journal").debug("the journal was not written: %s", error)
            for _ in self._taken():
                pass  # the window goes on
        if self.window is not None and self.window().is_shared:
            self.window().flush()

    def _taken(self) -> Iterator[tuple[str, str, str, Event]]:
        """Yield what is said, until nothing more is."""
        last: Event | None = None
        while (said := self.said.get()) is not None:
            if (
                self.window is not None and said[3] is not last
            ):  # once, also when several speak in it
                self.window().hear(self.session, said[3])
            last = said[3]
            yield said


def _words(event: Event) -> tuple[str, str, str] | None:
    """Return what an event says: text, who, and what its turn is called within the run; None when
    nobody says anything."""
    kind = event["type"]
    if kind == "run_started":
        said = (event["task"], "owner", "task")
    elif kind in ("steered", "answered"):
        said = (event["text"], "owner", f"{kind}-{_moment(event)}")
    elif kind == "asked":
        said = (event["question"], "agent", f"{kind}-{_moment(event)}")
    elif kind == "run_ended" and event["status"] == "done":
        said = (event["result"], "agent", "result")
    else:
        return None
    return said if isinstance(said[0], str) and said[0].strip() else None


def _moment(event: Event) -> str:
    """Return when it happened, in digits: part of a turn's name."""
    return "".join(each for each in str(event.get("at", ""))[11:] if each.isdigit())
