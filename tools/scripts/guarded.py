"""Bring back what a script may not change, where no mount holds it: start-up files, keys, the agent's settings and SOPs.

Landlock knows no exceptions, so a folder above such a file can be written to whole or not at all (sandbox/cells/confine.py).
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from sandbox.cells import mounts

MOST_BYTES, MOST_FILES = 1 << 20, 2000
OF_THE_AGENT = ("config.yaml", "*.md", "sops/**/*", "schedule/*.json")


class _Before(NamedTuple):
    """One file before a call."""

    stamp: tuple[int, int, int]
    content: bytes


class Guarded:
    """The guard of some files around one call."""

    def __init__(self, planner: mounts.Planner, hidden: Iterable[str]) -> None:
        places = planner.profile.places
        self._missing = planner.missing()
        agent = (path for name in OF_THE_AGENT for path in places.agent.glob(name))
        files = [*map(Path, places.startup), *_files(map(Path, hidden)), *agent]
        self._before = dict(_looked_at([path for path in files if planner.is_writable(str(path))]))

    def taken(self, folder: Path) -> list[str]:
        """Bring back what was changed and take away what is new; what the script made of it goes to `folder`."""
        taken = mounts.take_away(self._missing, folder)
        for path, before in self._before.items():
            if _stamp(path) != before.stamp:
                if path.exists():
                    shutil.copyfile(path, folder / f"taken-{path.name}")
                path.write_bytes(before.content)
                taken.append(str(path))
        return taken


def _files(places: Iterable[Path]) -> Iterator[Path]:
    for place in places:
        yield from place.rglob("*") if place.is_dir() else [place]


def _looked_at(files: list[Path]) -> Iterator[tuple[Path, _Before]]:
    for path in files[:MOST_FILES]:
        stamp = _stamp(path)
        if stamp and stamp[1] <= MOST_BYTES:
            yield path, _Before(stamp, path.read_bytes())


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """Return which state a file is in; None for what is no file, or not ours to read."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    is_ours = stat.S_ISREG(found.st_mode) and os.access(path, os.R_OK)
    return (found.st_ino, found.st_size, found.st_mtime_ns) if is_ours else None
