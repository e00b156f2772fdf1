"""The folder of a shared session, the only one that it has: what its members may do in it, and where it lies.

What is too long for its history is kept with the run: of that a run reads its own files, by the name @runs. Where the sandbox is full, Python runs in it, and files in it are read and written; nothing else is reached. Source: seed 004.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safety.paths import references

TOOLS = frozenset({"code_run", "file_read", "file_write", "file_patch"})
RUNS = "@runs"  # stands for the folder of the run logs, whose place is the owner's


def folder_of(home: Path, id: str) -> Path:
    """The folder of the session with this id; it is made. Raises OSError."""
    name = id if id.strip(".") else f"_{id}"
    folder = home.resolve() / "shared" / name / "files"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def why_not(
    tool: str,
    args: Mapping[str, Any],
    paths: tuple[Path, ...],
    folder: Path | None,
    run: Path | None = None,
) -> str:
    """Why a shared session may not have this call; "" when it may. `paths` are those of the call, with links followed;
    `run` is the folder of the run that asks."""
    if folder is None or tool not in TOOLS:
        return f"{tool} is not for shared sessions: others read and write there"
    if tool == "code_run" and args.get("type") != "python":
        return "a shared session runs Python only: type python"
    if any(references(value) for value in args.values() if isinstance(value, str)):
        return "what is written in a shared session refers to no file"
    if (
        tool == "file_read"
        and run
        and paths
        and all(_is_kept(path, run.resolve()) for path in paths)
    ):
        return ""
    if not all(path.is_relative_to(folder) for path in paths):
        return "a shared session reaches its own folder only"
    return ""


def _is_kept(path: Path, run: Path) -> bool:
    """True of a long result or a long output of this run."""
    return path.parent == run / "results" or (path.parent == run and path.name.startswith("out-"))
