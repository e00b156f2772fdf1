"""Bring back what lies in the trash of a home from before the undo store.

trash/<id>/record.json     {"at": ISO time, "items": [{"origin_bytes", "kept" or "number"}]}
trash/<id>/<n>/<name>      what was moved, with its own name; `number` is that of a thing in the
                           desktop's trash
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path
from typing import Any, NamedTuple

from config import Worded
from sandbox.trash import desktop
from sandbox.undo import trees


class TrashError(Worded):
    """Nothing was brought back; the text says why."""


class Item(NamedTuple):
    """One file, link or folder: where it was, where it is kept, and the desktop's note on it."""

    origin: Path
    kept: Path
    note: Path | None = None


class Trash:
    """The old trash of one home folder."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "trash"

    def ids(self) -> list[str]:
        """Return the ids in the trash, oldest first."""
        return sorted(place.name for place in self.folder.iterdir()) if self.folder.is_dir() else []

    def items(self, id: str) -> list[Item]:
        """Return what was removed together, as far as it is still here. Raises TrashError for an
        unknown id."""
        if not id or Path(id).name != id:
            raise TrashError("error.sandbox.id-trash", id=repr(id))
        try:
            record = json.loads((self.folder / id / "record.json").read_text("utf-8"))
        except FileNotFoundError as error:
            known = ", ".join(self.ids()[-5:]) or "nothing"
            raise TrashError("error.sandbox.trash", id=id, known=known) from error
        found = (self._item(id, kept) for kept in record["items"])
        return [item for item in found if item is not None and os.path.lexists(item.kept)]

    def restore(self, id: str) -> list[Path]:
        """Put everything with this id back. Raises TrashError where a place is taken, or the id
        unknown."""
        items = self.items(id)
        taken = [str(item.origin) for item in items if os.path.lexists(item.origin)]
        if taken:
            named = ", ".join(taken[:5])
            raise TrashError("error.sandbox.something-already-move-away", list=named)
        for item in items:
            try:
                item.origin.parent.mkdir(parents=True, exist_ok=True)
                _move(str(item.kept), str(item.origin))
            except OSError as error:
                raise TrashError(f"{item.origin}: {error}") from error
            if item.note:
                item.note.unlink(missing_ok=True)
        shutil.rmtree(self.folder / id)
        return [item.origin for item in items]

    def _item(self, id: str, kept: dict[str, Any]) -> Item | None:
        """Return one line of a record; None where the desktop has it no more."""
        origin = Path(os.fsdecode(bytes.fromhex(kept["origin_bytes"])))
        if "kept" in kept:
            return Item(origin, self.folder / id / kept["kept"] / origin.name)
        found = desktop.find(origin, kept["number"])
        return Item(origin, *found) if found else None


def _move(source: str, target: str) -> None:
    """Rename; to another file system, copy all before anything is removed."""
    try:
        os.rename(source, target)  # noqa: PTH104 - names may be no text
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        try:
            trees.carry(source, target)
        except OSError:
            trees.remove(target)
            raise
        trees.remove(source)
