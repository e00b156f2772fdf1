"""The folder of a shared session, the only one that it has: what its members may do in it, and where it lies.

Where the sandbox is full, Python runs in it, and files in it are read and written; nothing else is reached. Source: seed 004.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safety.paths import references

TOOLS = frozenset({"code_run", "file_read", "file_write", "file_patch"})


def folder_of(home: Path, id: str) -> Path:
    """The folder of the session with this id; it is made. Raises OSError."""
    name = id if id.strip(".") else f"_{id}"
    folder = home.resolve() / "shared" / name / "files"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def why_not(tool: str, args: Mapping[str, Any], paths: tuple[Path, ...], folder: Path | None) -> str:
    """Why a shared session may not have this call; "" when it may. `paths` are those of the call, with links followed."""
    if folder is None or tool not in TOOLS:
        return f"{tool} is not for shared sessions: others read and write there"
    if tool == "code_run" and args.get("type") != "python":
        return "a shared session runs Python only: type python"
    if any(references(value) for value in args.values() if isinstance(value, str)):
        return "what is written in a shared session refers to no file"
    if not all(path.is_relative_to(folder) for path in paths):
        return "a shared session reaches its own folder only"
    return ""
