"""Try whether a stage can be opened here, by opening one: what is installed need not be allowed."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, NamedTuple

from sandbox.undo.places import StageError


class StageLevel(NamedTuple):
    """Hold what this machine can do. `reason` is a line on why it is no more, `fix` the command
    that would help."""

    name: Literal["overlay", "none"]
    reason: str = ""
    fix: str = ""


def probe(home: Path, roots: Iterable[str | Path]) -> StageLevel:
    """Return whether these roots can be staged. It mounts for real: on some systems a namespace can
    be made and nothing mounted in it."""
    if sys.platform != "linux":
        return StageLevel("none", f"there is no overlayfs on {sys.platform}")
    from sandbox.cells.probing import fix_for_namespaces
    from sandbox.stage.stage import Stage

    try:
        stage = Stage.open(roots, home, "probe", "probe")
        try:
            code, output = stage.run(["true"], "/")
        finally:
            stage.discard()
    except StageError as error:
        return StageLevel("none", str(error), fix_for_namespaces())
    if code:
        return StageLevel("none", output.decode(errors="replace").strip(), fix_for_namespaces())
    return StageLevel("overlay")
