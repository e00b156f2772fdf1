"""The errors of this layer, and whose fault each is.

ModelError
├── ModelUnavailable   the endpoint cannot serve (key, name, host, TLS): the next model of the chain is asked
│   └── ContextTooLong the request is longer than the model's context: it is made smaller and sent once more
├── Diverged           the world differs from what the SOP recorded: the next model of the chain goes on
└── LimitReached       the owner's limit on cost or time: the run stops
"""

from __future__ import annotations

from typing import Literal

from config import Worded
from models.base import Event

Blame = Literal[
    "world", "parameter", "step", "expectation", "check", "budget"
]  # the world is nobody's fault


class ModelError(Worded):
    """A model did not reply. The text is for the owner: what is wrong, what was tried, what would
    work."""


class ModelUnavailable(ModelError):
    """This model cannot serve this run."""


class ContextTooLong(ModelUnavailable):
    """The request does not fit into the model's context of `window` tokens (0: not known)."""

    def __init__(self, text: str, window: int = 0, **values: object) -> None:
        super().__init__(text, **values)
        self.window = window


class Diverged(ModelError):
    """A replay stopped: `reason` says what differed, `handover` tells the next model what has
    already happened.

    `declined` is True when the gate or the owner said no, or what was asked for is not there: no
    model is to try again. `kind` says what it failed on, for repair.
    """

    declined = False

    def __init__(
        self, reason: str, handover: str, event: Event | None = None, kind: Blame = "step"
    ) -> None:
        super().__init__(reason)
        self.reason, self.handover, self.event, self.kind = self.message, handover, event, kind


class LimitReached(ModelError):
    """The run's cost or time is used up."""
