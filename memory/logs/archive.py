"""Old runs, put away: `runs/.archive/YYYYMM/<run>.zip` holds all files of a run; its log is read
from there like any other.

A run goes in once it has ended and nobody works on it. The zip is written, put on the disk, read
back and compared with the folder before the folder goes; a kill at any moment leaves the folder,
the zip, or both, and the next time finishes. A run that is to go on comes back out (`restore`).
What a run proves, it proves from the archive too.
"""

from __future__ import annotations

import shutil
import time
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memory.files import fsync_folder
from memory.logs.packed import DAMAGED, FOLDER, archived_ids, entries, place
from memory.logs.reading import run_ids, summarise, worker

GONE = ".gone-"  # how a folder is called while it is removed
BACK = ".back-"  # how a folder is called while it is unpacked
PIECE = 1 << 20


@dataclass(slots=True)
class PutAway:
    """Hold what was archived: how many runs, the bytes that their files had and that the zips have,
    and what went wrong."""

    runs: int = 0
    bytes_before: int = 0
    bytes_after: int = 0
    problem: str = ""  # of the last run that could not be put away


def put_away(home: Path, days: float, now: datetime, seconds: float = 1e9) -> PutAway:
    """Archive runs that began, and were last written to, more than `days` ago, oldest first; begin
    none after `seconds`. Raises OSError (no space, read-only); what is not archived by then stays
    as it was."""
    done, end = PutAway(), time.monotonic() + seconds
    oldest = (now.astimezone(UTC) - timedelta(days=days)).timestamp()
    name = f"{datetime.fromtimestamp(oldest, UTC):%Y%m%d-%H%M%S}"
    _tidy(home)
    for run in reversed(run_ids(home, archived=False)):
        if run > name or time.monotonic() > end:
            break
        folder = home / "runs" / run
        summary = summarise(home, run)
        if summary is None or summary.status in ("working", "waiting", "interrupted", "damaged"):
            continue
        if (folder / "log.jsonl").stat().st_mtime > oldest or worker(folder) is not None:
            continue
        try:
            before, after = _pack(home, run)
        except DAMAGED as error:
            done.problem = f"{run}: {error}"
            continue
        done.runs += 1
        done.bytes_before += before
        done.bytes_after += after
    return done


def restore(home: Path, run: str) -> bool:
    """Bring the folder of an archived run back; False when it is not archived. Raises OSError."""
    packed, folder = place(home, run), home / "runs" / run
    if folder.exists() or not packed.exists():
        return False
    draft = home / "runs" / FOLDER / f"{BACK}{run}"
    shutil.rmtree(draft, ignore_errors=True)
    try:
        with zipfile.ZipFile(packed) as stored:
            stored.extractall(draft)
    except DAMAGED as error:
        raise OSError(5, f"{packed.name} is damaged: {error}") from error
    for path in draft.rglob("*"):
        if path.is_file():
            fsync_folder(path)
    draft.chmod(0o700)
    draft.rename(folder)
    fsync_folder(folder.parent)
    packed.unlink()
    return True


def _pack(home: Path, run: str) -> tuple[int, int]:
    """Pack one run; return the bytes before and after. Raises ValueError for what is no ordinary
    file in it, OSError."""
    folder, packed = home / "runs" / run, place(home, run)
    files = sorted(path for path in folder.rglob("*") if path.name != "lock" and not path.is_dir())
    for path in files:
        if path.is_symlink() or not path.is_file():
            raise ValueError(f"{path.relative_to(folder)} is no ordinary file")
    packed.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = packed.with_name(f".{run}.tmp")
    try:
        with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as stored:
            for path in files:
                stored.write(path, path.relative_to(folder))
        draft.chmod(0o600)
        _compare(draft, folder, files)
        fsync_folder(draft)
        draft.rename(packed)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    fsync_folder(packed.parent)
    before = sum(path.stat().st_size for path in files)
    gone = home / "runs" / FOLDER / f"{GONE}{run}"
    folder.rename(gone)  # at once: nobody reads half a run
    shutil.rmtree(gone)
    return before, packed.stat().st_size


def _compare(packed: Path, folder: Path, files: list[Path]) -> None:
    """Raise ValueError when the zip does not hold exactly these files."""
    with zipfile.ZipFile(packed) as stored:
        if sorted(stored.namelist()) != sorted(str(path.relative_to(folder)) for path in files):
            raise ValueError("the zip does not hold all files")
        for path in files:
            with stored.open(str(path.relative_to(folder))) as kept, path.open("rb") as here:
                while piece := here.read(PIECE):
                    if kept.read(len(piece)) != piece:
                        raise ValueError(f"the zip holds {path.name} otherwise")
                if kept.read(1):
                    raise ValueError(f"{path.name} changed meanwhile")


def _tidy(home: Path) -> None:
    """Finish what a kill left half done."""
    for entry in entries(home / "runs" / FOLDER):
        if entry.name.startswith((GONE, BACK)):
            shutil.rmtree(entry.path, ignore_errors=True)
    for draft in (home / "runs" / FOLDER).glob("*/.*.tmp"):
        draft.unlink(missing_ok=True)
    for run in archived_ids(home):
        if (home / "runs" / run).is_dir():  # both are there: the folder may have gone on since
            place(home, run).unlink(missing_ok=True)
