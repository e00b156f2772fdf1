"""Which Git repositories lie in the folders that may be written to: what their `hooks` and `config` name runs without asking."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterable
from pathlib import Path

LOOK_SECONDS = 0.003  # a call; the next one goes on where this one stopped
MAX_DEPTH = 4
_SKIPPED = {"node_modules", "__pycache__", "site-packages", "dist-packages", "venv", "target", "build"}


class Repositories:
    """Finds them little by little, those near the top of each root first."""

    def __init__(self, roots: Iterable[Path]) -> None:
        self.found: dict[str, None] = {}  # the .git folders
        self._todo = deque((str(root), 0) for root in roots)

    def look(self, cwd: Path) -> list[Path]:
        """The .git folders known so far; that of `cwd`, and those right below it, are always among them."""
        for folder in (cwd, *cwd.parents):
            self._note(folder / ".git")
        end = time.monotonic() + LOOK_SECONDS
        while self._todo and time.monotonic() < end:
            self._enter(*self._todo.popleft())
        self._enter(str(cwd), MAX_DEPTH)
        return [Path(name) for name in self.found if Path(name).is_dir()]

    def _enter(self, folder: str, depth: int) -> None:
        try:
            with os.scandir(folder) as entries:
                names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False) or entry.name == ".git"]
        except OSError:
            return
        if ".git" in names:
            self._note(Path(folder, ".git"))
        below = [f"{folder}/{name}" for name in names if not name.startswith(".") and name not in _SKIPPED]
        if depth < MAX_DEPTH:
            self._todo.extend((place, depth + 1) for place in below)
        elif depth == MAX_DEPTH:
            for place in below[:1000]:
                self._note(Path(place, ".git"))

    def _note(self, git: Path) -> None:
        if str(git) in self.found:
            return
        if git.is_dir():
            self.found[str(git)] = None
        elif git.is_file():  # of a worktree or a submodule: it names the folder
            folder = _named(git)
            if folder and folder.is_dir():
                self.found[str(folder)] = None
                common = folder.parent.parent
                if folder.parent.name == "worktrees" and common.is_dir():
                    self.found[str(common)] = None


def guarded(git: Path, *, config: bool) -> list[Path]:
    """What must not be written in a .git folder; with `config` its settings too."""
    names = ["hooks", "config", "config.worktree"] if config else ["hooks"]
    found = [git / name for name in names]
    modules = git / "modules"
    if modules.is_dir():
        found += [module / name for module in modules.iterdir() for name in names]
    return [place for place in found if place.exists()]


def _named(git: Path) -> Path | None:
    try:
        text = git.read_text("utf-8", "replace")[:4096]
    except OSError:
        return None
    start, _, rest = text.partition("gitdir:")
    return (git.parent / rest.strip()).resolve() if not start and rest else None
