"""What the first tool call of a run will need is made ready before its model is asked: the first answer is not held up."""

from __future__ import annotations

from pathlib import Path

from safety.sandbox import Sandbox


def warm(sandbox: Sandbox | None, cwd: Path) -> None:
    """Begins to build the cell of a call without lifts, which another process does, and lets the gate read a script:
    what it needs for that takes longer to import than a call takes."""
    if sandbox and sandbox.level.name == "full":
        from tools.cells import Cells

        Cells.of(sandbox).warm(sandbox, cwd)
    from safety import commands, lifts, shell  # noqa: F401 - imported for whoever comes next

    shell.read("true")
