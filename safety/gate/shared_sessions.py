"""The folder of a shared session, the only one that it has, and what its members may do in it.

Where the sandbox is full, Python runs in it, and files in it are read and written. What was too
long for its history a run reads by the name @runs. Source: seed 004.
"""

from __future__ import annotations

from pathlib import Path

from safety.findings import Ask
from safety.paths import references

SHARED_TOOLS = frozenset({"code_run", "file_read", "file_write", "file_patch"})


def why_not(ask: Ask, folder: Path | None, run: Path | None = None) -> str:
    """Return the key of the reason why a shared session may not have this call, or "".

    `run` is the folder of the run that asks.
    """
    if folder is None or ask.tool not in SHARED_TOOLS:
        return "shared_tool"
    if ask.tool == "code_run" and ask.args.get("type") != "python":
        return "shared_python"
    if any(map(references, map(str, ask.args.values()))):
        return "shared_reference"
    outside = [path for path in ask.paths if not path.is_relative_to(folder)]
    return "" if all(_may_read(ask, path, run) for path in outside) else "shared_folder"


def _may_read(ask: Ask, path: Path, run: Path | None) -> bool:
    """Return True where a long result or a long output of this run is read."""
    if run is None or ask.tool != "file_read":
        return False
    run = run.resolve()
    return path.parent == run / "results" or (path.parent == run and path.name.startswith("out-"))
