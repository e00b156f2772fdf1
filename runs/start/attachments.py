"""Take in what the owner attaches to a task: the files move into the run's folder and are named in the task; images are shown."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from memory.runlog import cannot_write
from models.base import Event

FOLDER = "files"  # in the run's
MAX_SHOWN_CHARS = (
    20_000  # of attached text that a model reads with its task; it opens longer files itself
)


def take_in(files: Sequence[Path], folder: Path) -> list[str]:
    """Moves files into the folder of a run; gives where each lies now. Raises RunLogError."""
    if not files:
        return []
    place = folder / FOLDER
    try:
        place.mkdir(mode=0o700, exist_ok=True)
        return [str(shutil.move(file, _free(place, file))) for file in files]
    except OSError as error:
        raise cannot_write(place, error) from error


def _free(place: Path, file: Path) -> Path:
    """Where a file may lie: two may have one name."""
    target, number = place / file.name, 2
    while target.exists():
        target, number = place / f"{file.stem}-{number}{file.suffix}", number + 1
    return target


def in_full(files: Sequence[str]) -> str:
    """Return the text of the attached files, each under its name, as far as MAX_SHOWN_CHARS go; what is no text is left out."""
    found, room = [], MAX_SHOWN_CHARS
    for path in map(Path, files):
        text = _text(path)
        if text and len(text) <= room:
            found.append(f"<file path={str(path)!r}>\n{text}\n</file>")
            room -= len(text)
    return "\n".join(found)


def _text(path: Path) -> str:
    if path.stat().st_size > 4 * MAX_SHOWN_CHARS:  # of UTF-8, four bytes a character at most
        return ""
    content = path.read_bytes()
    return "" if b"\0" in content else content.decode("utf-8", "ignore").strip()


def request_of(start: Event) -> str:
    """Return what the owner said, without the list of attached files below it."""
    task: str = start["task"]
    lines = task.split("\n")
    return "\n".join(lines[: -len(start["attached"]) - 2]) if start.get("attached") else task


def named(task: str, attached: Sequence[str], heading: str) -> str:
    """The task with the attached files below it, under the words `heading`."""
    return "\n".join([task, "", heading, *(f"- {path}" for path in attached)]) if attached else task
