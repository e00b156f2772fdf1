"""The home folder: made on first use, checked on every use, refused when a newer Sopwith has laid
it out.

What lies in it: docs/architecture.md. Errors of this module stand in the tree at the top of
config.py.
"""

from __future__ import annotations

import os
from pathlib import Path

from config import Message, SopwithError

LAYOUT = 1  # counts up when an older Sopwith could no longer read what a newer one writes
FOLDERS = ("runs", "sops", "memory", "schedule", "journal", "trash", "personas", "inbox")
LEAST_FREE_BYTES = 1 << 20  # less than this cannot hold the log of a run
_ELSEWHERE = "error.home.elsewhere"


class HomeError(SopwithError):
    """The home folder cannot be made or used."""


class HomeTooNew(HomeError):
    """The home folder was laid out by a newer Sopwith."""

    exit_code = 2


def open_home(home: Path) -> None:
    """Make what is missing of the home folder and check that it can be written to. Raises
    HomeError.

    A home of a newer layout is left as it is. Folders are made for the owner alone (mode 0700). Two
    processes may make it at once. Costs well under a millisecond when all is there.
    """
    try:
        is_laid_out = check_layout(home)
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_room(home)
        for name in FOLDERS:
            (home / name).mkdir(mode=0o700, exist_ok=True)
        if not is_laid_out:
            from memory.files import write_atomic  # the first use alone pays for the import

            write_atomic(home / "version", f"{LAYOUT}\n")
    except OSError as error:
        where = error.filename or home
        raise HomeError(
            "error.home.home-folder-cannot-used",
            where=where,
            error=error,
            rest=Message(_ELSEWHERE),
        ) from error


def check_layout(home: Path) -> bool:
    """Return True when the home is laid out already, as this Sopwith does it. Raises HomeError;
    changes nothing."""
    try:
        said = (home / "version").read_text(encoding="utf-8", errors="replace").strip()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise HomeError(
            "error.home.home-folder-cannot-used",
            where=error.filename,
            error=error,
            rest=Message(_ELSEWHERE),
        ) from error
    if not said.isdecimal():
        raise HomeError(
            "error.home.should-hold-number-holds",
            path=home / "version",
            text=f"{said[:40]!r}",
            rest=Message(_ELSEWHERE),
        )
    if int(said) > LAYOUT:
        raise HomeTooNew(
            "error.home.home-folder-belongs-newer",
            home=home,
            said=said,
            known=LAYOUT,
            rest=Message(_ELSEWHERE),
        )
    return True


def _check_room(home: Path) -> None:
    """Raise HomeError for a full or read-only disk, before a run has done anything."""
    if not os.access(home, os.W_OK | os.X_OK):
        why = Message("error.home.not-ours")
        raise HomeError(
            "error.home.home-folder-cannot-written", home=home, why=why, rest=Message(_ELSEWHERE)
        )
    disk = os.statvfs(home)
    if disk.f_bavail * disk.f_frsize < LEAST_FREE_BYTES or (disk.f_files and not disk.f_favail):
        raise HomeError("error.home.disk-home-folder-full", home=home, rest=Message(_ELSEWHERE))
