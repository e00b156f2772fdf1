"""The history of a run as a model reads it: opened when a model is first asked, kept within the
budget after that.

A replay asks no model, so it pays for no prompt. `Reading` stands in front of each configured model
of the chain; all of a run share one `History`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from context.compaction import HIGH, KEPT, LOW, Compaction, Extent, extents, room_of, split
from context.tokens import TokenCounter
from memory.runlog import cannot_write
from models.base import Event, Message, Model, Reply, Request, window_of
from models.errors import ContextTooLong

if TYPE_CHECKING:
    from context.builder import Context


class Smaller(NamedTuple):
    """A history that is compacted further: how many turns it keeps whole, and its tokens."""

    whole: int
    extent: Extent
    messages: list[Message]
    tokens: int


@dataclass
class History:
    """Changes the messages of a run in the two ways that are allowed beside growing, and says so in
    events.

    `build` writes the first messages for a budget; None when the history has them already. `budget`
    is in tokens.
    """

    build: Callable[[int], Context] | None
    compaction: Compaction
    budget: int
    extent: Extent = field(default_factory=Extent)
    budgets: dict[str, int] = field(default_factory=dict)  # by model: what it turned out to have
    counter: TokenCounter = field(default_factory=TokenCounter)

    def open(self, request: Request, window: int) -> Iterator[Event]:
        """Put the first messages at the head, once, for a model that reads so many tokens (0: not
        known)."""
        if self.build is None:
            return
        opened, self.build = self.build(min(self.budget, window or self.budget)), None
        request.messages[:0] = opened.messages
        yield opened.event(request.turn)

    def fit(self, request: Request, model: str) -> Iterator[Event]:
        """Bring the request below the low-water mark when it has passed the high one."""
        budget = self.budgets.get(model, self.budget)
        tokens = self.counter.count(request, model)
        if tokens > HIGH * budget:
            yield from self._compact(request, model, tokens, budget)

    def shrink(self, request: Request, model: str, window: int = 0) -> Generator[Event, None, bool]:
        """Make a request smaller that the endpoint found too long for its `window` (0: not known);
        False when there is nothing left to take away."""
        tokens = self.counter.count(request, model)
        self.budgets[model] = min(tokens, window or tokens)
        extent = self.extent
        yield from self._compact(request, model, tokens, self.budgets[model])
        return self.extent != extent

    def _compact(self, request: Request, model: str, before: int, budget: int) -> Iterator[Event]:
        found = self._smaller(request, model, before, budget)
        if found is None:
            return
        try:
            self.compaction.write_results(request.messages, self.extent, found.extent)
        except OSError as error:
            raise cannot_write(self.compaction.folder, error) from error
        yield {
            "type": "compacted",
            "turn": request.turn,
            "up_to": found.extent.up_to,
            "folded": found.extent.folded,
            "room": found.extent.room,
            "tokens_before": before,
            "tokens_after": found.tokens,
        }
        request.messages[:] = found.messages
        self.extent = found.extent

    def _smaller(self, request: Request, model: str, before: int, budget: int) -> Smaller | None:
        """Return the gentlest extent below the low-water mark; else one that keeps the last turns
        whole and is below the high one; else the smallest. None when nothing makes it smaller."""
        best: Smaller | None = None
        turns = self.extent.folded + len(split(request.messages)[1])
        for whole, extent in extents(self.extent, turns, room_of(budget)):
            is_enough = best is not None and best.tokens <= HIGH * budget
            if best and is_enough and (best.whole == min(KEPT, turns) > whole or whole == 0):
                return best
            messages = self.compaction.apply(request.messages, self.extent, extent)
            tokens = self.counter.count(replace(request, messages=messages), model)
            if tokens < (best.tokens if best else before):
                best = Smaller(whole, extent, messages, tokens)
            if tokens <= LOW * budget:
                return best
        return best


class Reading(NamedTuple):
    """A model that reads the history of the run: fills in `Model`. Yields `context` before the
    first request and `compacted` when the history shrinks."""

    model: Model
    history: History

    @property
    def name(self) -> str:
        """Return the name of the model."""
        return self.model.name

    def reply(self, request: Request) -> Generator[Event, None, Reply]:
        """Ask again with a smaller history, as long as it can shrink, when the endpoint finds the
        request too long."""
        history = self.history
        yield from history.open(request, window_of(self.model))
        yield from history.fit(request, self.name)
        while True:
            try:
                reply = yield from self.model.reply(request)
                break
            except ContextTooLong as error:
                if not (yield from history.shrink(request, self.name, error.window)):
                    raise
        history.counter.learn(request, self.name, reply.usage.input)
        return reply
