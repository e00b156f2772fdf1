"""The models of a run, in order: the first that can serve does, and the next one goes on where it
has to stop.

`Budget` is the owner's limit on cost and time for a run; it is held here because every model call
passes here. Source: seed 002 §1; docs/architecture.md, "Rote is a model".
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf

from config import Message, lines
from models.base import Event, Model, Reply, Request, Usage
from models.errors import Diverged, LimitReached, ModelUnavailable

PATIENCE_SECONDS = (
    3.0  # where another model follows, the owner is better served by it than by a longer wait
)


@dataclass(slots=True)
class Budget:
    """Hold what a run may use: USD and minutes, None for no limit. A resumed run enters with what
    it has used already."""

    cost_usd: float | None
    minutes: float | None
    spent_usd: float = 0.0
    started: float = field(default_factory=time.monotonic)  # on the monotonic clock, seconds

    @property
    def deadline(self) -> float:
        """Return when the time is used up, on the monotonic clock."""
        return inf if self.minutes is None else self.started + self.minutes * 60

    def add(self, usage: Usage) -> None:
        """Count one model call."""
        self.spent_usd += usage.cost

    def check(self) -> None:
        """Raise LimitReached when the cost or the time is used up."""
        if (
            self.cost_usd is not None and 0 < self.spent_usd >= self.cost_usd
        ):  # 0 leaves what is free
            used, limit = f"{self.spent_usd:.3g}", f"{self.cost_usd:.3g}"
            raise LimitReached("error.models.cost-limit", used=used, limit=limit)
        now = time.monotonic()
        if now >= self.deadline:
            passed = (now - self.started) / 60
            used, limit = f"{passed:.{1 if passed >= 1 else 2}f}", f"{self.minutes:g}"
            raise LimitReached("error.models.time-limit", used=used, limit=limit)


class ModelChain:
    """Asks the first model, and each time one fails, the next, which stays in charge from then on.
    A model that another follows is not waited for longer than PATIENCE_SECONDS, and none beyond the
    time limit.

    Yields `model_failed {turn, model, reason}` when an endpoint cannot serve and `handover {turn,
    text}` when a replay stops: the text is in the history then, and a resumed run puts it there
    again from the event. When none is left it raises the last error; of unavailable models, with
    all their reasons.
    """

    def __init__(self, models: Sequence[Model], budget: Budget) -> None:
        self._models = list(models)
        self._budget = budget
        self._reasons: list[Message] = []

    @property
    def name(self) -> str:
        """Return the model in charge."""
        return self._models[0].name if self._models else ""

    def reply(self, request: Request) -> Generator[Event, None, Reply]:
        while self._models:
            self._budget.check()
            model = self._models[0]
            request.deadline = self._budget.deadline
            request.patience_seconds = PATIENCE_SECONDS if len(self._models) > 1 else inf
            try:
                reply = yield from model.reply(request)
            except ModelUnavailable as error:
                self._budget.check()  # it may have had no time left
                reason, turn = error.message, request.turn
                self._reasons.append(reason)
                yield {"type": "model_failed", "turn": turn, "model": model.name, "reason": reason}
                self._models.pop(0)
            except Diverged as error:
                yield from self._hand_over(error, request)
            else:
                self._budget.add(reply.usage)
                return reply
        raise ModelUnavailable(lines(self._reasons) or Message("error.models.none"))

    def _hand_over(self, error: Diverged, request: Request) -> Iterator[Event]:
        if error.event:
            yield error.event
        if error.declined or len(self._models) == 1:
            raise error
        request.messages.append({"role": "user", "content": error.handover})
        request.last = (
            None  # it was held against the recorded step; the next model reads the handover instead
        )
        yield {"type": "handover", "turn": request.turn, "text": error.handover}
        self._models.pop(0)
