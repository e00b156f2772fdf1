"""The folder of a shared session, the only one that it has, and what its members may do in it.

Where the sandbox is full, Python runs in it, and files in it are read and written. What was too long for its history a run
reads by the name @runs. Source: seed 004.
"""

from __future__ import annotations

import glob
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
    kept = _kept(run.resolve()) if run and ask.tool == "file_read" else ()
    is_kept = all(any(map(path.match, kept)) for path in outside)
    return "" if is_kept else "shared_folder"


def _kept(run: Path) -> tuple[str, ...]:
    """Return the patterns of long results and long outputs of this run."""
    plain = glob.escape(str(run))
    return f"{plain}/results/*", f"{plain}/out-*"
