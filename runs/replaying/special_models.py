"""What stands in a model's place: the reply that a log holds, nobody at all, and the small model of this machine."""

from __future__ import annotations

from collections.abc import Generator
from importlib.util import find_spec
from typing import TYPE_CHECKING

from models.base import Event, Model, Reply, Request
from models.errors import ModelUnavailable

if TYPE_CHECKING:
    from models.offline import Filler


class Recorded:
    """Gives the reply that the run log already holds once more, then asks `model`: nobody is asked twice."""

    def __init__(self, reply: Reply, model: Model) -> None:
        self.name = model.name
        self._reply: Reply | None = reply
        self._model = model

    def reply(self, request: Request) -> Generator[Event, None, Reply]:
        """The recorded reply the first time."""
        if self._reply is None:
            return (yield from self._model.reply(request))
        reply, self._reply = self._reply, None
        reply.recorded = True
        return reply


class Nobody:
    """Stands where no SOP fits and no model is configured; `reason` says what to set."""

    name = "none"

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def reply(self, request: Request) -> Generator[Event, None, Reply]:
        """Raises ModelUnavailable."""
        raise ModelUnavailable(self._reason)
        yield {}


def offline(asked: list[Event]) -> Filler | None:
    """The small model of this machine, where its extra is installed; what it was asked goes to `asked`."""
    if find_spec("needle") is None:
        return None
    from models.offline import OfflineFiller

    return OfflineFiller(tell=lambda reply: asked.append(reply.event(0)))
