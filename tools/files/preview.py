"""Show what a call would change in a file, as a diff, for whoever is asked to allow it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

MAX_BYTES = 500_000  # of a file that is compared


def diff(tool: str, args: dict[str, Any], path: Path) -> str:
    """The lines that file_patch or file_write would take away (-) and put there (+); "" where there is nothing to compare."""
    if tool == "file_patch":
        return _lines(str(args.get("old", "")), str(args.get("new", "")))
    if tool != "file_write" or args.get("mode", "overwrite") != "overwrite":
        return ""
    try:
        is_small = path.is_file() and path.stat().st_size <= MAX_BYTES
        before = path.read_text("utf-8") if is_small else ""
    except (OSError, ValueError):
        return ""
    return _lines(before, str(args.get("content", ""))) if before else ""


def _lines(before: str, after: str) -> str:
    from difflib import unified_diff  # only where somebody is asked

    found: Iterable[str] = unified_diff(before.splitlines(), after.splitlines(), n=2, lineterm="")
    return "\n".join(_body(found))


def _body(lines: Iterable[str]) -> Iterator[str]:
    """Without the two lines that name the files."""
    yield from (line for number, line in enumerate(lines) if number > 1)
