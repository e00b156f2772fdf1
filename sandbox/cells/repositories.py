"""Find the Git repositories in the folders that may be written to: what their `hooks` and `config` name runs without asking."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterable
from pathlib import Path

LOOK_SECONDS = 0.004  # each time that it is searched; the next time goes on where this one stopped
MAX_DEPTH = 4
_SKIPPED = {
    "node_modules",
    "__pycache__",
    "site-packages",
    "dist-packages",
    "venv",
    "target",
    "build",
}


class Repositories:
    """Finds them little by little, those near the top of each root first."""

    def __init__(self, roots: Iterable[Path]) -> None:
        self.found: dict[str, None] = {}  # the .git folders
        self._todo = deque((str(root), 0) for root in roots)

    def look(self, folders: Iterable[Path], *, search: bool) -> list[str]:
        """The .git folders known so far. That of each of `folders`, and those right below the first, which is where the
        call works, are always among them. `search`: looks for more in the roots."""
        first, *others = folders
        self._note_above(first)
        for folder in others:
            self._note_above(folder)
        end = time.monotonic() + LOOK_SECONDS if search else 0.0
        while self._todo and time.monotonic() < end:
            self._enter(*self._todo.popleft())
        self._enter(str(first), MAX_DEPTH)
        return [name for name in self.found if os.access(name, os.X_OK)]

    def _note_above(self, folder: Path) -> None:
        for each in (folder, *folder.parents):
            self._note(f"{each}/.git")

    def _enter(self, folder: str, depth: int) -> None:
        try:
            with os.scandir(folder) as entries:
                names = [
                    entry.name
                    for entry in entries
                    if entry.is_dir(follow_symlinks=False) or entry.name == ".git"
                ]
        except OSError:
            return
        if ".git" in names:
            self._note(f"{folder}/.git")
        below = [
            f"{folder}/{name}"
            for name in names
            if not name.startswith(".") and name not in _SKIPPED
        ]
        if depth < MAX_DEPTH:
            self._todo.extend((place, depth + 1) for place in below)
        elif depth == MAX_DEPTH:
            for place in below[:1000]:
                self._note(f"{place}/.git")

    def _note(self, name: str) -> None:
        if name in self.found or not os.access(name, os.F_OK):
            return
        git = Path(name)
        if git.is_dir():
            self.found[name] = None
        elif git.is_file():  # of a worktree or a submodule: it names the folder
            folder = _named(git)
            if folder and folder.is_dir():
                self.found[str(folder)] = None
                common = folder.parent.parent
                if folder.parent.name == "worktrees" and common.is_dir():
                    self.found[str(common)] = None


def guarded(git: str, *, config: bool) -> list[str]:
    """Return what must not be written in a .git folder; with `config` its settings too."""
    names = ["hooks", "config", "config.worktree"] if config else ["hooks"]
    folders = [git]
    if os.access(f"{git}/modules", os.R_OK):
        with os.scandir(f"{git}/modules") as modules:
            folders += [module.path for module in modules]
    return [
        place
        for folder in folders
        for name in names
        if os.access(place := f"{folder}/{name}", os.F_OK)
    ]


def _named(git: Path) -> Path | None:
    try:
        text = git.read_text("utf-8", "replace")[:4096]
    except OSError:
        return None
    start, _, rest = text.partition("gitdir:")
    return (git.parent / rest.strip()).resolve() if not start and rest else None
