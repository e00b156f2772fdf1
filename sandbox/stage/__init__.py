"""A stage lets code work on the owner's own files, copy-on-write: what it did is seen as a change
set, then committed or thrown away; what a commit replaces is kept, and undone on demand."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandbox.stage.holding import Holder
    from sandbox.stage.probing import probe
    from sandbox.stage.rehearsal import Rehearsal
    from sandbox.stage.stage import Stage
    from sandbox.undo.direct import record
    from sandbox.undo.places import StageError
    from sandbox.undo.store import UndoStore, recover

_FROM = {
    "Holder": "stage.holding",
    "Rehearsal": "stage.rehearsal",
    "Stage": "stage.stage",
    "StageError": "undo.places",
    "UndoStore": "undo.store",
    "probe": "stage.probing",
    "record": "undo.direct",
    "recover": "undo.store",
}
__all__ = [
    "Holder",
    "Rehearsal",
    "Stage",
    "StageError",
    "UndoStore",
    "probe",
    "record",
    "recover",
]


def __getattr__(name: str) -> Any:
    """Load a name of the face on first use."""
    if name in _FROM:
        return getattr(import_module(f"sandbox.{_FROM[name]}"), name)
    raise AttributeError(name)
