"""Find a thing in the desktop's own trash, by the note that the desktop keeps of it (freedesktop's
Trash specification 1.0), on macOS by its number on the disk."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote_to_bytes


def find(origin: Path, number: int) -> tuple[Path, Path | None] | None:
    """Return where the thing lies that was at `origin` and has this number on the disk, and the
    desktop's note on it. None: the owner has emptied the trash, or brought it back."""
    lying = _mac(origin) if sys.platform == "darwin" else _noted(origin)
    return next((each for each in lying if each[0].lstat().st_ino == number), None)


def _noted(origin: Path) -> Iterator[tuple[Path, Path]]:
    """Yield what lies in a trash of freedesktop and was at `origin`: the thing and its note."""
    for trash, top in _trashes(origin):
        try:
            notes = list((trash / "info").iterdir())
        except OSError:
            continue
        for note in notes:
            kept = trash / "files" / note.name.removesuffix(".trashinfo")
            if (
                note.suffix == ".trashinfo"
                and _origin(note, top) == origin
                and os.path.lexists(kept)
            ):
                yield kept, note


def _trashes(origin: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the trashes that something at `origin` can go to, each with the folder that its
    relative origins start from."""
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    yield data / "Trash", data
    top = next(folder for folder in origin.parents if folder.is_mount())
    yield top / ".Trash" / str(os.getuid()), top
    yield top / f".Trash-{os.getuid()}", top


def _origin(note: Path, top: Path) -> Path | None:
    """Return where a note says that its thing was."""
    try:
        line = next(line for line in note.read_bytes().splitlines() if line.startswith(b"Path="))
    except (OSError, StopIteration):
        return None
    return top / os.fsdecode(unquote_to_bytes(line.removeprefix(b"Path=").strip()))


def _mac(origin: Path) -> Iterator[tuple[Path, None]]:
    top = next(folder for folder in origin.parents if folder.is_mount())
    for trash in (Path.home() / ".Trash", top / ".Trashes" / str(os.getuid())):
        try:
            yield from ((kept, None) for kept in trash.iterdir())
        except OSError:
            continue
