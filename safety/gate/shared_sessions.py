"""The folder of a shared session, the only one that it has, and what its members may do in it.

Where the sandbox is full, Python runs in it, and files in it are read and written. What was too long for its history a run
reads by the name @runs. Source: seed 004.
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
    is_kept = ask.tool == "file_read" and run is not None and _are_kept(ask.paths, run.resolve())
    is_inside = all(path.is_relative_to(folder) for path in ask.paths)
    return "" if is_kept or is_inside else "shared_folder"


def _are_kept(paths: tuple[Path, ...], run: Path) -> bool:
    """True of long results and long outputs of this run."""
    return bool(paths) and all(
        path.parent == run / "results" or (path.parent == run and path.name.startswith("out-"))
        for path in paths
    )
