"""The desktop's own trash, which its file manager shows and can bring things back from.

Things are put there by send2trash (`scripts/setup --extra desktop`), which does not say where they went: `find` looks them up,
by the note that the desktop keeps of each (freedesktop's Trash specification 1.0), on macOS by their number on the disk.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote_to_bytes


def has_screen(environ: Mapping[str, str]) -> bool:
    """Return True if somebody could have a trash to look into."""
    return sys.platform == "darwin" or bool(
        environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY")
    )


def is_there(environ: Mapping[str, str]) -> bool:
    """Return True if somebody has a trash to look into, and we can put something there."""
    return has_screen(environ) and find_spec("send2trash") is not None


def send(path: Path) -> int:
    """Moves one thing there, whole; gives its number on the disk, which is another one after a copy. Raises OSError."""
    number = path.lstat().st_ino
    import_module("send2trash").send2trash([os.fsencode(path)])  # it has no types
    if sys.platform == "darwin":
        return number
    lying = [(note.stat().st_mtime_ns, kept.lstat().st_ino) for kept, note in _noted(path)]
    return number if number in [each for _, each in lying] else max(lying)[1]


def find(origin: Path, number: int) -> tuple[Path, Path | None] | None:
    """Where the thing lies that was at `origin` and has this number on the disk, and the desktop's note on it. None: the
    owner has emptied the trash, or brought it back."""
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
    """The trashes that something at `origin` can go to, each with the folder that its relative origins start from."""
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    yield data / "Trash", data
    top = next(folder for folder in origin.parents if folder.is_mount())
    yield top / ".Trash" / str(os.getuid()), top
    yield top / f".Trash-{os.getuid()}", top


def _origin(note: Path, top: Path) -> Path | None:
    """Where a note says that its thing was."""
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
