"""Show what a call would change in a file, as a diff, for whoever is asked to allow it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tools.files.text_files import diff as shown

MAX_BYTES = 500_000  # of a file that is compared


def diff(tool: str, args: dict[str, Any], path: Path) -> str:
    """The lines that file_patch or file_write would take away (-) and put there (+); "" where there is nothing to compare."""
    if tool == "file_patch":
        return shown(str(args.get("old", "")), str(args.get("new", "")), MAX_BYTES)
    if tool != "file_write" or args.get("mode", "overwrite") != "overwrite":
        return ""
    try:
        is_small = path.is_file() and path.stat().st_size <= MAX_BYTES
        before = path.read_text("utf-8") if is_small else ""
    except (OSError, ValueError):
        return ""
    return shown(before, str(args.get("content", "")), MAX_BYTES) if before else ""
