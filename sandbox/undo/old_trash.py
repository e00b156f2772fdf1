"""Bring back what lies in the trash of a home from before the undo store.

trash/<id>/record.json     {"at": ISO time, "items": [{"origin_bytes", "kept"}]}
trash/<id>/<n>/<name>      what was moved, with its own name
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from sandbox.undo.places import StageError


class Trash:
    """The old trash of one home folder."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "trash"

    def ids(self) -> list[str]:
        """Return the ids in the trash, oldest first."""
        return sorted(place.name for place in self.folder.iterdir()) if self.folder.is_dir() else []

    def items(self, id: str) -> dict[Path, Path]:
        """Return where each thing was that was removed together, and where it is kept, as far as it
        is still here. Raises StageError for an unknown id."""
        if not id or Path(id).name != id:
            raise StageError("error.sandbox.id-trash", id=repr(id))
        try:
            record = json.loads((self.folder / id / "record.json").read_text("utf-8"))
        except FileNotFoundError as error:
            known = ", ".join(self.ids()[-5:]) or "nothing"
            raise StageError("error.sandbox.trash", id=id, known=known) from error
        found = {}
        for row in record["items"]:
            origin = Path(os.fsdecode(bytes.fromhex(row["origin_bytes"])))
            # what has no such place lies in the desktop's own trash
            kept = self.folder / id / row.get("kept", "") / origin.name
            if os.path.lexists(kept):
                found[origin] = kept
        return found

    def restore(self, id: str) -> list[Path]:
        """Put everything with this id back. Raises StageError where a place is taken, or the id
        unknown."""
        items = self.items(id)
        taken = [str(origin) for origin in items if os.path.lexists(origin)]
        if taken:
            named = ", ".join(taken[:5])
            raise StageError("error.sandbox.something-already-move-away", list=named)
        for origin, kept in items.items():
            try:
                origin.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(kept, origin)
            except OSError as error:
                raise StageError("error.undo.at", place=origin, error=error) from error
        shutil.rmtree(self.folder / id)
        return list(items)
