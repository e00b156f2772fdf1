"""What the owner attaches to a task: the files move into the run's folder and are named in the task; images are shown."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from memory.runlog.log import cannot_write

FOLDER = "files"  # in the run's


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


def named(task: str, attached: Sequence[str], heading: str) -> str:
    """The task with the attached files below it, under the words `heading`."""
    return "\n".join([task, "", heading, *(f"- {path}" for path in attached)]) if attached else task
