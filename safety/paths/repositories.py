"""Tell which files of a Git repository start programs, and which of a new one are as Git itself writes them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from text import pattern
from text.sections import sections

_ROWS = sections("safety/places.txt")
_DECIDES = pattern(_ROWS["git_decides"])
_PLAIN = pattern("".join(_ROWS["git_plain"].split()))
_LINKED = pattern(r"gitdir: \S*\.git/(modules|worktrees)/[^\n]+\n?")
_SECTION = pattern(r'\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_MOST_BYTES = 100_000


def part_that_decides(path: str) -> str:
    """Return the path within its repository of a file that may start a program; "" for others."""
    match = _DECIDES.fullmatch(path)
    return match[1] if match else ""


def is_plain(path: str, content: str) -> bool:
    """Return True where `path`, whose bytes lie at `content`, is as `git init` and `git clone` write it."""
    if path.endswith(".sample"):
        return True
    try:
        text = Path(content).read_bytes()[:_MOST_BYTES].decode("utf-8", "replace")
    except OSError:
        return False
    if path.endswith("/.git"):
        return _LINKED.fullmatch(text) is not None
    is_hook = "/hooks/" in path
    return not is_hook and all(_PLAIN.fullmatch(key) for key in _keys(text))


def _keys(text: str) -> Iterator[str]:
    """Yield the settings of a config file, as `section.name.key`."""
    section = ""
    for line in text.splitlines():
        if match := _SECTION.match(line):
            section = ".".join(filter(None, match.groups()))
        setting = line[match.end() if match else 0 :].strip()
        if setting and setting[0] not in "#;":
            name = setting.partition("=")[0].split()[0]
            yield f"{section}.{name}".lower()
