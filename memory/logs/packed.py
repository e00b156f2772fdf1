"""Read what was put away: `runs/.archive/YYYYMM/<run>.zip`, one zip a run (memory/logs/archive.py
makes them)."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

FOLDER = ".archive"  # in runs/
DAMAGED = (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError)


def place(home: Path, run: str) -> Path:
    """Return where the zip of a run lies, when it is archived."""
    return home / "runs" / FOLDER / run[:6] / f"{run}.zip"


def archived_ids(home: Path) -> Iterator[str]:
    """Yield all runs that are archived, in no order."""
    for month in entries(home / "runs" / FOLDER):
        if month.is_dir(follow_symlinks=False) and not month.name.startswith("."):
            for entry in entries(Path(month.path)):
                if entry.name.endswith(".zip") and not entry.name.startswith("."):
                    yield entry.name[:-4]


def read_log(home: Path, run: str) -> bytes | None:
    """Return the log of an archived run; None when it is not archived. Raises OSError, also for a
    zip that is damaged."""
    try:
        with zipfile.ZipFile(place(home, run)) as stored:
            return stored.read("log.jsonl")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (KeyError, *DAMAGED) as error:
        raise OSError(5, f"it is damaged: {error}") from error


def log_size(home: Path, run: str) -> int | None:
    """Return how long the log of an archived run is; None when it is not archived, or the zip is
    damaged."""
    with suppress(OSError, KeyError, *DAMAGED), zipfile.ZipFile(place(home, run)) as stored:
        return stored.getinfo("log.jsonl").file_size
    return None


def entries(folder: Path) -> list[os.DirEntry[str]]:
    """Return what lies in a folder; nothing where there is none."""
    with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as found:
        return list(found)
    return []
