"""What the first tool call of a run will need is made ready before its model is asked: the first answer is not held up."""

from __future__ import annotations

from safety.gate import Ask, Gate
from sandbox.cells import Sandbox


def warm(gate: Gate, sandbox: Sandbox | None, *, is_staged: bool = False) -> None:
    """Begins to build the cell of a call without lifts, which another process does, and lets the gate look at a script:
    what it imports and compiles for its first one takes longer than a call takes."""
    if sandbox and sandbox.level.name == "full":
        from tools.scripts import Cells

        Cells.of(sandbox).warm(sandbox, gate.cwd, is_staged=is_staged)
    from sandbox.cells import lifts_of

    lifts_of(
        gate,
        Ask("code_run", {"script": "echo 'one' | head -n 1"}, ("execute",), (gate.cwd,), "main"),
    )
