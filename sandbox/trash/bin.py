"""Removing: all of the files or none, to where they can be brought back from, by an id.

    trash/<id>/record.json     {"at": ISO time, "items": [{"origin", "kept"}]}, written before anything moves
    trash/<id>/<n>/<name>      what was moved, with its own name

On a desktop they go to the desktop's own trash (desktop.py): the record is kept here all the same. What that does not
take, and everything on a server, goes to the home folder.
"""

from __future__ import annotations

import errno
import filecmp
import json
import os
import shutil
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


class TrashError(Exception):
    """Nothing was moved, or what was is back in its place; the text says why."""


@dataclass(frozen=True, slots=True)
class Item:
    """One file, link or folder: where it was, where it is kept, and the desktop's note on it."""

    origin: Path
    kept: Path
    note: Path | None = None


@dataclass(frozen=True, slots=True)
class Trash:
    """The trash of one home folder. `uses_desktop`: things go to the desktop's, where there is one."""

    home: Path
    uses_desktop: bool = False

    @property
    def folder(self) -> Path:
        return self.home / "trash"

    def send(self, paths: Iterable[Path]) -> tuple[str, list[Item]]:
        """Moves all the paths, or none: gives the id to restore them by. A link goes itself, not its target.

        `paths` are absolute. Raises TrashError.
        """
        chosen = self.checked(paths)
        id = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.urandom(3).hex()}"
        if self._to_desktop(id, chosen):
            return id, self.items(id)
        items = [
            Item(path, self.folder / id / str(n) / path.name) for n, path in enumerate(chosen, 1)
        ]
        moved: list[Item] = []
        try:
            self._write_record(id, items)
            for item in items:
                item.kept.parent.mkdir()
                moved.append(item)
                _move(item.origin, item.kept)
        except (OSError, shutil.Error) as error:
            note = self._take_back(id, moved) or "; nothing was moved"
            raise TrashError(f"{_words(error)}{note}") from error
        return id, items

    def _to_desktop(self, id: str, chosen: list[Path]) -> bool:
        """Moves all of it to the desktop's trash; False when there is none, or it does not take it: then nothing was moved."""
        from sandbox.trash import desktop

        if not self.is_desktops:
            return False
        try:
            numbers = {path: path.lstat().st_ino for path in chosen}
            self._write_record(id, [Item(path, path) for path in chosen], numbers)
            for path in chosen:
                if (number := desktop.send(path)) != numbers[path]:
                    numbers[path] = number
                    self._write_record(id, [Item(each, each) for each in chosen], numbers)
        except (OSError, shutil.Error) as error:
            if note := self._take_back(
                id, [item for item in self.items(id) if not os.path.lexists(item.origin)]
            ):
                raise TrashError(f"{_words(error)}{note}") from error
            return False
        return True

    def _take_back(self, id: str, moved: list[Item]) -> str:
        """Undoes a `send` that failed; what it says about what could not be put back, or ""."""
        left = _move_back(moved)
        if not left:
            shutil.rmtree(self.folder / id, ignore_errors=True)
        return f"; still in {self.folder / id}: {', '.join(left)}" if left else ""

    def restore(self, id: str) -> list[Path]:
        """Puts everything of one `send` back. Raises TrashError when a place is taken, or the id unknown."""
        items = self.items(id)
        taken = [str(item.origin) for item in items if os.path.lexists(item.origin)]
        if taken:
            raise TrashError(
                f"something is there already: {', '.join(taken[:5])}; move it away first"
            )
        for item in items:
            try:
                item.origin.parent.mkdir(parents=True, exist_ok=True)
                _bring_back(item)
            except (OSError, shutil.Error) as error:
                raise TrashError(f"{item.origin}: {_words(error)}") from error
        shutil.rmtree(self.folder / id)
        return [item.origin for item in items]

    def forget(self, id: str, root: Path) -> None:
        """Deletes for good what one `send` moved, if all of it came from below `root`. Raises TrashError."""
        if all(item.origin.is_relative_to(root) for item in self.items(id)):
            shutil.rmtree(self.folder / id)

    def items(self, id: str) -> list[Item]:
        """Return what one `send` moved, as far as it is still here. Raises TrashError for an unknown id."""
        if not id or Path(id).name != id:
            raise TrashError(f"{id!r} is no id of the trash")
        try:
            record = json.loads((self.folder / id / "record.json").read_text("utf-8"))
        except FileNotFoundError as error:
            raise TrashError(
                f"the trash has no {id}; it has {', '.join(self.ids()[-5:]) or 'nothing'}"
            ) from error
        items = (self._item(id, kept) for kept in record["items"])
        return [item for item in items if item is not None and os.path.lexists(item.kept)]

    def _item(self, id: str, kept: dict[str, Any]) -> Item | None:
        """One line of a record; None when the desktop has it no more."""
        origin = Path(os.fsdecode(bytes.fromhex(kept["origin_bytes"])))
        if "kept" in kept:
            return Item(origin, self.folder / id / kept["kept"] / origin.name)
        from sandbox.trash import desktop

        found = desktop.find(origin, kept["number"])
        return Item(origin, *found) if found else None

    def ids(self) -> list[str]:
        """The ids in the trash, oldest first."""
        return sorted(place.name for place in self.folder.iterdir()) if self.folder.is_dir() else []

    @property
    def is_desktops(self) -> bool:
        """True where things go to the desktop's trash."""
        from sandbox.trash import desktop

        return self.uses_desktop and desktop.is_there(os.environ)

    def checked(self, paths: Iterable[Path]) -> list[Path]:
        """Return the paths that are to go, without those that lie in another of them. Raises TrashError."""
        wanted = list(dict.fromkeys(paths))
        missing = [str(path) for path in wanted if not os.path.lexists(path)]
        if missing:
            more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
            raise TrashError(f"not there: {', '.join(missing[:5])}{more}; nothing was moved")
        for path in wanted:
            real = path.parent.resolve() / path.name
            if (
                self.folder.resolve().is_relative_to(real)
                or Path.cwd().is_relative_to(real)
                or path.is_mount()
            ):
                raise TrashError(f"{path} cannot go to the trash: it is in use; nothing was moved")
        chosen = set(wanted)
        return [path for path in wanted if not any(parent in chosen for parent in path.parents)]

    def _write_record(
        self, id: str, items: list[Item], numbers: Mapping[Path, int] | None = None
    ) -> None:
        (self.folder / id).mkdir(parents=True, exist_ok=True)
        listed = [
            {  # the bytes too: a name need not be valid text
                "origin": os.fsencode(item.origin).decode(errors="replace"),
                "origin_bytes": os.fsencode(item.origin).hex(),
                **(
                    {"number": numbers[item.origin]} if numbers else {"kept": item.kept.parent.name}
                ),
            }
            for item in items
        ]
        record = {"at": datetime.now(UTC).isoformat(timespec="seconds"), "items": listed}
        draft = self.folder / id / ".record.json"
        with draft.open("w", encoding="utf-8") as file:
            json.dump(record, file, ensure_ascii=False, indent=1)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.folder / id / "record.json")


def _bring_back(item: Item) -> None:
    _move(item.kept, item.origin)
    if item.note:
        item.note.unlink(missing_ok=True)


def _move(source: Path, target: Path) -> None:
    """Renames; across file systems copies, compares and only then removes."""
    try:
        source.rename(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _carry(source, target)


def _carry(source: Path, target: Path) -> None:
    try:
        if source.is_symlink() or not source.is_dir():
            _refuse_special(source)
            shutil.copy2(source, target, follow_symlinks=False)
        else:
            shutil.copytree(source, target, symlinks=True)
        different = _difference(source, target)
        if different:
            raise OSError(f"{different} changed while it was copied")
    except (OSError, shutil.Error):
        _remove(target)
        raise
    _remove(source)


def _refuse_special(path: Path) -> None:
    mode = path.lstat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode) or stat.S_ISDIR(mode)):
        raise OSError(
            f"{path} is a pipe, socket or device and cannot be copied to another file system"
        )


def _difference(source: Path, target: Path) -> Path | None:
    """The first path under `source` that `target` does not hold alike; None when all is there."""
    if source.is_symlink():
        return None if target.is_symlink() and source.readlink() == target.readlink() else source
    if not source.is_dir():
        return None if filecmp.cmp(source, target, shallow=False) else source
    names = sorted(place.name for place in source.iterdir())
    if names != sorted(place.name for place in target.iterdir()):
        return source
    return next(
        (found for name in names if (found := _difference(source / name, target / name))), None
    )


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _move_back(moved: list[Item]) -> list[str]:
    """Undoes, last first; gives what could not be put back."""
    left = []
    for item in reversed(moved):
        if os.path.lexists(item.kept) and not os.path.lexists(item.origin):
            try:
                _bring_back(item)
            except (OSError, shutil.Error):
                left.append(str(item.kept))
    return left


def _words(error: OSError | shutil.Error) -> str:
    if isinstance(error, shutil.Error):  # a list of (source, target, reason)
        return "; ".join(f"{source}: {why}" for source, _, why in error.args[0][:3])
    return f"{error.filename}: {error.strerror}" if error.strerror else str(error)
