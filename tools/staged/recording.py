"""Keep what a file tool replaces or removes in the undo store of its run: one undo then covers scripts and tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from models.base import Event
from sandbox import stage as stages
from tools.staged.shown import counted

if TYPE_CHECKING:
    from safety.changes import ChangeSet
    from sandbox.stage import UndoStore


class Recording:
    """The changes that the file tools of one run make."""

    def __init__(self, run: str, store: Callable[[], UndoStore]) -> None:
        self.run, self._store = run, store
        self.events: list[Event] = []  # of the call at work

    @contextmanager
    def of(self, call: str, path: Path) -> Iterator[None]:
        """Record what the block does to a path. Raises OSError, with nothing done, where no image can be kept."""
        try:
            with stages.record(self._store(), self.run, call, [path]) as done:
                yield
        except stages.StageError as error:
            raise OSError(str(error)) from error
        for changes in done:
            self._tell(call, changes)

    def remove(self, call: str, paths: Iterable[Path]) -> str:
        """Move files or folders into the undo store, all or none. Returns the number to restore them by. Raises OSError."""
        from sandbox.undo.direct import remove

        number, changes = remove(self._store().home, self.run, call, paths)
        self._tell(call, changes)
        return number

    def _tell(self, call: str, changes: ChangeSet) -> None:
        if changes.changes:
            self.events.append({"type": "changes", "call": call, **counted(changes)})

    def told(self) -> Iterator[Event]:
        """Yield what was recorded since the last time."""
        while self.events:
            yield self.events.pop(0)
