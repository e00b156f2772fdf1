"""Try whether a stage can be opened here, by opening one: what is installed need not be allowed."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from sandbox.undo.places import StageError


def why_none(home: Path, roots: Iterable[str | Path]) -> str:
    """Return why these roots cannot be staged, "" where they can. It mounts for real: on some
    systems a namespace can be made and nothing mounted in it."""
    if sys.platform != "linux":
        return f"there is no overlayfs on {sys.platform}"
    from sandbox.stage.stage import Stage

    try:
        stage = Stage.open(roots, home, "probe", "probe")
        try:
            code, output = stage.run(["true"], "/")
        finally:
            stage.discard()
    except StageError as error:
        return str(error)
    return output.decode(errors="replace").strip() if code else ""
