"""One session of autonomous mode: an item at a time, each a run in a process of its own, until
time, money or work ends.

What was begun stands in the ledger before it happens, and how it went is read from its run log, so
a session that was killed is gone on from where it stood. What the gate asks about waits in the
inbox, and the next item is taken. Source: seed 002 §6.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from config import Config, ConfigError, SopwithError
from memory.logs import read_events, summarise
from memory.runlog import cannot_write
from memory.tasks import Status, TaskError, Tasks
from memory.usage import Totals
from models.errors import ModelError
from runs.assemble import Agent, Options
from runs.auto.items import SOP, Item, Left, from_list, of_todo, planned
from runs.auto.ledger import (
    FOLDER,
    WAITS,
    Attempt,
    Ledger,
    name_of,
    next_number,
    was_checked,
    write_report,
)
from runs.control.bounds import Bounds, auto_folder
from runs.control.subprocess_run import Apart, may_go_on, trouble
from runs.notify import Outbox, of_run

POLL_SECONDS = 0.1
LEAST_SECONDS = 1.0  # of what is left, for an item to be begun
Told = dict[str, Any]


class Autonomous:
    """One session. `minutes` and `cost_usd` are for all of its items together."""

    def __init__(
        self, config: Config, *, minutes: float | None = None, cost_usd: float | None = None
    ) -> None:
        self.config, self._home = config, config.home
        self._minutes = config.auto.minutes if minutes is None else minutes
        self._cost_usd = config.auto.cost_usd if cost_usd is None else cost_usd
        self._spent = 0.0
        self._plan: list[Item] = []
        self._ledger = Ledger(config.home)
        self._began = datetime.now().astimezone().isoformat(timespec="milliseconds")

    def work(self, stop: threading.Event) -> Iterator[Told]:
        """Work until there is no more to do, the budget is used up, or `stop` is set. Tell what
        happens, as objects with "what": resumed, begun {number, title, run}; ended {number, title,
        run, status, cost, report}; planned {titles, cost}; left {title, why}; failed {reason};
        closed {why, items, cost}, the last one, where `why` is nothing, time, cost, stopped or
        no_model. Raises SopwithError."""
        with self._ledger.alone():
            self._agent, self._folder = Agent(self.config), self._own_folder()
            self._end = time.monotonic() + 60 * self._minutes
            items = 0
            for told in self._all(stop):
                items += told["what"] == "ended"
                closing = {"items": items, "cost": round(self._spent, 6)}
                yield told | closing if told["what"] == "closed" else told

    def _own_folder(self) -> Path:
        folder = auto_folder(self._home, self.config.auto.folder)
        if folder.resolve().is_relative_to(self._home.resolve()):
            raise ConfigError("error.auto.in-home")
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError("error.auto.no-folder", folder=folder, strerror=error) from error
        return folder

    def _all(self, stop: threading.Event) -> Iterator[Told]:
        yield from self._settle()
        yield from self._go_on(stop)
        left: dict[str, Left] = {}
        while not (why := self._over(stop)):
            item = yield from self._choose(left)
            if item is None:
                lacks_model = any(each.why == "no_model" for each in left.values())
                why = "no_model" if lacks_model else "nothing"
                break
            yield from self._begin(item, stop)
        for each in left.values():
            yield {"what": "left", "title": each.item.title, "why": each.why}
        yield {"what": "closed", "why": why}

    def _go_on(self, stop: threading.Event) -> Iterator[Told]:
        """Go on with what a session before this one began and left when it was stopped, or
        killed."""
        left = [each for each in self._ledger.attempts() if each.run and not each.status]
        for attempt in left:
            if not self._over(stop):
                yield {"what": "resumed", **_of(attempt)}
                yield from self._follow(attempt, stop)

    def _over(self, stop: threading.Event) -> str:
        """Return why nothing more is begun; "" while there is time and money."""
        if stop.is_set():
            return "stopped"
        if time.monotonic() > self._end - LEAST_SECONDS:
            return "time"
        return "cost" if 0 < self._cost_usd <= self._spent else ""

    def _choose(self, left: dict[str, Left]) -> Generator[Told, None, Item | None]:
        """Yield the next item, from the list or from a plan; what cannot be taken goes into `left`.
        None: there is nothing."""
        attempts = self._ledger.attempts()
        for found in from_list(self._agent, attempts, self._began, self._folder):
            if isinstance(found, Item):
                return found
            left[found.item.key] = found
        if not self._plan and self.config.models:
            try:
                self._plan, cost = planned(self._agent, attempts, self._began, self._folder)
            except ModelError as error:
                yield {"what": "failed", "reason": str(error)}
                return None
            self._spent += cost
            self._ledger.write("planned", session=self._began, cost=cost)
            yield {"what": "planned", "titles": [item.title for item in self._plan], "cost": cost}
        return self._plan.pop(0) if self._plan else None

    def _begin(self, item: Item, stop: threading.Event) -> Iterator[Told]:
        number = next_number(self._home, self._ledger.attempts())
        about = {**item._asdict(), "item": item.key, "run": self._prepared(item)}
        del about["key"]
        self._ledger.write("begun", number=number, session=self._began, **about)
        attempt = self._ledger.attempts()[-1]
        yield {"what": "begun", **_of(attempt)}
        yield from self._follow(attempt, stop)

    def _prepared(self, item: Item) -> str:
        """Return the run of an item, which has not begun."""
        limits, left = self.config.limits, (self._end - time.monotonic()) / 60
        bounds = Bounds(
            item.request,
            turns=limits.turns,
            cost_usd=self._left_usd(),
            minutes=min(limits.minutes, max(0.01, left)),
            folder=str(self._folder),
            item=item.key,
        )
        options = Options(window=False, cwd=self._folder, bounds=bounds)
        put = partial(self._agent.prompts.text, "auto_item", sop=SOP, folder=self._folder)
        return self._agent.prepare(item.task, options, put=lambda task: put(task=task))

    def _left_usd(self) -> float:
        """Return the USD for one item; 0 leaves what is free."""
        return min(self.config.limits.cost_usd, max(0.0, self._cost_usd - self._spent))

    def _follow(self, attempt: Attempt, stop: threading.Event) -> Iterator[Told]:
        """Wait for the run of an item. One that is stopped for want of time, or by `stop`, goes on
        in the next session."""
        before = self._used(attempt.run)
        is_cut = False
        if may_go_on(self._home, attempt.run):
            most = before + self._left_usd()
            apart = Apart(self._home, self.config.lang, attempt.run, max_cost=most)
            try:
                while apart.is_working() and time.monotonic() < self._end and not stop.is_set():
                    time.sleep(POLL_SECONDS)
            finally:
                is_cut = apart.is_working()
                apart.stop()
        self._spent += self._used(attempt.run) - before
        yield self._ended(attempt, is_cut=is_cut and may_go_on(self._home, attempt.run) is not None)

    def _settle(self) -> Iterator[Told]:
        """Yield what waited for the owner and has ended since."""
        for attempt in self._ledger.attempts():
            waits = attempt.status == WAITS
            if waits and self._status(attempt.run) not in (WAITS, "working", "interrupted"):
                yield self._ended(attempt)

    def _ended(self, attempt: Attempt, *, is_cut: bool = False) -> Told:
        """Write down how an item ended: report, to-do list, ledger, journal. One that was cut has
        no end in the ledger."""
        status = self._status(attempt.run)
        attempt.status = "stopped" if is_cut else "failed" if status == "interrupted" else status
        events = list(read_events(self._home, attempt.run))
        if attempt.status == "done" and not was_checked(events):
            attempt.status = "unchecked"
        totals = Totals(events)
        attempt.cost, attempt.seconds = round(totals.spent, 6), totals.seconds
        attempt.report = name_of(attempt)
        try:
            write_report(self._home, self._agent.prompts, attempt, trouble(self._home, attempt.run))
        except OSError as error:
            raise cannot_write(self._home / FOLDER, error) from error
        self._mark(attempt)
        end = {"status": attempt.status, "cost": attempt.cost, "report": attempt.report}
        if not is_cut:
            about = {"number": attempt.number, "run": attempt.run, "seconds": attempt.seconds}
            self._ledger.write("ended", **about, **end)
            self._keep(attempt)
            name = f"{attempt.name} {attempt.title}"
            Outbox(self.config).put(of_run(self.config, attempt.run, name))
        return {"what": "ended", **_of(attempt), **end}

    def _status(self, run: str) -> str:
        """Return how a run stands; one that is done waits as long as a helper of it does."""
        summary = summarise(self._home, run)
        if summary is None:
            return "failed"
        waits = summary.status == "done" and WAITS in map(self._status, summary.children)
        return WAITS if waits else summary.status

    def _mark(self, attempt: Attempt) -> None:
        """How the item stands in the to-do list, unless its owner has changed it meanwhile."""
        marks: dict[str, Status] = {"done": "done", WAITS: "waiting"}
        with suppress(TaskError, OSError):  # it is gone, or the list is being written by hand
            tasks = Tasks(self._home)
            if attempt.todo and of_todo(tasks.get(attempt.todo)).key == attempt.item:
                tasks.set(attempt.todo, status=marks.get(attempt.status, "open"))

    def _keep(self, attempt: Attempt) -> None:
        """Tell the journal what happened; nobody said it."""
        from memory.journal.api import Memory

        about = {"title": attempt.title, "status": attempt.status, "report": attempt.report}
        text = self._agent.prompts.text("auto_event", number=attempt.name, **about)
        redact = self._agent.parts.redactor()
        with (
            suppress(SopwithError, OSError),
            Memory(self._home, works_behind=False, redact=redact) as memory,
        ):
            memory.write_event(text, run=attempt.run)  # the report has it anyway

    def _used(self, run: str) -> float:
        return Totals(read_events(self._home, run)).spent


def _of(attempt: Attempt) -> Told:
    return {"number": attempt.number, "title": attempt.title, "run": attempt.run}
