"""Drives one run: takes the loop's events one by one, writes each down, and says how it ended.

Because the loop is a generator, an event is in the run log before the loop takes its next step;
`tool_started` is made to survive a power cut before the tool's effect. Every way of running
(terminal, chat, schedule, worker) uses this.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from agent_loop import End
from config import Message, lines, listed
from memory.logs import RunLogError
from memory.runlog import NOT_LOGGED, RunLog
from memory.usage import Totals
from models.base import Event
from models.errors import Diverged, LimitReached, ModelUnavailable
from runs.control.steering import Interrupts, Steering
from runs.start.spoken import Spoken
from safety.secrets import Stream

# the handler has hidden what is secret there
CLEAN = {"turn_started", "tool_started", "tool_output", "tool_ended"}
EXIT_CODES = {"done": 0, "failed": 1, "waiting": 3, "limit": 4, "no_model": 5, "cancelled": 130}


@dataclass
class Run:
    """One run, started or resumed, not yet under way: `events` makes it go.

    `before` is what happens before turn 1. `close` ends what the tools of the run kept open.
    `redact` hides what is secret in what the owner and the model say, `said` in what a model says
    piece by piece; the handler does it for the tools.
    """

    log: RunLog
    opening: Event
    loop: Generator[Event, None, End]
    steering: Steering
    totals: Totals
    sop: str | None
    learn: Callable[[Run], Iterator[Event]] | None  # yields what comes of a run that has ended
    before: Iterable[Event]
    redact: Callable[[Any], Any]
    said: Callable[[], Stream]
    spoken: Spoken | None  # writes what is said into the journal
    close: Callable[[], None]
    status: str = "working"
    result: str = ""
    # the signal that came: it ended the run, or came too late for that
    stopped_by: int | None = None
    is_marked: bool = False  # it called start_long_term_update
    stops: int = 0  # how often a stop came: twice means that the owner wants to leave
    text: Stream | None = None  # from the first piece of text on
    leave: Sequence[Any] = ()  # why the last confirmation was asked for

    def __post_init__(self) -> None:
        self.started = time.monotonic() - self.totals.seconds

    @property
    def id(self) -> str:
        """Return the name of the run."""
        return self.log.run

    @property
    def exit_code(self) -> int:
        """Return the exit code of the process (README), once the run has ended."""
        return EXIT_CODES.get(self.status, 1)

    @property
    def is_by_rote(self) -> bool:
        """Return True when the run is done and no model had to go on."""
        return self.status == "done" and bool(self.totals.as_fields()["rote"])

    def steer(self, text: str) -> None:
        """Say something to the run while it works; the model reads it before its next turn. Any
        thread may call."""
        self.steering.say(text)

    def events(self) -> Iterator[Event]:
        """Yield all events of the run, stamped with run and time; the last one is `run_ended`. What
        was learned from the run comes before it, and is in no log: it was learned from a log that
        had its end.

        A defect of ours is raised after the log says that the run failed.
        """
        # To the end of log and journal: a stop that comes late splits neither.
        with Interrupts() as interrupts:
            try:
                for event in chain([self.opening], self.before):
                    yield self._write(event)
                ended = self._end((yield from self._ending(interrupts)))
            finally:
                self.close()
                self.log.close()
                problem = self.spoken.finish() if self.spoken is not None else ""
        self.stopped_by, self.stops = interrupts.received, interrupts.count
        yield from self._learned()
        if problem:
            yield self._stamped(_keyed({"type": "journal_failed", "reason": problem}))
        yield ended

    def _ending(self, interrupts: Interrupts) -> Generator[Event, None, dict[str, Any]]:
        """Drive the loop; a defect is raised after the log says that the run failed."""
        try:
            return (yield from self._drive(interrupts))
        except KeyboardInterrupt:
            return {"status": "cancelled", "result": "", "exit": "EXITED"}
        except RunLogError:  # nothing more can be written
            raise
        except GeneratorExit:  # whoever listened has left
            self.loop.close()  # ends the tool that is at work
            self._end({"status": "cancelled", "result": "", "exit": "EXITED"})
            raise
        except BaseException as error:
            self.loop.close()
            said = f"{type(error).__name__}: {error}"
            self._end({"status": "failed", "result": said, "exit": "EXITED"})
            raise

    def _learned(self) -> Iterator[Event]:
        """Yield what is learned from a run that has ended; who has stopped it does not want to
        wait."""
        has_ended = self.status not in ("cancelled", "waiting") and self.stopped_by is None
        if self.learn is None or not has_ended:
            return
        with suppress(KeyboardInterrupt):
            for event in self.learn(self):
                yield self._stamped(self.redact(_keyed(event)))

    def _stamped(self, event: Event) -> Event:
        return {"type": event["type"], "run": self.id, "at": now(), **event}

    def _drive(self, interrupts: Interrupts) -> Generator[Event, None, dict[str, Any]]:
        """Pass the loop's events on; return how it ended as fields of `run_ended`."""
        try:
            while True:
                try:
                    event = self._step(interrupts)
                except StopIteration as stop:
                    return _ending(stop.value, self.id)
                if event["type"] == "confirm":
                    self.leave = event["said"]
                yield from self._shown(event)
        except LimitReached as limit:
            return {"status": "limit", "result": limit.message, "exit": "EXITED"}
        except ModelUnavailable as error:
            return {"status": "no_model", "result": error.message, "exit": "EXITED"}
        except Diverged as stop:
            return {"status": "failed", "result": stop.reason, "exit": "EXITED"}

    def _shown(self, event: Event) -> Iterator[Event]:
        """Yield the event once it is written; hold back text of a model until no secret can go on
        in its next piece."""
        if event["type"] == "text":
            self.text = self.text or self.said()
            if delta := self.text.feed(event["delta"]):
                yield self._write({**event, "delta": delta})
            return
        rest = self.text.close() if self.text is not None else ""
        if rest and event["type"] != "text_reset":
            yield self._write({"type": "text", "delta": rest})
        yield self._write(event)

    def _step(self, interrupts: Interrupts) -> Event:
        """Return the loop's next event. A stop that came meanwhile is thrown into the loop, so that
        the tool which is at work is ended like one that is stopped while it is waited for."""
        if interrupts.take():
            return self.loop.throw(KeyboardInterrupt())
        with interrupts.allowed():
            return next(self.loop)

    def _write(self, event: Event) -> Event:
        event = _keyed(event)
        if event["type"] not in CLEAN:
            event = self._without_secrets(event)
        stamped = self._stamped(event)
        if event["type"] not in NOT_LOGGED:
            self.log.append(stamped)
            self.totals.add(stamped)
        if event["type"] == "tool_started" and not event["only_reads"]:
            self.log.sync()
        if self.spoken is not None:
            self.spoken.heard(stamped)
        self.sop = event["sop"] if event["type"] == "chosen" else self.sop
        self.is_marked |= (
            event["type"] == "tool_ended" and event["tool"] == "start_long_term_update"
        )
        return stamped

    def _without_secrets(self, event: Event) -> Event:
        """Return the event with secrets hidden. A reply that was changed cannot be used again by a
        resumed run, and says so."""
        clean: Event = self.redact(event)
        return {**clean, "redacted": True} if clean != event else event

    def _end(self, end: dict[str, Any]) -> Event:
        self.status, self.result = end["status"], end["result"]
        event = {
            "type": "run_ended",
            **end,
            **self.totals.as_fields(),
            "seconds": round(time.monotonic() - self.started, 3),
            "sop": self.sop,
            **({"said": self.leave} if end["status"] == "waiting" else {}),
        }
        stamped = self._write(event)
        self.log.sync()
        return stamped


def _keyed(event: Event) -> Event:
    """Return an event with the keys and values of the text in it, as `said`."""
    said = [row for value in event.values() for row in listed(value)]
    return {**event, "said": said} if said else event


def _ending(end: End, run: str) -> dict[str, Any]:
    if end.exit == "CURRENT_TASK_DONE":
        status = "done"
    elif end.exit == "MAX_TURNS_EXCEEDED":
        status = "limit"
    else:
        status = end.outcome.ending or "failed"
    result = end.outcome.data
    if status == "limit":
        limit = Message("error.run.turn-limit", n=end.turns)
        result = lines([f"{result}\n", limit]) if end.outcome.ending == "summed_up" else limit
    return {
        "status": status,
        "result": result if isinstance(result, str) else str(result),
        "exit": end.exit,
    }


def cancelled(run: str, events: Iterable[Event], sop: str | None) -> Event:
    """Return the end of a run that nobody works on and that is stopped."""
    totals = Totals(events)
    ended = totals.ended("cancelled", seconds=totals.seconds, sop=sop)
    return {**ended, "run": run, "at": now()}


def now() -> str:
    """UTC, ISO 8601, to the millisecond: the "at" of an event."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
