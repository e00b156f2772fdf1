"""Name what looks at a replay from outside, before it begins and before it writes
(learning/guards.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from models.errors import Blame
from replay.procedure import Procedure


class Doubt(NamedTuple):
    """Why a replay must not go on, in one line, and what that is to be blamed on."""

    kind: Blame
    reason: str


class Write(NamedTuple):
    """A commit step with its arguments; None where they depend on what an earlier write will
    bring."""

    step: str
    tool: str
    args: Mapping[str, Any] | None


class Spent(NamedTuple):
    """Hold what a replay took so far: calls, and the seconds in which the tools worked (without
    those of the owner)."""

    calls: int
    seconds: float


class Guards(Protocol):
    """Looks at a replay from outside. None: go on."""

    def start(self, procedure: Procedure, parameters: Mapping[str, Any]) -> Doubt | None:
        """Look before the first step."""
        ...

    def before(self, procedure: Procedure, planned: Sequence[Write], spent: Spent) -> Doubt | None:
        """Look between plan and commit, when nothing has been written. `planned` are all writes
        that are due; `spent` is what the plan took."""
        ...
