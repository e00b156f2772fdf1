"""Helpers of a run: each is a run of its own, in a process of its own, with a share of what its
parent may still use.

A helper has no right that its parent lacks: session, approvals, tools, roots, autonomous mode and
whose words were read go down; whose words the helper read comes back up with its result. Every
helper stands in the parent's log before it begins (`delegated`), so a parent that is resumed takes
what is done, and goes on with what is not. Source: seed 002 §1.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

from memory.logs import RunSummary, read_events, summarise
from memory.usage import Totals
from models.base import Event, ToolResult
from models.chain import Budget
from runs.control.bounds import Bounds
from runs.control.subprocess_run import POLL_SECONDS, Apart, may_go_on, trouble
from runs.options import Options
from runs.resume import Progress
from runs.start.trust import origins_before
from runs.workshop import Workshop
from safety.taint import of_messages
from tools.base import ToolError, Wish
from tools.registry import all_tools

if TYPE_CHECKING:
    from pathlib import Path

AT_ONCE = 4
TURNS = 20  # of a helper, when its parent does not say
SHOWN_CHARS = 1500  # of an answer; the whole stands in a file
BEAT_SECONDS = 0.5  # so often a screen, and whoever wants to stop the parent, gets a word


@dataclass(slots=True)
class _Batch:
    """The helpers of one call: `known` by the place of their task, `counted` those whose end stands
    in the log."""

    call: str
    wish: Wish
    known: dict[int, str]
    counted: set[int]
    waiting: list[int]
    working: dict[int, Apart] = field(default_factory=dict)


@dataclass
class Delegation:
    """The helpers of one run."""

    agent: Workshop
    run: str
    options: Options
    progress: Progress
    budget: Budget

    @property
    def home(self) -> Path:
        """Return the home folder."""
        return self.agent.config.home

    def of(self, call: str, wish: Wish) -> Generator[Event | str, None, ToolResult]:
        """Yield what the helpers of one call found: they work, at most AT_ONCE at a time, until all
        have ended or the time is over. Those that a call of the same id began before this
        process did are taken as they are. Raises ToolError."""
        batch = self._batch(call, wish)
        options = self._options_of(wish, len(wish.tasks) - len(batch.known))
        said = time.monotonic()
        try:
            while batch.waiting or batch.working:
                yield from self._begin(batch, options)
                yield from self._collect(batch)
                if batch.working and time.monotonic() >= self.budget.deadline:
                    break
                if batch.working:
                    time.sleep(POLL_SECONDS)
                if time.monotonic() - said >= BEAT_SECONDS:
                    said = time.monotonic()
                    yield ""
        finally:
            for apart in batch.working.values():
                apart.stop()
        for index in batch.working:
            yield self._ended(batch, index)
        return self._result([batch.known[index] for index in sorted(batch.known)])

    def _batch(self, call: str, wish: Wish) -> _Batch:
        """Return the helpers of a call, as far as the log knows them."""
        events = [
            event for event in read_events(self.home, self.run) if event["type"] == "delegated"
        ]
        before = [event for event in events if event["call"] == call]
        known = {event["index"]: event["child"] for event in before}
        for child in known.values():
            self.agent.logs.fetch(self.home, child)  # this run may have been elsewhere until now
        counted = {event["index"] for event in before if event["state"] == "ended"}
        return _Batch(call, wish, known, counted, list(range(len(wish.tasks))))

    def _begin(self, batch: _Batch, options: Options) -> Iterator[Event]:
        while batch.waiting and len(batch.working) < AT_ONCE:
            index = batch.waiting.pop(0)
            child = batch.known.get(index)
            if child is None:
                put = partial(self._put, batch.wish)
                child = self.agent.prepare(batch.wish.tasks[index], options, self._read(), put)
                batch.known[index] = child
                yield {**self._event(batch, index), "state": "started"}
            elif may_go_on(self.home, child) is None:
                if index not in batch.counted:  # we were killed before it could be written down
                    yield self._ended(batch, index)
                continue
            batch.working[index] = Apart(self.home, self.agent.config.lang, child)

    def _collect(self, batch: _Batch) -> Iterator[Event]:
        for index in [index for index, apart in batch.working.items() if not apart.is_working()]:
            batch.working.pop(index).close()
            yield self._ended(batch, index)

    def _options_of(self, wish: Wish, count: int) -> Options:
        """Return what each of `count` new helpers gets. Raises ToolError when nothing is left, or
        there are no such tools."""
        options, budget, own = self.options, self.budget, self.options.bounds
        request = own.request if own else self.progress.opening["task"]
        bounds = Bounds(
            request,
            approve=own.approve if own else options.approve,
            model=options.model,
            turns=min(wish.max_turns or TURNS, options.max_turns or self.agent.config.limits.turns),
            cost_usd=_share(budget, wish.max_cost, count),
            minutes=_minutes(budget, wish.max_minutes),
            parent=self.run,
            depth=own.depth + 1 if own else 1,
            tools=self._tools(wish),
            folder=own.folder if own else "",
        )
        return replace(options, bounds=bounds, rote=False, window=False, persona=None, files=())

    def _tools(self, wish: Wish) -> tuple[str, ...] | None:
        own = self.options.bounds.tools if self.options.bounds else None
        if wish.tools is None:
            return own
        every = [
            *all_tools(),
            *(tool for family in self.agent.parts.families.values() for tool in family.tools),
        ]
        if unknown := [name for name in wish.tools if name not in (every if own is None else own)]:
            raise ToolError(
                "error.control.helpers-cannot",
                names=", ".join(unknown),
                known=", ".join(own or every),
            )
        return tuple(dict.fromkeys(wish.tools))

    def _put(self, wish: Wish, task: str) -> str:
        return self.agent.prompts.text("delegated", task=task, files="\n".join(wish.files) or "-")

    def _read(self) -> tuple[str, ...]:
        """Return whose words, beside the owner's, the parent has read: what it asks for may come of
        them."""
        notes = of_messages(self.progress.messages[:2])
        return tuple(self.progress.state.origins | ({notes} if notes else set()))

    def _event(self, batch: _Batch, index: int) -> Event:
        task = " ".join(batch.wish.tasks[index].split())[:200]
        return {
            "type": "delegated",
            "call": batch.call,
            "index": index,
            "child": batch.known[index],
            "task": task,
        }

    def _ended(self, batch: _Batch, index: int) -> Event:
        child = batch.known[index]
        self.agent.logs.fetch(self.home, child)
        summary, cost = summarise(self.home, child), Totals(read_events(self.home, child)).spent
        self.budget.spent_usd += cost
        status = summary.status if summary else "failed"
        return {
            **self._event(batch, index),
            "state": "ended",
            "status": status,
            "cost": round(cost, 6),
        }

    def _result(self, children: list[str]) -> ToolResult:
        summaries = [summarise(self.home, child) for child in children]
        data = [
            {"helper": number, "run": child, **self._outcome(child, summary)}
            for number, (child, summary) in enumerate(zip(children, summaries, strict=True), 1)
        ]
        is_any_done = any(summary and summary.status == "done" for summary in summaries)
        read = sorted(origin for child in children for origin in origins_before(self.home, [child]))
        return ToolResult("ok" if is_any_done else "error", data, read[0] if read else "")

    def _outcome(self, child: str, summary: RunSummary | None) -> dict[str, Any]:
        """Return how one helper ended, for the parent's model: short, with the file that holds the
        whole."""
        status, answer = (summary.status if summary else "failed"), _answer(self.home, child)
        if status == "waiting":
            return {
                "status": status,
                "answer": f"it waits for the owner (sopwith inbox list): {answer[:SHOWN_CHARS]}",
            }
        if status == "interrupted":
            return {"status": "failed", "answer": trouble(self.home, child) or "its process ended"}
        found = {"status": status, "answer": answer[:SHOWN_CHARS]}
        if len(answer) > SHOWN_CHARS:
            file: Path = self.home / "runs" / self.run / f"helper-{child}.md"
            file.write_text(answer, "utf-8")
            found |= {"answer": f"{answer[:SHOWN_CHARS]} […]", "file": str(file)}
        return found


def _answer(home: Path, child: str) -> str:
    """Return how the helper's run ended, in its own words."""
    result = ""
    for event in read_events(home, child):
        if event["type"] == "run_ended":
            result = str(event["result"])
    return result


def _share(budget: Budget, wanted: float | None, count: int) -> float | None:
    """Return USD for each of `count` helpers. Raises ToolError when nothing is left."""
    if budget.cost_usd is None:
        return wanted
    left = budget.cost_usd - budget.spent_usd
    if budget.cost_usd > 0 and left <= 0:
        raise ToolError("error.control.money-left-helpers")
    share = max(0.0, left) / max(1, count)
    return share if wanted is None else min(wanted, share)


def _minutes(budget: Budget, wanted: float | None) -> float | None:
    """Return minutes for each. Raises ToolError when none are left."""
    left = (budget.deadline - time.monotonic()) / 60
    if left <= 0:
        raise ToolError("error.control.time-left-helpers")
    return wanted if left == inf else left if wanted is None else min(wanted, left)
