"""Find the Git repositories near a call: what their `hooks` and `config` name runs without asking."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

MOST_BELOW = 1000  # folders right below the working one that are looked at


def near(folders: Iterable[Path]) -> list[str]:
    """Return the .git folders at and above each folder, and those right below the first, where the call works."""
    first, *others = folders
    above = [place for folder in (first, *others) for place in (folder, *folder.parents)]
    found = (real for place in (*above, *_below(first)) for real in _gits(place / ".git"))
    return list(dict.fromkeys(found))


def _below(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            names = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    return [Path(name) for name in names[:MOST_BELOW]]


def _gits(git: Path) -> Iterator[str]:
    """Yield the folder that a `.git` is; of a worktree or a submodule, which have a file, what that names."""
    if not os.access(git, os.F_OK):
        return
    if git.is_dir():
        yield str(git)
        return
    folder = _named(git)
    if folder is None or not folder.is_dir():
        return
    yield str(folder)
    if folder.parent.name == "worktrees":
        yield str(folder.parent.parent)


def guarded(git: str, *, config: bool) -> list[str]:
    """Return what must not be written in a .git folder; with `config` its settings too."""
    names = ["hooks", "config", "config.worktree"] if config else ["hooks"]
    folders = [git, *(str(each) for each in _below(Path(git, "modules")))]
    places = (f"{folder}/{name}" for folder in folders for name in names)
    return [place for place in places if os.access(place, os.F_OK)]


def _named(git: Path) -> Path | None:
    try:
        text = git.read_text("utf-8", "replace")[:4096]
    except OSError:
        return None
    start, _, rest = text.partition("gitdir:")
    return (git.parent / rest.strip()).resolve() if not start and rest else None
