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


class Spoken:
    """Hold what is said in one run. `start`: its run_started event, redacted like all others when
    it comes through `heard`."""

    def __init__(
        self,
        home: Path,
        session: Session,
        start: Event | None = None,
        window: Callable[[], Window] | None = None,
        *,
        is_named: bool = False,
    ) -> None:
        """`start` is that of a run which is resumed: its words may not have been written yet.
        `is_named`: each message of a group says whose it is."""
        self._home, self._session, self._window, self._is_named = home, session, window, is_named
        self._said: queue.SimpleQueue[tuple[str, str, str, Event] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._problem = ""
        if start is not None and "at" in start:
            self._keep(start)

    def heard(self, event: Event) -> None:
        """Take an event of the run; return at once."""
        self._keep(event)
        if event["type"] in _BEGINS_AT and self._thread is None:
            if (
                self._window is not None
            ):  # what the client of Redis needs cannot be imported once this thread has ended
                import_module("concurrent.futures.thread")
            self._thread = threading.Thread(target=self._write, name="spoken")
            self._thread.start()

    def finish(self) -> str:
        """Take no more; return why it was not written, as far as that is known by now, or ""."""
        if self._thread is None:
            return ""
        self._said.put(None)
        self._thread.join(FINISH_SECONDS)
        return self._problem

    def _keep(self, event: Event) -> None:
        if words := _words(event):
            text, who, name = words
            said = (
                [(who, text)]
                if who == "agent"
                else speakers(text, self._session, is_named=self._is_named)
            )
            for number, (who, text) in enumerate(said):
                self._said.put((text, who, f"{name}-{number}" if number else name, event))

    def _write(self) -> None:
        from memory.journal.api import Memory
        from memory.notes import importance

        try:
            with Memory(
                self._home, self._session, works_behind=False, wait_seconds=LOCK_SECONDS
            ) as memory:
                for text, who, name, event in self._taken():
                    at, run = datetime.fromisoformat(event["at"]), event["run"]
                    weight = importance(text, "agent" if who == "agent" else "owner")
                    memory.write_turn(
                        text, who=who, at=at, id=f"{run}-{name}", run=run, importance=weight
                    )
                self._problem = memory.problem
        except (SopwithError, OSError) as error:
            self._problem = str(error)
            import logging

            logging.getLogger("sopwith.journal").debug("the journal was not written: %s", error)
            for _ in self._taken():
                pass  # the window goes on
        if self._window is not None and self._window().is_shared:
            self._window().flush()

    def _taken(self) -> Iterator[tuple[str, str, str, Event]]:
        """Yield what is said, until nothing more is."""
        last: Event | None = None
        while (said := self._said.get()) is not None:
            if (
                self._window is not None and said[3] is not last
            ):  # once, also when several speak in it
                self._window().hear(self._session, said[3])
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
