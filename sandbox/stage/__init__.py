"""A stage lets code work on the owner's own files, copy-on-write: what it did is seen as a change set,
then committed or thrown away; what a commit replaces is kept, and undone on demand."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandbox.stage.commits import Conflicted, recover
    from sandbox.stage.direct import record
    from sandbox.stage.holding import Holder, StageError
    from sandbox.stage.probing import probe
    from sandbox.stage.stage import Stage
    from sandbox.stage.undo import UndoStore

_FROM = {
    "Conflicted": "commits",
    "Holder": "holding",
    "Stage": "stage",
    "StageError": "holding",
    "UndoStore": "undo",
    "probe": "probing",
    "record": "direct",
    "recover": "commits",
}
__all__ = [
    "Conflicted",
    "Holder",
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
        return getattr(import_module(f"sandbox.stage.{_FROM[name]}"), name)
    raise AttributeError(name)
