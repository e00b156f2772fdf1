"""Run the calls of a run in stages: what a call did to files is judged before it is committed, and can be undone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from safety.changes import ChangeSet
from sandbox.stage import Conflicted, Stage, StageError, UndoStore

if TYPE_CHECKING:
    from safety.gate import Decision
    from sandbox.stage import Holder

Judge = Callable[[ChangeSet], "Decision"]


class Verdict(NamedTuple):
    """The judgement on a call's changes that the owner has to confirm; `number` names the stage that waits."""

    changes: ChangeSet
    decision: Decision
    number: str


class Staging:
    """The stages of one run, one for each call."""

    def __init__(
        self, home: Path, run: str, roots: Iterable[Path], store: UndoStore, judge: Judge
    ) -> None:
        self.home, self.run, self.roots, self.store = home, run, tuple(roots), store
        self._judge = judge
        self._made: set[str] = set()  # what this run made itself

    def open(self, call: str, holder: Holder, masks: Iterable[str], shows: Iterable[str]) -> Stage:
        """Cover the roots for one call. Raises StageError."""
        stage = Stage.open(
            self.roots, self.home, self.run, call, holder=holder, masks=masks, shows=shows
        )
        stage.is_ours = self._made.__contains__
        return stage

    def judged(self, stage: Stage) -> Decision:
        """Return what the gate says of a stage's changes; ends the stage."""
        return self._judge(stage.changes)

    def commit(self, stage: Stage) -> ChangeSet:
        """Make the changes real. Raises Conflicted and StageError, with nothing done."""
        done = stage.commit(self.store).changes
        self._made |= {str(change.path) for change in done.of("new")}
        return done

    def waiting(self, number: str) -> Stage | None:
        """Return the stage that was put aside under this number."""
        return Stage.waiting(self.home, number)


def event(call: str, changes: ChangeSet) -> dict[str, Any]:
    """Return the event that says what a call has changed."""
    return {
        "type": "changes",
        "call": call,
        "new": _files(changes, "new"),
        "changed": _files(changes, "changed", "mode"),
        "moved": _files(changes, "moved"),
        "gone": _files(changes, "gone"),
        "bytes": changes.bytes,
    }


def _files(changes: ChangeSet, *kinds: Any) -> int:
    return sum(change.files for change in changes.of(*kinds))


__all__ = ["Conflicted", "Stage", "StageError", "Staging", "Verdict", "event"]
