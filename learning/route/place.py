"""Where a request was made, and where the folders are that people call by a name."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

_FILE = Path(__file__).parents[2] / "assets" / "routing" / "words.toml"
_WORD = re.compile(r"[a-z']+")
_DIRS = re.compile(r'^XDG_(\w+)_DIR="(?:\$HOME/)?([^"]+)"', re.MULTILINE)


class Where(NamedTuple):
    """The working folder of a request and the owner's home folder; `new`: where new things go, if
    that is elsewhere."""

    cwd: Path
    owner_home: Path
    new: Path | None = None

    @property
    def here(self) -> Path:
        """Return the folder that "here" names, in which new things are made."""
        return self.new or self.cwd


@cache
def words() -> dict[str, Any]:
    """Return the tables of assets/routing/words.toml."""
    return tomllib.loads(_FILE.read_text("utf-8"))


@cache
def _by_script(tables: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the words of some tables: English ones, and those that stand anywhere in a text."""
    known = frozenset(word for table in tables for word in words()[table])
    english = frozenset(filter(str.isascii, known))
    return english, tuple(known - english)


def held_words(text: str, *tables: str) -> frozenset[str]:
    """Return the words of these tables that a text holds."""
    english, chinese = _by_script(tables)
    said = english.intersection(_WORD.findall(text.lower()))
    return said.union(word for word in chinese if word in text)


def folder_called(name: str, where: Where) -> Path:
    """Return where the folder is that `text.values` reads as `name`, such as DOWNLOAD or HERE."""
    if name == "HERE":
        return where.cwd
    if name == "HOME":
        return where.owner_home
    known: list[Path] = [where.owner_home / each for each in words()["folders"][name]]
    set_up = _set_up(where.owner_home).get(name)
    found = [where.owner_home / set_up] if set_up else []
    return next((each for each in [*found, *known] if each.is_dir()), known[0])


def _set_up(owner_home: Path) -> dict[str, str]:
    """Return the folders of the desktop's own settings."""
    try:
        text = (owner_home / ".config" / "user-dirs.dirs").read_text("utf-8", "replace")
    except OSError:
        return {}
    return dict(_DIRS.findall(text))


def absolute(path: str, where: Where) -> str:
    """Return a path as written, from the root; `~` is the owner's home folder."""
    if path == "~" or path.startswith("~/"):
        return str(where.owner_home / path[2:])
    return str(where.cwd / path)
